// A lambda in a default member initialiser has `this` of the object that is made, if it captures it.
#include "check.h"
#include "numa_alloc.h"
#include <functional>

struct Node {
    int v;
};
struct Owner {
    Node *second = nullptr;
    std::function<Node *()> make = [this] { return second ? second : new Node{1}; };
    Node *first = [this] {
        second = new Node{2};
        return new Node{3};
    }();
    std::function<Node *()> loose = [] { return new Node{4}; };
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    CHECK_NODE(owner->first, 1);
    CHECK_NODE(owner->second, 1);
    owner->second = nullptr;
    CHECK_NODE(owner->make(), 1);
    CHECK_NODE(owner->loose(), -1);
    std::printf("%d %d %d\n", owner->first->v, owner->make()->v, owner->loose()->v);
}
