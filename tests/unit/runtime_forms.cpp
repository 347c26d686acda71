// SPDX-License-Identifier: Apache-2.0
// runtime_forms.cpp: the 20 forms of operator new and delete, and the new-expressions that lead to
// them, over plain and placed blocks. Natively a delete goes by the address, so that any form may
// free any block; under a sanitizer, for which this is built too, a form that does not belong to
// the block's new is reported, and so is a block that is not freed.
#include "numa_alloc.h"
#if !defined(NUMAFY_SANITIZED_) && !defined(NUMAFY_OFF)
#include "runtime_inside.h"
#define NATIVE 1
#else
#define NATIVE 0
#endif

#include <csetjmp>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

extern "C" {
#include <cmocka.h>
}

// The sized forms by name: clang 14 does not declare them without -fsized-deallocation.
extern "C" {
void sized_delete(void *, std::size_t) __asm__("_ZdlPvm");
void sized_delete_array(void *, std::size_t) __asm__("_ZdaPvm");
void sized_delete_aligned(void *, std::size_t, std::align_val_t) __asm__("_ZdlPvmSt11align_val_t");
void sized_delete_array_aligned(void *, std::size_t,
                                std::align_val_t) __asm__("_ZdaPvmSt11align_val_t");
}

namespace
{

const int nodes[] = {NUMAFY_NO_NODE, NUMAFY_INTERLEAVE, 0, 1, 2};
const std::align_val_t alignment{64};

void on_node(const void *p, int node)
{
    assert_non_null(p);
#if NATIVE
    assert_int_equal(numafy_node_of(p), node);
#else
    (void)node; // no pools
#endif
}

// Bytes of all pools that nobody has given back; a sanitizer keeps freed blocks for a while.
std::size_t held()
{
    std::size_t bytes = 0;
#if NATIVE && !NUMAFY_POISONS_
    numafy_thread_flush();
    for (int node : nodes)
        if (node != NUMAFY_NO_NODE)
            bytes += inside_live(node);
#endif
    return bytes;
}

// --- the table: 8 forms of new, 12 of delete
struct New {
    bool array, aligned;
    void *(*get)(std::size_t);
};
const New news[] = {
    {false, false, [](std::size_t n) { return ::operator new(n); }},
    {true, false, [](std::size_t n) { return ::operator new[](n); }},
    {false, false, [](std::size_t n) { return ::operator new(n, std::nothrow); }},
    {true, false, [](std::size_t n) { return ::operator new[](n, std::nothrow); }},
    {false, true, [](std::size_t n) { return ::operator new(n, alignment); }},
    {true, true, [](std::size_t n) { return ::operator new[](n, alignment); }},
    {false, true, [](std::size_t n) { return ::operator new(n, alignment, std::nothrow); }},
    {true, true, [](std::size_t n) { return ::operator new[](n, alignment, std::nothrow); }},
};
struct Delete {
    bool array, aligned;
    void (*put)(void *, std::size_t);
};
const Delete deletes[] = {
    {false, false, [](void *p, std::size_t) { ::operator delete(p); }},
    {true, false, [](void *p, std::size_t) { ::operator delete[](p); }},
    {false, false, [](void *p, std::size_t) { ::operator delete(p, std::nothrow); }},
    {true, false, [](void *p, std::size_t) { ::operator delete[](p, std::nothrow); }},
    {false, false, [](void *p, std::size_t n) { sized_delete(p, n); }},
    {true, false, [](void *p, std::size_t n) { sized_delete_array(p, n); }},
    {false, true, [](void *p, std::size_t) { ::operator delete(p, alignment); }},
    {true, true, [](void *p, std::size_t) { ::operator delete[](p, alignment); }},
    {false, true, [](void *p, std::size_t) { ::operator delete(p, alignment, std::nothrow); }},
    {true, true, [](void *p, std::size_t) { ::operator delete[](p, alignment, std::nothrow); }},
    {false, true, [](void *p, std::size_t n) { sized_delete_aligned(p, n, alignment); }},
    {true, true, [](void *p, std::size_t n) { sized_delete_array_aligned(p, n, alignment); }},
};

void pairs(int node, std::size_t size)
{
    for (const New &n : news)
        for (const Delete &d : deletes) {
            if (!NATIVE && (n.array != d.array || n.aligned != d.aligned))
                continue; // what a sanitizer reports
            void *p;
            {
                NUMAFY_SCOPE_NODE(node);
                p = n.get(size);
            }
            on_node(p, node);
            assert_int_equal(reinterpret_cast<std::uintptr_t>(p) % (n.aligned ? 64 : 16), 0);
            std::memset(p, 1, size);
            d.put(p, size);
        }
}

void test_every_new_with_every_delete_on_every_node(void **) /* P66, O24 */
{
    for (int node : nodes)
        numafy_free(numafy_malloc(node, 1));
    const std::size_t before = held();
    for (int node : nodes)
        for (std::size_t size : {std::size_t(16), std::size_t(1000), std::size_t(1) << 20})
            pairs(node, size);
    assert_int_equal(held(), before);
}

void test_every_delete_takes_null(void **)
{
    for (const Delete &d : deletes)
        d.put(nullptr, 8);
}

#if NATIVE
void test_a_pool_block_is_freed_by_every_delete_whatever_the_size_said(void **) /* P68, O08 */
{
    numafy_free(numafy_malloc(2, 40));
    const std::size_t before = held();
    for (const Delete &d : deletes)
        for (std::size_t said : {std::size_t(1), std::size_t(40), std::size_t(1) << 30}) {
            if (NUMAFY_DEBUG)
                said = 40; // there a wrong size ends the program
            d.put(numafy_malloc(2, 40), said);
            d.put(numafy_malloc(1, NUMAFY_DEBUG ? 40 : 100000), said);
            NUMAFY_SCOPE_NODE(0); // nor does it matter where the caller is
            d.put(numafy_calloc(2, 1, 40), said);
        }
    assert_int_equal(held(), before);
}
#endif

// --- new-expressions: the forms of P87 and P90 that a program writes
struct Counted { // a destructor, so an array has a cookie
    static int alive;
    std::string text;
    int fuse;
    explicit Counted(int f = 0) : text(40, 'x'), fuse(f)
    {
        if (fuse)
            throw std::runtime_error("fuse");
        alive++;
    }
    ~Counted() { alive--; }
    void drop() { delete this; }
};
int Counted::alive = 0;
struct Plain {
    int a, b;
};
struct alignas(128) Wide {
    char c[128];
    ~Wide() { c[0] = 0; }
};

template <class T>
void placed(int node, numafy::numafy_place_ where)
{
    T *one = ::new (where) T();
    T *many = ::new (where) T[3]();
    T *maybe = ::new (where, std::nothrow) T();
    T *some = ::new (where, std::nothrow) T[3]();
    T *built = ::numafy::done(::new (where.ctor()) T());
    T *row = ::numafy::done(::new (where.ctor(), std::nothrow) T[2]());
    for (const void *p : {static_cast<const void *>(one), static_cast<const void *>(many),
                          static_cast<const void *>(maybe), static_cast<const void *>(some),
                          static_cast<const void *>(built), static_cast<const void *>(row)}) {
        on_node(p, node);
        assert_int_equal(reinterpret_cast<std::uintptr_t>(p) % alignof(T), 0);
    }
    delete one, delete[] many, delete maybe, delete[] some, delete built;
    std::unique_ptr<T[]> owned(row);
}

template <class T, int K>
void typed()
{
    auto *one = new numa<T, K>();
    auto *many = new numa<T, K>[3]();
    auto *maybe = new (std::nothrow) numa<T, K>();
    auto *some = new (std::nothrow) numa<T, K>[2]();
    on_node(one, K);
    on_node(&many[2], K);
    on_node(maybe, K);
    on_node(&some[1], K);
    delete one, delete[] many, delete maybe, delete[] some;
    std::unique_ptr<numa<T, K>> owned(new numa<T, K>());
    std::unique_ptr<numa<T, K>[]> row(new numa<T, K>[2]());
    alignas(T) char room[sizeof(numa<T, K>)];
    auto *in_place = ::new (static_cast<void *>(room)) numa<T, K>(); // not an allocation
    assert_ptr_equal(in_place, room);
    in_place->~numa();
}

void test_new_expressions(void **) /* P87, P90 */
{
    for (int node : nodes) {
        placed<Plain>(node, numafy::on(node));
        placed<Counted>(node, numafy::on(node));
        placed<Wide>(node, numafy::on(node));
        placed<int>(node, numafy::on(node));
    }
    typed<Plain, 1>();
    typed<Counted, 2>();
    typed<Wide, 0>();
    typed<int, 1>();
    typed<Counted, NUMAFY_NO_NODE>();
    (::new (numafy::on(1)) Counted())->drop(); // delete this
    Counted *base = new numa<Counted, 1>();
    base->drop();
    assert_int_equal(Counted::alive, 0);
}

// A block of C may be freed by C's function and by no delete, and the other way round under ASan.
void test_blocks_of_the_c_functions(void **)
{
    for (int node : nodes) {
        void *p[] = {numafy_malloc(node, 40), numafy_calloc(node, 2, 40),
                     numafy_aligned_alloc(node, 64, 128), numafy_realloc(nullptr, 40)};
        for (int i = 0; i < 4; i++)
            on_node(p[i], i == 3 ? NUMAFY_NO_NODE : node);
        p[0] = numafy_realloc(p[0], 10000);
        for (int i = 0; i < 4; i++)
            i % 2 ? std::free(p[i]) : numafy_free(p[i]);
    }
}

void test_a_constructor_that_throws_frees_its_block(void **)
{
    int caught = 0;
    auto first = ::new (numafy::on(2)) Counted();
    delete first;
    const std::size_t before = held();
    for (int form = 0; form < 6; form++)
        try {
            Counted *p = form == 0   ? ::new (numafy::on(2)) Counted(1)
                         : form == 1 ? ::new (numafy::on(2), std::nothrow) Counted(1)
                         : form == 2 ? ::numafy::done(::new (numafy::on(2).ctor()) Counted(1))
                         : form == 3 ? ::new (numafy::on(2))
                                           Counted[3]{Counted(0), Counted(0), Counted(1)}
                         : form == 4 ? new numa<Counted, 2>(1)
                                     : new (std::nothrow) numa<Counted, 2>(1);
            p->drop();
        } catch (const std::runtime_error &) {
            caught++;
        }
    assert_int_equal(caught, 6);
    assert_int_equal(Counted::alive, 0);
    assert_int_equal(held(), before);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_every_new_with_every_delete_on_every_node),
        cmocka_unit_test(test_every_delete_takes_null),
#if NATIVE
        cmocka_unit_test(test_a_pool_block_is_freed_by_every_delete_whatever_the_size_said),
#endif
        cmocka_unit_test(test_new_expressions),
        cmocka_unit_test(test_blocks_of_the_c_functions),
        cmocka_unit_test(test_a_constructor_that_throws_frees_its_block),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
