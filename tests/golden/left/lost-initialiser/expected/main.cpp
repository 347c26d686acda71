// P74: The parser does not walk the statement in front of a switch's condition: the check of the tokens reports it as lost.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    int fill()
    {
        n =  ::new (::numafy::near(this)) Node{1};
        int v = n->v;
        delete n;
        switch (n = new Node{2}; n->v) {
        default:
            return n->v + v;
        }
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    std::printf("%d\n", owner->fill());
    CHECK_NODE(owner->n, -1);
    delete owner->n;
}
