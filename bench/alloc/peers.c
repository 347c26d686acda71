/* SPDX-License-Identifier: Apache-2.0 */
/* The names of peers, patterns and sizes. Must not know: how a peer allocates. */
#include <string.h>

#include "bench.h"

const struct bench_peer bench_peers[] = {
    {.name = "numafy_typed", .title = "new numa<T,0>, delete", .program = "node", .bound = true},
    {.name = "numafy_address",
     .title = "numafy_malloc(0, n), numafy_free",
     .program = "node",
     .bound = true},
    {.name = "numafy", .title = "the same, node unknown", .program = "node", .bound = true},
    {.name = "numafy_any",
     .title = "the same, node and size unknown",
     .program = "node",
     .bound = true},
    {.name = "replaced", .title = "malloc, free: header included", .program = "replaced"},
    {.name = "replaced_lib", .title = "malloc, free: -lnumafy", .program = "replaced_lib"},
    {.name = "jemalloc", .title = "jemalloc malloc, free", .program = "jemalloc", .rival = true},
    {.name = "glibc", .title = "glibc malloc, free", .program = "glibc", .rival = true},
    {.name = "mimalloc",
     .title = "mimalloc malloc, free",
     .kind = BENCH_PACKAGE,
     .program = "mimalloc",
     .rival = true,
     .package = "libmimalloc-dev"},
    {.name = "tcmalloc",
     .title = "tcmalloc malloc, free",
     .kind = BENCH_PACKAGE,
     .program = "tcmalloc",
     .rival = true,
     .package = "libtcmalloc-minimal4"},
    {.name = "tbbmalloc",
     .title = "scalable_malloc, _free",
     .kind = BENCH_PACKAGE,
     .program = "tbbmalloc",
     .rival = true,
     .package = "libtbbmalloc2"},
    {.name = "memkind",
     .title = "memkind_malloc REGULAR",
     .kind = BENCH_PACKAGE,
     .program = "memkind",
     .rival = true,
     .package = "libmemkind-dev"},
    {.name = "thread_tcache",
     .title = "thread-bound tcache",
     .program = "node",
     .environment = "NUMAFY_CACHE=tcache",
     .bound = true},
    {.name = "main_tcaches",
     .title = "main-thread tcaches: serialises",
     .kind = BENCH_OPTIONAL,
     .program = "node",
     .bound = true},
    {.name = "auto_tcache",
     .title = "automatic tcache: WRONG NODES",
     .kind = BENCH_WRONG,
     .program = "node",
     .bound = true},
    {.name = "tcache_none",
     .title = "mallocx TCACHE_NONE",
     .kind = BENCH_OPTIONAL,
     .program = "node",
     .bound = true},
    {.name = "numa_alloc_onnode",
     .title = "numa_alloc_onnode, numa_free",
     .kind = BENCH_OPTIONAL,
     .program = "node",
     .by_cpu_time = true,
     .bound = true},
    {.name = "bare", .title = "bare list, no refill (limit)", .program = "node", .no_reuse = true},
};
const size_t bench_peer_count = sizeof bench_peers / sizeof *bench_peers;

const struct bench_peer *bench_peer_find(const char *name)
{
    for (size_t i = 0; i < bench_peer_count; i++)
        if (strcmp(bench_peers[i].name, name) == 0)
            return &bench_peers[i];
    return NULL;
}

static const char *const pattern_names[BENCH_PATTERNS] = {"pair",   "fifo",    "random", "prodcons",
                                                          "larson", "scratch", "thrash"};

const char *bench_pattern_name(enum bench_pattern pattern)
{
    return pattern_names[pattern];
}

enum bench_pattern bench_pattern_find(const char *name)
{
    int i = 0;
    while (i < BENCH_PATTERNS && strcmp(name, pattern_names[i]) != 0)
        i++;
    return (enum bench_pattern)i;
}

int bench_size_index(size_t size)
{
#define SIZE(n) n,
    static const size_t sizes[] = {BENCH_SIZES(SIZE)};
    for (int i = 0; i < BENCH_SIZE_COUNT; i++)
        if (sizes[i] == size)
            return i;
    return -1;
}

size_t bench_block_objects(enum bench_pattern pattern, size_t size)
{
    if (pattern == BENCH_SCRATCH || pattern == BENCH_THRASH)
        return BENCH_BATCH_WRITTEN;
    if (pattern == BENCH_LARSON)
        return BENCH_BATCH;
    return size >= BENCH_LARGE ? BENCH_BATCH_LARGE : BENCH_BATCH;
}
