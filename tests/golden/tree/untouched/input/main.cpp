// O28 P75 P79: No root and no placement: every byte stays, no include is added.
#include "check.h"

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head = nullptr;
    void push(int v) { head = new Node{v, head}; }
};

int main()
{
    List list;
    list.push(1);
    std::printf("%d\n", list.head->v);
    delete list.head;
}
