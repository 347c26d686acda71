/* SPDX-License-Identifier: Apache-2.0 */
/* oneTBB's scalable allocator by its own names. Debian's package with the library has no header;
 * these are its documented C functions. */
#include "bench.h"

extern void *scalable_malloc(size_t size);
extern void scalable_free(void *p);
extern int scalable_allocation_command(int command, void *reserved);
enum { TBBMALLOC_CLEAN_ALL_BUFFERS = 0 };

static inline void *peer_alloc(int node, size_t size)
{
    (void)node;
    return scalable_malloc(size);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    scalable_free(p);
}
#include "loops.h"

static void purge(int node)
{
    (void)node;
    scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, NULL);
}

static struct bench_code code = {
    .name = "tbbmalloc",
    .purge = purge,
    .loops = loops,
    .alloc = call_alloc,
    .release = call_free,
};
BENCH_CODE(code);
