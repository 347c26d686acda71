/* SPDX-License-Identifier: Apache-2.0 */
/* The simplest node-bound use of jemalloc: mallocx with TCACHE_NONE, here on the arena that our
 * node pool gives to the same thread, so that memory and extent hooks are the same and only the
 * thread cache is missing. */
#include <stdlib.h>
#include <string.h>

#include <jemalloc/jemalloc.h>

#define NUMAFY_NO_REPLACE
#include "numa_alloc.h"

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
#include "peers.h"

/* The arena of this thread's blocks in the node's pool; false if there is none. */
static bool find_arena(int node, size_t size, unsigned *arena)
{
    size_t len = sizeof *arena;
    void *p = numafy_malloc(node, size);
    const bool found = p != NULL && numafy_node_of(p) == node &&
                       mallctl("arenas.lookup", arena, &len, &p, sizeof p) == 0;
    numafy_free(p);
    return found;
}

static const char *prepare(int node, size_t size)
{
    unsigned arena = 0;
    const char *cache = getenv("NUMAFY_CACHE");
    /* Its blocks are no jemalloc's, and arenas.lookup crashes on a foreign address. */
    if (cache != NULL && strcmp(cache, "onnode") == 0)
        return "NUMAFY_CACHE=onnode has no arenas";
    return find_arena(node, size, &arena) ? NULL : "the node pool has no jemalloc arena here";
}

static void enter(int node, size_t size)
{
    unsigned arena = 0;
    if (!find_arena(node, size, &arena))
        abort();
    flags = (int)(MALLOCX_ARENA(arena) | MALLOCX_TCACHE_NONE);
}

const struct bench_peer bench_peer_tcache_none = {
    .name = "tcache_none",
    .title = "mallocx TCACHE_NONE, same arena",
    .bound = true,
    .optional = true,
    .prepare = prepare,
    .enter = enter,
    .node_of = numafy_node_of,
    .loops = loops,
};
