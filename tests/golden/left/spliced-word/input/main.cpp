// A word that a line splice cuts in two is not edited.
#include "check.h"
#include "numa_alloc.h"

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    Node *m = nullptr;
    void fill()
    {
        n = ne\
w Node{1};
        m = new Node{2};
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->n, -1);
    CHECK_NODE(owner->m, 1);
    std::printf("%d %d\n", owner->n->v, owner->m->v);
    delete owner->n;
}
