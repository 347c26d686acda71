// The word is a macro of the user's (a leak tracer's, say): its uses are left.
#include "check.h"
#include "numa_alloc.h"
#include <new>
#include "numafy/near.h"
#line 5

static int traced;
inline void *operator new(std::size_t size, const char *, int)
{
    traced++;
    return ::operator new(size);
}

struct Node {
    int v;
};
struct Owner {
    Node *n = nullptr;
    Node *m = nullptr;
    void fill();
};
#define new new (__FILE__, __LINE__)
void Owner::fill()
{ NUMAFY_SCOPE(this);
    n = new Node{1};
    m = new Node{2};
}
#undef new

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    std::printf("%d %d %d\n", owner->n->v, owner->m->v, traced);
    delete owner->n;
    delete owner->m;
}
