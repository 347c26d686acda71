#include "tree.hpp"
#include "check.h"
#include "numa_alloc.h"

int main()
{
    Tree *tree = new numa<Tree, 1>();
    for (int key = 0; key < 10; key++)
        tree->insert(key * 7 % 10);
    tree->reserve(3);
    Node *extra = tree->extra();
    CHECK_NODE(tree->root, 1);
    CHECK_NODE(tree->root->right, 1);
    CHECK_NODE(tree->pool, 1);
    CHECK_NODE(extra, 1);
    std::printf("%d\n", sum(tree->root) + extra->key);
    delete extra;
}
