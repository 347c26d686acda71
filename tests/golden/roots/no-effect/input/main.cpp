// Where NUMA(k) says nothing, and variables that nothing can register: a message for each, no edit.
#include "check.h"
#include "numa_alloc.h"

struct Item {
    NUMA(1) int member;
};
struct NUMA(1) Marked {
    int value;
};
NUMA(1) typedef Item Alias;
NUMA(1) static int function(NUMA(1) int parameter)
{
    return parameter;
}
class Keeper
{
    static Item hidden;

  public:
    static int get() { return hidden.member; }
};
Item Keeper::hidden NUMA(1) = {3};
enum { NOT_A_MACRO = 1 };

static int jumps(int n)
{
    int sum = 0;
    if (n > 1)
        goto end;
    for (NUMA(1) Item item = {n}; item.member < 3; item.member++)
        sum++;
    {
        Item unknown NUMA(NOT_A_MACRO) = {1};
        sum += unknown.member;
    }
    NUMA(1) Item passed;
end:
    passed.member = sum;
    Item &reference NUMA(1) = passed;
    switch (n) {
        NUMA(1) Item in_switch;
    default:
        in_switch.member = reference.member;
        return in_switch.member;
    }
}

int main()
{
    Alias alias = {function(1)};
    Marked marked = {2};
    std::printf("%d %d %d %d\n", alias.member, marked.value, Keeper::get(), jumps(0));
}
