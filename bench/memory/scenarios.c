/* SPDX-License-Identifier: Apache-2.0 */
/* What an allocator holds of the memory that a program uses, and what growth costs. Sequences are
 * fixed (own generators, own seeds); all lists of blocks are in mappings of their own, touched
 * before the first measurement. Must not know: how a peer allocates, what is printed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

/* jemalloc's, where the program has it: bytes in pages that hold blocks, whoever has them. */
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

static const struct bench_code *code;
static const struct bench_cell *cell;
static bool small; /* --quick */

/* --- what the process has
 */

static size_t read_file(const char *path, char *text, size_t len)
{
    size_t used = 0;
    ssize_t got;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && used + 1 < len && (got = read(fd, text + used, len - 1 - used)) > 0)
        used += (size_t)got;
    if (fd >= 0)
        close(fd);
    text[used] = '\0';
    return used;
}

/* Bytes. */
static double resident(void)
{
    char text[128];
    read_file("/proc/self/statm", text, sizeof text);
    const char *second = strchr(text, ' ');
    return second != NULL ? strtod(second, NULL) * (double)sysconf(_SC_PAGESIZE) : 0;
}

/* Mappings of the process, or those in the range of the node's pool; -1 if the peer has none. */
static double vmas(bool in_pool)
{
    static char text[1 << 20];
    size_t lines = 0;
    read_file("/proc/self/maps", text, sizeof text);
    if (in_pool && code->node_of == NULL)
        return -1;
    for (const char *at = text; at != NULL && *at != '\0';) {
        const uintptr_t start = strtoul(at, NULL, 16);
        lines += !in_pool || code->node_of((const void *)start) == cell->node;
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return (double)lines;
}

static double active(void)
{
    uint64_t epoch = 1;
    size_t value = 0, len = sizeof epoch;
    if (mallctl == NULL)
        return -1;
    mallctl("epoch", &epoch, &len, &epoch, sizeof epoch);
    len = sizeof value;
    return mallctl("stats.active", &value, &len, NULL, 0) == 0 ? (double)value : -1;
}

static double active_since(double before)
{
    return before < 0 ? -1 : active() - before;
}

/* The same without what caches hold. */
static double settled_since(double before)
{
    if (code->purge != NULL)
        code->purge(cell->node);
    return active_since(before);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Zeroed and touched; ends the process if there is no memory. */
static void *list_make(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                   -1, 0);
    if (p == MAP_FAILED)
        _exit(3);
    return p;
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static void *take(size_t size)
{
    void *p = code->alloc(cell->node, size);
    if (p == NULL)
        _exit(4);
    memset(p, 1, size);
    return p;
}

static void give(void *p, size_t size)
{
    code->release(cell->node, p, size);
}

static void enter(unsigned id)
{
    const struct bench_job job = {.node = cell->node, .id = id};
    if (code->enter != NULL)
        code->enter(&job, cell->size);
}

static void leave(unsigned id)
{
    const struct bench_job job = {.node = cell->node, .id = id};
    if (code->leave != NULL)
        code->leave(&job, cell->size);
}

static void put(struct bench_memory *memory, double figure)
{
    memory->figures[memory->count++] = figure;
}

/* --- larson: live active resident
 */

enum { LARSON_BLOCKS = 10000 };
struct larson {
    struct bench_slot *shelf[2 * BENCH_MAX_THREADS];
    struct bench_slot slots[2 * BENCH_MAX_THREADS][LARSON_BLOCKS];
    unsigned next_id;
};

static void *larson_thread(void *argument)
{
    struct larson *all = argument;
    const unsigned id = __atomic_fetch_add(&all->next_id, 1, __ATOMIC_RELAXED);
    const size_t passes = small ? 4 : 40;
    struct bench_slot *mine = all->slots[cell->threads + id];
    uint32_t random = 12345 + id;
    enter(id);
    for (size_t pass = 0; pass < passes; pass++) {
        for (size_t i = 0; i < LARSON_BLOCKS; i++) {
            struct bench_slot *slot = &mine[next_random(&random) % LARSON_BLOCKS];
            if (slot->p != NULL)
                give(slot->p, slot->size);
            slot->size = 16 + next_random(&random) % (BENCH_LARSON_MAX / 16) * 16;
            slot->p = take(slot->size);
        }
        mine = __atomic_exchange_n(&all->shelf[next_random(&random) % cell->threads], mine,
                                   __ATOMIC_ACQ_REL);
    }
    leave(id);
    return NULL;
}

static void threads_run(unsigned count, void *(*run)(void *), void *argument)
{
    pthread_t threads[BENCH_MAX_THREADS];
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run, argument) != 0)
            _exit(3);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void larson(struct bench_memory *memory)
{
    struct larson *all = list_make(sizeof *all);
    const double before = resident(), active_before = active();
    double live = 0;
    for (unsigned i = 0; i < cell->threads; i++)
        all->shelf[i] = all->slots[i];
    threads_run(cell->threads, larson_thread, all);
    for (unsigned i = 0; i < 2 * cell->threads; i++)
        for (size_t k = 0; k < LARSON_BLOCKS; k++)
            live += all->slots[i][k].p != NULL ? (double)all->slots[i][k].size : 0;
    put(memory, live);
    put(memory, active_since(active_before));
    put(memory, resident() - before);
}

/* --- prodcons: live active resident wrong-by-address wrong-by-kernel checked
 * One thread allocates batches, the other frees them, with RING batches between them. */

enum { RING = 64, SAMPLE = 16 }; /* every 16th batch is looked at */
struct prodcons {
    sem_t full, empty;
    void *slots[RING][BENCH_BATCH];
    size_t batches;
    double resident, active, active_before, cpu;
    size_t wrong_own, wrong_kernel, checked;
};

static void *producer(void *argument)
{
    struct prodcons *all = argument;
    bench_pin(0);
    enter(0);
    for (size_t batch = 0; batch < all->batches; batch++) {
        sem_wait(&all->empty);
        for (size_t i = 0; i < BENCH_BATCH; i++)
            all->slots[batch % RING][i] = take(cell->size);
        sem_post(&all->full);
    }
    leave(0);
    return NULL;
}

static void prodcons_look(struct prodcons *all, void **slots)
{
    static void *pages[BENCH_BATCH];
    static int nodes[BENCH_BATCH];
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        pages[i] = (void *)((uintptr_t)slots[i] & ~(uintptr_t)4095);
        nodes[i] = cell->node;
        all->wrong_own += code->node_of != NULL && code->node_of(slots[i]) != cell->node;
    }
    if (syscall(SYS_move_pages, 0, (unsigned long)BENCH_BATCH, pages, NULL, nodes, 0) == 0)
        for (size_t i = 0; i < BENCH_BATCH; i++)
            all->wrong_kernel += nodes[i] >= 0 && nodes[i] != cell->node;
    all->checked += BENCH_BATCH;
    const double now = resident(), active_now = active_since(all->active_before);
    all->resident = now > all->resident ? now : all->resident;
    all->active = active_now > all->active ? active_now : all->active;
}

static void *consumer(void *argument)
{
    struct prodcons *all = argument;
    bench_pin(1);
    enter(1);
    for (size_t batch = 0; batch < all->batches; batch++) {
        sem_wait(&all->full);
        void **slots = all->slots[batch % RING];
        if (batch % SAMPLE == 0)
            prodcons_look(all, slots);
        for (size_t i = 0; i < BENCH_BATCH; i++)
            give(slots[i], cell->size);
        sem_post(&all->empty);
    }
    leave(1);
    return NULL;
}

static void prodcons(struct bench_memory *memory)
{
    struct prodcons *all = list_make(sizeof *all);
    pthread_t threads[2];
    sem_init(&all->full, 0, 0);
    sem_init(&all->empty, 0, RING);
    all->batches = small ? 200 : 2000;
    all->active = -1;
    all->active_before = active();
    const double before = resident();
    if (pthread_create(&threads[0], NULL, producer, all) != 0 ||
        pthread_create(&threads[1], NULL, consumer, all) != 0)
        _exit(3);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    put(memory, (double)RING * BENCH_BATCH * (double)cell->size);
    put(memory, all->active);
    put(memory, all->resident - before);
    put(memory, (double)all->wrong_own);
    put(memory, (double)all->wrong_kernel);
    put(memory, (double)all->checked);
}

/* --- keep: live active settled resident
 * Each phase allocates, keeps 1 of 64 blocks and frees the rest: what stays pins as few slabs as
 * the allocator fills before it opens others. */
static void keep(struct bench_memory *memory)
{
    enum { PHASES = 24, KEEP = 64 };
    const size_t count = (small ? 1u << 20 : 8u << 20) / cell->size / KEEP * KEEP;
    void **slots = list_make(count * sizeof *slots);
    const double before = resident(), active_before = active();
    double live = 0;
    enter(0);
    for (unsigned phase = 0; phase < PHASES; phase++) {
        for (size_t i = 0; i < count; i++)
            slots[i] = take(cell->size);
        for (size_t i = 0; i < count; i++) {
            if (i % KEEP == phase % KEEP)
                live += (double)cell->size;
            else
                give(slots[i], cell->size);
        }
    }
    leave(0);
    put(memory, live);
    put(memory, active_since(active_before));
    const double most = resident() - before;
    put(memory, settled_since(active_before));
    put(memory, most);
}

/* --- halves: live active settled resident
 * Fills a set of blocks, frees a random half of it, 20 times; measured when it is full. */
static void halves(struct bench_memory *memory)
{
    enum { CYCLES = 20 };
    const size_t count = (small ? 4u << 20 : 64u << 20) / cell->size;
    void **slots = list_make(count * sizeof *slots);
    const double before = resident(), active_before = active();
    uint32_t random = 12345;
    enter(0);
    for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
        for (size_t i = 0; i < count && cycle != 0; i++) {
            if ((next_random(&random) & 1) == 0)
                continue;
            give(slots[i], cell->size);
            slots[i] = NULL;
        }
        for (size_t i = 0; i < count; i++)
            if (slots[i] == NULL)
                slots[i] = take(cell->size);
    }
    leave(0);
    put(memory, (double)count * (double)cell->size);
    put(memory, active_since(active_before));
    const double most = resident() - before;
    put(memory, settled_since(active_before));
    put(memory, most);
}

/* --- growth: grown pool-vmas vmas1 vmas2 start purged1 purged2 cpu1 cpu2
 * To 1 GiB of blocks and back, twice. VMAs and resident memory as they are before, grown, purged.
 */
static void growth(struct bench_memory *memory)
{
    const size_t count = (small ? 32u << 20 : 1u << 30) / cell->size;
    void **slots = list_make(count * sizeof *slots);
    double added[2], purged[2], cpu[2], grown = 0, in_pool = 0;
    enter(0);
    for (size_t i = 0; i < BENCH_BATCH; i++) /* what a first allocation brings is no growth */
        slots[i] = take(cell->size);
    for (size_t i = 0; i < BENCH_BATCH; i++)
        give(slots[i], cell->size);
    const double lists = (double)(count * sizeof *slots), start = resident() - lists;
    const double first = vmas(false);
    for (int pass = 0; pass < 2; pass++) {
        const double begin = cpu_seconds();
        for (size_t i = 0; i < count; i++) {
            slots[i] = code->alloc(cell->node, cell->size);
            if (slots[i] == NULL)
                _exit(4);
            *(volatile size_t *)slots[i] = i;
        }
        cpu[pass] = cpu_seconds() - begin;
        added[pass] = vmas(false) - first;
        in_pool = vmas(true);
        grown = resident() - lists - start;
        const double middle = cpu_seconds();
        for (size_t i = 0; i < count; i++)
            give(slots[i], cell->size);
        cpu[pass] += cpu_seconds() - middle;
        if (code->purge != NULL)
            code->purge(cell->node);
        purged[pass] = resident() - lists;
    }
    leave(0);
    put(memory, grown);
    put(memory, in_pool);
    put(memory, added[0]);
    put(memory, added[1]);
    put(memory, start);
    put(memory, purged[0]);
    put(memory, purged[1]);
    put(memory, cpu[0]);
    put(memory, cpu[1]);
}

const char *bench_memory_run(const char *scenario, const struct bench_cell *which, bool quick,
                             struct bench_memory *memory)
{
    static const struct {
        const char *name;
        void (*run)(struct bench_memory *);
    } scenarios[] = {{"larson", larson},
                     {"prodcons", prodcons},
                     {"keep", keep},
                     {"halves", halves},
                     {"growth", growth}};
    const char *why = bench_cell_prepare(which);
    if (why == NULL && which->peer->no_reuse)
        why = "a list without refill cannot";
    cell = which;
    code = bench_code_find(which->peer->name);
    small = quick;
    memory->count = 0;
    for (size_t i = 0; why == NULL && i < sizeof scenarios / sizeof *scenarios; i++)
        if (strcmp(scenario, scenarios[i].name) == 0) {
            scenarios[i].run(memory);
            return NULL;
        }
    return why != NULL ? why : "no such scenario";
}
