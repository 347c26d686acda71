
struct Open {
    int v;
};
typedef Open Thing;
#include "make.hpp"

static Open *open = new Open{2};
void *a()
{
    delete open;
    return make();
}
