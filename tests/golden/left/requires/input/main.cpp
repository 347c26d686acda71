// A requirement is not evaluated; a function that follows a requires clause is.
#include "check.h"
#include "numa_alloc.h"

template <class T>
concept Made = requires { new T; };
template <class T>
concept Linked = requires(T *t) { t->next = new T; };

struct Node {
    int v = 0;
    Node *next = nullptr;
};
struct Owner {
    Node *n = nullptr;
    template <class T>
        requires(sizeof(T) > 1)
    void fill(T v)
    {
        n = new Node{v, nullptr};
    }
    template <class T>
    void refill(T v) requires(sizeof(T) > 1)
    {
        n = new Node{v + 1, n};
    }
};
static_assert(Made<Node> && Linked<Node> && !Linked<int>);

int main()
{
    Owner *owner = new numa<Owner, 1>();
    owner->fill(5);
    owner->refill(6);
    CHECK_NODE(owner->n, 1);
    std::printf("%d\n", owner->n->v);
}
