/* SPDX-License-Identifier: Apache-2.0 */
/* The simplest node-bound use of jemalloc: mallocx with TCACHE_NONE, a lock for every call. */
#include "peer_arena.h"

static __thread int flags;

static inline void *peer_alloc(int node, size_t size)
{
    (void)node;
    return mallocx(size, flags);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    dallocx(p, MALLOCX_TCACHE_NONE);
}
#include "loops.h"
#include "peer_node.h"

static void enter(const struct bench_job *job, size_t size)
{
    unsigned arena = 0;
    (void)size;
    if (!arena_find(job->node, &arena))
        abort();
    flags = (int)(MALLOCX_ARENA(arena) | MALLOCX_TCACHE_NONE);
}

static struct bench_code code = {
    .name = "tcache_none",
    .prepare = arena_prepare,
    .enter = enter,
    .node_of = node_of,
    .purge = node_purge,
    .loops = loops,
    .alloc = call_alloc,
    .release = call_free,
};
BENCH_CODE(code);
