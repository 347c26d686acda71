/* SPDX-License-Identifier: Apache-2.0 */
/* memkind's kind for ordinary memory: a jemalloc of its own on the machine's regular nodes. It has
 * no kind for one node that a program names. */
#include <memkind.h>

#include "bench.h"

static inline void *peer_alloc(int node, size_t size)
{
    (void)node;
    return memkind_malloc(MEMKIND_REGULAR, size);
}
static inline void peer_free(int node, void *p, size_t size)
{
    (void)node;
    (void)size;
    memkind_free(MEMKIND_REGULAR, p);
}
#include "loops.h"

static const char *prepare(const struct bench_cell *cell)
{
    void *p = memkind_malloc(MEMKIND_REGULAR, cell->size);
    memkind_free(MEMKIND_REGULAR, p);
    return p != NULL ? NULL : "memkind has no regular memory here";
}

static struct bench_code code = {
    .name = "memkind",
    .prepare = prepare,
    .loops = loops,
    .alloc = call_alloc,
    .release = call_free,
};
BENCH_CODE(code);
