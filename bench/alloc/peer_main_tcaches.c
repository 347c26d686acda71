/* SPDX-License-Identifier: Apache-2.0 */
/* The mistake that the seed had made: an explicit tcache per thread, but all created by the main
 * thread. A tcache belongs for ever to the arena that its creator uses at that moment, so every
 * thread's frees go to the bins of that one arena and wait for its locks. Placement is right. */
#include "peer_arena.h"

static unsigned thread_tcache[BENCH_MAX_THREADS];
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
    dallocx(p, flags);
}
#include "loops.h"
#include "peer_node.h"

static const char *prepare(const struct bench_cell *cell)
{
    size_t len = sizeof thread_tcache[0];
    for (unsigned i = 0; i < cell->threads; i++)
        if (mallctl("tcache.create", &thread_tcache[i], &len, NULL, 0) != 0)
            return "jemalloc gives no more tcaches";
    return arena_prepare(cell);
}

static void enter(const struct bench_job *job, size_t size)
{
    unsigned arena = 0;
    (void)size;
    if (!arena_find(job->node, &arena))
        abort();
    flags = (int)(MALLOCX_ARENA(arena) | MALLOCX_TCACHE(thread_tcache[job->id]));
}

static struct bench_code code = {
    .name = "main_tcaches",
    .prepare = prepare,
    .enter = enter,
    .node_of = node_of,
    .purge = node_purge,
    .loops = loops,
    .alloc = call_alloc,
    .release = call_free,
};
BENCH_CODE(code);
