#include "tree.hpp"
#include "check.h"

int main()
{
    Tree tree;
    for (int key = 0; key < 10; key++)
        tree.insert(key * 7 % 10);
    tree.reserve(3);
    Node *extra = tree.extra();
    CHECK_NODE(tree.root, 2);
    CHECK_NODE(tree.root->right, 2);
    CHECK_NODE(tree.pool, 2);
    CHECK_NODE(extra, 2);
    std::printf("%d\n", sum(tree.root) + extra->key);
    delete extra;
}
