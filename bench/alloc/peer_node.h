/* SPDX-License-Identifier: Apache-2.0 */
/* What the peers have in common that allocate from our node pools. Included after loops.h and
 * numa_alloc.h. C and C++. */
#ifndef NUMAFY_BENCH_PEER_NODE_H
#define NUMAFY_BENCH_PEER_NODE_H

#include "bench.h"

static inline const char *node_prepare(const struct bench_cell *cell)
{
    void *p = (numafy_malloc)(cell->node, cell->size);
    if (p == NULL)
        return numafy_strerror();
    numafy_free(p);
    return NULL;
}

static inline void node_leave(const struct bench_job *job, size_t size)
{
    (void)job;
    (void)size;
    numafy_thread_flush();
}

static inline int node_of(const void *p)
{
    return numafy_node_of(p);
}

static inline void node_purge(int node)
{
    numafy_thread_flush();
    numafy_purge(node);
}

/* The other node need not exist: its pool does. */
static inline void disturb(int node, size_t size)
{
    enum { SOME = 200 };
    void *p[SOME];
    const int other = node == 0 ? 1 : 0;
    for (int i = 0; i < SOME; i++)
        p[i] = call_alloc(other, size);
    for (int i = 0; i < SOME; i++)
        if (p[i] != NULL)
            call_free(other, p[i], size);
}

#define NODE_CODE(variable, row, prepare, disturb)                     \
    static struct bench_code variable = {                              \
        row,        prepare, NULL,       node_leave, node_of, disturb, \
        node_purge, loops,   call_alloc, call_free,  NULL,             \
    };                                                                 \
    BENCH_CODE(variable)

#endif
