/* SPDX-License-Identifier: Apache-2.0 */
/* One cell in this process: starts the threads, runs a peer's loops in them, takes the medians; or
 * checks blocks instead of timing them. Must not know: rounds, other cells, output. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "bench.h"

enum { CHECK_BATCHES = 3 };

uint16_t bench_order[BENCH_BATCH];

/* A thread of the cell. The job holds 8 kB of slots, so these live in one mapping, not in the heap
 * that is measured. */
struct worker {
    struct bench_job job;
    struct bench_check check;
    bench_loop *loop;
    size_t size;
    unsigned warm_up;
    double cpu_ns;
    struct bench_times times;
    pthread_t thread;
};

static pthread_barrier_t together;

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
    return job->peer->by_cpu_time ? (uint64_t)clock_ns(CLOCK_THREAD_CPUTIME_ID) : ticks();
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
static void shuffle_order(void)
{
    uint32_t state = 12345;
    for (unsigned i = 0; i < BENCH_BATCH; i++)
        bench_order[i] = (uint16_t)i;
    for (unsigned i = BENCH_BATCH - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        const unsigned k = (state >> 8) % (i + 1);
        const uint16_t swapped = bench_order[i];
        bench_order[i] = bench_order[k];
        bench_order[k] = swapped;
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
        if (job->peer->node_of != NULL && job->peer->node_of(job->slots[i]) != job->node)
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
    pthread_barrier_wait(&together);
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        check->blocks++;
        if (job->slots[i] == NULL || !contents_kept(job, i, size))
            check->lost++;
    }
    if (job->peer->bound)
        examine_nodes(job, check);
    pthread_barrier_wait(&together);
}

/* --- threads -----------------------------------------------------------------------------------
 */

/* Thread i to the i-th CPU that this process may use: nobody wanders between caches. */
static void pin(unsigned id)
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

static void *worker_run(void *argument)
{
    struct worker *w = argument;
    struct bench_job *job = &w->job;
    const struct bench_peer *peer = job->peer;
    const size_t blocks = job->blocks;

    pin(job->id);
    if (peer->enter != NULL)
        peer->enter(job->node, w->size);
    if (blocks != 0 && w->warm_up != 0) {
        job->blocks = w->warm_up;
        w->loop(job);
        job->blocks = blocks;
    }
    pthread_barrier_wait(&together);
    const double start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    w->loop(job);
    /* A check's later batches consist of blocks that were freed before. */
    for (int again = 1; blocks == 0 && again < CHECK_BATCHES; again++)
        w->loop(job);
    w->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
    pthread_barrier_wait(&together);
    if (peer->leave != NULL)
        peer->leave(job->node, w->size);
    return NULL;
}

static struct worker *workers_make(const struct bench_cell *cell, size_t blocks)
{
    const size_t took = sizeof(uint64_t) * 2 * BENCH_MAX_BLOCKS;
    char *memory = mmap(NULL, cell->threads * (sizeof(struct worker) + took),
                        PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct worker *workers = (struct worker *)(void *)memory;
    for (unsigned i = 0; i < cell->threads; i++) {
        struct worker *w = &workers[i];
        w->job = (struct bench_job){.pattern = cell->pattern,
                                    .node = cell->node,
                                    .id = i,
                                    .blocks = blocks,
                                    .peer = cell->peer,
                                    .check = &w->check};
        w->job.took = (uint64_t *)(void *)(memory + cell->threads * sizeof *w + i * took);
        w->loop = cell->peer->loops[bench_size_index(cell->size)];
        w->size = cell->size;
        w->warm_up = cell->peer->by_cpu_time ? 0 : 3;
    }
    return workers;
}

static void workers_release(const struct bench_cell *cell, struct worker *workers)
{
    munmap(workers,
           cell->threads * (sizeof(struct worker) + sizeof(uint64_t) * 2 * BENCH_MAX_BLOCKS));
}

/* Runs all threads to their end. Threads that cannot be started end the process: the others would
 * wait for them. */
static void workers_run(const struct bench_cell *cell, struct worker *workers)
{
    pthread_barrier_init(&together, NULL, cell->threads);
    for (unsigned i = 0; i < cell->threads; i++)
        if (pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]) != 0)
            abort();
    for (unsigned i = 0; i < cell->threads; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&together);
}

/* Blocks that fill the time, from a run of a few; all threads need about as long as one. */
static size_t blocks_for(const struct bench_cell *cell)
{
    enum { TRIAL = 5, FEW = 3 };
    if (cell->peer->by_cpu_time)
        return cell->milliseconds == 0 ? 1 : FEW;
    if (cell->milliseconds == 0)
        return FEW;
    struct bench_cell one = *cell;
    one.threads = 1;
    struct worker *w = workers_make(&one, TRIAL);
    if (w == NULL)
        return FEW;
    workers_run(&one, w);
    const double fit = cell->milliseconds * 1e6 / (w->cpu_ns / (double)TRIAL);
    workers_release(&one, w);
    const size_t blocks = fit < (double)BENCH_MAX_BLOCKS ? (size_t)fit : (size_t)BENCH_MAX_BLOCKS;
    return blocks < FEW ? (size_t)FEW : blocks;
}

static const char *cell_prepare(const struct bench_cell *cell)
{
    shuffle_order();
    return cell->peer->prepare != NULL ? cell->peer->prepare(cell->node, cell->size) : NULL;
}

const char *bench_cell_measure(const struct bench_cell *cell, struct bench_times *times)
{
    static double scratch[BENCH_MAX_BLOCKS];
    double alloc[BENCH_MAX_THREADS], release[BENCH_MAX_THREADS], pair[BENCH_MAX_THREADS], cpu = 0;
    const char *why = cell_prepare(cell);
    if (why != NULL)
        return why;
    const size_t blocks = blocks_for(cell);
    struct worker *workers = workers_make(cell, blocks);
    if (workers == NULL)
        return strerror(errno);
    workers_run(cell, workers);

    const double unit = (cell->peer->by_cpu_time ? 1 : ns_per_tick()) / (double)BENCH_BATCH;
    for (unsigned i = 0; i < cell->threads; i++) {
        const struct bench_times medians = job_medians(&workers[i].job, scratch);
        alloc[i] = medians.alloc;
        release[i] = medians.free;
        pair[i] = medians.pair;
        cpu += workers[i].cpu_ns;
    }
    times->alloc = bench_median(alloc, cell->threads) * unit;
    times->free = bench_median(release, cell->threads) * unit;
    times->pair = bench_median(pair, cell->threads) * unit;
    times->cpu = cpu / ((double)(blocks * BENCH_BATCH) * cell->threads);
    if (cell->pattern == BENCH_PAIR)
        times->alloc = times->free = 0;
    workers_release(cell, workers);
    return NULL;
}

const char *bench_cell_check(const struct bench_cell *cell, struct bench_check *check)
{
    const char *why = cell_prepare(cell);
    *check = (struct bench_check){0};
    if (why != NULL)
        return why;
    struct worker *workers = workers_make(cell, 0);
    if (workers == NULL)
        return strerror(errno);
    workers_run(cell, workers);
    for (unsigned i = 0; i < cell->threads; i++) {
        check->blocks += workers[i].check.blocks;
        check->lost += workers[i].check.lost;
        check->wrong_own += workers[i].check.wrong_own;
        check->wrong_kernel += workers[i].check.wrong_kernel;
        check->unknown_kernel += workers[i].check.unknown_kernel;
    }
    workers_release(cell, workers);
    return NULL;
}
