// SPDX-License-Identifier: Apache-2.0
// malloc and free of this program: with the runtime they are jemalloc's, reached through it;
// without it glibc's. No node.
#include "loops.hpp"
#include "numa_alloc.h"
#include "rows.hpp"

#include <cstdlib>

namespace
{

template <std::size_t Size, int>
struct Plain {
    static void *take()
    {
        void *object = std::malloc(Size);
        if (object)
            *static_cast<volatile std::uint64_t *>(object) = 1;
        return object;
    }
    static void give(void *object) { std::free(object); }
};

} // namespace

Allocator row_malloc(std::uint64_t size, int node)
{
    Allocator row{"malloc", "malloc, free (jemalloc)", "", 1000, false, false, nullptr, nullptr};
#ifdef NUMAFY_OFF
    row.title = "malloc, free (glibc)";
#endif
    loop_choose<Plain>(row, size, node);
    return row;
}
