#include "tree.hpp"

int sum(const Node *n)
{
    return n == nullptr ? 0 : n->key + sum(n->left) + sum(n->right);
}
