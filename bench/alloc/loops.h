/* SPDX-License-Identifier: Apache-2.0 */
/* The loops around one peer's calls, compiled once per peer and size so that every peer is called
 * as a user's program would call it: inline where it is inline, with a constant size. Included by a
 * peer's file after it has defined
 *
 *     static inline void *peer_alloc(int node, size_t size);
 *     static inline void peer_free(int node, void *p, size_t size);
 *
 * and gives `static bench_loop *const loops[]`. Must not know: how peers allocate. */
#ifndef NUMAFY_BENCH_LOOPS_H
#define NUMAFY_BENCH_LOOPS_H

#include "bench.h"

#define BENCH_INLINE static inline __attribute__((always_inline))

/* The compiler may neither move memory accesses across this nor drop a pair of calls. */
#define BENCH_BARRIER() __asm__ volatile("" ::: "memory")

/* One write of 8 bytes: memory is allocated to be used. */
BENCH_INLINE void loop_touch(void *p, size_t value)
{
    *(volatile uint64_t *)p = value;
    __asm__ volatile("" ::"r"(p) : "memory");
}

BENCH_INLINE void loop_pairs(struct bench_job *job, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        void *p = peer_alloc(node, size);
        loop_touch(p, i);
        peer_free(node, p, size);
        BENCH_BARRIER();
    }
}

BENCH_INLINE void loop_allocate(struct bench_job *job, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        void *p = peer_alloc(node, size);
        loop_touch(p, i);
        job->slots[i] = p;
        BENCH_BARRIER();
    }
}

BENCH_INLINE void loop_free_in_order(struct bench_job *job, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        peer_free(node, job->slots[i], size);
        BENCH_BARRIER();
    }
}

BENCH_INLINE void loop_free_at_random(struct bench_job *job, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        peer_free(node, job->slots[bench_order[i]], size);
        BENCH_BARRIER();
    }
}

/* The same calls with every block looked at while the batch lives. */
BENCH_INLINE void loop_check(struct bench_job *job, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        job->slots[i] = peer_alloc(node, size);
        if (job->pattern == BENCH_PAIR && job->slots[i] != NULL) {
            /* In between, a pair that gets what was just freed. */
            peer_free(node, job->slots[i], size);
            job->slots[i] = peer_alloc(node, size);
        }
        bench_fill(job, job->slots[i], size, i);
    }
    bench_examine(job, size);
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        const size_t k = job->pattern == BENCH_RANDOM ? bench_order[i] : i;
        if (job->slots[k] != NULL)
            peer_free(node, job->slots[k], size);
    }
}

BENCH_INLINE void loop_run(struct bench_job *job, size_t size)
{
    uint64_t *took = job->took;
    if (job->blocks == 0) {
        loop_check(job, size);
        return;
    }
    for (size_t block = 0; block < job->blocks; block++, took += 2) {
        const uint64_t start = bench_clock(job);
        uint64_t middle = start;
        if (job->pattern == BENCH_PAIR) {
            loop_pairs(job, size);
            took[1] = 0;
            took[0] = bench_clock(job) - start;
            continue;
        }
        loop_allocate(job, size);
        middle = bench_clock(job);
        if (job->pattern == BENCH_FIFO)
            loop_free_in_order(job, size);
        else
            loop_free_at_random(job, size);
        took[1] = bench_clock(job) - middle;
        took[0] = middle - start;
    }
}

#define BENCH_DEFINE_LOOP(size)                                              \
    static __attribute__((noinline)) void loop_##size(struct bench_job *job) \
    {                                                                        \
        loop_run(job, size);                                                 \
    }
#define BENCH_NAME_LOOP(size) loop_##size,

BENCH_SIZES(BENCH_DEFINE_LOOP)
static bench_loop *const loops[BENCH_SIZE_COUNT] = {BENCH_SIZES(BENCH_NAME_LOOP)};

#endif
