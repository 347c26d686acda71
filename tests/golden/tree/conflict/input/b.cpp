struct Shut final {
    int v;
};
typedef Shut Thing;
#include "make.hpp"

void *b()
{
    return make();
}
