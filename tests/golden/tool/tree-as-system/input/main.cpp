#include "check.h"
#include "numa_alloc.h"
#include <item.hpp>

int other(Box *box);

int main()
{
    Box *box = new numa<Box, 1>();
    std::printf("%d\n", sum(box));
    CHECK_NODE(box->item, 1);
    delete box->item;
    std::printf("%d\n", other(box));
    CHECK_NODE(box->item, 1);
    delete box->item;
}
