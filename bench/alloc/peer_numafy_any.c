/* SPDX-License-Identifier: Apache-2.0 */
/* As peer_numafy.c, but the compiler knows no size. */
#define NUMAFY_NO_REPLACE
#define NUMAFY_INLINE
#include "numa_alloc.h"

static inline void *peer_alloc(int node, size_t size)
{
    __asm__("" : "+r"(size));
    return numafy_malloc(node, size);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    numafy_free(p);
}
#include "loops.h"
#include "peer_node.h"

NODE_CODE(code, "numafy_any", node_prepare, disturb);
