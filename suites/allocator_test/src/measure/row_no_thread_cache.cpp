// SPDX-License-Identifier: Apache-2.0
// jemalloc with MALLOCX_TCACHE_NONE on one arena: every call takes a lock of the arena's. What a
// node-bound pool costs that has no caches of its threads; the node itself adds nothing, so the
// arena is a plain one.
#include "loops.hpp"
#include "rows.hpp"

#ifndef NUMAFY_OFF
#include <jemalloc/jemalloc.h>

namespace
{

int flags;

template <std::size_t Size, int>
struct Uncached {
    static void *take()
    {
        void *object = mallocx(Size, flags);
        if (object)
            *static_cast<volatile std::uint64_t *>(object) = 1;
        return object;
    }
    static void give(void *object) { dallocx(object, flags); }
};

// One arena for the life of the program. False: jemalloc gives none.
bool arena_ensure()
{
    unsigned arena = 0;
    std::size_t size = sizeof arena;
    if (flags == 0 && mallctl("arenas.create", &arena, &size, nullptr, 0) == 0)
        flags = static_cast<int>(MALLOCX_ARENA(arena) | MALLOCX_TCACHE_NONE);
    return flags != 0;
}

} // namespace
#endif

Allocator row_no_thread_cache(std::uint64_t size, int node)
{
    Allocator row{
        "no_thread_cache", "jemalloc, no thread cache", "", 1000, false, false, nullptr, nullptr};
#ifdef NUMAFY_OFF
    row.missing = "this build has no jemalloc";
    (void)size;
    (void)node;
#else
    if (!arena_ensure())
        row.missing = "jemalloc makes no arena";
    loop_choose<Uncached>(row, size, node);
#endif
    return row;
}
