// SPDX-License-Identifier: Apache-2.0
// What a run found out, and how it is written: CSV rows while it runs, lines for -v, JSON.
#ifndef DATA_STRUCTURES_REPORT_HPP
#define DATA_STRUCTURES_REPORT_HPP

#include "model.hpp"
#include "options.hpp"
#include "placement.hpp"

#include <cstdint>
#include <ostream>

// Outcomes of operations, per thread and then summed. With one thread and --ops they are the same
// in every run.
struct Tally {
    std::uint64_t found = 0, inserted = 0, removed = 0, moved = 0;

    void print(std::ostream &out) const;
};

struct Result {
    double fill_seconds = 0;
    std::uint64_t operations[2] = {0, 0}; // by the threads of each node
    Tally tally;
    bool dumped = true; // false: the dump's file could not be written
    Comparison contents;
    suite::Census census;

    void add(const Tally &tally);
    bool contents_ok() const { return contents.mistakes == 0; }
};

void report_header();
void report_row(const Options &options, double seconds, std::uint64_t node0, std::uint64_t node1);
void report_verification(const Result &result);
void report_json(const Options &options, const Result &result, std::ostream &out);

#endif
