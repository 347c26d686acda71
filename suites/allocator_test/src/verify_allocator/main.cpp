// SPDX-License-Identifier: Apache-2.0
// The command: the checks, the table of times, exit status. 0 all is well, 1 a bad option or a file
// that cannot be written, 2 an object was wrong.
#include "build.hpp"
#include "checks.hpp"
#include "command_line.hpp"
#include "csv.hpp"
#include "environment.hpp"
#include "options.hpp"
#include "owners.hpp"
#include "times.hpp"

#include <fstream>
#include <iostream>

namespace
{

constexpr int exit_usage = 1;
constexpr int exit_wrong = 2;

int fail(int status, const std::string &message)
{
    std::cerr << "verify_allocator: " << message << std::endl;
    return status;
}

struct Outcome {
    suite::Environment environment;
    std::vector<Verdict> verdicts;
    std::vector<Time> times;

    std::uint64_t wrong() const
    {
        std::uint64_t sum = 0;
        for (const Verdict &verdict : verdicts)
            sum += verdict.wrong();
        return sum;
    }
};

void checks_run(const Options &options, const Saboteur &saboteur, Outcome &outcome)
{
    const auto threads = static_cast<unsigned>(options.threads);
    const Plan plans[] = {
        {"one thread, nodes interleaved", 1, false},
        {"plain blocks of a thread that uses every node", 1, true},
        {std::to_string(threads) + " threads, nodes interleaved", threads, false},
    };
    for (const Plan &plan : plans) {
        outcome.verdicts.push_back(check_run(plan, options, saboteur));
        outcome.verdicts.back().print(std::cout);
    }
    if (options.owners) {
        outcome.verdicts.push_back(owners_run(options));
        outcome.verdicts.back().print(std::cout);
    }
}

void report_json(const Options &options, const Outcome &outcome, std::ostream &out)
{
    out << "{\n \"suite\": \"allocator_test\",\n \"program\": \"verify_allocator\",\n"
        << " \"control\": " << suite::json_string(options.control) << ",\n \"placement\": "
        << (suite::placement_built_in ? "\"built in\"" : "\"not built in\"")
        << ",\n \"environment\": ";
    outcome.environment.print_json(out, " ");
    out << ",\n \"wrong\": " << outcome.wrong() << ",\n \"checks\": [";
    const char *separator = "\n";
    for (const Verdict &verdict : outcome.verdicts) {
        out << separator;
        verdict.print_json(out);
        separator = ",\n";
    }
    out << "\n ],\n \"times\": ";
    times_print_json(outcome.times, out);
    out << "\n}\n";
}

int run(const Options &options)
{
    const Saboteur saboteur(options);
    Outcome outcome;
    outcome.environment.add("built", build_text());
    outcome.environment.add("jemalloc", build_jemalloc());
    std::ofstream json(options.json);
    if (!options.json.empty() && !json)
        throw suite::UsageError("--json: cannot write '" + options.json + "'");
    outcome.environment.print(std::cout);
    checks_run(options, saboteur, outcome);
    if (options.times) {
        outcome.times = times_run(options);
        times_print(outcome.times, std::cout);
    }
    if (!options.json.empty()) {
        report_json(options, outcome, json);
        if (!json.flush())
            return fail(exit_usage, "--json: cannot write '" + options.json + "'");
    }
    std::cout.flush();
    if (outcome.wrong())
        return fail(exit_wrong, std::to_string(outcome.wrong()) + " objects are wrong");
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const Options options = options_parse(argc, argv);
        if (!options.help)
            return run(options);
        std::cout << options_help();
        return 0;
    } catch (const suite::UsageError &error) {
        return fail(exit_usage, error.what());
    }
}
