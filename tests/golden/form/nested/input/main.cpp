// A new-expression in the arguments of another: each is edited, the inner one's owner is not the outer's target.
#include "check.h"
#include "numa_alloc.h"

struct Leaf {
    int value;
};
struct Node {
    Node(Leaf *l, Node *n) : leaf(l), next(n) {}
    Leaf *leaf;
    Node *next;
};
struct Tree {
    Node *root = nullptr;
    void build()
    {
        root = new Node(new Leaf{1}, new Node(new Leaf{2}, nullptr));
        root->next->next = new Node(new Leaf{3}, nullptr);
    }
};

int main()
{
    Tree *tree = new numa<Tree, 1>();
    tree->build();
    for (Node *n = tree->root; n != nullptr; n = n->next) {
        CHECK_NODE(n, 1);
        CHECK_NODE(n->leaf, 1);
        std::printf("%d\n", n->leaf->value);
    }
}
