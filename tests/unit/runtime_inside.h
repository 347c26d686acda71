/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_inside.h: numa_alloc.h, and the runtime's state to look into, header-only or in
 * libnumafy. */
#ifndef RUNTIME_INSIDE_H
#define RUNTIME_INSIDE_H

#include <stdlib.h>
#include <string.h>

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

/* The slot of a node's pool, 0 if it has none yet. */
static inline unsigned inside_slot(int node)
{
    return numafy_state_v3.slot_of[node + NUMAFY_NODE_ARGS];
}

/* Bytes of a node's pool that the program holds, as the statistics have it. */
static inline size_t inside_live(int node)
{
    static char text[64 << 10];
    char name[32];
    numafy_stats_json(text, sizeof text);
    snprintf(name, sizeof name, "{\"node\":%d,", node);
    const char *at = strstr(text, name);
    at = at ? strstr(at, "\"live\":") : NULL;
    return at ? strtoul(at + 7, NULL, 10) : 0;
}

#endif
