#include "check.h"
#include "numa_alloc.h"
struct Plain {
    int v = 1;
};
typedef Plain Thing;
#include "make.hpp"
int own();

int main()
{
    Holder *holder = new numa<Holder, 1>();
    holder->make();
    std::printf("%d %d\n", holder->thing->v, own());
    delete holder->thing;
}
