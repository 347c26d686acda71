#include "list.hpp"

int total(const List &list)
{
    int sum = 0;
    for (Node *n = list.head; n != nullptr; n = n->next)
        sum += n->v;
    return sum;
}
