// What stands after a lambda still knows its function: this, what was released before, and constexpr.
#include "check.h"
#include "numa_alloc.h"
#include "numafy/near.h"
#line 4

struct Node {
    int v;
    Node *next;
};
struct List {
    Node *head = nullptr;
    int fill(Node *gone)
    {
        auto first = [this] {
            head =  ::new (::numafy::near(this)) Node{1, nullptr};
            return head->v;
        };
        int sum = first();
        Node *loose =  ::new (::numafy::near(this)) Node{2, nullptr};
        delete gone;
        gone = loose;
        gone->next =  ::new (::numafy::near(this)) Node{3, nullptr};
        head->next = loose;
        return sum;
    }
};
template <int n>
constexpr Node *maybe(Node *at)
{
    auto test = [](int v) { return v > 0; };
    if (test(n))
        at->next = new Node{n, nullptr};
    return at->next;
}

int main()
{
    List *list = new numa<List, 1>();
    std::printf("%d\n", list->fill( ::new (::numafy::near(list)) Node{0, nullptr}));
    for (Node *n = list->head; n != nullptr; n = n->next)
        CHECK_NODE(n, 1);
    Node last{9, nullptr};
    std::printf("%d\n", maybe<4>(&last)->v);
    delete last.next;
}
