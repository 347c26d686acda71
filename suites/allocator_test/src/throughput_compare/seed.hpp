// SPDX-License-Identifier: Apache-2.0
// The figures that the allocator before this one was published with (2026-07-20: four nodes, 80
// threads, jemalloc 5.2.1, THP madvise, 32 B objects), to stand beside ours. Another machine: only
// the ratios can be compared.
#ifndef THROUGHPUT_COMPARE_SEED_HPP
#define THROUGHPUT_COMPARE_SEED_HPP

#include "measure.hpp"

#include <string>

// ns per object and ratios; 0 where none was published.
struct SeedFigures {
    const char *row;
    Pattern pattern;
    unsigned threads;
    double alloc, free, pair;
    double times_malloc; // a pair, over malloc and free
    double speed_up;     // over numa_alloc_onnode
};

// NULL if there is none, and in builds that are not of pools on jemalloc, as the seed's was.
const SeedFigures *seed_find(const std::string &row, Pattern pattern, unsigned threads,
                             std::uint64_t size);

#endif
