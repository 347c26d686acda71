// SPDX-License-Identifier: Apache-2.0
// Objects made by `new numa<T, k>` and deleted as such: type and node are known at both ends.
#include "loops.hpp"
#include "numa_alloc.h"
#include "rows.hpp"

namespace
{

template <std::size_t Size, int Node>
struct Typed {
    using Type = numa<Object<Size>, Node>;
    static void *take() { return new Type(1); }
    static void give(void *object) { delete static_cast<Type *>(object); }
};

} // namespace

Allocator row_numa(std::uint64_t size, int node)
{
    Allocator row{"numa", "new numa<T,k>, delete", "", 1000, true, true, nullptr, nullptr};
#if defined(NUMAFY_OFF)
    row.title = "new numa<T,k>: plain new here";
    row.ours = row.bound = false;
#elif defined(NUMAFY_CACHE_ONNODE)
    row.title = "new numa<T,k> over libnuma";
    row.batch = 50; // a mapping per object: a call takes as long as a hundred others
#endif
    loop_choose<Typed>(row, size, node);
    return row;
}
