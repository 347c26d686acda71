#include "shared.h"
#include "numafy/near.h"
#line 2
int other(Owner *owner)
{
    owner->n =  ::new (::numafy::near(owner)) Node{8};
    return owner->n->v;
}
