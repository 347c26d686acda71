#include "numafy/near.h"
#line 1

struct Open {
    int v;
};
typedef Open Thing;
#include "make.hpp"

static Open *open =  ::new (::numafy::numa<Open,1>::at) Open{2};
void *a()
{
    delete open;
    return make();
}
