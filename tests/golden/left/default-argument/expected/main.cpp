// A default argument is evaluated by the caller, where this is another object.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    void set(Node *node = new Node{1}) { n = node; }
    void fill() { n =  ::new (::numafy::near(this)) Node{2}; }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->set();
    CHECK_NODE(owner->n, -1);
    int first = owner->n->v;
    delete owner->n;
    owner->fill();
    CHECK_NODE(owner->n, 1);
    std::printf("%d %d\n", first, owner->n->v);
}
