// P71 P78: A header of two units: edited once, with the same text for both.
#ifndef TREE_HPP
#define TREE_HPP
#include <new>
#include "numafy/near.h"
#line 5

struct Node {
    int key;
    Node *left;
    Node *right;
};

class Tree
{
  public:
    void insert(int key)
    {
        Node **slot = &root;
        while (*slot != nullptr)
            slot = key < (*slot)->key ? &(*slot)->left : &(*slot)->right;
        Node *n =  ::new (::numafy::near(this)) Node{key, nullptr, nullptr};
        *slot = n;
    }
    void reserve(int n) { pool =  ::new (::numafy::near(this)) Node[n](); }
    Node *extra() { return  ::new (::numafy::near(this), std::nothrow) Node{0, nullptr, nullptr}; }
    Node *root = nullptr;
    Node *pool = nullptr;
};

int sum(const Node *n);
#endif
