// make_unique, make_shared and allocate_shared with a destination or a placed type are surrounded; else a scope serves. What
// a shared_ptr takes over from another is not allocated again, and needs none.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include <string>
#include <utility>
#include "numafy/near.h"
#line 8

struct Leaf {
    std::string name;
    explicit Leaf(std::string n) : name(std::move(n)) {}
};
struct Placed {
    int v[4];
};
struct Node {
    std::unique_ptr<Leaf> leaf;
    std::shared_ptr<Leaf> shared;
    std::unique_ptr<Placed[]> many;
    std::unique_ptr<Placed> placed;
    void take(const Node &other) { shared = other.shared; }
    void clear() { shared = nullptr, shared.reset(), shared = std::shared_ptr<Leaf>(); }
    void choose(bool again, const Node &o) { shared = again ? o.shared : nullptr; }
    void choose(const char *name) { NUMAFY_SCOPE(this); shared = name ? std::shared_ptr<Leaf>( ::numafy::done( ::new (::numafy::near(this).ctor()) Leaf(name))) : nullptr; }
    void keep(Leaf *l) { NUMAFY_SCOPE(this); shared = std::shared_ptr<Leaf>(l); }
    template <class T> void keep(std::unique_ptr<T> l) { NUMAFY_SCOPE(this); shared = std::move(l); }
    void grow()
    { NUMAFY_SCOPE(this);
        auto local = std::make_unique<Leaf>("made in a method, longer than a short string");
        leaf = std::move(local);
    }
};

static std::unique_ptr<Leaf> factory(const char *name)
{
    return std::make_unique<Leaf>(name);
}

int main()
{
    Node *n = new numa<Node, 1>();
    n->shared = ((void)::numafy::enter(n), ::numafy::leave(std::make_shared<Leaf>("shared, and longer than a short string is")));
    CHECK_NODE(n->shared.get(), 1);
    CHECK_NODE(n->shared->name.data(), 1);
    n->take(*n);
    n->clear();
    n->choose(true, *n);
    n->choose("chosen");
    n->keep( ::numafy::done( ::new (::numafy::near(n).ctor()) Leaf("kept")));
    n->keep(((void)::numafy::enter(n), ::numafy::leave(std::make_unique<Leaf>("kept once more"))));
    n->shared = ((void)::numafy::enter(n), ::numafy::leave(std::allocate_shared<Leaf>(std::allocator<Leaf>(), "shared again, and longer than a short string")));
    CHECK_NODE(n->shared.get(), 1);
    n->many = ((void)::numafy::enter_on(2), ::numafy::leave(std::make_unique<Placed[]>(3)));
    CHECK_NODE(n->many.get(), 2);
    n->leaf = ((void)::numafy::enter(n), ::numafy::leave(factory("from a factory, and longer than a short string")));
    CHECK_NODE(n->leaf.get(), 1);
    n->grow();
    CHECK_NODE(n->leaf.get(), 1);
    n->placed = ((void)::numafy::enter_on(2), ::numafy::leave(std::make_unique<Placed>()));
    CHECK_NODE(n->placed.get(), 2);
    std::printf("%s %d line %d\n", n->leaf->name.c_str(), n->placed->v[3], __LINE__);
    delete n;
}
