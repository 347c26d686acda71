/* SPDX-License-Identifier: Apache-2.0 */
/* The arena of our node pool that serves a thread: rows that call jemalloc themselves use it, so
 * that memory and extent hooks are ours and only the thread cache differs. */
#ifndef NUMAFY_BENCH_PEER_ARENA_H
#define NUMAFY_BENCH_PEER_ARENA_H

#include <stdlib.h>
#include <string.h>

#include <jemalloc/jemalloc.h>

#define NUMAFY_NO_REPLACE
#include "numa_alloc.h"

#include "bench.h"

/* False if the node's pool has none. */
static inline bool arena_find(int node, unsigned *arena)
{
    size_t len = sizeof *arena;
    void *p = numafy_malloc(node, 32);
    const bool found = p != NULL && numafy_node_of(p) == node &&
                       mallctl("arenas.lookup", arena, &len, &p, sizeof p) == 0;
    numafy_free(p);
    return found;
}

static inline const char *arena_prepare(const struct bench_cell *cell)
{
    unsigned arena = 0;
    const char *cache = getenv("NUMAFY_CACHE");
    /* Its blocks are no jemalloc's, and arenas.lookup crashes on a foreign address. */
    if (cache != NULL && strcmp(cache, "onnode") == 0)
        return "NUMAFY_CACHE=onnode has no arenas";
    return arena_find(cell->node, &arena) ? NULL : "the node pool has no jemalloc arena here";
}

#endif
