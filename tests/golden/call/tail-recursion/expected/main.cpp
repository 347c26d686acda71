// What is allocated on the way of a recursion in tail position: an object whose address is known
// elsewhere, as enter() and ctor() make one, would keep each of its 5,000,000 frames.
#include "check.h"
#include "numa_alloc.h"
#include <string>
#include "numafy/near.h"
#line 6

struct Node {
    Node *next;
    long key;
    std::string name;
    __attribute__((noinline)) explicit Node(long k) : next(nullptr), key(k), name("node") {}
};
struct List {
    Node *head;
};

__attribute__((noinline)) static Node *make(long key)
{
    return new Node(key);
}

static Node *by_factory(Node *at, long steps)
{
    if (steps == 0)
        return at;
    if (steps % 1000000 == 0)
        at->next = ((void)numafy_enter(at), (Node *)numafy_leave(make(steps)));
    return by_factory(at, steps - 1);
}

static Node *by_new(Node *at, long steps)
{
    if (steps == 0)
        return at;
    if (steps % 1000000 == 0)
        at->next =  ::new (::numafy::near(at)) Node(steps);
    return by_new(at, steps - 1);
}

static Node *even(Node *at, long steps);
static Node *odd(Node *at, long steps)
{
    return steps == 0 ? at : even(at, steps - 1);
}
static Node *even(Node *at, long steps)
{
    if (steps == 0)
        return at;
    if (steps % 1000000 == 0)
        at->next = ((void)numafy_enter(at), (Node *)numafy_leave(make(steps)));
    return odd(at, steps - 1);
}

int main()
{
#ifdef __OPTIMIZE__
    const long steps = 5000000;
#else
    const long steps = 0; // without optimisation each step has a frame in the original, too
#endif
    List *list = new numa<List, 1>();
    list->head = ((void)::numafy::enter(list), ::numafy::leave(make(1)));
    by_factory(list->head, steps);
    CHECK_NODE(steps ? list->head->next : list->head, 1);
    by_new(list->head, steps);
    CHECK_NODE(steps ? list->head->next : list->head, 1);
    even(list->head, steps);
    CHECK_NODE(steps ? list->head->next : list->head, 1);
    std::printf("line %d\n", __LINE__);
}
