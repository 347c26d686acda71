// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "command_line.hpp"

#include <algorithm>

namespace
{

const std::vector<std::string> control_words = {"none",  "node",   "pages", "plain",
                                                "bound", "shared", "tcache"};

// libnuma makes a mapping per object, and a process may have 65,530 of them.
#ifdef NUMAFY_CACHE_ONNODE
constexpr std::uint64_t default_objects = 20000;
#else
constexpr std::uint64_t default_objects = 1000000;
#endif

suite::CommandLine command_line(Options &o)
{
    suite::CommandLine line;
    line.numbers("--nodes", "the nodes to allocate on, interleaved; default 0,1,2,3", 0, 1023,
                 o.nodes);
    line.number("--objects",
                "of each check, alive at once; default " + std::to_string(default_objects), 100,
                1u << 30, o.objects);
    line.number("--threads", "of the check with several; default 8", 2, 256, o.threads);
    line.numbers("--time-threads", "rows of the table of times; default 1,8,20", 1, 1024,
                 o.time_threads);
    line.seconds("--seconds", "-s", "of each thread in each cell of that table; default 0.05",
                 o.seconds);
    line.number("--seed", "of the random numbers; default 20260720", 0, ~std::uint64_t{0}, o.seed);
    line.text("--json", "file for the results", o.json);
    line.choice("--control",
                "do something wrongly that a check must find: node, pages, plain, bound, shared, "
                "tcache; default none",
                control_words, o.control);
    line.flag("--owners", "", "also check what placed objects allocate: right once rewritten",
              o.owners);
    line.value("--times", "", "no: leave out the table of times; default yes",
               [&o](const std::string &v) {
                   if (v != "yes" && v != "no")
                       throw suite::UsageError("--times: '" + v + "' is not yes or no");
                   o.times = v == "yes";
               });
    line.flag("--help", "-h", "this text", o.help);
    return line;
}

} // namespace

Control Options::control_kind() const
{
    const auto at = std::find(control_words.begin(), control_words.end(), control);
    return static_cast<Control>(at - control_words.begin());
}

Options options_parse(int argc, char **argv)
{
    Options options;
    command_line(options).parse(argc, argv);
    if (options.objects == 0)
        options.objects = default_objects;
    std::sort(options.time_threads.begin(), options.time_threads.end());
    return options;
}

std::string options_help()
{
    Options options;
    return "usage: verify_allocator [OPTION]...\n"
           "Are objects on the node that they were asked for, and only they? Three checks, and the "
           "time of\nan allocation and a free against the number of threads. Exit status 2 if an "
           "object is wrong.\n\n" +
           command_line(options).help();
}
