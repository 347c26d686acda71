#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 3

namespace inner {
#include "body.inc"
}

int main()
{
    inner::Owner *owner = new numa<inner::Owner, 1>();
    owner->fill();
    CHECK_NODE(owner->n, 1);
    std::printf("%d line %d\n", owner->n->v, __LINE__);
}
