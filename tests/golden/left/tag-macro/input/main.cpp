// `near` is a macro in one unit: the edit would not survive there, nor in what that unit includes.
#include "check.h"
#include "numa_alloc.h"
#define near
#define far
#include "shared.h"

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->n, -1);
    std::printf("%d %d\n", owner->n->v, other(owner));
}
