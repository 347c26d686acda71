// SPDX-License-Identifier: Apache-2.0
// runtime_cxx.cpp: the C++ layer: replaced operators, placed new with and without ctor(),
// numa<T,k>, thread_numa. The C twin is runtime_c.c; runtime_containers.cpp has the library's part.
#include "runtime_inside.h"

#include <atomic>
#include <csetjmp>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "runtime_parts.h"

namespace
{

void on_node(const void *p, int node)
{
    assert_non_null(p);
    assert_int_equal(numafy_node_of(p), node);
}

void ambient_is(int node)
{
    void *p = ::operator new(24);
    on_node(p, node);
    ::operator delete(p);
}

const char *const long_text = "a text that is too long for the small string optimisation";

struct Rich {
    std::string name;
    std::vector<int> numbers;
    std::map<int, std::string> more;
    Rich() : name(long_text), numbers(100), more{{1, long_text}} {}
    explicit Rich(const std::string &s) : name(s), numbers(10), more{{1, long_text}} {}
    Rich(int n, std::initializer_list<int> l) : name(long_text), numbers(l), more{{n, long_text}} {}
    void all_on(int node) const
    {
        on_node(name.data(), node);
        on_node(numbers.data(), node);
        on_node(&more.begin()->first, node);
        on_node(more.begin()->second.data(), node);
    }
};

struct Thrower {
    std::string s;
    explicit Thrower(int) : s(long_text) { throw std::runtime_error("constructor"); }
};
int throwing_argument()
{
    throw std::runtime_error("argument");
}

struct Pair {
    int a, b;
};
struct Final final {
    std::string s;
    int n;
    explicit Final(int n_) : s(long_text), n(n_) {}
    int twice() const { return 2 * n; }
};
struct Virtual {
    std::string s = long_text;
    static int alive;
    Virtual() { alive++; }
    virtual ~Virtual() { alive--; }
    virtual int id() const { return 1; }
};
int Virtual::alive = 0;
struct Derived : Virtual {
    std::string t = long_text;
    int id() const override { return 2; }
};
struct Trivial { // a trivial destructor, but a constructor that allocates and may throw
    char *text;
    static int fuse;
    Trivial() : text(static_cast<char *>(std::malloc(30)))
    {
        if (!--fuse) {
            std::free(text);
            throw std::runtime_error("fuse");
        }
    }
};
int Trivial::fuse = -1;
union Either {
    int i;
    float f;
};
struct FinalPair final {
    int a, b;
};
struct WithAt { // a name of ours, as a type, a function and a hidden base's member
    std::vector<int> v{1, 2, 3};
    int at(std::size_t i) const { return v.at(i); }
};
class PrivateAt
{
    int at = 4;

  public:
    int get() const { return at; }
};
struct InheritsAt : PrivateAt {
};
struct alignas(128) Wide {
    char c[128];
};
struct Small {
    int x;
    Small *next;
};

// --- replaced operators: runtime_forms.cpp has the table of them
volatile std::size_t too_much = static_cast<std::size_t>(PTRDIFF_MAX) - 4096;
int handler_calls;

void test_failing_new_calls_the_handler_and_throws(void **) /* O27 */
{
    handler_calls = 0;
    std::set_new_handler([] {
        if (++handler_calls == 3)
            std::set_new_handler(nullptr);
    });
    bool thrown = false;
    try {
        char *p = ::new (numafy::on(1)) char[too_much];
        delete[] p;
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    assert_true(thrown);
    assert_int_equal(handler_calls, 3);
    thrown = false;
    try {
        void *volatile p = ::operator new(too_much); // volatile: an unused pair may be left out
        ::operator delete(p);
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    assert_true(thrown);
    assert_null(::new (numafy::on(1), std::nothrow) char[too_much]);
    ambient_is(-1);
}

// --- placed new
void test_placed_forms(void **)
{
    Small *owner = ::new (numafy::on(2)) Small{1, nullptr};
    Small *a = ::new (::numafy::near(owner)) Small{2, owner};
    Small *b = ::new (::numafy::near(owner)) Small[3];
    Small *c = ::new (::numafy::near(owner), std::nothrow) Small;
    Small *d = ::new (::numafy::near(owner), std::nothrow) Small[3];
    Wide *e = ::new (::numafy::near(owner)) Wide;
    Wide *f = ::new (::numafy::near(owner)) Wide[2];
    Wide *g = ::new (::numafy::near(owner), std::nothrow) Wide;
    Wide *h = ::new (::numafy::near(owner), std::nothrow) Wide[2];
    for (const void *p :
         {static_cast<const void *>(owner), static_cast<const void *>(a),
          static_cast<const void *>(b), static_cast<const void *>(c), static_cast<const void *>(d),
          static_cast<const void *>(e), static_cast<const void *>(f), static_cast<const void *>(g),
          static_cast<const void *>(h)})
        on_node(p, 2);
    assert_int_equal(reinterpret_cast<std::uintptr_t>(e) % 128, 0);
    assert_int_equal(reinterpret_cast<std::uintptr_t>(h) % 128, 0);
    assert_int_equal(a->x, 2);
    assert_ptr_equal(a->next, owner);
    delete a, delete[] b, delete c, delete[] d, delete e, delete[] f, delete g, delete[] h;
    std::unique_ptr<Small> u(::new (::numafy::near(owner)) Small{3, nullptr});
    std::shared_ptr<Rich> s(::new (::numafy::numa<Rich, 3>::at) Rich());
    on_node(u.get(), 2);
    on_node(s.get(), 3);
    delete owner;
}

void test_done_restores_for_all_ctor_forms(void **)
{
    Rich *a = ::numafy::done(::new (::numafy::on(2).ctor()) Rich());
    ambient_is(-1);
    Rich *b = ::numafy::done(::new (::numafy::on(2).ctor(), std::nothrow) Rich());
    ambient_is(-1);
    Rich *c = ::numafy::done(::new (::numafy::on(2).ctor()) Rich[3]);
    ambient_is(-1);
    Rich *d = ::numafy::done(::new (::numafy::on(2).ctor(), std::nothrow) Rich[2]);
    ambient_is(-1);
    Wide *e = ::numafy::done(::new (::numafy::on(2).ctor()) Wide);
    Wide *f = ::numafy::done(::new (::numafy::on(2).ctor()) Wide[2]);
    Wide *g = ::numafy::done(::new (::numafy::on(2).ctor(), std::nothrow) Wide);
    Wide *h = ::numafy::done(::new (::numafy::on(2).ctor(), std::nothrow) Wide[2]);
    ambient_is(-1);
    a->all_on(2), b->all_on(2), c[2].all_on(2), d[1].all_on(2);
    on_node(e, 2), on_node(f, 2), on_node(g, 2), on_node(h, 2);
    delete a, delete b, delete[] c, delete[] d, delete e, delete[] f, delete g, delete[] h;
    assert_null(::numafy::done(::new (::numafy::on(2).ctor(), std::nothrow) char[too_much]));
    ambient_is(-1);
    assert_int_equal(numafy_tls_v3->depth, 0);
}

void test_members_of_a_constructed_object_follow_the_owner(void **)
{
    Small *owner = ::new (numafy::on(1)) Small{1, nullptr};
    Rich *a = ::numafy::done(::new (::numafy::near(owner).ctor()) Rich());
    Rich *b = ::numafy::done(::new (::numafy::near(owner).ctor()) Rich(std::string(long_text)));
    Rich *c = ::numafy::done(::new (::numafy::near(owner).ctor()) Rich(1, {1, 2, 3}));
    a->all_on(1), b->all_on(1), c->all_on(1);
    // An owner in the plain heap bypasses the ambient node.
    NUMAFY_SCOPE_NODE(3);
    void *plain = numafy_malloc(NUMAFY_NO_NODE, 8);
    Rich *d = ::numafy::done(::new (::numafy::near(plain).ctor()) Rich());
    on_node(d, -1);
    d->all_on(-1);
    ambient_is(3);
    delete a, delete b, delete c, delete d, delete owner;
    std::free(plain);
}

void test_throwing_constructors_and_arguments_restore(void **)
{
    int caught = 0;
    for (int form = 0; form < 6; form++) {
        try {
            Thrower *t = nullptr;
            switch (form) {
            case 0:
                t = ::numafy::done(::new (::numafy::on(2).ctor()) Thrower(1));
                break;
            case 1:
                t = ::numafy::done(::new (::numafy::on(2).ctor()) Thrower(throwing_argument()));
                break;
            case 2:
                t = ::numafy::done(::new (::numafy::on(2).ctor(), std::nothrow) Thrower(1));
                break;
            case 3:
                t = ::numafy::done(::new (::numafy::on(2).ctor())
                                       Thrower[2]{Thrower(1), Thrower(1)});
                break;
            case 4:
                t = ::new (::numafy::on(2)) Thrower(1);
                break;
            default:
                t = new numa<Thrower, 2>(1);
            }
            delete t;
        } catch (const std::runtime_error &) {
            caught++;
        }
        ambient_is(-1);
        assert_int_equal(numafy_tls_v3->depth, 0);
    }
    assert_int_equal(caught, 6);
}

struct Registry {
    std::vector<Rich *> all;
    void add(Rich *r) { all.push_back(r); }
};

void test_nested_constructions_and_the_call_around_them(void **)
{
    Rich *inner = nullptr;
    Rich *outer = ::numafy::done(::new (::numafy::on(1).ctor()) Rich(
        (inner = ::numafy::done(::new (::numafy::on(2).ctor()) Rich()))->name));
    inner->all_on(2);
    outer->all_on(1);
    Registry registry;
    registry.add(::numafy::done(::new (::numafy::on(1).ctor()) Rich()));
    registry.add(new numa<Rich, 2>(long_text));
    on_node(registry.all.data(), -1);
    registry.all[0]->all_on(1);
    registry.all[1]->all_on(2);
    delete registry.all[0], delete registry.all[1], delete inner, delete outer;
}

struct Chain {
    std::string text;
    Chain *next;
    explicit Chain(int n)
        : text(long_text),
          next(n ? ::numafy::done(::new (::numafy::near(this).ctor()) Chain(n - 1)) : nullptr)
    {
    }
};

void test_a_constructor_may_build_a_chain_of_100000(void **)
{
    pthread_attr_t attr; // the recursion needs a stack of its own
    pthread_t t;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, std::size_t(256) << 20);
    auto run = [](void *) -> void * {
        Chain *c = ::numafy::done(::new (::numafy::on(1).ctor()) Chain(100000));
        std::size_t wrong = 0, n = 0;
        while (c) {
            wrong += numafy_node_of(c) != 1 || numafy_node_of(c->text.data()) != 1;
            Chain *next = c->next;
            delete c;
            c = next;
            n++;
        }
        wrong += numafy_tls_v3->depth != 0 || numafy_tls_v3->ambient != 0;
        return reinterpret_cast<void *>(n == 100001 ? wrong : 77);
    };
    void *result;
    assert_int_equal(pthread_create(&t, &attr, run, nullptr), 0);
    pthread_join(t, &result);
    pthread_attr_destroy(&attr);
    assert_null(result);
}

// --- enter and leave
std::unique_ptr<int> make_unique_int(int n)
{
    return std::unique_ptr<int>(new int(n));
}
void make_into(int *&out, bool fail)
{
    out = new int(3);
    if (fail)
        throw std::runtime_error("call");
}

void test_enter_and_leave_around_calls(void **)
{
    Small *owner = ::new (numafy::on(2)) Small{1, nullptr};
    auto p = (::numafy::enter(owner), ::numafy::leave(make_unique_int(4)));
    on_node(p.get(), 2);
    assert_int_equal(*p, 4);
    int *q = nullptr;
    (::numafy::enter(owner), make_into(q, false));
    on_node(q, 2);
    delete q;
    try {
        (::numafy::enter(owner), make_into(q, true));
    } catch (const std::runtime_error &) {
    }
    on_node(q, 2);
    delete q;
    ambient_is(-1);
    int x = 5;
    int &r = (::numafy::enter(owner), ::numafy::leave(x));
    assert_ptr_equal(&r, &x);
    auto s = ((void)::numafy::enter_on(3), ::numafy::leave(make_unique_int(4)));
    on_node(s.get(), 3);
    try {
        ((void)::numafy::enter_on(1), make_into(q, true));
    } catch (const std::runtime_error &) {
    }
    on_node(q, 1);
    delete q;
    ambient_is(-1);
    delete owner;
    assert_int_equal(numafy_tls_v3->depth, 0);
}

// --- roots by name
// Made before main, and after the registration of the roots further down.
extern Rich *first_named;
struct Early {
    int node = 7;
    Early()
    {
        void *p = numafy_malloc_near(&first_named, 8);
        node = numafy_node_of(p);
        free(p);
    }
} early;
Rich *first_named;
NUMAFY_ROOT_GLOBAL(first_named, 2)
NUMAFY_ROOT_GLOBAL(early, 1)

    void test_a_global_root_is_known_to_static_initialisers(void **)
{
    assert_int_equal(early.node, 2);
    int *p = ::new (numafy::near(&early.node)) int;
    on_node(p, 1);
    delete p;
}

void rooted_throw(const void **where)
{
    int row[3];
    NUMAFY_ROOT_OBJECT(row, 3);
    *where = row;
    int *p = ::new (numafy::near(row)) int;
    on_node(p, 3);
    delete p;
    throw std::runtime_error("root");
}

void test_a_local_root_ends_with_an_exception(void **)
{
    const void *row = nullptr;
    try {
        rooted_throw(&row);
        fail();
    } catch (const std::runtime_error &) {
    }
    int *p = ::new (numafy::near(row)) int;
    on_node(p, -1);
    delete p;
}

void scoped_throw(const void *owner)
{
    NUMAFY_SCOPE(owner);
    ambient_is(1);
    throw std::runtime_error("scope");
}

void test_scope_ends_with_an_exception(void **)
{
    Small *owner = ::new (numafy::on(1)) Small{1, nullptr};
    bool caught = false;
    try {
        scoped_throw(owner);
    } catch (const std::runtime_error &) {
        caught = true;
    }
    assert_true(caught);
    ambient_is(-1);
    delete owner;
}

// --- numa<T,k>
static_assert(sizeof(numa<Rich, 0>) == sizeof(Rich), "no data is added");
static_assert(sizeof(numa<Final, 0>) == sizeof(Final), "no data is added");
static_assert(sizeof(numa<Virtual, 0>) == sizeof(Virtual), "no data is added");
static_assert(sizeof(numa<Trivial, 0>) == sizeof(Trivial), "no data is added");
static_assert(sizeof(numa<int, 0>) == sizeof(int), "no data is added");
static_assert(sizeof(numa<Small *, 0>) == sizeof(Small *), "no data is added");
static_assert(alignof(numa<Wide, 0>) == 128, "the alignment stays");
static_assert(std::is_trivially_destructible<numa<Trivial, 0>>::value, "no cookie");

void test_numa_of_a_class(void **)
{
    Rich *a = new numa<Rich, 1>(), *b = new numa<Rich, 2>(std::string(long_text)),
         *c = new numa<Rich, 3>(7, {1, 2, 3}), *d = new numa<Rich, 1>(*a);
    for (Rich *r : {a, b, c, d})
        on_node(r, r == b ? 2 : r == c ? 3 : 1);
    a->all_on(1), b->all_on(2), c->all_on(3), d->all_on(1);
    assert_int_equal(c->numbers.size(), 3);
    delete a, delete b, delete c, delete d;
    Rich *e = new (std::nothrow) numa<Rich, 2>;
    e->all_on(2);
    delete e;
    numa<Rich, 2> *f = new numa<Rich, 2>[4];
    for (int i = 0; i < 4; i++)
        f[i].all_on(2);
    delete[] f;
    numa<Rich, 2> local, copy(local);
    local.all_on(2), copy.all_on(2);
    copy = local;
    alignas(Rich) char room[sizeof(Rich)];
    Rich *g = new (room) numa<Rich, 1>();
    g->all_on(1);
    g->~Rich();
    ambient_is(-1);
}

void test_numa_with_virtual_functions(void **)
{
    Virtual *p = new numa<Derived, 2>();
    on_node(p, 2);
    on_node(p->s.data(), 2);
    assert_int_equal(p->id(), 2);
    delete p;
    assert_int_equal(Virtual::alive, 0);
    Virtual *q = new numa<Virtual, 3>[2];
    on_node(q, 3);
    delete[] static_cast<numa<Virtual, 3> *>(q);
    assert_int_equal(Virtual::alive, 0);
}

void test_numa_of_trivially_destructible_types(void **)
{
    Trivial *t = new numa<Trivial, 2>[5]; // no cookie: delete[] through the base finds the block
    on_node(t, 2);
    for (int i = 0; i < 5; i++) {
        on_node(t[i].text, 2);
        std::free(t[i].text);
    }
    delete[] t;
    for (int fuse = 1; fuse <= 3; fuse++) {
        Trivial::fuse = fuse;
        bool caught = false;
        try {
            Trivial *u = new numa<Trivial, 2>[3];
            delete[] u;
        } catch (const std::runtime_error &) {
            caught = true;
        }
        assert_true(caught);
        ambient_is(-1);
        assert_int_equal(numafy_tls_v3->depth, 0);
    }
    Trivial::fuse = -1;
}

void test_numa_of_final_union_pointer_and_number(void **)
{
    auto *f = new numa<Final, 1>(21);
    on_node(f, 1);
    on_node((*f)->s.data(), 1);
    assert_int_equal((*f)->twice(), 42);
    Final &plain = *f;
    assert_int_equal(plain.n, 21);
    delete f;
    auto *u = new numa<Either, 2>();
    on_node(u, 2);
    static_cast<Either &>(*u).i = 5;
    delete u;
    numa<Small *, 3> *p = new numa<Small *, 3>[100];
    on_node(p, 3);
    on_node(p + 99, 3);
    Small small{9, nullptr};
    p[50] = &small;
    assert_int_equal(p[50]->x, 9);
    Small **raw = reinterpret_cast<Small **>(p);
    assert_ptr_equal(raw[50], &small);
    delete[] raw; // as the suites' pointer arrays are freed: no cookie, by address
    int *zeroes = reinterpret_cast<int *>(new numa<int, 1>[64]());
    for (int i = 0; i < 64; i++)
        assert_int_equal(zeroes[i], 0);
    delete[] zeroes;
    auto *n = new numa<int, 2>(5);
    *n += 3;
    ++*n;
    int value = *n;
    assert_int_equal(value, 9);
    on_node(n, 2);
    delete n;
}

void test_numa_of_an_aggregate_and_of_an_aligned_class(void **)
{
    Pair *a = new numa<Pair, 1>{3, 4}, *b = new numa<Pair, 1>(Pair{5, 6}), *c = new numa<Pair, 1>();
    on_node(a, 1);
    assert_int_equal(a->a * 10 + a->b, 34);
    assert_int_equal(b->a * 10 + b->b, 56);
    assert_int_equal(c->a, 0);
    delete a, delete b, delete c;
    Wide *w = new numa<Wide, 3>;
    on_node(w, 3);
    assert_int_equal(reinterpret_cast<std::uintptr_t>(w) % 128, 0);
    delete w;
}

void test_numa_of_arrays_final_aggregates_and_unions(void **)
{
    auto *row = new numa<int[4], 2>{1, 2, 3};
    on_node(row, 2);
    assert_int_equal((*row)[2], 3);
    assert_int_equal((*row)[3], 0);
    int(&plain)[4] = *row;
    assert_ptr_equal(&plain, row);
    delete row;
    auto *f = new numa<FinalPair, 1>{3, 4}, *g = new numa<FinalPair, 1>(FinalPair{5, 6});
    on_node(f, 1);
    assert_int_equal((*f)->a * 10 + (*f)->b, 34);
    assert_int_equal((*g)->a * 10 + (*g)->b, 56);
    delete f, delete g;
    auto *u = new numa<Either, 3>(7);
    assert_int_equal((*u)->i, 7);
    delete u;
    auto *d = new numa<double, 1>(1.5);
    *d *= 2;
    assert_true(*d == 3.0);
    delete d;
}

// O02: what is asked for is served, not a multiple. /* O01, O03 */ Arrays have all their elements.
void test_numa_blocks_are_of_the_size_asked_for(void **)
{
    auto *one = new numa<Wide, 1>;
    assert_in_range(numafy_usable_size(one), sizeof(Wide), 2 * sizeof(Wide));
    delete one;
    for (const std::size_t n : {1u, 10u, 1000u, 100000u}) {
        auto *ints = new numa<int, 1>[n];
        assert_in_range(numafy_usable_size(ints), n * sizeof(int), 2 * n * sizeof(int) + 16);
        std::memset(static_cast<void *>(ints), 1, n * sizeof(int));
        delete[] ints;
        auto *texts = new numa<std::string, 2>[n];
        const void *block = reinterpret_cast<char *>(texts) - sizeof(std::size_t); // the cookie
        on_node(block, 2);
        assert_in_range(numafy_usable_size(block), n * sizeof(std::string),
                        2 * n * sizeof(std::string) + 16);
        texts[n - 1] = long_text;
        delete[] texts;
    }
}

// The class-level set called by name: 4 news, 4 nothrow and aligned mixes, and each delete of them.
template <class Numa>
void class_level_operators(int node)
{
    const std::align_val_t a{64};
    auto held = [node] {
        numafy_thread_flush();
        return inside_live(node);
    };
    Numa::operator delete(Numa::operator new(40));
    const std::size_t before = held();
    void *p[8] = {Numa::operator new(40),
                  Numa::operator new[](40),
                  Numa::operator new(40, std::nothrow),
                  Numa::operator new[](40, std::nothrow),
                  Numa::operator new(40, a),
                  Numa::operator new[](40, a),
                  Numa::operator new(40, a, std::nothrow),
                  Numa::operator new[](40, a, std::nothrow)};
    for (int i = 0; i < 8; i++) {
        on_node(p[i], node);
        assert_int_equal(reinterpret_cast<std::uintptr_t>(p[i]) % (i < 4 ? 16 : 64), 0);
    }
    Numa::operator delete(p[0]);
    Numa::operator delete[](p[1]);
    Numa::operator delete(p[2], std::nothrow);
    Numa::operator delete[](p[3], std::nothrow);
    Numa::operator delete(p[4], a);
    Numa::operator delete[](p[5], a);
    Numa::operator delete(p[6], a, std::nothrow);
    Numa::operator delete[](p[7], a, std::nothrow);
    // A delete-expression's form trusts its size, which is right. P68: the others do not; the debug
    // build reports a wrong one.
    Numa::operator delete(Numa::operator new(40), std::size_t(40));
    const std::size_t wrong = NUMAFY_DEBUG ? 40 : 4096;
    Numa::operator delete[](Numa::operator new[](40), wrong);
    Numa::operator delete(Numa::operator new(40, a), wrong, a);
    Numa::operator delete[](Numa::operator new[](40, a), wrong, a);
    assert_int_equal(held(), before);
}

void test_numa_has_every_form_of_new_and_delete(void **) /* P66 */
{
    class_level_operators<numa<int, 1>>(1);
    class_level_operators<numa<Rich, 2>>(2);
    class_level_operators<numa<Pair, 3>>(3);
    class_level_operators<numa<Final, 1>>(1);
}

/* P67: alignment is honoured by each class-level form, array included */
template <std::size_t A>
struct alignas(A) Aligned {
    char c[A];
};
template <std::size_t A>
void aligned_on_node()
{
    auto *one = new numa<Aligned<A>, 1>;
    auto *some = new numa<Aligned<A>, 2>[3];
    auto *maybe = new (std::nothrow) numa<Aligned<A>, 3>;
    Aligned<A> *placed = ::new (numafy::on(1)) Aligned<A>[2];
    for (const void *p : {static_cast<const void *>(one), static_cast<const void *>(some),
                          static_cast<const void *>(maybe), static_cast<const void *>(placed)})
        assert_int_equal(reinterpret_cast<std::uintptr_t>(p) % A, 0);
    on_node(one, 1), on_node(some, 2), on_node(maybe, 3), on_node(placed, 1);
    delete one, delete[] some, delete maybe, delete[] placed;
}
void test_alignas_of_16_to_4096(void **)
{
    aligned_on_node<16>();
    aligned_on_node<32>();
    aligned_on_node<64>();
    aligned_on_node<4096>();
}

/* P68: a delete through a base with another size, with and without a virtual destructor */
struct SmallBase {
    int a;
};
struct LargeDerived : SmallBase {
    char more[5000];
};
void test_delete_through_a_base_frees_the_whole_block(void **)
{
    auto held = [] {
        numafy_thread_flush();
        return inside_live(2);
    };
    delete static_cast<SmallBase *>(new numa<SmallBase, 2>);
    const std::size_t before = held();
#if NUMAFY_DEBUG == 0 // which reports that the sizes differ
    SmallBase *plain = new numa<LargeDerived, 2>;
    on_node(plain, 2);
    delete plain;
    SmallBase *placed = ::new (numafy::on(2)) LargeDerived;
    delete placed;
#endif
    Virtual *derived = new numa<Derived, 2>;
    delete derived;
    assert_int_equal(held(), before);
}

void test_a_trivial_class_is_made_without_an_entry(void **)
{
    static_assert(std::is_trivially_default_constructible<numa<Pair, 1>>::value, "no entry");
    Pair *p = new numa<Pair, 1>;
    on_node(p, 1);
    delete p;
}

// T's own `at` is not hidden, and on(k) is the tag.
void test_a_member_called_at_stays_the_types_own(void **)
{
    auto *v = new numa<std::vector<int>, 1>(std::size_t(5), 8);
    assert_int_equal(v->at(4), 8);
    on_node(v->data(), 1);
    auto *m = new numa<std::map<int, std::string>, 2>{{1, long_text}};
    on_node(m->at(1).data(), 2);
    auto *w = new numa<WithAt, 3>;
    assert_int_equal(w->at(2), 3);
    auto *i = new numa<InheritsAt, 1>;
    assert_int_equal(i->get(), 4);
    WithAt *x = ::numafy::done(::new (::numafy::on(2).ctor()) WithAt);
    on_node(x, 2);
    on_node(x->v.data(), 2);
    static_assert(sizeof(numa<WithAt, 3>) == sizeof(WithAt), "no data is added");
    delete v, delete m, delete w, delete i, delete x;
}

void test_at_is_the_tag_of_a_placed_type(void **)
{
    Small *a = ::new (::numafy::numa<Small, 1>::at) Small{1, nullptr};
    Rich *b = ::numafy::done(::new (::numafy::numa<Rich, 2>::at.ctor()) Rich());
    Small *c = ::new (::numafy::numa<Small, 3>::at) Small[7];
    on_node(a, 1);
    b->all_on(2);
    on_node(c + 6, 3);
    delete a, delete b, delete[] c;
}

// --- threads
struct Runner {
    int result = 0;
    void run(int n) { result = n; }
};

void test_thread_numa_is_pinned_before_it_runs(void **) /* P96, O19 */
{
    cpu_set_t before, inside;
    CPU_ZERO(&before);
    CPU_ZERO(&inside);
    std::uint64_t cpus[NUMAFY_CPUS / 64];
    assert_int_equal(numafy_sysfs_cpus(nullptr, 0, cpus), 0);
    sched_getaffinity(0, sizeof before, &before);
    const int somewhere = sched_getcpu();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(somewhere), &one);
    sched_setaffinity(0, sizeof one,
                      &one); // a new thread inherits one CPU; pinning gives it the node's
    thread_numa<0> t([&](int n) { sched_getaffinity(0, sizeof inside, &inside), (void)n; }, 3);
    t.join();
    sched_setaffinity(0, sizeof before, &before);
    for (unsigned c = 0; c < CPU_SETSIZE; c++) // the node's, of those that taskset has left us
        assert_int_equal(!!CPU_ISSET(c, &inside),
                         (cpus[c / 64] >> (c % 64) & 1) && CPU_ISSET(c, &before));
    Runner runner;
    thread_numa<3> u(&Runner::run, &runner, 42); // no such node here: the nearest with CPUs
    std::thread v = std::move(u);
    v.join();
    assert_int_equal(runner.result, 42);
    std::unique_ptr<int> moved(new int(6));
    int got = 0;
    thread_numa<1> w([&](std::unique_ptr<int> p) { got = *p; }, std::move(moved));
    w.join();
    assert_int_equal(got, 6);
    thread_numa<0> none;
    assert_false(none.joinable());
}

void test_units_and_library_free_each_others_blocks(void **)
{
    NUMAFY_SCOPE_NODE(2);
    part_cxx_delete(part_cxx_new(1));
    void *p = part_cxx_plain_new();
    on_node(p, 2);
    lib_free(p);
    char *q = new char[100];
    on_node(q, 2);
    part_c_free(q); // C++ block, C free
    ::operator delete(lib_plain(10));
}

std::jmp_buf back;
struct Jumps {
    std::string s;
    Jumps() : s(long_text)
    {
        if (s.size() > 3)
            std::longjmp(back, 1);
    }
};

void test_longjmp_out_of_a_construction_leaves_no_entry(void **)
{
    if (!setjmp(back)) {
        auto build = []() __attribute__((noinline))
        {
            Jumps *j = ::numafy::done(::new (::numafy::on(2).ctor()) Jumps());
            delete j;
        };
        build();
    }
    Rich *r = ::numafy::done(::new (::numafy::on(1).ctor()) Rich());
    r->all_on(1);
    delete r;
    ambient_is(-1);
    assert_int_equal(numafy_tls_v3->depth, 0);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_new_calls_the_handler_and_throws),
        cmocka_unit_test(test_placed_forms),
        cmocka_unit_test(test_done_restores_for_all_ctor_forms),
        cmocka_unit_test(test_members_of_a_constructed_object_follow_the_owner),
        cmocka_unit_test(test_throwing_constructors_and_arguments_restore),
        cmocka_unit_test(test_nested_constructions_and_the_call_around_them),
        cmocka_unit_test(test_a_constructor_may_build_a_chain_of_100000),
        cmocka_unit_test(test_enter_and_leave_around_calls),
        cmocka_unit_test(test_a_global_root_is_known_to_static_initialisers),
        cmocka_unit_test(test_a_local_root_ends_with_an_exception),
        cmocka_unit_test(test_scope_ends_with_an_exception),
        cmocka_unit_test(test_numa_of_a_class),
        cmocka_unit_test(test_numa_with_virtual_functions),
        cmocka_unit_test(test_numa_of_trivially_destructible_types),
        cmocka_unit_test(test_numa_of_final_union_pointer_and_number),
        cmocka_unit_test(test_numa_of_an_aggregate_and_of_an_aligned_class),
        cmocka_unit_test(test_numa_of_arrays_final_aggregates_and_unions),
        cmocka_unit_test(test_numa_blocks_are_of_the_size_asked_for),
        cmocka_unit_test(test_numa_has_every_form_of_new_and_delete),
        cmocka_unit_test(test_alignas_of_16_to_4096),
        cmocka_unit_test(test_delete_through_a_base_frees_the_whole_block),
        cmocka_unit_test(test_a_trivial_class_is_made_without_an_entry),
        cmocka_unit_test(test_a_member_called_at_stays_the_types_own),
        cmocka_unit_test(test_at_is_the_tag_of_a_placed_type),
        cmocka_unit_test(test_thread_numa_is_pinned_before_it_runs),
        cmocka_unit_test(test_units_and_library_free_each_others_blocks),
        cmocka_unit_test(test_longjmp_out_of_a_construction_leaves_no_entry),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
