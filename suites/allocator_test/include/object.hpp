// SPDX-License-Identifier: Apache-2.0
// What both programs allocate: an object of a given size whose construction writes its first word,
// as memory is allocated to be used.
#ifndef ALLOCATOR_TEST_OBJECT_HPP
#define ALLOCATOR_TEST_OBJECT_HPP

#include <cstddef>
#include <cstdint>

template <std::size_t Size>
struct Object {
    explicit Object(std::uint64_t word) : first(word) {}

    std::uint64_t first;
    unsigned char rest[Size - sizeof(std::uint64_t)];
};

// The nodes that numa<T, k> is compiled for here: k is a constant. Other nodes are reached by
// calls that take the node at run time.
constexpr int static_nodes = 4;

#endif
