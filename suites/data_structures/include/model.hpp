// SPDX-License-Identifier: Apache-2.0
// What a structure should hold, by std::set: told every operation and its result while the
// structure is locked, and compared with the whole structure at the end.
#ifndef DATA_STRUCTURES_MODEL_HPP
#define DATA_STRUCTURES_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <set>

// The outcome of comparisons, summed over structures.
struct Comparison {
    std::uint64_t keys = 0;       // in the models
    std::uint64_t operations = 0; // whose results were compared
    std::uint64_t updates = 0;    // of these, inserts and removes
    std::uint64_t removals = 0;   // operations that removed a key, and so freed a node
    std::uint64_t mistakes = 0;   // results or contents that differ

    void add(const Comparison &other)
    {
        keys += other.keys;
        operations += other.operations;
        updates += other.updates;
        removals += other.removals;
        mistakes += other.mistakes;
    }
};

class Model
{
  public:
    void saw_contains(long key, bool found) { check(found == (keys_.count(key) == 1)); }
    void saw_insert(long key, bool inserted)
    {
        ++updates_;
        check(inserted == keys_.insert(key).second);
    }
    void saw_remove(long key, bool removed)
    {
        ++updates_;
        check(removed == (keys_.erase(key) == 1));
        if (removed) {
            ++removals_;
            last_removed_ = key;
        }
    }

    template <class Structure>
    Comparison compare(const Structure &structure) const
    {
        Comparison result{keys_.size(), operations_, updates_, removals_, mistakes_};
        auto expected = keys_.begin();
        structure.for_each_node([&](const auto &node) {
            if (expected == keys_.end() || node.key != *expected)
                ++result.mistakes;
            if (expected != keys_.end())
                ++expected;
        });
        result.mistakes += expected != keys_.end();
        result.mistakes += structure.size() != keys_.size();
        result.mistakes += structure.removed().pushed() != removals_;
        if (removals_ && structure.removed().pushed())
            result.mistakes += structure.removed().last() != last_removed_;
        return result;
    }

  private:
    void check(bool right)
    {
        ++operations_;
        mistakes_ += !right;
    }

    std::set<long> keys_;
    std::uint64_t operations_ = 0;
    std::uint64_t updates_ = 0;
    std::uint64_t mistakes_ = 0;
    std::size_t removals_ = 0;
    long last_removed_ = 0;
};

#endif
