// SPDX-License-Identifier: Apache-2.0
// typed.cpp: see typed.h. Each type is trivial, so nothing but the block is made.
#include "typed.h"

#include "numa_alloc.h"

namespace
{
template <size_t Size>
struct Blob {
    char bytes[Size];
};

struct Type {
    size_t size;
    int node;
    void *(*make)();
    void (*drop)(void *);
};

template <size_t Size, int K>
constexpr Type type()
{
    typedef numafy::numa<Blob<Size>, K> Numa;
    return {Size, K, []() -> void * { return new Numa; },
            [](void *p) { delete static_cast<Numa *>(p); }};
}

const Type types[TYPED] = {
    type<16, 0>(), type<48, 0>(),  type<200, 0>(), type<1024, 0>(),  type<20000, 0>(),
    type<16, 1>(), type<48, 1>(),  type<200, 1>(), type<1024, 1>(),  type<20000, 1>(),
    type<1, 2>(),  type<130, 2>(), type<512, 2>(), type<4096, 2>(),  type<32768, 2>(),
    type<32, 3>(), type<160, 3>(), type<900, 3>(), type<40000, 3>(), type<100, 252>(),
};
} // namespace

void *typed_new(unsigned which, size_t *size, int *node)
{
    *size = types[which % TYPED].size;
    *node = types[which % TYPED].node;
    return types[which % TYPED].make();
}

void typed_delete(unsigned which, void *p)
{
    types[which % TYPED].drop(p);
}
