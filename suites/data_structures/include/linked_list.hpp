// SPDX-License-Identifier: Apache-2.0
// A sorted, singly linked list of distinct keys behind a sentinel. It is Lockable: callers hold its
// lock around every operation.
#ifndef DATA_STRUCTURES_LINKED_LIST_HPP
#define DATA_STRUCTURES_LINKED_LIST_HPP

#include "recent_keys.hpp"

#include <cstddef>
#include <mutex>

struct ListNode {
    explicit ListNode(long k, ListNode *n = nullptr) : key(k), next(n) {}

    long key;
    ListNode *next;
};

class LinkedList
{
  public:
    LinkedList();
    ~LinkedList();
    LinkedList(const LinkedList &) = delete;
    LinkedList &operator=(const LinkedList &) = delete;

    void lock() { mutex_.lock(); }
    bool try_lock() { return mutex_.try_lock(); }
    void unlock() { mutex_.unlock(); }

    bool contains(long key) const;
    // Whether the key was new.
    bool insert(long key);
    // Whether the key was there.
    bool remove(long key);

    std::size_t size() const { return size_; }
    const RecentKeys &removed() const { return *removed_; }
    const ListNode &sentinel() const { return *head_; }

    // Calls visit(node) for every node but the sentinel, in the order of the keys.
    template <class Visit>
    void for_each_node(Visit visit) const
    {
        for (const ListNode *node = head_->next; node; node = node->next)
            visit(*node);
    }

  private:
    // The last node whose key is smaller, the sentinel if none is.
    ListNode *before(long key) const;

    ListNode *head_;
    std::size_t size_ = 0;
    RecentKeys *removed_;
    std::mutex mutex_;
};

#endif
