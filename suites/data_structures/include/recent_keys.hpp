// SPDX-License-Identifier: Apache-2.0
// The last keys that were removed from a structure: a ring of fixed size.
#ifndef DATA_STRUCTURES_RECENT_KEYS_HPP
#define DATA_STRUCTURES_RECENT_KEYS_HPP

#include <cstddef>
#include <vector>

class RecentKeys
{
  public:
    explicit RecentKeys(std::size_t capacity) : ring_(capacity) {}

    void push(long key)
    {
        ring_[pushed_ % ring_.size()] = key;
        ++pushed_;
    }

    // How many keys were ever pushed.
    std::size_t pushed() const { return pushed_; }
    // The key before `back` others; back < min(pushed, capacity).
    long last(std::size_t back = 0) const { return ring_[(pushed_ - 1 - back) % ring_.size()]; }
    const std::vector<long> &ring() const { return ring_; }

  private:
    std::vector<long> ring_;
    std::size_t pushed_ = 0;
};

#endif
