// What a variable's own object gets, by insert or by a call that takes it, is on the variable's node if that is a root: before
// `this` and the parameters. Where it is none it is the last guess, and the ambient node. A container that is a root has its own
// memory there, too.
#include "check.h"
#include "numa_alloc.h"
#include <map>
#include <string>
#include <vector>
#include "numafy/near.h"
#line 9

struct Item {
    int value;
    Item *next = nullptr;
};
template <class T> struct List {
    T *head = nullptr;
    void add(T *item)
    {
        item->next = head;
        head = item;
    }
    ~List()
    {
        while (head) {
            T *item = head;
            head = item->next;
            delete item;
        }
    }
};
struct Other {
    Item *spare = nullptr;
    int work(int value)
    {
        NUMAFY_ROOT_BEGIN(list, 2); List<Item> list NUMA(2); NUMAFY_ROOT_OBJECT(list, 2); NUMAFY_ROOT_MADE(list);
        list.add( ::new (::numafy::near(&list)) Item{value});
        CHECK_NODE(list.head, 2);
        List<Item> plain;
        plain.add( ::new (::numafy::near(this)) Item{value}); /* this has Items as well */
        CHECK_NODE(plain.head, 3);
        return list.head->value + plain.head->value;
    }
};
static std::vector<Item *> lasting NUMA(4); NUMAFY_ROOT_GLOBAL(lasting, 4)

static int fill(int value)
{
    List<Item> list;
    list.add( ::new (::numafy::near(&list)) Item{value});
    CHECK_NODE(list.head, -1);
    NUMAFY_ROOT_BEGIN(items, 1); std::vector<Item *> items NUMA(1); NUMAFY_ROOT_OBJECT(items, 1); NUMAFY_ROOT_MADE(items);
    for (int i = 0; i < 3; i++)
        ((void)::numafy::enter(&items), items.push_back( ::new (::numafy::near(&items)) Item{value + i}));
    CHECK_NODE(items.data(), 1);
    CHECK_NODE(items[1], 1);
    NUMAFY_ROOT_BEGIN(names, 5); std::map<int, std::string> names NUMA(5); NUMAFY_ROOT_OBJECT(names, 5); NUMAFY_ROOT_MADE(names);
    ((void)::numafy::enter(&names), names[value] = "a name that no string keeps in itself");
    CHECK_NODE(&names[value], 5);
    CHECK_NODE(names[value].data(), 5);
    std::vector<int> numbers;
    numbers.push_back(value);
    CHECK_NODE(numbers.data(), -1);
    ((void)::numafy::enter(&lasting), lasting.push_back( ::new (::numafy::near(&lasting)) Item{value}));
    CHECK_NODE(lasting[0], 4);
    int sum = list.head->value + items[1]->value + numbers[0] + lasting[0]->value;
    for (Item *item : items)
        delete item;
    delete lasting[0];
    return sum;
}

int main()
{
    Other *other = new numa<Other, 3>();
    std::printf("%d %d %d\n", other->work(5), fill(6), __LINE__);
    delete static_cast<numa<Other, 3> *>(other);
}
