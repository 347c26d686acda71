// SPDX-License-Identifier: Apache-2.0
// An exact T made by `::new (numa<T, k>::at) T`, the form that the rewriter writes: no ambient node
// while it is constructed.
#include "loops.hpp"
#include "numa_alloc.h"
#include "rows.hpp"

namespace
{

template <std::size_t Size, int Node>
struct Exact {
    using Type = Object<Size>;
    static void *take() { return ::new (numa<Type, Node>::at) Type(1); }
    static void give(void *object) { delete static_cast<Type *>(object); }
};

} // namespace

Allocator row_numa_at(std::uint64_t size, int node)
{
    Allocator row{"numa_at", "new (numa<T,k>::at) T, delete", "", 1000, true, true, nullptr,
                  nullptr};
#if defined(NUMAFY_OFF)
    row.missing = "this build has no runtime";
#elif defined(NUMAFY_CACHE_ONNODE)
    row.title = "numa<T,k>::at over libnuma";
    row.batch = 50;
#endif
    loop_choose<Exact>(row, size, node);
    return row;
}
