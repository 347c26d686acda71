// SPDX-License-Identifier: Apache-2.0
// Chains on two nodes. The annotations numa<T, k> below are all that names nodes; a chain's links
// and their labels are plain C++.
#include "owners.hpp"

#include "numa_alloc.h"

#include <cstring>

namespace
{

struct Link {
    Link(std::uint64_t number, Link *next) : number(number), next(next) {}

    std::uint64_t number;
    Link *next;
    char *label = nullptr;
};

class Chain
{
  public:
    Chain() = default;
    Chain(const Chain &) = delete;
    Chain &operator=(const Chain &) = delete;
    ~Chain()
    {
        while (Link *link = head_) {
            head_ = link->next;
            delete[] link->label;
            delete link;
        }
    }

    void push(std::uint64_t number)
    {
        head_ = new Link(number, head_);
        head_->label = new char[label_size];
        std::memset(head_->label, static_cast<int>(number % 128), label_size);
    }

    void add_to(suite::Census &census, int node) const
    {
        census.add("chain", node, this, sizeof *this);
        for (const Link *link = head_; link; link = link->next) {
            census.add("chain's link", node, link, sizeof *link);
            census.add("link's label", node, link->label, label_size);
        }
    }

  private:
    static constexpr std::size_t label_size = 40;
    Link *head_ = nullptr;
};

} // namespace

Verdict owners_run(const Options &options)
{
    Verdict verdict("what placed objects allocate themselves");
    auto *left = new numa<Chain, 0>();
    auto *right = new numa<Chain, 1>();
    const std::uint64_t links = options.objects / 4; // with their labels, half of the objects each
    for (std::uint64_t i = 0; i < links; ++i) {
        left->push(i);
        right->push(i);
    }
    verdict.censuses.emplace_back();
    left->add_to(verdict.censuses.back(), 0);
    right->add_to(verdict.censuses.back(), 1);
    verdict.objects = 2 + 4 * links;
    verdict.off = verdict.censuses.back().wrong();
    delete left;
    delete right;
    return verdict;
}
