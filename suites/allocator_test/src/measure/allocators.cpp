// SPDX-License-Identifier: Apache-2.0
#include "loops.hpp"
#include "rows.hpp"

bool measure_has_size(std::uint64_t size)
{
#define IS_SIZE(bytes) || size == bytes
    return false LOOP_SIZES(IS_SIZE);
}

std::string measure_sizes()
{
#define SIZE_NAME(bytes) #bytes " "
    std::string all = LOOP_SIZES(SIZE_NAME);
    all.pop_back();
    return all;
}

std::vector<Allocator> measure_allocators(std::uint64_t size, int node)
{
    return {row_numa(size, node),   row_numa_at(size, node),         row_by_node(size, node),
            row_malloc(size, node), row_no_thread_cache(size, node), row_onnode(size, node)};
}
