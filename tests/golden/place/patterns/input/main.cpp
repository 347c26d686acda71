// Patterns match qualified names; the one with more letters is heard (db::*Tree before db::*, *Node), a name before all.
#include "check.h"

namespace db
{
struct Index {
    int value;
};
struct Tree {
    int value;
};
struct Leaf {
    int value;
};
} // namespace db
struct ListNode {
    int value;
};
struct Other {
    int value;
};

int main()
{
    db::Index *index = new db::Index{1};
    db::Tree *tree = new db::Tree{2};
    db::Leaf *leaf = new db::Leaf{3};
    ListNode *node = new ListNode{4};
    Other *other = new Other{5};
    CHECK_NODE(index, 1);
    CHECK_NODE(tree, 3);
    CHECK_NODE(leaf, 4);
    CHECK_NODE(node, 2);
    CHECK_NODE(other, -1);
    std::printf("%d\n", index->value + tree->value + leaf->value + node->value + other->value);
    delete index;
    delete tree;
    delete leaf;
    delete node;
    delete other;
}
