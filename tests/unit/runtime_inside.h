/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_inside.h: numa_alloc.h, and the runtime's state to look into, header-only or in
 * libnumafy. */
#ifndef RUNTIME_INSIDE_H
#define RUNTIME_INSIDE_H

#include "numa_alloc.h"
#ifdef NUMAFY_EXTERN
#ifdef __cplusplus
extern "C" {
#endif
#include "numafy/fast.h"
#ifdef __cplusplus
}
#endif
#endif

/* Bytes that jemalloc counts as handed out of a node's pool. */
static inline size_t inside_allocated(int node)
{
    uint64_t epoch = 1;
    const unsigned slot = numafy_state_v2.slot_of[node + NUMAFY_NODE_ARGS];
    size_t bytes = 0;
    numafy_je_mallctl_("epoch", NULL, NULL, &epoch, sizeof epoch);
    for (unsigned i = 0; i < NUMAFY_SHARDS_MAX; i++) {
        const unsigned arena = numafy_pools_v2.slot[slot].arena[i];
        if (arena)
            bytes += numafy_je_stat(arena - 1, "small.allocated") +
                     numafy_je_stat(arena - 1, "large.allocated");
    }
    return bytes;
}

#endif
