#include "check.h"
#include "numa_alloc.h"

extern "C" int c_sum(void);
struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    void fill() { n = new Node{c_sum()}; }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->n, 1);
    std::printf("%d\n", owner->n->v);
}
