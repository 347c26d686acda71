// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "command_line.hpp"
#include "measure.hpp"
#include "object.hpp"

namespace
{

suite::CommandLine command_line(Options &o)
{
    suite::CommandLine line;
    line.numbers("--threads", "one or more, separated by commas; default 1,2,4,8,12,16,20", 1, 1024,
                 o.threads);
    line.number("--size", "bytes of an object: " + measure_sizes() + "; default 32", 1, 1u << 20,
                o.size);
    line.number("--node", "the objects' node; default 0", 0, static_nodes - 1, o.node);
    line.number("--repeats", "of everything; medians and ranges are over them; default 5", 1, 1000,
                o.repeats);
    line.seconds("--seconds", "-s", "of each thread in each cell; default 0.05", o.seconds);
    line.text("--csv", "file for all repeats, one row each", o.csv);
    line.text("--json", "file for medians, ranges and the environment", o.json);
    line.choice("--control", "node: allocate on another node than is looked for; default none",
                {"none", "node"}, o.control);
    line.flag("--help", "-h", "this text", o.help);
    return line;
}

} // namespace

int Options::allocated_on() const
{
    return static_cast<int>(control == "node" ? (node + 1) % static_nodes : node);
}

Options options_parse(int argc, char **argv)
{
    Options options;
    command_line(options).parse(argc, argv);
    if (!measure_has_size(options.size))
        throw suite::UsageError("--size: '" + std::to_string(options.size) + "' is none of " +
                                measure_sizes());
    return options;
}

std::string options_help()
{
    Options options;
    return "usage: throughput_compare [OPTION]...\n"
           "Allocation and free against the number of threads: numa<T,k>, malloc, jemalloc "
           "without\nthread caches, numa_alloc_onnode. Looks up where the objects were; exit "
           "status 2 if wrong.\n\n" +
           command_line(options).help();
}
