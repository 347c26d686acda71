/* SPDX-License-Identifier: Apache-2.0 */
/* libnuma's numa_alloc_onnode: a mapping with a policy per object. What make UMF=0 uses. */
#include <numa.h>

static inline void *peer_alloc(int node, size_t size)
{
    return numa_alloc_onnode(size, node);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    numa_free(p, size);
}
#include "loops.h"
#include "peers.h"

static const char *prepare(int node, size_t size)
{
    (void)node;
    (void)size;
    return numa_available() == 0 ? NULL : "libnuma says that there is no NUMA here";
}

const struct bench_peer bench_peer_onnode = {
    .name = BENCH_BASELINE,
    .title = "numa_alloc_onnode, numa_free",
    .by_cpu_time = true,
    .bound = true,
    .optional = true,
    .prepare = prepare,
    .loops = loops,
};
