// A header that only gcc brings does not fail the unit (P76). clang may have no omp.h of its own.
#include "numa_alloc.h"
#include <omp.h>
#include "numafy/near.h"
#line 4

struct Node {
    int v;
};
struct Owner {
    Node *node = nullptr;
    void fill() { node =  ::new (::numafy::near(this)) Node{omp_get_max_threads()}; }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    return owner->node->v > 0 ? 0 : 1;
}
