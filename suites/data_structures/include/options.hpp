// SPDX-License-Identifier: Apache-2.0
// What the user asked for on the command line.
#ifndef DATA_STRUCTURES_OPTIONS_HPP
#define DATA_STRUCTURES_OPTIONS_HPP

#include "rng.hpp"

#include <cstdint>
#include <string>

struct Options {
    std::string DS_name = "bst";
    std::string th_config = "numa";
    std::string DS_config = "numa";
    std::uint64_t num_threads = 2;
    std::uint64_t num_DS = 4;
    std::uint64_t keyspace = 0; // 0: the structure's default
    double duration = 20;       // seconds
    double interval = 20;       // seconds
    std::uint64_t ops = 0;      // in place of a duration; 0: by duration
    std::uint64_t seed = suite::default_seed;
    std::string dump, json; // file names, empty for none
    bool verify = false;
    bool help = false;

    bool pinned() const { return th_config == "numa"; }
    bool placed() const { return DS_config == "numa"; }
    // The node of structure i: the first half is on node 0, the rest on node 1.
    std::uint64_t on_node0() const { return num_DS / 2; }
    std::uint64_t on_node1() const { return num_DS - num_DS / 2; }
};

// Throws suite::UsageError with one line for a bad option or value.
Options options_parse(int argc, char **argv);
std::string options_help();

#endif
