// SPDX-License-Identifier: Apache-2.0
// runtime_containers.cpp: what the standard library allocates, on each node: containers with the
// allocator of a fixed and of a chosen node and with the memory resource, smart pointers, roots.
#include "runtime_inside.h"

#include <csetjmp>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <scoped_allocator>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

extern "C" {
#include <cmocka.h>
}

namespace
{

// The pools whose node can be asked for. NUMAFY_LOCAL has none of its own.
const int nodes[] = {NUMAFY_NO_NODE, NUMAFY_INTERLEAVE, 0, 1, 2, 3};

const char *const long_text = "a text that is too long for the small string optimisation";

void on_node(const void *p, int node)
{
    assert_non_null(p);
    assert_int_equal(numafy_node_of(p), node);
}

std::size_t held(int node)
{
    numafy_thread_flush();
    return inside_live(node);
}

// --- containers; Alloc<T> is built from `start`
template <template <class> class Alloc, class Start>
struct Containers {
    template <class T>
    using Pair = std::pair<const int, T>;
    typedef std::basic_string<char, std::char_traits<char>, Alloc<char>> Text;

    static void sequences(Start start, int node)
    {
        std::vector<int, Alloc<int>> v(100, 7, start);
        v.resize(100000);
        on_node(v.data(), node);
        std::vector<bool, Alloc<bool>> bits(1000, true, start);
        const auto &flags = bits;
        assert_true(flags[999]);
        std::deque<int, Alloc<int>> d(start);
        for (int i = 0; i < 10000; i++)
            i % 2 ? d.push_back(i) : d.push_front(i);
        on_node(&d.front(), node), on_node(&d[5000], node), on_node(&d.back(), node);
        std::list<int, Alloc<int>> l({1, 2, 3}, start);
        for (int &x : l)
            on_node(&x, node);
        std::forward_list<int, Alloc<int>> f({1, 2, 3}, start);
        on_node(&f.front(), node);
        Text s(long_text, start);
        s += s;
        on_node(s.data(), node);
        std::priority_queue<int, std::vector<int, Alloc<int>>> q(std::less<int>(), start);
        q.push(3);
        on_node(&q.top(), node);
    }

    static void associations(Start start, int node)
    {
        std::map<int, int, std::less<int>, Alloc<Pair<int>>> m(start);
        std::multimap<int, int, std::less<int>, Alloc<Pair<int>>> mm(start);
        std::set<int, std::less<int>, Alloc<int>> s(start);
        std::unordered_map<int, int, std::hash<int>, std::equal_to<int>, Alloc<Pair<int>>> u(
            1000, std::hash<int>(), std::equal_to<int>(), start);
        std::unordered_multiset<int, std::hash<int>, std::equal_to<int>, Alloc<int>> um(
            1000, std::hash<int>(), std::equal_to<int>(), start);
        for (int i = 0; i < 2000; i++)
            m[i] = i, mm.emplace(i / 2, i), s.insert(i), u[i] = i, um.insert(i / 3);
        on_node(&*m.begin(), node), on_node(&*m.rbegin(), node), on_node(&*mm.begin(), node);
        on_node(&*s.begin(), node), on_node(&*u.begin(), node), on_node(&*um.begin(), node);
        m.erase(5), u.erase(5), s.clear();
        assert_int_equal(m.size(), 1999);
    }

    static void all(Start start, int node)
    {
        const std::size_t before = node >= 0 ? held(node) : 0;
        sequences(start, node);
        associations(start, node);
        if (node >= 0)
            assert_int_equal(held(node), before);
    }
};

template <int K>
struct Fixed {
    template <class T>
    using type = numafy::allocator<T, K>;
    static void all()
    {
        numafy_free(numafy_malloc(K, 1));
        Containers<type, numafy::allocator<int, K>>::all(numafy::allocator<int, K>(), K);
    }
};

void test_containers_with_the_allocator_of_a_node(void **) /* P13 */
{
    Fixed<-1>::all();
    Fixed<-3>::all();
    Fixed<0>::all();
    Fixed<1>::all();
    Fixed<2>::all();
    Fixed<3>::all();
}

void test_containers_with_a_node_chosen_at_run_time(void **)
{
    for (int node : nodes) {
        numafy_free(numafy_malloc(node, 1));
        Containers<numafy::node_allocator, numafy::node_allocator<int>>::all(
            numafy::node_allocator<int>(node), node);
    }
    std::vector<int, numafy::node_allocator<int>> owner(1, 2, numafy::on(2));
    std::vector<int, numafy::node_allocator<int>> same(1, 2, numafy::near(owner.data()));
    on_node(same.data(), 2);
}

#ifdef __cpp_lib_memory_resource
template <class T>
using Polymorphic = std::pmr::polymorphic_allocator<T>;
#endif

void test_containers_with_a_memory_resource(void **)
{
#ifdef __cpp_lib_memory_resource
    for (int node : nodes) {
        numafy::memory_resource resource(node);
        assert_int_equal(resource.node(), node);
        numafy_free(numafy_malloc(node, 1));
        Containers<Polymorphic, std::pmr::memory_resource *>::all(&resource, node);
        std::pmr::vector<std::pmr::string> texts(&resource);
        texts.emplace_back(long_text);
        on_node(texts[0].data(), node);
    }
    numafy::memory_resource near_it(numafy::on(3));
    void *p = near_it.allocate(100, 4096);
    on_node(p, 3);
    assert_int_equal(reinterpret_cast<std::uintptr_t>(p) % 4096, 0);
    near_it.deallocate(p, 100, 4096);
    assert_true(near_it == numafy::memory_resource(3));
    assert_true(near_it != numafy::memory_resource(1));
    assert_true(near_it != *std::pmr::new_delete_resource());
#else
    skip(); // no <memory_resource> in this library
#endif
}

// --- what the node allocator's traits promise
typedef std::vector<int, numafy::node_allocator<int>> Numbers;

void test_a_copy_stays_where_its_target_is(void **)
{
    const Numbers one(1000, 1, numafy::on(1));
    const Numbers copy(one);
    on_node(copy.data(), 1);
    const Numbers elsewhere(one, numafy::on(2));
    on_node(elsewhere.data(), 2);
    Numbers two(1, 2, numafy::on(2));
    two = one;
    on_node(two.data(), 2);
    assert_int_equal(two.size(), 1000);
}

void test_a_move_and_a_swap_take_the_memory_along(void **)
{
    Numbers one(1000, 1, numafy::on(1)), two(1000, 2, numafy::on(2));
    const int *first = one.data();
    two = std::move(one);
    assert_ptr_equal(two.data(), first);
    assert_int_equal(two.get_allocator().node(), 1);
    Numbers three(1000, 3, numafy::on(3));
    const int *third = three.data();
    swap(two, three); // undefined where allocators differ and do not go along
    assert_ptr_equal(two.data(), third);
    two.resize(100000);
    three.resize(100000);
    on_node(two.data(), 3);
    on_node(three.data(), 1);
    std::list<int, numafy::node_allocator<int>> a({1, 2}, numafy::on(1)), b({3}, numafy::on(1));
    a.splice(a.end(), b); // allowed: the allocators are equal
    assert_int_equal(a.size(), 3);
}

void test_node_allocators_compare_by_node(void **)
{
    const numafy::node_allocator<int> one(1), again(numafy::on(1)), two(2);
    const numafy::node_allocator<char> other(one);
    assert_true(one == again && one == other && one != two && !(one == two) && !(one != other));
    assert_true(!std::is_default_constructible<numafy::node_allocator<int>>::value);
    assert_true(!(std::is_convertible<int, numafy::node_allocator<int>>::value));
    assert_true(!std::allocator_traits<numafy::node_allocator<int>>::is_always_equal::value);
}

void test_inner_containers_follow_with_a_scoped_allocator(void **)
{
    typedef std::basic_string<char, std::char_traits<char>, numafy::node_allocator<char>> Text;
    typedef std::scoped_allocator_adaptor<numafy::node_allocator<Text>> Scoped;
    std::vector<Text, Scoped> texts(Scoped(numafy::node_allocator<Text>(2)));
    texts.emplace_back(long_text);
    on_node(texts.data(), 2);
    on_node(texts[0].data(), 2);
}

template <class Alloc>
void allocates_too_much(Alloc alloc)
{
    typedef std::allocator_traits<Alloc> traits;
    bool length = false, memory = false;
    try {
        traits::deallocate(alloc, traits::allocate(alloc, SIZE_MAX / 4 + 1), 1);
    } catch (const std::bad_array_new_length &) {
        length = true;
    }
    try {
        traits::deallocate(alloc, traits::allocate(alloc, PTRDIFF_MAX / 4), 1);
    } catch (const std::bad_alloc &) {
        memory = true;
    }
    assert_true(length && memory);
    int *none = traits::allocate(alloc, 0);
    traits::deallocate(alloc, none, 0);
}

void test_allocators_refuse_what_cannot_be(void **)
{
    allocates_too_much(numafy::allocator<int, 1>());
    allocates_too_much(numafy::node_allocator<int>(1));
}

// --- smart pointers
struct Rich {
    std::string name;
    std::vector<int> numbers;
    explicit Rich(const char *text, bool fail = false) : name(text), numbers(100)
    {
        if (fail)
            throw std::runtime_error("constructor");
    }
    void all_on(int node) const
    {
        on_node(this, node);
        on_node(name.data(), node);
        on_node(numbers.data(), node);
    }
};
struct alignas(256) Wide {
    char c[256];
};

void ambient_is(int node)
{
    void *p = ::operator new(24);
    on_node(p, node);
    ::operator delete(p);
}

void test_make_unique_and_make_shared(void **)
{
    for (int node : nodes) {
        std::unique_ptr<Rich> u = numafy::make_unique<Rich>(numafy::on(node), long_text);
        u->all_on(node);
        std::shared_ptr<Rich> s = numafy::make_shared<Rich>(numafy::on(node), long_text);
        s->all_on(node);
        std::shared_ptr<Rich> t = numafy::make_shared<Rich>(numafy::near(u.get()), long_text);
        if (node >= 0) // an owner in the plain heap is just as plain
            t->all_on(node);
        std::weak_ptr<Rich> w = s;
        s.reset();
        assert_true(w.expired());
        std::shared_ptr<const Rich> from(std::move(u));
        from->all_on(node);
    }
    auto array = numafy::make_unique<std::string[]>(numafy::on(2), 10);
    array[9] = "x";
    on_node(&array[9], 2);
    auto zeroes = numafy::make_unique<int[]>(numafy::on(1), 1000);
    assert_int_equal(zeroes[999], 0);
    auto wide = numafy::make_unique<Wide>(numafy::on(1));
    auto shared = numafy::make_shared<Wide>(numafy::on(2));
    assert_int_equal(reinterpret_cast<std::uintptr_t>(wide.get()) % 256, 0);
    assert_int_equal(reinterpret_cast<std::uintptr_t>(shared.get()) % 256, 0);
    on_node(wide.get(), 1), on_node(shared.get(), 2);
    ambient_is(NUMAFY_NO_NODE);
}

void test_a_shared_object_and_its_counts_are_one_block(void **)
{
    struct Half {
        char c[1000];
    };
    auto first = numafy::make_shared<Half>(numafy::on(1));
    const std::size_t before = held(1);
    auto s = numafy::make_shared<Half>(numafy::on(1));
    const std::size_t with = held(1);
    assert_true(with > before && with - before <= 1280); // jemalloc's class for 1,024 to 1,280
    s.reset();
    assert_int_equal(held(1), before);
}

void test_a_constructor_that_throws_leaves_nothing(void **)
{
    std::unique_ptr<Rich> first = numafy::make_unique<Rich>(numafy::on(2), long_text);
    const std::size_t before = held(2);
    int caught = 0;
    for (int form = 0; form < 2; form++)
        try {
            if (form)
                numafy::make_unique<Rich>(numafy::on(2), long_text, true);
            else
                numafy::make_shared<Rich>(numafy::on(2), long_text, true);
        } catch (const std::runtime_error &) {
            caught++;
        }
    assert_int_equal(caught, 2);
    assert_int_equal(held(2), before);
    ambient_is(NUMAFY_NO_NODE);
}

// --- what takes no allocator: scopes
void test_a_scope_places_what_has_no_allocator(void **)
{
    for (int node : nodes) {
        NUMAFY_SCOPE_NODE(node);
        char big[200] = "state";
        const void *inside = nullptr;
        std::function<void()> f = [big, &inside] { inside = big; };
        f();
        on_node(inside, node);
        std::function<void()> copy = f;
        copy();
        on_node(inside, node);
        auto s = std::make_shared<std::string>(long_text);
        on_node(s.get(), node);
        on_node(s->data(), node);
        std::map<std::string, std::vector<int>> m{{long_text, {1, 2, 3}}};
        on_node(&*m.begin(), node);
        on_node(m.begin()->first.data(), node);
        on_node(m.begin()->second.data(), node);
    }
}

// --- roots outside the pools
struct Root {
    Rich *child = nullptr;
    void grow() { child = ::numafy::done(::new (::numafy::near(this).ctor()) Rich(long_text)); }
    void scoped()
    {
        NUMAFY_SCOPE(this);
        ambient_is(2);
    }
    ~Root() { delete child; }
};
Root global_root;
thread_local Root thread_root;

void test_roots_of_every_storage(void **)
{
    static Root static_root;
    Root local_root;
    std::unique_ptr<Root> plain_heap(new Root);
    for (Root *r : {&global_root, &thread_root, &static_root, &local_root, plain_heap.get()}) {
        r->grow();
        on_node(r->child, NUMAFY_NO_NODE);
        delete r->child;
        assert_int_equal(numafy_root_add(r, sizeof *r, 2), 0);
        r->grow();
        r->child->all_on(2);
        r->scoped();
        auto u = numafy::make_unique<Rich>(numafy::near(r), long_text);
        u->all_on(2);
        Numbers v(3, 3, numafy::near(&r->child)); // an address inside
        on_node(v.data(), 2);
        numafy_root_remove(r);
        delete r->child;
        r->grow();
        on_node(r->child, NUMAFY_NO_NODE);
    }
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_containers_with_the_allocator_of_a_node),
        cmocka_unit_test(test_containers_with_a_node_chosen_at_run_time),
        cmocka_unit_test(test_containers_with_a_memory_resource),
        cmocka_unit_test(test_a_copy_stays_where_its_target_is),
        cmocka_unit_test(test_a_move_and_a_swap_take_the_memory_along),
        cmocka_unit_test(test_node_allocators_compare_by_node),
        cmocka_unit_test(test_inner_containers_follow_with_a_scoped_allocator),
        cmocka_unit_test(test_allocators_refuse_what_cannot_be),
        cmocka_unit_test(test_make_unique_and_make_shared),
        cmocka_unit_test(test_a_shared_object_and_its_counts_are_one_block),
        cmocka_unit_test(test_a_constructor_that_throws_leaves_nothing),
        cmocka_unit_test(test_a_scope_places_what_has_no_allocator),
        cmocka_unit_test(test_roots_of_every_storage),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
