// What runs while compiling without the word constexpr at the function: lambdas in the initialiser of
// a constant, and default member initialisers of a class that is made for constants.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 5

struct Node {
    int v;
};
struct Box {
    Node *n = new Node{3};
    constexpr ~Box() { delete n; }
};
constexpr int boxed()
{
    Box box;
    return box.n->v;
}
static_assert(boxed() == 3);

struct Owner {
    Node *n =  ::new (::numafy::near(this)) Node{4};
};
constexpr int counted = [](Owner *o) {
    Node *n = new Node{5};
    int v = n->v + (o == nullptr);
    delete n;
    return v;
}(nullptr);
int later = [](Owner *o) {
    o->n =  ::new (::numafy::near(o)) Node{6};
    return o->n->v;
}(new Owner);

int main()
{
    Owner *owner = new numa<Owner, 1>();
    CHECK_NODE(owner->n, 1);
    std::printf("%d %d %d\n", owner->n->v, counted, later);
}
