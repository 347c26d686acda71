/* SPDX-License-Identifier: Apache-2.0 */
/* jemalloc's malloc and free, as a program gets them that links the shared library: the reference
 * that the other rows are divided by. */
#include <stdlib.h>

#include <jemalloc/jemalloc.h>

static inline void *peer_alloc(int node, size_t size)
{
    (void)node;
    return malloc(size);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    free(p);
}
#include "loops.h"
#include "peers.h"

/* The row must not be another malloc's: this process could have been started with a preload. */
static const char *prepare(int node, size_t size)
{
    (void)node;
    uint64_t before = 0, after = 0;
    size_t len = sizeof before;
    if (mallctl("thread.allocated", &before, &len, NULL, 0) != 0)
        return "this jemalloc was built without statistics";
    void *volatile p = malloc(size);
    mallctl("thread.allocated", &after, &len, NULL, 0);
    free(p);
    return after - before >= size ? NULL : "malloc is not jemalloc's here";
}

const struct bench_peer bench_peer_jemalloc = {
    .name = BENCH_REFERENCE,
    .title = "jemalloc malloc and free",
    .prepare = prepare,
    .loops = loops,
};
