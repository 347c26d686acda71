// The owner's expression is written a second time: nothing with a side effect, a call or volatile may be in it.
// What the path goes through before that stands for it.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 5

struct Node {
    int v;
    Node *next;
};
static Node **slots;
static Node first, other;
static Node *volatile shared = &other;

static Node *pick()
{
    return &first;
}

static void fill()
{
    int i = 0;
    slots[i] =  ::new (::numafy::near(&slots[i])) Node{1, nullptr};
    i++;
    slots[i++] =  ::new (::numafy::near(slots)) Node{3, nullptr};
    pick()->next = new Node{4, nullptr};
    shared->next = new Node{5, nullptr};
    slots[i] = slots[0];
}

struct Owner {
    Node *held[4];
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    slots = owner->held;
    fill();
    CHECK_NODE(owner->held[0], 1);
    CHECK_NODE(owner->held[1], 1);
    std::printf("%d %d %d %d\n", slots[0]->v, slots[1]->v, first.next->v, other.next->v);
    delete slots[1];
    delete first.next;
    delete other.next;
}
