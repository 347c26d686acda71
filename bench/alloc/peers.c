/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rows, sizes and patterns. */
#include "peers.h"

#include <string.h>

const struct bench_peer *const bench_peers[] = {
#ifdef BENCH_REPLACED
    &bench_peer_replaced,
#else
    &bench_peer_numafy,      &bench_peer_jemalloc, &bench_peer_replaced,
    &bench_peer_tcache_none, &bench_peer_onnode,   &bench_peer_bare,
#endif
};
const size_t bench_peer_count = sizeof bench_peers / sizeof *bench_peers;

const struct bench_peer *bench_peer_find(const char *name)
{
    for (size_t i = 0; i < bench_peer_count; i++)
        if (strcmp(bench_peers[i]->name, name) == 0)
            return bench_peers[i];
    return NULL;
}

const char *bench_pattern_name(enum bench_pattern pattern)
{
    static const char *const names[] = {"pair", "fifo", "random"};
    return names[pattern];
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
