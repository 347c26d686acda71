// SPDX-License-Identifier: Apache-2.0
// The typed path: `new numa<T,0>` and `delete`, node and size known when compiled.
#define NUMAFY_NO_REPLACE
#define NUMAFY_INLINE
#include "numa_alloc.h"

#include "bench.h"

namespace
{

template <size_t Size>
struct object {
    char bytes[Size];
};

inline void *peer_alloc(int, size_t size)
{
#define CASE(n) \
    case n:     \
        return new numa<object<n>, 0>;
    switch (size) {
        BENCH_SIZES(CASE)
    }
    return numafy_malloc(0, size); // larson's sizes are no types
#undef CASE
}

inline void peer_free(int, void *p, size_t size)
{
#define CASE(n)                                      \
    case n:                                          \
        delete static_cast<numa<object<n>, 0> *>(p); \
        return;
    switch (size) {
        BENCH_SIZES(CASE)
    }
    numafy_free(p);
#undef CASE
}

} // namespace

#include "loops.h"
#include "peer_node.h"

namespace
{

const char *typed_prepare(const bench_cell *cell)
{
    return cell->node == 0 ? node_prepare(cell) : "its node is 0, fixed when it was compiled";
}

NODE_CODE(code, "numafy_typed", typed_prepare, nullptr);

} // namespace
