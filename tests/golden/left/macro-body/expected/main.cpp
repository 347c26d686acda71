// A macro's body is not edited: its uses may have different owners. A macro's argument is edited where it is written.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
};
#define MAKE(value) new Node{value}
#define STORE(target, expression) ((target) = (expression))

struct Owner {
    Node *a = nullptr;
    Node *b = nullptr;
    void fill()
    { NUMAFY_SCOPE(this);
        a = MAKE(1);
        STORE(b,  ::new (::numafy::near(this)) Node{2});
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->a, 1);
    CHECK_NODE(owner->b, 1);
    std::printf("%d %d\n", owner->a->v, owner->b->v);
    delete owner->a;
}
