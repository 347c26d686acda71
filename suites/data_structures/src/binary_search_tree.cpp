// SPDX-License-Identifier: Apache-2.0
#include "binary_search_tree.hpp"

BinarySearchTree::BinarySearchTree() : removed_(new RecentKeys(64)) {}

BinarySearchTree::~BinarySearchTree()
{
    // Rotates left children up instead of recursing: a tree may be as deep as it is large.
    while (TreeNode *node = root_) {
        if (TreeNode *left = node->left) {
            node->left = left->right;
            left->right = node;
            root_ = left;
        } else {
            root_ = node->right;
            delete node;
        }
    }
    delete removed_;
}

bool BinarySearchTree::remove(long key)
{
    TreeNode **place = &root_;
    while (*place && (*place)->key != key)
        place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    TreeNode *node = *place;
    if (!node)
        return false;
    if (node->left && node->right) {
        TreeNode **next = &node->right;
        while ((*next)->left)
            next = &(*next)->left;
        TreeNode *successor = *next;
        *next = successor->right;
        successor->left = node->left;
        successor->right = node->right;
        *place = successor;
    } else {
        *place = node->left ? node->left : node->right;
    }
    delete node;
    --size_;
    removed_->push(key);
    return true;
}
