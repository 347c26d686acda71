/* SPDX-License-Identifier: Apache-2.0 */
/* Our own path, as a C program that includes the header gets it: inline, of a constant size, freed
 * by address. The row thread_tcache is the same code under NUMAFY_CACHE=tcache. malloc and free are
 * not replaced. */
#define NUMAFY_NO_REPLACE
#define NUMAFY_INLINE
#include "numa_alloc.h"

static inline void *peer_alloc(int node, size_t size)
{
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

NODE_CODE(code, "numafy", node_prepare, disturb);
NODE_CODE(tcache_code, "thread_tcache", node_prepare, disturb);
