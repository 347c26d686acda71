#include "node.hpp"

void right(List *list)
{
    list->push_right(2);
}
