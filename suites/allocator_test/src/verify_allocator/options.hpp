// SPDX-License-Identifier: Apache-2.0
// What the user asked for on the command line.
#ifndef VERIFY_ALLOCATOR_OPTIONS_HPP
#define VERIFY_ALLOCATOR_OPTIONS_HPP

#include "rng.hpp"

#include <cstdint>
#include <string>
#include <vector>

// What is done wrongly on purpose, to every hundredth object: the check that looks for it must
// find it.
enum class Control {
    none,
    node,   // allocated on another node than is looked for
    pages,  // its page is moved to another node behind the pool's back
    plain,  // a plain block that comes from a pool
    bound,  // a plain block whose page is bound to a node
    shared, // one block handed out twice
    tcache, // all frees through jemalloc's automatic thread cache, which knows no node
};

struct Options {
    std::vector<std::uint64_t> nodes{0, 1, 2, 3};
    std::uint64_t objects = 0; // of each check; 0: as many as the build is good for
    std::uint64_t threads = 8; // of the check with several
    std::vector<std::uint64_t> time_threads{1, 8, 20};
    double seconds = 0.05; // of each thread in each cell of the table of times
    std::uint64_t seed = suite::default_seed;
    std::string json; // a file name, empty for none
    std::string control = "none";
    bool owners = false; // also check what placed objects allocate themselves
    bool times = true;
    bool help = false;

    Control control_kind() const;
};

// Throws suite::UsageError with one line for a bad option or value.
Options options_parse(int argc, char **argv);
std::string options_help();

#endif
