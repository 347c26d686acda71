/* SPDX-License-Identifier: Apache-2.0 */
/* One cell in this process: starts the threads, runs a peer's loops in them, takes the medians; or
 * checks blocks instead of timing them. Must not know: rounds, other cells, output. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "bench.h"

enum {
    CHECK_BATCHES = 3,
    WARM_UP = 3,
    TRIAL = 5,      /* blocks from which the time of one is guessed */
    PASS_EVERY = 8, /* blocks of larson between two passes */
};

uint16_t bench_order[BENCH_BATCH];
uint16_t bench_order_large[BENCH_BATCH_LARGE];

static struct bench_code *codes;
static const struct bench_code *code; /* of the cell */

/* A thread of the cell. The job holds 8 kB of slots, so these live in one mapping, not in the heap
 * that is measured. */
struct worker {
    struct bench_job job;
    struct bench_check check;
    bench_loop *loop;
    size_t size;
    unsigned warm_up;
    bool traced;
    double cpu_ns;
    pthread_t thread;
    struct bench_slot larson[BENCH_BATCH];
};

/* Batches on their way from a producer to its consumer. */
struct ring {
    sem_t full, empty;
    void *slots[BENCH_RING][BENCH_BATCH];
};

struct bench_shared {
    pthread_barrier_t together;
    unsigned threads;
    struct worker *workers;
    struct ring *rings;                          /* one per two threads */
    struct bench_slot *shelf[BENCH_MAX_THREADS]; /* larson: blocks that no thread has now */
    struct bench_slot (*left)[BENCH_BATCH];      /* what the shelf has at first */
    void *seeds[BENCH_MAX_THREADS];              /* scratch */
    size_t mapped;
};

void bench_code_add(struct bench_code *more)
{
    more->next = codes;
    codes = more;
}

const struct bench_code *bench_code_find(const char *name)
{
    const struct bench_code *found = codes;
    while (found != NULL && strcmp(found->name, name) != 0)
        found = found->next;
    return found;
}

static double clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    return (uint64_t)clock_ns(CLOCK_MONOTONIC);
#endif
}

uint64_t bench_clock(const struct bench_job *job)
{
    return job->by_cpu_time ? (uint64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID) : ticks();
}

/* Compares the two clocks for 20 ms: an error of 100 ns at either end is 1 in 100,000. */
static double ns_per_tick(void)
{
    const double start = clock_ns(CLOCK_MONOTONIC);
    const uint64_t first = ticks();
    double now = start;
    while (now - start < 20e6)
        now = clock_ns(CLOCK_MONOTONIC);
    return (now - start) / (double)(ticks() - first);
}

/* The same order in every run: a generator of our own, seeded with a constant. */
static void shuffle(uint16_t *order, unsigned count)
{
    uint32_t state = 12345;
    for (unsigned i = 0; i < count; i++)
        order[i] = (uint16_t)i;
    for (unsigned i = count - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        const unsigned k = (state >> 8) % (i + 1);
        const uint16_t swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
}

/* --- checking blocks ---------------------------------------------------------------------------
 */

static uint64_t expected_word(const struct bench_job *job, size_t index, size_t word)
{
    return (uint64_t)(job->id + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)index << 20 ^ word;
}

void bench_fill(const struct bench_job *job, void *p, size_t size, size_t index)
{
    uint64_t *words = p;
    for (size_t i = 0; p != NULL && i < size / sizeof *words; i++)
        words[i] = expected_word(job, index, i);
}

static bool contents_kept(const struct bench_job *job, size_t index, size_t size)
{
    const uint64_t *words = job->slots[index];
    for (size_t i = 0; i < size / sizeof *words; i++)
        if (words[i] != expected_word(job, index, i))
            return false;
    return true;
}

/* The kernel's node of each block's first page, in one call; or all BENCH_NODE_UNKNOWN. */
static void kernel_nodes(const struct bench_job *job, void **pages, int *nodes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        pages[i] = (void *)((uintptr_t)job->slots[i] & ~(page - 1));
        nodes[i] = BENCH_NODE_UNKNOWN;
    }
    if (syscall(SYS_move_pages, 0, (unsigned long)BENCH_BATCH, pages, NULL, nodes, 0) < 0)
        for (size_t i = 0; i < BENCH_BATCH; i++)
            nodes[i] = BENCH_NODE_UNKNOWN;
}

static void examine_nodes(const struct bench_job *job, struct bench_check *check)
{
    static __thread void *pages[BENCH_BATCH];
    static __thread int nodes[BENCH_BATCH];
    kernel_nodes(job, pages, nodes);
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        if (job->slots[i] == NULL)
            continue;
        if (code->node_of != NULL && code->node_of(job->slots[i]) != job->node)
            check->wrong_own++;
        if (nodes[i] < 0)
            check->unknown_kernel++;
        else if (nodes[i] != job->node)
            check->wrong_kernel++;
    }
}

void bench_examine(struct bench_job *job, size_t size)
{
    struct bench_check *check = job->check;
    /* Every thread has written its blocks: a block that two threads got shows in one of them, and
     * one that a thread got twice in its first index. */
    bench_wait(job);
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        check->blocks++;
        if (job->slots[i] == NULL || !contents_kept(job, i, size))
            check->lost++;
    }
    if (job->bound)
        examine_nodes(job, check);
    bench_wait(job);
}

void bench_disturb(const struct bench_job *job, size_t size)
{
    if (code->disturb != NULL)
        code->disturb(job->node, size);
}

/* --- what threads have together
 */

void bench_wait(const struct bench_job *job)
{
    pthread_barrier_wait(&job->shared->together);
}

void **bench_neighbour(struct bench_job *job)
{
    const struct bench_shared *shared = job->shared;
    return shared->workers[(job->id + 1) % shared->threads].job.slots;
}

void **bench_ring_begin(struct bench_job *job, size_t block)
{
    struct ring *ring = &job->shared->rings[job->id / 2];
    sem_t *wanted = job->id % 2 == 0 ? &ring->empty : &ring->full;
    while (sem_wait(wanted) != 0) /* EINTR */
        ;
    return ring->slots[block % BENCH_RING];
}

void bench_ring_end(struct bench_job *job, size_t block)
{
    struct ring *ring = &job->shared->rings[job->id / 2];
    (void)block;
    sem_post(job->id % 2 == 0 ? &ring->full : &ring->empty);
}

void bench_larson_pass(struct bench_job *job)
{
    struct bench_shared *shared = job->shared;
    if (++job->passes % PASS_EVERY != 0)
        return;
    const unsigned where = job->passes / PASS_EVERY % shared->threads;
    job->larson = __atomic_exchange_n(&shared->shelf[where], job->larson, __ATOMIC_ACQ_REL);
}

void **bench_seed(const struct bench_job *job)
{
    return &job->shared->seeds[job->id];
}

static void larson_fill(struct bench_slot *slots, int node, unsigned seed)
{
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        slots[i].size = 16 + (i * 7 + seed) % (BENCH_LARSON_MAX / 16) * 16;
        slots[i].p = code->alloc(node, slots[i].size);
    }
}

static void larson_empty(struct bench_slot *slots, int node)
{
    for (size_t i = 0; i < BENCH_BATCH; i++)
        if (slots[i].p != NULL)
            code->release(node, slots[i].p, slots[i].size);
}

/* --- threads -----------------------------------------------------------------------------------
 */

void bench_pin(unsigned id)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return; /* more CPUs than a cpu_set_t has: unpinned is no error */
    unsigned nth = id % (unsigned)CPU_COUNT(&allowed);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || nth-- > 0)
            continue;
        CPU_ZERO(&allowed);
        CPU_SET(cpu, &allowed);
        sched_setaffinity(0, sizeof allowed, &allowed);
        return;
    }
}

/* Medians over the job's blocks, in the units of its clock. */
static struct bench_times job_medians(const struct bench_job *job, double *scratch)
{
    struct bench_times times = {0, 0, 0, 0};
    for (size_t i = 0; i < job->blocks; i++)
        scratch[i] = (double)job->took[2 * i];
    times.alloc = bench_median(scratch, job->blocks);
    for (size_t i = 0; i < job->blocks; i++)
        scratch[i] = (double)job->took[2 * i + 1];
    times.free = bench_median(scratch, job->blocks);
    for (size_t i = 0; i < job->blocks; i++)
        scratch[i] = (double)job->took[2 * i] + (double)job->took[2 * i + 1];
    times.pair = bench_median(scratch, job->blocks);
    return times;
}

/* The objects of scratch, one after the other: neighbours in memory if the allocator hands
 * out neighbours. */
static void seeds_plant(struct bench_job *job, size_t size)
{
    struct bench_shared *shared = job->shared;
    if (job->pattern == BENCH_SCRATCH && job->id == 0)
        for (unsigned i = 0; i < shared->threads; i++)
            shared->seeds[i] = code->alloc(job->node, size);
    bench_wait(job);
}

static void worker_time(struct worker *w)
{
    struct bench_job *job = &w->job;
    const size_t blocks = job->blocks;
    if (w->warm_up != 0) {
        job->blocks = w->warm_up;
        w->loop(job);
        job->blocks = blocks;
    }
    bench_wait(job);
    if (w->traced)
        BENCH_MARK();
    const double start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    w->loop(job);
    w->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
    if (w->traced)
        BENCH_MARK();
}

static void *worker_run(void *argument)
{
    struct worker *w = (struct worker *)argument;
    struct bench_job *job = &w->job;

    bench_pin(job->id);
    if (code->enter != NULL)
        code->enter(job, w->size);
    if (job->pattern == BENCH_LARSON)
        larson_fill(job->larson, job->node, job->id);
    seeds_plant(job, w->size);
    if (job->blocks != 0)
        worker_time(w);
    else /* later batches consist of blocks that were freed before */
        for (int batch = 0; batch < CHECK_BATCHES; batch++)
            w->loop(job);
    bench_wait(job);
    if (code->leave != NULL)
        code->leave(job, w->size);
    return NULL;
}

/* Everything of a cell in one mapping: the shared part, the threads, their times, rings, shelf. */
static struct bench_shared *shared_make(const struct bench_cell *cell, size_t blocks)
{
    const size_t n = cell->threads, took = sizeof(uint64_t) * 2 * BENCH_MAX_BLOCKS;
    const size_t head = (sizeof(struct bench_shared) + 63) / 64 * 64;
    const size_t mapped = head + n * (sizeof(struct worker) + took + sizeof(struct ring) +
                                      sizeof(struct bench_slot) * BENCH_BATCH);
    char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct bench_shared *shared = (struct bench_shared *)(void *)memory;
    shared->threads = cell->threads;
    shared->mapped = mapped;
    shared->workers = (struct worker *)(void *)(memory + head);
    shared->rings = (struct ring *)(void *)(shared->workers + n);
    shared->left = (struct bench_slot(*)[BENCH_BATCH])(void *)(shared->rings + n);
    uint64_t *times = (uint64_t *)(void *)(shared->left + n);
    pthread_barrier_init(&shared->together, NULL, cell->threads);
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = &shared->workers[i];
        w->job = (struct bench_job){.pattern = cell->pattern,
                                    .node = cell->node,
                                    .id = i,
                                    .by_cpu_time = cell->peer->by_cpu_time,
                                    .bound = cell->peer->bound,
                                    .blocks = blocks,
                                    .took = times + i * 2 * (size_t)BENCH_MAX_BLOCKS,
                                    .random = 12345 + i,
                                    .larson = w->larson,
                                    .shared = shared,
                                    .check = &w->check};
        w->loop = code->loops[bench_size_index(cell->size)];
        w->size = cell->size;
        w->warm_up = cell->peer->by_cpu_time ? 0 : WARM_UP;
        shared->shelf[i] = shared->left[i];
        sem_init(&shared->rings[i].full, 0, 0);
        sem_init(&shared->rings[i].empty, 0, BENCH_RING);
    }
    return shared;
}

/* Runs all threads to their end. Threads that cannot be started end the process: the others would
 * wait for them. */
static void workers_run(struct bench_shared *shared)
{
    const unsigned n = shared->threads;
    const int node = shared->workers[0].job.node;
    if (shared->workers[0].job.pattern == BENCH_LARSON)
        for (unsigned i = 0; i < n; i++)
            larson_fill(shared->left[i], node, i);
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&shared->workers[i].thread, NULL, worker_run, &shared->workers[i]) != 0)
            _exit(3);
    for (unsigned i = 0; i < n; i++)
        pthread_join(shared->workers[i].thread, NULL);
    for (unsigned i = 0; i < n; i++) {
        larson_empty(shared->left[i], node);
        larson_empty(shared->workers[i].larson, node);
    }
}

static void shared_release(struct bench_shared *shared)
{
    pthread_barrier_destroy(&shared->together);
    munmap(shared, shared->mapped);
}

/* Blocks that fill the time, from a run of a few; all threads need about as long as one. */
static size_t blocks_for(const struct bench_cell *cell)
{
    enum { FEW = 3 };
    if (cell->peer->by_cpu_time)
        return cell->milliseconds == 0 ? 1 : FEW;
    if (cell->milliseconds == 0)
        return FEW;
    struct bench_cell few = *cell;
    few.threads = cell->pattern == BENCH_PRODCONS ? 2 : 1;
    struct bench_shared *shared = shared_make(&few, TRIAL);
    if (shared == NULL)
        return FEW;
    workers_run(shared);
    const double fit = cell->milliseconds * 1e6 / (shared->workers[0].cpu_ns / (double)TRIAL);
    shared_release(shared);
    const size_t blocks = fit < (double)BENCH_MAX_BLOCKS ? (size_t)fit : (size_t)BENCH_MAX_BLOCKS;
    return blocks < FEW ? (size_t)FEW : blocks;
}

const char *bench_cell_prepare(const struct bench_cell *cell)
{
    code = bench_code_find(cell->peer->name);
    if (code == NULL)
        return "this program does not have the peer";
    if (cell->peer->no_reuse && cell->pattern >= BENCH_PRODCONS)
        return "a list without refill cannot: blocks would leave it";
    if (cell->pattern == BENCH_PRODCONS && cell->threads % 2 != 0)
        return "needs a consumer for each producer";
    shuffle(bench_order, BENCH_BATCH);
    shuffle(bench_order_large, BENCH_BATCH_LARGE);
    return code->prepare != NULL ? code->prepare(cell) : NULL;
}

/* Medians over the threads that do a thing; times in ns. */
static void cell_medians(const struct bench_cell *cell, const struct bench_shared *shared,
                         double unit, struct bench_times *times)
{
    static double scratch[BENCH_MAX_BLOCKS];
    double alloc[BENCH_MAX_THREADS], release[BENCH_MAX_THREADS], pair[BENCH_MAX_THREADS];
    size_t allocs = 0, releases = 0;
    for (unsigned i = 0; i < cell->threads; i++) {
        const struct bench_times medians = job_medians(&shared->workers[i].job, scratch);
        pair[i] = medians.pair;
        if (cell->pattern != BENCH_PRODCONS || i % 2 == 0)
            alloc[allocs++] = medians.alloc;
        if (cell->pattern != BENCH_PRODCONS || i % 2 == 1)
            release[releases++] = medians.free;
    }
    times->alloc = bench_median(alloc, allocs) * unit;
    times->free = bench_median(release, releases) * unit;
    times->pair = cell->pattern == BENCH_PRODCONS ? times->alloc + times->free
                                                  : bench_median(pair, cell->threads) * unit;
    if (times->free <= 0)
        times->alloc = 0;
}

const char *bench_cell_measure(const struct bench_cell *cell, struct bench_times *times)
{
    const char *why = bench_cell_prepare(cell);
    if (why != NULL)
        return why;
    const size_t blocks = blocks_for(cell),
                 objects = bench_block_objects(cell->pattern, cell->size);
    struct bench_shared *shared = shared_make(cell, blocks);
    if (shared == NULL)
        return strerror(errno);
    workers_run(shared);
    const double unit = (cell->peer->by_cpu_time ? 1 : ns_per_tick()) / (double)objects;
    cell_medians(cell, shared, unit, times);
    double cpu = 0;
    for (unsigned i = 0; i < cell->threads; i++)
        cpu += shared->workers[i].cpu_ns;
    const unsigned pairs_of = cell->pattern == BENCH_PRODCONS ? cell->threads / 2 : cell->threads;
    times->cpu = cpu / ((double)(blocks * objects) * pairs_of);
    shared_release(shared);
    return NULL;
}

const char *bench_cell_trace(const struct bench_cell *cell)
{
    const char *why = bench_cell_prepare(cell);
    if (why != NULL)
        return why;
    struct bench_shared *shared = shared_make(cell, 1);
    if (shared == NULL)
        return strerror(errno);
    for (unsigned i = 0; i < cell->threads; i++)
        shared->workers[i].traced = true;
    workers_run(shared);
    shared_release(shared);
    return NULL;
}

const char *bench_cell_check(const struct bench_cell *cell, struct bench_check *check)
{
    const char *why = bench_cell_prepare(cell);
    *check = (struct bench_check){0};
    if (why != NULL)
        return why;
    struct bench_shared *shared = shared_make(cell, 0);
    if (shared == NULL)
        return strerror(errno);
    workers_run(shared);
    for (unsigned i = 0; i < cell->threads; i++) {
        const struct bench_check *one = &shared->workers[i].check;
        check->blocks += one->blocks;
        check->lost += one->lost;
        check->wrong_own += one->wrong_own;
        check->wrong_kernel += one->wrong_kernel;
        check->unknown_kernel += one->unknown_kernel;
    }
    shared_release(shared);
    return NULL;
}
