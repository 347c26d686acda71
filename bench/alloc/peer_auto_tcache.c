/* SPDX-License-Identifier: Apache-2.0 */
/* The tempting mistake: mallocx with the node's arena but jemalloc's automatic tcache, whose bins
 * are per size and not per arena. A thread that uses two nodes gets blocks of the wrong one: the
 * row is here for its speed and so that the placement check is seen to find that. */
#include "peer_arena.h"

enum { NODES = 1024 };
static __thread int flags_of[NODES]; /* 0: not asked yet */

static int flags_find(int node)
{
    unsigned arena = 0;
    if (!arena_find(node, &arena))
        abort();
    return flags_of[node] = (int)MALLOCX_ARENA(arena);
}

static inline void *peer_alloc(int node, size_t size)
{
    const int flags = flags_of[node];
    return mallocx(size, flags != 0 ? flags : flags_find(node));
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    dallocx(p, 0);
}
#include "loops.h"
#include "peer_node.h"

static struct bench_code code = {
    .name = "auto_tcache",
    .prepare = arena_prepare,
    .node_of = node_of,
    .disturb = disturb,
    .purge = node_purge,
    .loops = loops,
    .alloc = call_alloc,
    .release = call_free,
};
BENCH_CODE(code);
