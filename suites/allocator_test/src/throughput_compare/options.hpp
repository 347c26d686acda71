// SPDX-License-Identifier: Apache-2.0
// What the user asked for on the command line.
#ifndef THROUGHPUT_COMPARE_OPTIONS_HPP
#define THROUGHPUT_COMPARE_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <vector>

struct Options {
    std::vector<std::uint64_t> threads{1, 2, 4, 8, 12, 16, 20};
    std::uint64_t size = 32; // bytes
    std::uint64_t node = 0;
    std::uint64_t repeats = 5;
    double seconds = 0.05; // of every thread in every cell
    std::string csv, json; // file names, empty for none
    std::string control = "none";
    bool help = false;

    // Where the objects are really allocated.
    int allocated_on() const;
};

// Throws suite::UsageError with one line for a bad option or value.
Options options_parse(int argc, char **argv);
std::string options_help();

#endif
