/* SPDX-License-Identifier: Apache-2.0 */
/* libnuma's numa_alloc_onnode: a mapping with a policy per object. What make UMF=0 uses. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <numa.h>
#include <numaif.h>

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

/* libnuma prints a line for each mbind that fails and goes on: ask beforehand. */
static const char *prepare(const struct bench_cell *cell)
{
    const int node = cell->node;
    if (numa_available() != 0)
        return "libnuma says that there is no NUMA here";
    unsigned long nodes[16] = {0}; /* 1,024 bits: all nodes that --node takes */
    const size_t bits = 8 * sizeof *nodes, page = (size_t)sysconf(_SC_PAGESIZE);
    nodes[(size_t)node / bits] = 1ul << (size_t)node % bits;
    void *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return "no memory";
    const bool bound = mbind(p, page, MPOL_BIND, nodes, sizeof nodes * 8, 0) == 0;
    const bool forbidden = !bound && errno == EPERM;
    munmap(p, page);
    return bound ? NULL : forbidden ? "mbind is forbidden here" : "mbind refuses this node";
}

static struct bench_code code = {
    .name = BENCH_BASELINE,
    .prepare = prepare,
    .loops = loops,
    .alloc = call_alloc,
    .release = call_free,
};
BENCH_CODE(code);
