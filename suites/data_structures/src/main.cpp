// SPDX-License-Identifier: Apache-2.0
// The command: options in, CSV out, exit status. 0 done, 1 a bad option or a file that cannot be
// written, 2 the verification found something wrong.
#include "command_line.hpp"
#include "options.hpp"
#include "placement.hpp"
#include "run.hpp"

#include <fstream>
#include <iostream>

namespace
{

constexpr int exit_usage = 1;
constexpr int exit_wrong = 2;

int fail(int status, const std::string &message)
{
    std::cerr << "data_structures: " << message << std::endl;
    return status;
}

// Before the run, not after it: nobody wants to lose an hour to a misspelt folder.
void require_writable(const std::string &option, const std::string &file)
{
    if (!file.empty() && !std::ofstream(file))
        throw suite::UsageError(option + ": cannot write '" + file + "'");
}

int judge(const Options &options, const Result &result)
{
    if (!result.dumped)
        return fail(exit_usage, "--dump: cannot write '" + options.dump + "'");
    if (!options.verify)
        return 0;
    report_verification(result);
    if (!result.contents_ok())
        return fail(exit_wrong, std::to_string(result.contents.mistakes) +
                                    " results or contents differ from the reference");
    if (result.census.wrong())
        return fail(exit_wrong,
                    std::to_string(result.census.wrong()) + " objects are not on their node");
    return 0;
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
        require_writable("--dump", options.dump);
        require_writable("--json", options.json);
        Result result;
        if (options.DS_name == "bst")
            run_trees(options, result);
        else
            run_lists(options, result);
        if (!options.json.empty()) {
            std::ofstream out(options.json);
            report_json(options, result, out);
            if (!out.flush())
                return fail(exit_usage, "--json: cannot write '" + options.json + "'");
        }
        return judge(options, result);
    } catch (const suite::UsageError &error) {
        return fail(exit_usage, error.what());
    }
}
