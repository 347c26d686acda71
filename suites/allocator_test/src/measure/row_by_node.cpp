// SPDX-License-Identifier: Apache-2.0
// C calls: the node is an argument, and free finds it from the address.
#include "loops.hpp"
#include "numa_alloc.h"
#include "rows.hpp"

#include <cstdlib>

namespace
{

template <std::size_t Size, int Node>
struct ByNode {
    static void *take()
    {
        void *object = numafy_malloc(Node, Size);
        if (object)
            *static_cast<volatile std::uint64_t *>(object) = 1;
        return object;
    }
    static void give(void *object) { numafy_free(object); }
};

} // namespace

Allocator row_by_node(std::uint64_t size, int node)
{
    Allocator row{"by_node", "numafy_malloc, numafy_free", "", 1000, true, true, nullptr, nullptr};
#if defined(NUMAFY_OFF)
    row.missing = "this build has no runtime";
#elif defined(NUMAFY_CACHE_ONNODE)
    row.title = "numafy_malloc over libnuma";
    row.batch = 50;
#endif
    loop_choose<ByNode>(row, size, node);
    return row;
}
