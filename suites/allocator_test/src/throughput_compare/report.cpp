// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "csv.hpp"
#include "seed.hpp"

#include <algorithm>
#include <cstdio>

namespace
{

Spread spread_of(const std::vector<double> &values)
{
    if (values.empty())
        return {0, 0, 0};
    const auto ends = std::minmax_element(values.begin(), values.end());
    return {measure_median(values), *ends.first, *ends.second};
}

// Three digits, more only where the number has them before the point: 1.23, 12.3, 123, 12,345.
std::string short_number(double value)
{
    char text[40];
    if (value < 99.95) {
        std::snprintf(text, sizeof text, value < 9.995 ? "%.2f" : "%.1f", value);
        return text;
    }
    std::snprintf(text, sizeof text, "%.0f", value);
    std::string digits = text;
    for (std::size_t i = digits.size(); i > 3; i -= 3)
        digits.insert(i - 3, ",");
    return digits;
}

std::string number_or_dash(double value)
{
    return value > 0 ? short_number(value) : "-";
}

std::string with_range(const Spread &s)
{
    if (s.median <= 0)
        return "-";
    return short_number(s.median) + " [" + short_number(s.low) + ", " + short_number(s.high) + "]";
}

std::string right(const std::string &text, std::size_t width)
{
    return std::string(text.size() < width ? width - text.size() : 1, ' ') + text;
}

const char *pattern_name(Pattern pattern)
{
    return pattern == Pattern::batch ? "batch" : "cycle";
}

std::string seed_text(const SeedFigures &seed)
{
    std::string text;
    const auto add = [&text](const std::string &part) {
        text += (text.empty() ? "" : ", ") + part;
    };
    if (seed.free > 0)
        add(short_number(seed.alloc) + " + " + short_number(seed.free) + " = " +
            short_number(seed.pair));
    else if (seed.alloc > 0)
        add(short_number(seed.alloc) + " per alloc");
    else
        add(short_number(seed.pair));
    if (seed.times_malloc > 1)
        add(short_number(seed.times_malloc) + " x malloc");
    if (seed.speed_up > 1)
        add(short_number(seed.speed_up) + " times as fast");
    return text;
}

// Each repeat is compared with itself.
Spread ratio(const Row *over, const Row *under, double Figures::*figure)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; over && under && i < over->repeats.size() && i < under->repeats.size();
         ++i) {
        if (under->repeats[i].*figure > 0)
            ratios.push_back(over->repeats[i].*figure / (under->repeats[i].*figure));
    }
    return spread_of(ratios);
}

void print_spread(std::ostream &out, const char *name, const Spread &s)
{
    if (s.median > 0)
        out << ", \"" << name << "\": {\"median\": " << s.median << ", \"low\": " << s.low
            << ", \"high\": " << s.high << '}';
}

} // namespace

Spread Row::spread(double Figures::*figure) const
{
    std::vector<double> values;
    for (const Figures &f : repeats)
        values.push_back(f.*figure);
    return spread_of(values);
}

std::uint64_t Row::sum(std::uint64_t Figures::*count) const
{
    std::uint64_t total = 0;
    for (const Figures &f : repeats)
        total += f.*count;
    return total;
}

Report::Report(const Options &options, const suite::Environment &environment)
    : options_(options), environment_(environment)
{
}

std::uint64_t Report::wrong() const
{
    std::uint64_t total = 0;
    for (const Row &row : rows)
        total += row.sum(&Figures::wrong);
    return total;
}

const Row *Report::find(const Row &like, const std::string &allocator) const
{
    for (const Row &row : rows) {
        if (row.pattern == like.pattern && row.threads == like.threads &&
            row.allocator->name == allocator)
            return &row;
    }
    return nullptr;
}

Spread Report::times_malloc(const Row &row) const
{
    return ratio(&row, find(row, "malloc"), &Figures::pair);
}

Spread Report::over_onnode(const Row &row, double Figures::*figure) const
{
    return ratio(find(row, "numa_alloc_onnode"), &row, figure);
}

void Report::print_row(std::ostream &out, const Row &row) const
{
    std::string title = row.allocator->title;
    title.resize(std::max<std::size_t>(title.size(), 29), ' ');
    out << right(std::to_string(row.threads), 7) << (row.threads > cpus_ ? "*  " : "   ") << title;
    if (row.repeats.empty()) {
        out << "  not measured: " << row.allocator->missing << '\n';
        return;
    }
    out << right(number_or_dash(row.spread(&Figures::alloc).median), 8)
        << right(number_or_dash(row.spread(&Figures::free).median), 8)
        << right(with_range(row.spread(&Figures::pair)), 25)
        << right(number_or_dash(row.spread(&Figures::elapsed).median), 9)
        << right(with_range(times_malloc(row)), 23)
        << right(with_range(over_onnode(row, &Figures::pair)), 24)
        << right(number_or_dash(over_onnode(row, &Figures::elapsed).median), 9);
    const SeedFigures *seed =
        seed_find(row.allocator->name, row.pattern, row.threads, options_.size);
    out << (seed ? "   " + seed_text(*seed) : "");
    if (row.sum(&Figures::wrong))
        out << "   WRONG: " << row.sum(&Figures::wrong) << " of " << row.sum(&Figures::looked_at)
            << " objects elsewhere";
    out << '\n';
}

void Report::print(std::ostream &out) const
{
    const Row *before = nullptr;
    bool turns = false;
    out << "throughput_compare: " << options_.size << " B on node " << options_.node << ", "
        << options_.repeats << " repeats of " << options_.seconds << " s\n";
    environment_.print(out);
    for (const Row &row : rows) {
        if (!before || before->pattern != row.pattern) {
            out << (row.pattern == Pattern::batch
                        ? "\nbatch: objects allocated and written, then all freed in the same "
                          "order; ns per object\n"
                        : "\ncycle: an object allocated, written and freed at once; ns per "
                          "object\n")
                << "threads   allocator                       alloc    free      pair [low, high] "
                   "(CPU)  elapsed      x malloc [low, high]  over onnode [low, high]  elapsed   "
                   "seed's\n";
        } else if (before->threads != row.threads) {
            out << '\n';
        }
        print_row(out, row);
        turns = turns || row.threads > cpus_;
        before = &row;
    }
    out << "\nalloc, free, pair: CPU time, medians; x malloc and over onnode are of pairs. "
           "elapsed: wall "
           "time x\nCPUs in use / objects, with waiting and whatever else runs here, and over "
           "onnode by "
           "it. Ratios are\ntaken within a repeat. seed's: published with the allocator before "
           "this one, "
           "another machine; see\nREADME.md.\n";
    if (turns)
        out << "* more threads than the " << cpus_
            << " CPUs of this process: they take turns, contention is not that of so many CPUs.\n";
}

void Report::print_csv(std::ostream &out) const
{
    suite::CsvRow(out) << "pattern"
                       << "allocator"
                       << "threads"
                       << "cpus"
                       << "size"
                       << "node"
                       << "repeat"
                       << "alloc_ns"
                       << "free_ns"
                       << "pair_ns"
                       << "elapsed_ns"
                       << "objects"
                       << "looked_at"
                       << "wrong"
                       << "unknown";
    for (const Row &row : rows) {
        for (std::size_t i = 0; i < row.repeats.size(); ++i) {
            const Figures &f = row.repeats[i];
            suite::CsvRow(out) << pattern_name(row.pattern) << row.allocator->name << row.threads
                               << cpus_ << options_.size << options_.node << i + 1 << f.alloc
                               << f.free << f.pair << f.elapsed << f.objects << f.looked_at
                               << f.wrong << f.unknown;
        }
    }
}

void Report::print_json_row(std::ostream &out, const Row &row) const
{
    out << "  {\"pattern\": \"" << pattern_name(row.pattern)
        << "\", \"allocator\": " << suite::json_string(row.allocator->name)
        << ", \"threads\": " << row.threads
        << ", \"time_sliced\": " << (row.threads > cpus_ ? "true" : "false");
    if (row.repeats.empty())
        out << ", \"missing\": " << suite::json_string(row.allocator->missing);
    print_spread(out, "alloc_ns", row.spread(&Figures::alloc));
    print_spread(out, "free_ns", row.spread(&Figures::free));
    print_spread(out, "pair_ns", row.spread(&Figures::pair));
    print_spread(out, "elapsed_ns", row.spread(&Figures::elapsed));
    print_spread(out, "times_malloc", times_malloc(row));
    print_spread(out, "over_numa_alloc_onnode", over_onnode(row, &Figures::pair));
    print_spread(out, "over_numa_alloc_onnode_elapsed", over_onnode(row, &Figures::elapsed));
    if (const SeedFigures *seed =
            seed_find(row.allocator->name, row.pattern, row.threads, options_.size))
        out << ", \"seed\": " << suite::json_string(seed_text(*seed));
    out << ", \"looked_at\": " << row.sum(&Figures::looked_at)
        << ", \"wrong\": " << row.sum(&Figures::wrong)
        << ", \"unknown\": " << row.sum(&Figures::unknown) << '}';
}

void Report::print_json(std::ostream &out) const
{
    out << "{\n \"suite\": \"allocator_test\",\n \"program\": \"throughput_compare\",\n \"size\": "
        << options_.size << ",\n \"node\": " << options_.node
        << ",\n \"repeats\": " << options_.repeats << ",\n \"seconds\": " << options_.seconds
        << ",\n \"cpus\": " << cpus_ << ",\n \"environment\": ";
    environment_.print_json(out, " ");
    out << ",\n \"wrong\": " << wrong() << ",\n \"rows\": [";
    const char *separator = "\n";
    for (const Row &row : rows) {
        out << separator;
        print_json_row(out, row);
        separator = ",\n";
    }
    out << "\n ]\n}\n";
}
