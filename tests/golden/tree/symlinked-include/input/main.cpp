#include "check.h"
#include "numa_alloc.h"
#include <list.hpp>

int main()
{
    List *list = new numa<List, 1>();
    list->push(1);
    list->push(2);
    CHECK_NODE(list->head->next, 1);
    std::printf("%d\n", total(*list));
}
