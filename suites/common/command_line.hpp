// SPDX-License-Identifier: Apache-2.0
// The suites' command line: `--name=value`, `--name value`, `-n value`, `-nvalue`, and switches
// without a value. A bad option or value is a UsageError with one clear line; main prints it and
// exits with 1. Knows no option by name.
#ifndef NUMAFY_SUITES_COMMAND_LINE_HPP
#define NUMAFY_SUITES_COMMAND_LINE_HPP

#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace suite
{

class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

class CommandLine
{
  public:
    using Taker = std::function<void(const std::string &value)>;

    // Names with their dashes, the short one may be empty; `what` is the line of the help.
    void value(const std::string &name, const std::string &letter, const std::string &what,
               Taker take)
    {
        options_.push_back({name, letter, what, true, std::move(take)});
    }
    void flag(const std::string &name, const std::string &letter, const std::string &what,
              bool &target)
    {
        options_.push_back(
            {name, letter, what, false, [&target](const std::string &) { target = true; }});
    }

    void text(const std::string &name, const std::string &what, std::string &target)
    {
        value(name, "", what, [&target, name](const std::string &v) {
            if (v.empty())
                throw UsageError(name + ": is empty");
            target = v;
        });
    }
    // One of `words`.
    void choice(const std::string &name, const std::string &what,
                const std::vector<std::string> &words, std::string &target)
    {
        value(name, "", what, [&target, name, words](const std::string &v) {
            std::string all;
            for (const auto &word : words) {
                if (v == word) {
                    target = v;
                    return;
                }
                all += (all.empty() ? "" : " or ") + word;
            }
            throw UsageError(name + ": '" + v + "' is not " + all);
        });
    }
    void number(const std::string &name, const std::string &what, std::uint64_t low,
                std::uint64_t high, std::uint64_t &target)
    {
        value(name, "", what, [&target, name, low, high](const std::string &v) {
            target = whole(name, v, low, high);
        });
    }
    // One or more of them, separated by commas.
    void numbers(const std::string &name, const std::string &what, std::uint64_t low,
                 std::uint64_t high, std::vector<std::uint64_t> &target)
    {
        value(name, "", what, [&target, name, low, high](const std::string &v) {
            target.clear();
            std::istringstream list(v + ",");
            for (std::string item; std::getline(list, item, ',');)
                target.push_back(whole(name, item, low, high));
        });
    }
    void seconds(const std::string &name, const std::string &letter, const std::string &what,
                 double &target)
    {
        value(name, letter, what,
              [&target, name](const std::string &v) { target = time(name, v); });
    }

    void parse(int argc, char **argv) const
    {
        for (int i = 1; i < argc; ++i) {
            std::string word = argv[i], attached;
            bool has_value = false;
            const Option &option = find(word, attached, has_value);
            if (!option.takes_value) {
                if (has_value)
                    throw UsageError(option.name + ": takes no value");
            } else if (!has_value) {
                if (++i == argc)
                    throw UsageError(option.name + ": a value is missing");
                attached = argv[i];
            }
            option.take(attached);
        }
    }

    std::string help() const
    {
        std::ostringstream out;
        for (const auto &option : options_) {
            std::string names = option.letter.empty() ? "    " : option.letter + ", ";
            names += option.name;
            names.resize(names.size() < 22 ? 22 : names.size() + 1, ' ');
            out << "  " << names << option.what << '\n';
        }
        return out.str();
    }

  private:
    struct Option {
        std::string name, letter, what;
        bool takes_value;
        Taker take;
    };

    const Option &find(const std::string &word, std::string &attached, bool &has_value) const
    {
        for (const auto &option : options_) {
            if (word == option.name || (!option.letter.empty() && word == option.letter))
                return option;
            if (word.rfind(option.name + "=", 0) == 0) {
                has_value = true;
                attached = word.substr(option.name.size() + 1);
                return option;
            }
            if (!option.letter.empty() && option.takes_value && word.rfind(option.letter, 0) == 0) {
                has_value = true;
                attached = word.substr(option.letter.size());
                return option;
            }
        }
        throw UsageError("'" + word + "': no such option (-h lists them)");
    }

    static std::uint64_t whole(const std::string &name, const std::string &v, std::uint64_t low,
                               std::uint64_t high)
    {
        std::size_t end = 0;
        unsigned long long n = 0;
        const bool digits = !v.empty() && v.find_first_not_of("0123456789") == std::string::npos;
        try {
            n = digits ? std::stoull(v, &end) : 0;
        } catch (const std::out_of_range &) {
            end = 0;
        }
        if (!digits || end != v.size() || n < low || n > high)
            throw UsageError(name + ": '" + v + "' is not a whole number from " +
                             std::to_string(low) + " to " + std::to_string(high));
        return n;
    }

    static double time(const std::string &name, const std::string &v)
    {
        // A million seconds is eleven days; more is a typing error.
        std::size_t end = 0;
        double n = 0;
        try {
            n = std::stod(v, &end);
        } catch (const std::logic_error &) {
            end = 0;
        }
        if (end == 0 || end != v.size() || !std::isfinite(n) || n < 0.001 || n > 1e6)
            throw UsageError(name + ": '" + v + "' is not a time in seconds from 0.001 to 1000000");
        return n;
    }

    std::vector<Option> options_;
};

} // namespace suite

#endif
