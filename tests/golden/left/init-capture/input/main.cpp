// The parser does not show a new in a lambda's init-capture: the check of the tokens reports it as lost.
#include "check.h"
#include "numa_alloc.h"

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    int fill()
    {
        n = new Node{1};
        auto use = [p = new Node{2}] {
            int v = p->v;
            delete p;
            return v;
        };
        return use();
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    std::printf("%d\n", owner->fill());
    CHECK_NODE(owner->n, 1);
    delete owner->n;
}
