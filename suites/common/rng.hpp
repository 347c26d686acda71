// SPDX-License-Identifier: Apache-2.0
// The suites' random numbers: small, fast, the same on every machine for the same seed. Knows
// nothing of keys or threads; every thread owns one.
#ifndef NUMAFY_SUITES_RNG_HPP
#define NUMAFY_SUITES_RNG_HPP

#include <cstdint>

namespace suite
{

// Used wherever no --seed is given, so that two runs of a suite do the same operations.
constexpr std::uint64_t default_seed = 20260720;

// splitmix64 (Steele, Lea, Flood 2014): any seed is good, and seeds 1, 2, 3 give unrelated
// sequences.
class Rng
{
  public:
    explicit Rng(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next()
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    // A number in [0, bound), bound in [1, 2^32]: the top half of a product, no division. Its bias
    // is below bound / 2^32.
    std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }

  private:
    std::uint64_t state_;
};

} // namespace suite

#endif
