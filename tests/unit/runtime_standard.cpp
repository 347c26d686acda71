// SPDX-License-Identifier: Apache-2.0
// runtime_standard.cpp: near.h from C++98 on, numa_alloc.h from C++11 on, with warnings as errors
// and without the excuse of a system header: compiling it is the test, which
// tests/python/test_compile_matrix.py does.
#ifdef STANDARD_FULL
#include "numa_alloc.h"
#endif
#include "numafy/near.h"

#include <new>
#include <string>
#ifdef STANDARD_FULL
#include <map>
#include <memory>
#include <vector>
#endif

struct Plain {
    int a, b;
};
struct Rich {
    int a;
    std::string s;
    explicit Rich(int n) : a(n) {}
};
struct Owner {
    Plain *p;
    int sites(unsigned n)
    {
        Plain *q = ::new (::numafy::near(this)) Plain();
        q->a = 1;
        int r = q->a;
        delete q;
        Rich *x = ::numafy::done(::new (::numafy::near(this).ctor()) Rich(3));
        r += x->a;
        delete x;
        int *array = ::new (::numafy::near(this)) int[n];
        r += array[0] = 5;
        delete[] array;
        Plain *nothrow = ::new (::numafy::near(this), std::nothrow) Plain[2];
        delete[] nothrow;
        Plain *typed = ::new (::numafy::numa<Plain, 1>::at) Plain();
        delete typed;
        Rich *both = ::numafy::done(::new (::numafy::numa<Rich, 1>::at.ctor()) Rich(1));
        delete both;
        return r;
    }
    int call(unsigned n)
    {
        NUMAFY_SCOPE(this);
        ((void)::numafy::enter(this), sites(n));
        return ((void)::numafy::enter(this), ::numafy::leave(sites(n)));
    }
    // Around calls, wherever one may stand.
    int forms(unsigned n)
    {
        ((void)::numafy::enter_on(1), sites(n));
        int &r = ((void)::numafy::enter(this), ::numafy::leave(p->a));
        for (((void)::numafy::enter(this), sites(n)); r > 0;
             --r, ((void)::numafy::enter_on(1), sites(n)))
            r -= n ? ((void)::numafy::enter(this), ::numafy::leave(sites(n)))
                   : ((void)::numafy::enter_on(1), ::numafy::leave(call(n)));
        const Plain &same = ((void)::numafy::enter(this), ::numafy::leave(*p));
        r += same.a;
        const std::string s = ((void)::numafy::enter_on(1), ::numafy::leave(std::string("text")));
        p = ((void)::numafy::enter(p), ::numafy::leave(::new (::numafy::on(1)) Plain()));
        return ((void)::numafy::enter_on(1),
                ::numafy::leave(call(unsigned(r) + unsigned(s.size()))));
    }
};
namespace roots
{
Plain global, list[2];
NUMAFY_ROOT_GLOBAL(global, 1) NUMAFY_ROOT_GLOBAL(list, NUMAFY_INTERLEAVE) namespace
{
    Rich hidden(1);
    NUMAFY_ROOT_GLOBAL(hidden, 0)
} // namespace
struct Proud {
    int operator&() const { return 0; }
    Plain *p;
};
} // namespace roots
int standard_use(Owner &o)
{
    Rich local(1);
    NUMAFY_ROOT_OBJECT(local, 1);
    static Plain kept;
    NUMAFY_ROOT_OBJECT(kept, 1);
    static __thread Plain own;
    NUMAFY_ROOT_OBJECT(own, 1);
    roots::Proud proud;
    NUMAFY_ROOT_OBJECT(proud, 1);
    Owner &reference = o;
    NUMAFY_ROOT_OBJECT(reference, 1);
    proud.p = static_cast<Plain *>(numafy_malloc_near(__builtin_addressof(proud), sizeof(Plain)));
    numafy_free(proud.p);
    return o.call(3) + reference.forms(1) + o.forms(2) + local.a + kept.a + own.a +
           roots::global.a + roots::list[1].a + roots::hidden.a;
}

#ifdef STANDARD_FULL
struct Final final {
    int a;
};
int standard_full()
{
    Rich *r = new numa<Rich, 1>(4);
    numa<Rich *, 0> *array = new numa<Rich *, 0>[10];
    auto *f = new numa<Final, 0>();
    auto *i = new numa<int, 2>(5);
    *i += 2;
    const int sum = r->a + *i + (*f)->a;
    array[0] = r;
    Rich *first = array[0]; // clang's C++11 finds `delete array[0]` ambiguous
    delete first;
    delete[] array;
    delete f;
    delete i;
    auto *row = new numa<int[4], 1>{1, 2};
    delete row;
    auto *v = new numa<std::vector<int>, 1>(3u);
    v->at(0) = 1;
    delete v;
    thread_numa<0> t([] {});
    t.join();
    return sum;
}

struct alignas(64) Wide {
    char c[64];
};
std::size_t standard_library(int node)
{
    std::vector<Wide, numafy::allocator<Wide, 1>> fixed(3);
    typedef numafy::node_allocator<std::pair<const int, Wide>> Chosen;
    std::map<int, Wide, std::less<int>, Chosen> chosen(numafy::on(node)), other(Chosen(2));
    chosen[1] = Wide();
    other = chosen;
    other = std::move(chosen);
    swap(chosen, other);
    auto u = numafy::make_unique<Rich>(numafy::on(node), 1);
#ifndef NUMAFY_NO_REPLACE // there the pointer has a deleter of its own
    std::unique_ptr<Rich> moved = std::move(u);
    std::unique_ptr<Wide[]> w = numafy::make_unique<Wide[]>(numafy::near(moved.get()), 2);
    w[1] = Wide();
#endif
    std::shared_ptr<Rich> s = numafy::make_shared<Rich>(numafy::near(u.get()), 2);
    std::size_t n = fixed.size() + other.size() + s->s.size();
#ifdef __cpp_lib_memory_resource
    numafy::memory_resource resource(node);
    std::pmr::vector<int> p(3, &resource);
    n += p.size();
#endif
    return n;
}
#endif
