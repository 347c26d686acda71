/* SPDX-License-Identifier: Apache-2.0 */
/* No allocator: a thread-local list of blocks that were all allocated before, without a check, a
 * refill or a node. Nothing that hands out memory through the objects themselves can be faster: the
 * other rows are read against it. */
#include <stdlib.h>

#include "bench.h"

static __thread void *list;

static inline void *peer_alloc(int node, size_t size)
{
    (void)node;
    (void)size;
    void *p = list;
    list = *(void **)p;
    return p;
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    *(void **)p = list;
    list = p;
}
#include "loops.h"

static void enter(const struct bench_job *job, size_t size)
{
    for (size_t i = 0; i < BENCH_BATCH + 1; i++) {
        void *p = malloc(size);
        if (p == NULL)
            abort();
        peer_free(job->node, p, size);
    }
}

static void leave(const struct bench_job *job, size_t size)
{
    while (list != NULL)
        free(peer_alloc(job->node, size));
}

static struct bench_code code = {
    .name = "bare",
    .enter = enter,
    .leave = leave,
    .loops = loops,
    .alloc = call_alloc,
    .release = call_free,
};
BENCH_CODE(code);
