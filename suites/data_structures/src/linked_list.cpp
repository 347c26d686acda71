// SPDX-License-Identifier: Apache-2.0
#include "linked_list.hpp"

#include <limits>

LinkedList::LinkedList() : head_(new ListNode(std::numeric_limits<long>::min()))
{
    removed_ = new RecentKeys(64);
}

LinkedList::~LinkedList()
{
    while (ListNode *node = head_) {
        head_ = node->next;
        delete node;
    }
    delete removed_;
}

ListNode *LinkedList::before(long key) const
{
    ListNode *node = head_;
    while (node->next && node->next->key < key)
        node = node->next;
    return node;
}

bool LinkedList::contains(long key) const
{
    const ListNode *node = before(key)->next;
    return node && node->key == key;
}

bool LinkedList::insert(long key)
{
    ListNode *node = before(key);
    if (node->next && node->next->key == key)
        return false;
    node->next = new ListNode(key, node->next);
    ++size_;
    return true;
}

bool LinkedList::remove(long key)
{
    ListNode *node = before(key);
    ListNode *found = node->next;
    if (!found || found->key != key)
        return false;
    node->next = found->next;
    delete found;
    --size_;
    removed_->push(key);
    return true;
}
