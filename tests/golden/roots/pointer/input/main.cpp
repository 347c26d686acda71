// Pointer variables: what they are assigned is on the node, whoever they point to otherwise; what hangs below follows.
#include "check.h"
#include "numa_alloc.h"
#include <memory>

struct Node {
    int value;
    Node *next;
    void append(int v) { next = new Node{v, nullptr}; }
};

static NUMA(1) Node *first = new Node{1, nullptr};
extern Node *shared;
Node *shared;

int main()
{
    Node *const marked NUMA(4) = first ? new Node{2, nullptr} : nullptr;
    char *bytes NUMA(5) = new char[40];
    std::unique_ptr<Node> smart;
    smart = std::unique_ptr<Node>(new Node{3, nullptr});
    CHECK_NODE(smart.get(), 3);
    smart.reset(new Node{4, nullptr});
    shared = new Node{5, nullptr};
    Node *plain = new Node{6, nullptr};
    plain->append(7);
    shared->append(8);
    marked->append(9);
    CHECK_NODE(first, 1);
    CHECK_NODE(marked, 4);
    CHECK_NODE(marked->next, 4);
    CHECK_NODE(bytes, 5);
    CHECK_NODE(smart.get(), 3);
    CHECK_NODE(shared->next, 2);
    CHECK_NODE(plain, -1);
    CHECK_NODE(plain->next, -1);
    std::printf("%d %d %d\n", shared->next->value, marked->next->value, smart->value);
    delete shared->next;
    delete shared;
    delete plain->next;
    delete plain;
    delete marked->next;
    delete marked;
    delete first;
    delete[] bytes;
}
