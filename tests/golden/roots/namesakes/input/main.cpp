// Blocks of one function have a variable of one name each: --root work::holder names all of them.
#include "check.h"

struct Item {
    int value;
};
struct Holder {
    Item *item = nullptr;
    void fill(int value) { item = new Item{value}; }
};

static int work(int value)
{
    if (value < 0) {
        Holder holder;
        holder.fill(-value);
        CHECK_NODE(holder.item, 1);
        int result = holder.item->value;
        delete holder.item;
        return result;
    }
    for (int i = 0;; i++) {
        Holder holder;
        holder.fill(value + i);
        CHECK_NODE(holder.item, 1);
        int result = holder.item->value;
        delete holder.item;
        if (result > 6)
            return result;
    }
}

int main()
{
    Holder holder;
    holder.fill(1);
    CHECK_NODE(holder.item, -1);
    std::printf("%d %d\n", work(-5) + work(4) + holder.item->value, __LINE__);
    delete holder.item;
}
