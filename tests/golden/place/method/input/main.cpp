// --place in methods: the type's own sites are typed statically, whatever the owner is.
#include "check.h"
#include <new>

struct Item {
    int key;
    Item *next;
};

class Bag
{
  public:
    void add(int key) { head = new Item{key, head}; }
    void add_many(int n);
    Item *make() const { return new (std::nothrow) Item{0, nullptr}; }
    Item *head = nullptr;
    Item *block = nullptr;
};

void Bag::add_many(int n)
{
    block = new Item[n]();
}

int main()
{
    Bag bag;
    bag.add(1);
    bag.add(2);
    bag.add_many(20);
    Item *item = bag.make();
    CHECK_NODE(bag.head, 1);
    CHECK_NODE(bag.head->next, 1);
    CHECK_NODE(bag.block, 1);
    CHECK_NODE(item, 1);
    std::printf("%d %d %d %d line %d\n", bag.head->key, bag.head->next->key, bag.block[19].key, item->key,
                __LINE__);
    delete item;
    delete[] bag.block;
    delete bag.head->next;
    delete bag.head;
}
