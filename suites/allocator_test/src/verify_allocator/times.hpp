// SPDX-License-Identifier: Apache-2.0
// The table of times: an allocation and a free against the number of threads, on the first node,
// beside malloc. For a reader: a pool whose
// frees meet in one lock shows here and in no check, but no time is judged.
#ifndef VERIFY_ALLOCATOR_TIMES_HPP
#define VERIFY_ALLOCATOR_TIMES_HPP

#include "measure.hpp"
#include "options.hpp"

#include <ostream>
#include <vector>

struct Time {
    std::string allocator, title;
    unsigned threads;
    Figures figures;
};

std::vector<Time> times_run(const Options &options);
void times_print(const std::vector<Time> &times, std::ostream &out);
void times_print_json(const std::vector<Time> &times, std::ostream &out);

#endif
