// SPDX-License-Identifier: Apache-2.0
// What a sweep found, and how it is written: tables, CSV, JSON. Ratios are taken within a repeat,
// then their median and range.
#ifndef THROUGHPUT_COMPARE_REPORT_HPP
#define THROUGHPUT_COMPARE_REPORT_HPP

#include "environment.hpp"
#include "measure.hpp"
#include "options.hpp"

#include <ostream>
#include <string>
#include <vector>

struct Spread {
    double median, low, high;
};

// One allocator at one number of threads in one pattern, all repeats.
struct Row {
    Pattern pattern;
    unsigned threads;
    const Allocator *allocator;
    std::vector<Figures> repeats; // empty: it cannot be measured here

    Spread spread(double Figures::*figure) const;
    std::uint64_t sum(std::uint64_t Figures::*count) const;
};

class Report
{
  public:
    Report(const Options &options, const suite::Environment &environment);

    // In the order of the tables: patterns, then threads, then allocators.
    std::vector<Row> rows;

    void print(std::ostream &out) const;
    void print_csv(std::ostream &out) const;
    void print_json(std::ostream &out) const;
    std::uint64_t wrong() const; // objects that were elsewhere

  private:
    const Row *find(const Row &like, const std::string &allocator) const;
    // What `row` takes over what malloc takes, CPU time of a pair; {0, 0, 0}: not known.
    Spread times_malloc(const Row &row) const;
    // What numa_alloc_onnode takes over what `row` takes: CPU time of a pair, or elapsed, as it
    // also waits inside the kernel.
    Spread over_onnode(const Row &row, double Figures::*figure) const;
    void print_row(std::ostream &out, const Row &row) const;
    void print_json_row(std::ostream &out, const Row &row) const;

    const Options &options_;
    const suite::Environment &environment_;
    const unsigned cpus_ = suite::usable_cpus();
};

#endif
