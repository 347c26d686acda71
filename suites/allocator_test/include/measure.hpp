// SPDX-License-Identifier: Apache-2.0
// Times one allocator in one cell: a pattern, a number of threads, a size, a node. Every thread
// runs batches until the time is over, and afterwards one more batch of its objects is looked up.
// Knows neither tables nor other cells; must not know how an allocator works.
#ifndef ALLOCATOR_TEST_MEASURE_HPP
#define ALLOCATOR_TEST_MEASURE_HPP

#include <cstdint>
#include <string>
#include <vector>

enum class Pattern {
    batch, // allocate and write a batch, then free it in the same order
    cycle, // allocate, write and free one object at once
};

// What a thread's loop is given and leaves.
struct Job {
    Pattern pattern;
    bool keep;                   // allocate a batch and leave it in `slots`, for a look at it
    std::vector<void *> slots;   // as many as a batch has objects
    std::uint64_t started = 0;   // ns of the thread's CPU time
    std::uint64_t allocated = 0; // the same, between allocating and freeing; `batch` only
    std::uint64_t freed = 0;
};

// A row of the tables.
struct Allocator {
    std::string name;       // in CSV, JSON and options
    std::string title;      // in tables
    std::string missing;    // why it cannot be measured here, or empty
    unsigned batch;         // objects of a batch
    bool ours;              // numafy_node_of must name the node asked for, else no node at all
    bool bound;             // the kernel must name the node asked for
    void (*run)(Job &);     // one batch
    void (*release)(Job &); // frees what a job has kept
};

// Sizes and nodes are constants in the loops, as in a user's program.
bool measure_has_size(std::uint64_t size);
std::string measure_sizes();
// All rows, in the order of the tables. `node` is below static_nodes.
std::vector<Allocator> measure_allocators(std::uint64_t size, int node);

struct Cell {
    const Allocator *allocator;
    Pattern pattern;
    unsigned threads;
    int node;       // where the objects must be
    double seconds; // per thread
};

// ns per object. alloc, free and pair are CPU time: medians over a thread's batches, then over
// threads; alloc and free are 0 for Pattern::cycle. `elapsed` is wall time times the CPUs that the
// threads can have at once: as long as every thread has a CPU, the time of a pair in each of them,
// waiting for locks included, which CPU time does not show.
struct Figures {
    double alloc = 0, free = 0, pair = 0, elapsed = 0;
    std::uint64_t objects = 0;
    std::uint64_t looked_at = 0, wrong = 0, unknown = 0; // placement of the last batches
};

Figures measure(const Cell &cell);

double measure_median(std::vector<double> values);

#endif
