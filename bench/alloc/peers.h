/* SPDX-License-Identifier: Apache-2.0 */
/* Every row there is; see struct bench_peer. */
#ifndef NUMAFY_BENCH_PEERS_H
#define NUMAFY_BENCH_PEERS_H

#include "bench.h"

extern const struct bench_peer bench_peer_bare;
extern const struct bench_peer bench_peer_jemalloc;
extern const struct bench_peer bench_peer_numafy;
extern const struct bench_peer bench_peer_onnode;
extern const struct bench_peer bench_peer_replaced;
extern const struct bench_peer bench_peer_tcache_none;

#endif
