// P78: A header of the tree stays one where a unit finds it by -isystem: no unit takes its classes for a library's.
#ifndef ITEM_HPP
#define ITEM_HPP
#include "numafy/near.h"
#line 4

struct Item {
    int v;
    explicit Item(int n) : v(n) {}
};
struct Box {
    Item *item = nullptr;
    void fill() { item =  ::new (::numafy::near(this)) Item(7); }
};
inline int sum(Box *box)
{
    box->fill();
    return box->item->v;
}
#endif
