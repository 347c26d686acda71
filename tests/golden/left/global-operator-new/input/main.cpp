#include "check.h"

int allocated();
struct Item {
    int v;
    Item *next;
};
struct Bag {
    Item *head = nullptr;
    void add(int v) { head = new Item{v, head}; }
};

int main()
{
    int before = allocated();
    Bag bag;
    // Else a compiler may leave the allocations out.
    Bag *volatile escaped = &bag;
    escaped->add(1);
    escaped->add(2);
    std::printf("%d %d\n", escaped->head->v, allocated() - before);
    delete escaped->head->next;
    delete escaped->head;
}
