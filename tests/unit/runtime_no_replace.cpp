// SPDX-License-Identifier: Apache-2.0
// runtime_no_replace.cpp: C++ with NUMAFY_NO_REPLACE: malloc, free and operator new are the
// program's own, and what is placed is freed by numa<T,k>, the allocators and numafy's pointers.
#include "numa_alloc.h"

#include <csetjmp>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

extern "C" {
#include <cmocka.h>
}

// A program's own operator new and delete, which count.
static long news, deletes;
__attribute__((noinline)) void *operator new(std::size_t n)
{
    news++;
    if (void *p = std::malloc(n))
        return p;
    throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void *p) noexcept
{
    deletes += p != nullptr;
    std::free(p);
}
__attribute__((noinline)) void operator delete(void *p, std::size_t) noexcept
{
    deletes += p != nullptr;
    std::free(p);
}

namespace
{

void on_node(const void *p, int node)
{
    assert_non_null(p);
    assert_int_equal(numafy_node_of(p), node);
}

struct Tree {
    int key;
    explicit Tree(int k) : key(k) { alive++; }
    virtual ~Tree() { alive--; }
    static int alive;
};
int Tree::alive = 0;
struct alignas(128) Wide {
    char c[128];
};

void test_plain_allocations_are_the_programs_own(void **)
{
    const long n = news, d = deletes;
    NUMAFY_SCOPE_NODE(1); // without effect, as documented
    std::string *s = new std::string(100, 'x');
    on_node(s, NUMAFY_NO_NODE);
    on_node(s->data(), NUMAFY_NO_NODE);
    delete s;
    assert_int_equal(news - n, 2);
    assert_int_equal(deletes - d, 2);
    void *p = std::malloc(10);
    on_node(p, NUMAFY_NO_NODE);
    numafy_free(p);
}

void test_what_is_placed_never_meets_the_programs_delete(void **)
{
    const long n = news, d = deletes;
    {
        Tree *t = new numa<Tree, 1>(3); // a virtual destructor finds numa's delete
        on_node(t, 1);
        delete t;
        auto *row = new numa<int, 2>[100];
        on_node(row, 2);
        delete[] row;
        auto *wide = new numa<Wide, 3>;
        on_node(wide, 3);
        delete wide;
        std::vector<int, numafy::allocator<int, 1>> v(1000);
        on_node(v.data(), 1);
        typedef numafy::node_allocator<std::pair<const int, int>> Chosen;
        std::map<int, int, std::less<int>, Chosen> m(numafy::on(2));
        m[1] = 2;
        on_node(&*m.begin(), 2);
        auto u = numafy::make_unique<Tree>(numafy::on(3), 4);
        on_node(u.get(), 3);
        auto w = numafy::make_unique<const Wide>(numafy::on(1));
        on_node(w.get(), 1);
        auto s = numafy::make_shared<Tree>(numafy::near(u.get()), 5);
        on_node(s.get(), 3);
        std::weak_ptr<Tree> weak = s;
        Tree *placed = ::new (numafy::on(2)) Tree(6);
        on_node(placed, 2);
        placed->~Tree();
        numafy_free(placed);
#ifdef __cpp_lib_memory_resource
        numafy::memory_resource resource(1);
        std::pmr::vector<int> p(100, &resource);
        on_node(p.data(), 1);
#endif
    }
    assert_int_equal(news, n);
    assert_int_equal(deletes, d);
    assert_int_equal(Tree::alive, 0);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_allocations_are_the_programs_own),
        cmocka_unit_test(test_what_is_placed_never_meets_the_programs_delete),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
