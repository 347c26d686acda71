// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "command_line.hpp"

namespace
{

suite::CommandLine command_line(Options &o)
{
    suite::CommandLine line;
    line.choice("--DS_name", "bst (binary search tree) or ll (linked list); default bst",
                {"bst", "ll"}, o.DS_name);
    line.choice("--th_config", "numa (half of the threads on each node) or regular; default numa",
                {"numa", "regular"}, o.th_config);
    line.choice("--DS_config",
                "numa (half of the structures on each node) or regular; default numa",
                {"numa", "regular"}, o.DS_config);
    line.number("--num_threads", "threads; default 2", 1, 4096, o.num_threads);
    line.number("--num_DS", "structures; default 4", 1, 1000000, o.num_DS);
    line.number("--keyspace", "keys are below it; default 100000, for ll 1000", 2, 1u << 31,
                o.keyspace);
    line.seconds("--duration", "-D", "seconds; default 20", o.duration);
    line.seconds("--interval", "-i", "seconds between two rows; default 20", o.interval);
    line.number("--ops", "operations of all threads together, in place of a duration", 1,
                std::uint64_t{1} << 60, o.ops);
    line.number("--seed", "of the random numbers; default 20260720", 0, ~std::uint64_t{0}, o.seed);
    line.text("--dump", "file for the contents at the end, in order", o.dump);
    line.flag("--verify", "-v", "check contents and the node of every object; exit 2 if wrong",
              o.verify);
    line.text("--json", "file for the results; with -v the placement too", o.json);
    line.flag("--help", "-h", "this text", o.help);
    return line;
}

} // namespace

Options options_parse(int argc, char **argv)
{
    Options options;
    command_line(options).parse(argc, argv);
    if (options.keyspace == 0)
        options.keyspace = options.DS_name == "ll" ? 1000 : 100000;
    return options;
}

std::string options_help()
{
    Options options;
    return "usage: data_structures [OPTION]...\n"
           "Threads look up, insert, remove and move keys in trees or lists on two NUMA nodes. "
           "Prints the\n"
           "operations so far of the threads of each node, one CSV row per interval.\n\n" +
           command_line(options).help();
}
