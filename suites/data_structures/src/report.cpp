// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "csv.hpp"

#include <iomanip>
#include <iostream>
#include <sstream>

void Tally::print(std::ostream &out) const
{
    out << "found " << found << ", inserted " << inserted << ", removed " << removed << ", moved "
        << moved << '\n';
}

void Result::add(const Tally &other)
{
    tally.found += other.found;
    tally.inserted += other.inserted;
    tally.removed += other.removed;
    tally.moved += other.moved;
}

void report_header()
{
    suite::CsvRow(std::cout) << "DS_name"
                             << "th_config"
                             << "DS_config"
                             << "num_threads"
                             << "num_DS"
                             << "keyspace"
                             << "time_s"
                             << "node0_ops"
                             << "node1_ops"
                             << "total_ops";
}

void report_row(const Options &options, double seconds, std::uint64_t node0, std::uint64_t node1)
{
    std::ostringstream time;
    time << std::fixed << std::setprecision(3) << seconds;
    suite::CsvRow(std::cout) << options.DS_name << options.th_config << options.DS_config
                             << options.num_threads << options.num_DS << options.keyspace
                             << time.str() << node0 << node1 << node0 + node1;
}

void report_verification(const Result &result)
{
    result.census.print(std::cout);
    std::cout << "# verify: contents: " << (result.contents_ok() ? "ok" : "WRONG") << ", "
              << result.contents.keys << " keys, " << result.contents.operations
              << " results compared, " << result.contents.mistakes << " differ" << std::endl;
}

void report_json(const Options &options, const Result &result, std::ostream &out)
{
    out << "{\n \"suite\": \"data_structures\",\n \"DS_name\": "
        << suite::json_string(options.DS_name)
        << ",\n \"th_config\": " << suite::json_string(options.th_config)
        << ",\n \"DS_config\": " << suite::json_string(options.DS_config)
        << ",\n \"num_threads\": " << options.num_threads << ",\n \"num_DS\": " << options.num_DS
        << ",\n \"keyspace\": " << options.keyspace << ",\n \"seed\": " << options.seed
        << ",\n \"fill_seconds\": " << result.fill_seconds << ",\n \"node_ops\": ["
        << result.operations[0] << ", " << result.operations[1]
        << "],\n \"total_ops\": " << result.operations[0] + result.operations[1]
        << ",\n \"verified\": " << (options.verify ? "true" : "false");
    if (options.verify) {
        out << ",\n \"contents_ok\": " << (result.contents_ok() ? "true" : "false")
            << ",\n \"keys\": " << result.contents.keys
            << ",\n \"updates\": " << result.contents.updates
            << ",\n \"nodes_freed\": " << result.contents.removals
            << ",\n \"results_compared\": " << result.contents.operations
            << ",\n \"results_differing\": " << result.contents.mistakes << ",\n \"placement\": "
            << (suite::placement_built_in ? "\"built in\"" : "\"not built in\"") << ",\n ";
        result.census.print_json_totals(out);
        out << ",\n \"kinds\": ";
        result.census.print_json(out, " ");
    }
    out << "\n}\n";
}
