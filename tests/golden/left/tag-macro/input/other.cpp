#include "shared.h"
int other(Owner *owner)
{
    owner->n = new Node{8};
    return owner->n->v;
}
