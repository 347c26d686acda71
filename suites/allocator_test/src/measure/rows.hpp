// SPDX-License-Identifier: Apache-2.0
// The rows, each in a file of its own. A new one is a file and a line in allocators.cpp.
#ifndef ALLOCATOR_TEST_ROWS_HPP
#define ALLOCATOR_TEST_ROWS_HPP

#include "measure.hpp"

Allocator row_numa(std::uint64_t size, int node);            // new numa<T, k>, delete
Allocator row_numa_at(std::uint64_t size, int node);         // new (numa<T, k>::at) T, delete
Allocator row_by_node(std::uint64_t size, int node);         // numafy_malloc, free
Allocator row_malloc(std::uint64_t size, int node);          // this program's malloc, free
Allocator row_no_thread_cache(std::uint64_t size, int node); // jemalloc without a thread cache
Allocator row_onnode(std::uint64_t size, int node);          // libnuma's numa_alloc_onnode

#endif
