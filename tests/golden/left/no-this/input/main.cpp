// A static member has no this, and nothing else names an owner.
#include "check.h"
#include "numa_alloc.h"

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    static Node *make(int v) { return new Node{v}; }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->n = Owner::make(3);
    CHECK_NODE(owner->n, -1);
    std::printf("%d\n", owner->n->v);
    delete owner->n;
}
