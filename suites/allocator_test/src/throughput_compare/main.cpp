// SPDX-License-Identifier: Apache-2.0
// The command: the sweep, its tables and files, exit status. 0 done, 1 a bad option or a file that
// cannot be written, 2 objects were not where they were asked for.
#include "build.hpp"
#include "command_line.hpp"
#include "options.hpp"
#include "report.hpp"

#include <fstream>
#include <iostream>

namespace
{

constexpr int exit_usage = 1;
constexpr int exit_wrong = 2;

int fail(int status, const std::string &message)
{
    std::cerr << "throughput_compare: " << message << std::endl;
    return status;
}

// Before the run, not after it: nobody wants to lose minutes to a misspelt folder.
void require_writable(const std::string &option, const std::string &file)
{
    if (!file.empty() && !std::ofstream(file))
        throw suite::UsageError(option + ": cannot write '" + file + "'");
}

// Repeats outermost: what disturbs the machine for a while disturbs all rows of a repeat alike.
void sweep(const Options &options, const std::vector<Allocator> &allocators, Report &report)
{
    for (const Pattern pattern : {Pattern::batch, Pattern::cycle})
        for (const std::uint64_t threads : options.threads)
            for (const Allocator &allocator : allocators)
                report.rows.push_back({pattern, static_cast<unsigned>(threads), &allocator, {}});
    for (std::uint64_t repeat = 0; repeat < options.repeats; ++repeat) {
        for (Row &row : report.rows) {
            if (row.allocator->missing.empty())
                row.repeats.push_back(measure({row.allocator, row.pattern, row.threads,
                                               static_cast<int>(options.node), options.seconds}));
        }
    }
}

// False: the file could not be written.
bool write(const std::string &file, const Report &report,
           void (Report::*print)(std::ostream &) const)
{
    if (file.empty())
        return true;
    std::ofstream out(file);
    (report.*print)(out);
    return static_cast<bool>(out.flush());
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const Options options = options_parse(argc, argv);
        if (options.help) {
            std::cout << options_help();
            return 0;
        }
        require_writable("--csv", options.csv);
        require_writable("--json", options.json);
        suite::Environment environment;
        environment.add("built", build_text());
        environment.add("jemalloc", build_jemalloc());
        const auto allocators = measure_allocators(options.size, options.allocated_on());
        Report report(options, environment);
        sweep(options, allocators, report);
        report.print(std::cout);
        if (!write(options.csv, report, &Report::print_csv))
            return fail(exit_usage, "--csv: cannot write '" + options.csv + "'");
        if (!write(options.json, report, &Report::print_json))
            return fail(exit_usage, "--json: cannot write '" + options.json + "'");
        if (report.wrong())
            return fail(exit_wrong, std::to_string(report.wrong()) +
                                        " objects are not where they were asked for");
        return 0;
    } catch (const suite::UsageError &error) {
        return fail(exit_usage, error.what());
    }
}
