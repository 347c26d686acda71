// SPDX-License-Identifier: Apache-2.0
#include "times.hpp"

#include "csv.hpp"
#include "environment.hpp"
#include "object.hpp"

#include <cstdio>

std::vector<Time> times_run(const Options &options)
{
    const int node = static_cast<int>(options.nodes[0]) % static_nodes;
    const auto allocators = measure_allocators(32, node);
    std::vector<Time> times;
    for (const std::uint64_t threads : options.time_threads) {
        for (const Allocator &allocator : allocators) {
            if (allocator.name != "numa" && allocator.name != "malloc")
                continue;
            const Cell cell{&allocator, Pattern::batch, static_cast<unsigned>(threads), node,
                            options.seconds};
            times.push_back({allocator.name, allocator.title, cell.threads, measure(cell)});
        }
    }
    return times;
}

void times_print(const std::vector<Time> &times, std::ostream &out)
{
    const unsigned cpus = suite::usable_cpus();
    bool turns = false;
    out << "times: 32 B, ns of CPU time per object, medians; elapsed includes waiting\n"
        << "threads   allocator                      alloc     free     pair  elapsed\n";
    for (const Time &time : times) {
        char line[160];
        const Figures &f = time.figures;
        std::snprintf(line, sizeof line, "%7u%s  %-27s %8.1f %8.1f %8.1f %8.1f\n", time.threads,
                      time.threads > cpus ? "*" : " ", time.title.c_str(), f.alloc, f.free, f.pair,
                      f.elapsed);
        out << line;
        turns = turns || time.threads > cpus;
    }
    if (turns)
        out << "* more threads than the " << cpus << " CPUs of this process: they take turns\n";
}

void times_print_json(const std::vector<Time> &times, std::ostream &out)
{
    out << '[';
    const char *separator = "\n";
    for (const Time &time : times) {
        const Figures &f = time.figures;
        out << separator << "  {\"allocator\": " << suite::json_string(time.allocator)
            << ", \"threads\": " << time.threads << ", \"alloc_ns\": " << f.alloc
            << ", \"free_ns\": " << f.free << ", \"pair_ns\": " << f.pair
            << ", \"elapsed_ns\": " << f.elapsed << '}';
        separator = ",\n";
    }
    out << "\n ]";
}
