// Initialisers of variables that live as long as the program or a thread: in a method `this` is who comes first; outside
// of functions nobody is an owner, but a placed type is placed, before main too.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include <vector>

struct Node {
    int v = 0;
    Node *next = nullptr;
};
struct Fixed {
    int v;
};
struct Owner {
    Node *head = nullptr;
    static Node *shared;
    static inline Node *inlined = new Node{1, nullptr};
    static thread_local Node *local;
    static const std::unique_ptr<Fixed> fixed;
    int once()
    {
        static Node *node = new Node{2, head};
        static thread_local Node *mine = new Node{3, head};
        thread_local std::unique_ptr<Node> owned(new Node{4, head});
        static Node &reference = *new Node{5, nullptr};
        static const auto called = [this] { return new Node{6, head}; }();
        CHECK_NODE(node, 1);
        CHECK_NODE(mine, 1);
        CHECK_NODE(owned.get(), 1);
        CHECK_NODE(&reference, 1);
        CHECK_NODE(called, 1);
        return node->v + mine->v + owned->v + reference.v + called->v;
    }
};
Node *Owner::shared = new Node{7, nullptr};
thread_local Node *Owner::local = new Node{8, nullptr};
const std::unique_ptr<Fixed> Owner::fixed(new Fixed{9});
static Node *const list[] = {new Node{10, nullptr}, new Node{11, new Node{12, nullptr}}};
static std::vector<Fixed *> all{new Fixed{13}};
namespace inner
{
thread_local Node *third{new Node{14, nullptr}};
}
template <class T> T *made = new T{15};
static struct Registered {
    explicit Registered(Node *n, Fixed *f = nullptr) : node(n), fixed(f) {}
    Node *node;
    Fixed *fixed;
} registered(new Node{16, nullptr}, new Fixed{17});

int main()
{
    Owner *one = new numa<Owner, 1>();
    int sum = one->once();
    Owner *two = new numa<Owner, 2>();
    sum += two->once();
    for (const Fixed *f : {Owner::fixed.get(), all[0], registered.fixed, made<Fixed>}) {
        CHECK_NODE(f, f == made<Fixed> ? -1 : 2);
        sum += f->v;
    }
    for (const Node *n : {Owner::inlined, Owner::shared, Owner::local, list[0], list[1]->next, inner::third, registered.node, made<Node>}) {
        CHECK_NODE(n, -1);
        sum += n->v;
    }
    std::printf("%d\n", sum);
}
