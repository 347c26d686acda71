// The owner's expression is written a second time: nothing with a side effect, a call or volatile may be in it.
#include "check.h"
#include "numa_alloc.h"

struct Node {
    int v;
    Node *next;
};
static Node *pick(Node *n)
{
    return n;
}
static void fill(Node **slots, int count, Node *first, Node *volatile *shared)
{
    int i = 0;
    slots[i] = new Node{1, nullptr};
    i++;
    *slots[0] = Node{2, nullptr};
    slots[i++] = new Node{3, nullptr};
    pick(first)->next = new Node{4, nullptr};
    (*shared)->next = new Node{5, nullptr};
    while (i < count)
        slots[i++] = nullptr;
}

struct Owner {
    Node *slots[4];
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    Node first = {0, nullptr};
    Node other = {0, nullptr};
    Node *volatile shared = &other;
    fill(owner->slots, 4, &first, &shared);
    CHECK_NODE(owner->slots[0], 1);
    std::printf("%d %d %d %d\n", owner->slots[0]->v, owner->slots[1]->v, first.next->v, other.next->v);
}
