// A parameter that was deleted before is no owner, however well its type fits.
#include "check.h"

struct Node {
    int v;
    Node *next;
};

static Node *again(Node *old)
{
    int v = old->v;
    delete old;
    return new Node{v + 1, nullptr};
}

int main()
{
    Node *node = new Node{1, nullptr};
    node = again(node);
    std::printf("%d\n", node->v);
    delete node;
    return 0;
}
