#include "check.h"
#include "numa_alloc.h"
#include "node.hpp"

int main()
{
    List *list = new numa<List, 1>();
    list->push_left(1);
    right(list);
    CHECK_NODE(list->head, 1);
    CHECK_NODE(list->head->next, 1);
    std::printf("%d %d\n", list->head->v, list->head->next->v);
}
