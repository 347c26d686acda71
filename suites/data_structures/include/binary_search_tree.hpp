// SPDX-License-Identifier: Apache-2.0
// An unbalanced binary search tree of distinct keys. It is Lockable: callers hold its lock around
// every operation.
#ifndef DATA_STRUCTURES_BINARY_SEARCH_TREE_HPP
#define DATA_STRUCTURES_BINARY_SEARCH_TREE_HPP

#include "recent_keys.hpp"

#include <cstddef>
#include <mutex>
#include <vector>

struct TreeNode {
    long key;
    TreeNode *left;
    TreeNode *right;
};

class BinarySearchTree
{
  public:
    BinarySearchTree();
    ~BinarySearchTree();
    BinarySearchTree(const BinarySearchTree &) = delete;
    BinarySearchTree &operator=(const BinarySearchTree &) = delete;

    void lock() { mutex_.lock(); }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }

    bool contains(long key) const
    {
        const TreeNode *node = root_;
        while (node && node->key != key)
            node = key < node->key ? node->left : node->right;
        return node;
    }

    // Whether the key was new.
    bool insert(long key)
    {
        TreeNode **place = &root_;
        while (*place) {
            if ((*place)->key == key)
                return false;
            place = key < (*place)->key ? &(*place)->left : &(*place)->right;
        }
        *place = new TreeNode{key, nullptr, nullptr};
        ++size_;
        return true;
    }

    // Whether the key was there.
    bool remove(long key);

    std::size_t size() const { return size_; }
    const RecentKeys &removed() const { return *removed_; }

    // Calls visit(node) for every node, in the order of the keys.
    template <class Visit>
    void for_each_node(Visit visit) const
    {
        std::vector<const TreeNode *> path;
        const TreeNode *node = root_;
        while (node || !path.empty()) {
            for (; node; node = node->left)
                path.push_back(node);
            node = path.back();
            path.pop_back();
            visit(*node);
            node = node->right;
        }
    }

  private:
    TreeNode *root_ = nullptr;
    std::size_t size_ = 0;
    RecentKeys *removed_;
    std::mutex mutex_;
};

#endif
