// P74 P77: A unit that does not parse is copied as it is and listed; the others are done.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    void fill() { n =  ::new (::numafy::near(this)) Node{1}; }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    std::printf("%d\n", owner->n->v);
}
