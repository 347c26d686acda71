// SPDX-License-Identifier: Apache-2.0
// The controls: what --control does wrongly, so that the checks can be seen to find it.
#ifndef VERIFY_ALLOCATOR_CONTROL_HPP
#define VERIFY_ALLOCATOR_CONTROL_HPP

#include "objects.hpp"
#include "options.hpp"

class Saboteur
{
  public:
    // Throws suite::UsageError if this machine or build cannot do what was asked for.
    explicit Saboteur(const Options &options);

    // To be called with every object in turn, `previous` being the one before it or NULL.
    void spoil(Held &held, const Held *previous, std::uint64_t index) const;
    Freeing freeing() const;

  private:
    void replace(Held &held, int node) const;

    Control control_;
    std::vector<std::uint64_t> nodes_;
};

#endif
