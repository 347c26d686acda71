/* SPDX-License-Identifier: Apache-2.0 */
/* As peer_numafy.c, but the node too is a constant, as in NUMAFY_NEW(struct item, 0): only the free
 * has to find out, from the address, where the block belongs. */
#define NUMAFY_NO_REPLACE
#define NUMAFY_INLINE
#include "numa_alloc.h"

static inline void *peer_alloc(int node, size_t size)
{
    (void)node;
    return numafy_malloc(0, size);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    numafy_free(p);
}
#include "loops.h"
#include "peer_node.h"

static const char *prepare(const struct bench_cell *cell)
{
    return cell->node == 0 ? node_prepare(cell) : "its node is 0, fixed when it was compiled";
}

NODE_CODE(code, "numafy_address", prepare, NULL);
