// Global objects that NUMA(k) marks: the tool registers them, and what they own lives on their node.
#include "check.h"
#include "numa_alloc.h"

#define NEAR_DISK 4

struct Item {
    int value;
    Item *next;
};
struct List {
    Item *first = nullptr;
    void push(int value) { first = new Item{value, first}; }
    ~List()
    {
        while (first) {
            Item *item = first;
            first = item->next;
            delete item;
        }
    }
};

NUMA(1) List one; // declared by
static List other, two NUMA(2);
namespace ns
{
List three NUMA(3);
struct Holder {
    static List four;
    static NUMA(5) List *five;
};
List *Holder::five = new List;
} // namespace ns
List ns::Holder::four NUMA(NEAR_DISK);
NUMA(NUMAFY_INTERLEAVE) Item *slots[2] = {nullptr, new Item{8, nullptr}};

int main()
{
    one.push(1);
    two.push(2);
    other.push(3);
    ns::three.push(4);
    ns::Holder::four.push(5);
    ns::Holder::five->push(6);
    slots[0] = new Item{7, nullptr};
    CHECK_NODE(one.first, 1);
    CHECK_NODE(two.first, 2);
    CHECK_NODE(other.first, -1);
    CHECK_NODE(ns::three.first, 3);
    CHECK_NODE(ns::Holder::four.first, 4);
    CHECK_NODE(ns::Holder::five, 5);
    CHECK_NODE(ns::Holder::five->first, 5);
    CHECK_NODE(slots[0], -3);
    CHECK_NODE(slots[1], -3);
    std::printf("%d %d %d %d\n", one.first->value, ns::Holder::five->first->value, slots[0]->value, __LINE__);
    delete ns::Holder::five;
    delete slots[0];
    delete slots[1];
}
