/* SPDX-License-Identifier: Apache-2.0 */
/* Our own path, as a program that includes the header gets it: inline, freed by address. malloc and
 * free stay jemalloc's own (NUMAFY_NO_REPLACE), or the row `jemalloc` would measure our
 * interposition. */
#define NUMAFY_NO_REPLACE
#define NUMAFY_INLINE
#include "numa_alloc.h"

static inline void *peer_alloc(int node, size_t size)
{
    return numafy_malloc(node, size);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    numafy_free(p);
}
#include "loops.h"
#include "peers.h"

static const char *prepare(int node, size_t size)
{
    void *p = numafy_malloc(node, size);
    if (p == NULL)
        return numafy_strerror();
    numafy_free(p);
    return NULL;
}

static void leave(int node, size_t size)
{
    (void)node;
    (void)size;
    numafy_thread_flush();
}

const struct bench_peer bench_peer_numafy = {
    .name = "numafy",
    .title = "numafy_malloc, free by address",
    .bound = true,
    .prepare = prepare,
    .leave = leave,
    .node_of = numafy_node_of,
    .loops = loops,
};
