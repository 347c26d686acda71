// Code that no configuration of the database compiles is not touched.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    void fill()
    {
#if defined(NEVER_DEFINED)
        n = new Node{1};
#else
        n =  ::new (::numafy::near(this)) Node{2};
#endif
#if 0
        n = new Broken(;
#endif
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->n, 1);
    std::printf("%d\n", owner->n->v);
}
