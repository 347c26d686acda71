#include <item.hpp>

int other(Box *box)
{
    return sum(box);
}
