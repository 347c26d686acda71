// SPDX-License-Identifier: Apache-2.0
// libnuma's numa_alloc_onnode and numa_free: a mapping with a policy per object. What make UMF=0
// builds on, called directly.
#include "loops.hpp"
#include "placement.hpp"
#include "rows.hpp"

#include <numa.h>

namespace
{

template <std::size_t Size, int Node>
struct OnNode {
    static void *take()
    {
        void *object = numa_alloc_onnode(Size, Node);
        if (object)
            *static_cast<volatile std::uint64_t *>(object) = 1;
        return object;
    }
    static void give(void *object)
    {
        if (object)
            numa_free(object, Size);
    }
};

// libnuma prints a line for every call that the kernel refuses, so it is asked beforehand.
std::string missing(int node)
{
    if (numa_available() != 0)
        return "libnuma finds no NUMA here";
    if (!suite::binding_allowed())
        return "this system forbids binding memory";
    if (!suite::node_has_memory(node))
        return "this machine has no node " + std::to_string(node);
    return "";
}

} // namespace

Allocator row_onnode(std::uint64_t size, int node)
{
    Allocator row{"numa_alloc_onnode",
                  "numa_alloc_onnode, numa_free",
                  missing(node),
                  50,
                  false,
                  true,
                  nullptr,
                  nullptr};
    loop_choose<OnNode>(row, size, node);
    return row;
}
