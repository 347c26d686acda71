/* SPDX-License-Identifier: Apache-2.0 */
/* The plain malloc and free of a program that includes the header: they look at the address and at
 * the ambient node and go on to jemalloc. The row says what that costs. Replaced functions are a
 * matter of the whole program, so the loops are in one of their own, bench_alloc_replaced, which
 * the other rows' program starts; in that program this file is only the row's name. */
#ifdef BENCH_REPLACED
#include <stdlib.h>

#include "numa_alloc.h"

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

static void *malloc_in_scope(int node, size_t size)
{
    NUMAFY_SCOPE_NODE(node);
    return malloc(size);
}

/* Inside a scope the replaced malloc gives a block of the node, jemalloc's own does not. */
static const char *prepare(int node, size_t size)
{
    void *volatile p = malloc_in_scope(node, size);
    const bool replaced = numafy_node_of(p) == node;
    free(p);
    return replaced ? NULL : "malloc is not replaced here";
}
#else
#include "peers.h"
#endif

const struct bench_peer bench_peer_replaced = {
    .name = "replaced",
    .title = "malloc, free: header included",
#ifdef BENCH_REPLACED
    .prepare = prepare,
    .loops = loops,
#else
    .program = "bench_alloc_replaced",
#endif
};
