// Placement is an error in a constant expression: constexpr functions keep theirs.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    constexpr int sum(int count)
    {
        Node *scratch = new Node[count]{};
        int total = 0;
        for (int i = 0; i < count; i++)
            total += scratch[i].v + i;
        delete[] scratch;
        return total;
    }
    void fill() { n =  ::new (::numafy::near(this)) Node{sum(4)}; }
};
static_assert(Owner{}.sum(5) == 10);

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->n, 1);
    std::printf("%d\n", owner->n->v);
}
