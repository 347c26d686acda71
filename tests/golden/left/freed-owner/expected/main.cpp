// An owner that may have been freed earlier in the function is not named again; a path through what is alive is.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head;
};

static void replace(List *list)
{
    Node *old = list->head;
    delete old;
    list->head =  ::new (::numafy::near(list)) Node{2, nullptr};
}

static Node *chain;
static void extend()
{
    Node *last = chain;
    delete last;
    last = new Node{3, nullptr};
    chain = last;
}

static void drop(Node *node, Node **out)
{
    delete node;
    *out =  ::new (::numafy::near(out)) Node{4, nullptr};
    node = nullptr;
}

int main()
{
    List *list = new numa<List, 1>();
    list->head =  ::new (::numafy::near(list)) Node{1, nullptr};
    replace(list);
    CHECK_NODE(list->head, 1);
    chain = new Node{0, nullptr};
    extend();
    std::printf("%d %d\n", list->head->v, chain->v);
    ((void)::numafy::enter(list->head), drop(chain, &list->head->next));
    CHECK_NODE(list->head->next, 1);
    std::printf("%d\n", list->head->next->v);
}
