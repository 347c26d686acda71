// Nothing is allocated in an operand that is not evaluated.
#include "check.h"
#include "numa_alloc.h"

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    void fill()
    {
        decltype(new Node) p = new Node{static_cast<int>(sizeof(new Node{1}))};
        n = p;
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->n, 1);
    std::printf("%d\n", owner->n->v == static_cast<int>(sizeof(Node *)));
}
