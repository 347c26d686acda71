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
    Node *n = Owner::make(3);
    CHECK_NODE(n, -1);
    std::printf("%d\n", n->v);
    delete n;
    delete owner;
}
