/* SPDX-License-Identifier: Apache-2.0 */
/* The loops around one peer's calls, compiled once per peer and size so that every peer is called
 * as a user's program would call it: inline where it is inline, with a constant size. Included by a
 * peer's file after it has defined
 *
 *     static inline void *peer_alloc(int node, size_t size);
 *     static inline void peer_free(int node, void *p, size_t size);
 *
 * and gives `loops`, `call_alloc` and `call_free` for its struct bench_code. C and C++. Must not
 * know: how peers allocate. */
#ifndef NUMAFY_BENCH_LOOPS_H
#define NUMAFY_BENCH_LOOPS_H

#include "bench.h"

#ifdef __cplusplus
extern "C" { /* a loop has the same name for a profiler */
#endif

#define BENCH_INLINE static inline __attribute__((always_inline))

/* The compiler may neither move memory accesses across this nor drop a pair of calls. */
#define BENCH_BARRIER() __asm__ volatile("" ::: "memory")

/* One write of 8 bytes: memory is allocated to be used. */
BENCH_INLINE void loop_touch(void *p, size_t value)
{
    *(volatile uint64_t *)p = value;
    __asm__ volatile("" ::"r"(p) : "memory");
}

BENCH_INLINE size_t loop_batch(size_t size)
{
    return size >= BENCH_LARGE ? BENCH_BATCH_LARGE : BENCH_BATCH;
}

BENCH_INLINE void loop_pairs(struct bench_job *job, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < loop_batch(size); i++) {
        void *p = peer_alloc(node, size);
        loop_touch(p, i);
        peer_free(node, p, size);
        BENCH_BARRIER();
    }
}

BENCH_INLINE void loop_allocate(struct bench_job *job, void **slots, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < loop_batch(size); i++) {
        void *p = peer_alloc(node, size);
        loop_touch(p, i);
        slots[i] = p;
        BENCH_BARRIER();
    }
}

BENCH_INLINE void loop_free_in_order(struct bench_job *job, void **slots, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < loop_batch(size); i++) {
        peer_free(node, slots[i], size);
        BENCH_BARRIER();
    }
}

BENCH_INLINE void loop_free_at_random(struct bench_job *job, size_t size)
{
    const int node = job->node;
    const uint16_t *order = size >= BENCH_LARGE ? bench_order_large : bench_order;
    for (size_t i = 0; i < loop_batch(size); i++) {
        peer_free(node, job->slots[order[i]], size);
        BENCH_BARRIER();
    }
}

/* One side of a producer and its consumer. */
BENCH_INLINE void loop_hand_over(struct bench_job *job, size_t size)
{
    uint64_t *took = job->took;
    for (size_t block = 0; block < job->blocks; block++, took += 2) {
        void **slots = bench_ring_begin(job, block);
        const uint64_t start = bench_clock(job);
        if (job->id % 2 == 0)
            loop_allocate(job, slots, size);
        else
            loop_free_in_order(job, slots, size);
        took[job->id % 2] = bench_clock(job) - start;
        took[1 - job->id % 2] = 0;
        bench_ring_end(job, block);
    }
}

BENCH_INLINE uint32_t loop_random(struct bench_job *job)
{
    job->random = job->random * 1664525u + 1013904223u;
    return job->random >> 8;
}

/* A block replaces BENCH_BATCH blocks chosen at random by others of random sizes. */
BENCH_INLINE void loop_larson(struct bench_job *job)
{
    const int node = job->node;
    struct bench_slot *slots = job->larson;
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        const uint32_t random = loop_random(job);
        struct bench_slot *slot = &slots[random % BENCH_BATCH];
        if (slot->p != NULL)
            peer_free(node, slot->p, slot->size);
        slot->size = 16 + random / BENCH_BATCH % (BENCH_LARSON_MAX / 16) * 16;
        slot->p = peer_alloc(node, slot->size);
        loop_touch(slot->p, i);
        BENCH_BARRIER();
    }
}

BENCH_INLINE void loop_write(struct bench_job *job, size_t size)
{
    const int node = job->node;
    for (size_t i = 0; i < BENCH_BATCH_WRITTEN; i++) {
        volatile char *p = (volatile char *)peer_alloc(node, size);
        for (size_t k = 0; k < BENCH_WRITES; k++)
            for (size_t at = 0; at < size; at++)
                p[at] = (char)k;
        peer_free(node, (void *)(uintptr_t)p, size);
        BENCH_BARRIER();
    }
}

/* The same calls with every block looked at while the batch lives. */
BENCH_INLINE void loop_check(struct bench_job *job, size_t size)
{
    const int node = job->node;
    bench_disturb(job, size);
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
    void **slots = job->pattern == BENCH_PRODCONS ? bench_neighbour(job) : job->slots;
    for (size_t i = 0; i < BENCH_BATCH; i++) {
        const size_t k = job->pattern == BENCH_RANDOM ? bench_order[i] : i;
        if (slots[k] != NULL)
            peer_free(node, slots[k], size);
    }
    bench_wait(job);
}

BENCH_INLINE void loop_run_batches(struct bench_job *job, size_t size)
{
    uint64_t *took = job->took;
    for (size_t block = 0; block < job->blocks; block++, took += 2) {
        const uint64_t start = bench_clock(job);
        loop_allocate(job, job->slots, size);
        const uint64_t middle = bench_clock(job);
        if (job->pattern == BENCH_FIFO)
            loop_free_in_order(job, job->slots, size);
        else
            loop_free_at_random(job, size);
        took[1] = bench_clock(job) - middle;
        took[0] = middle - start;
    }
}

/* Patterns that do not tell allocation from free. */
BENCH_INLINE void loop_run_pairs(struct bench_job *job, size_t size)
{
    uint64_t *took = job->took;
    for (size_t block = 0; block < job->blocks; block++, took += 2) {
        const uint64_t start = bench_clock(job);
        if (job->pattern == BENCH_PAIR)
            loop_pairs(job, size);
        else if (job->pattern == BENCH_LARSON)
            loop_larson(job);
        else
            loop_write(job, size);
        took[0] = bench_clock(job) - start;
        took[1] = 0;
        if (job->pattern == BENCH_LARSON)
            bench_larson_pass(job);
    }
}

BENCH_INLINE void loop_run(struct bench_job *job, size_t size)
{
    if (job->blocks == 0) {
        loop_check(job, size);
        return;
    }
    if (job->pattern == BENCH_SCRATCH) {
        void **seed = bench_seed(job);
        if (*seed != NULL)
            peer_free(job->node, *seed, size);
        *seed = NULL;
    }
    if (job->pattern == BENCH_PRODCONS)
        loop_hand_over(job, size);
    else if (job->pattern == BENCH_FIFO || job->pattern == BENCH_RANDOM)
        loop_run_batches(job, size);
    else
        loop_run_pairs(job, size);
}

#define BENCH_DEFINE_LOOP(size)                                              \
    static __attribute__((noinline)) void loop_##size(struct bench_job *job) \
    {                                                                        \
        loop_run(job, size);                                                 \
    }
#define BENCH_NAME_LOOP(size) loop_##size,

BENCH_SIZES(BENCH_DEFINE_LOOP)
static bench_loop *const loops[BENCH_SIZE_COUNT] = {BENCH_SIZES(BENCH_NAME_LOOP)};

static __attribute__((noinline)) void *call_alloc(int node, size_t size)
{
    return peer_alloc(node, size);
}
static __attribute__((noinline)) void call_free(int node, void *p, size_t size)
{
    peer_free(node, p, size);
}

#ifdef __cplusplus
}
#endif

#endif
