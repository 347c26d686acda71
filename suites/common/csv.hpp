// SPDX-License-Identifier: Apache-2.0
// What the suites write for other programs: CSV rows and JSON text. Knows no columns.
#ifndef NUMAFY_SUITES_CSV_HPP
#define NUMAFY_SUITES_CSV_HPP

#include <cstdio>
#include <ostream>
#include <string>

namespace suite
{

// One row: fields separated by commas, a line end when it goes out of scope. Fields hold no commas
// or quotes.
class CsvRow
{
  public:
    explicit CsvRow(std::ostream &out) : out_(out) {}
    ~CsvRow() { out_ << std::endl; }
    CsvRow(const CsvRow &) = delete;
    CsvRow &operator=(const CsvRow &) = delete;

    template <class Field>
    CsvRow &operator<<(const Field &field)
    {
        if (!first_)
            out_ << ',';
        first_ = false;
        out_ << field;
        return *this;
    }

  private:
    std::ostream &out_;
    bool first_ = true;
};

inline std::string json_string(const std::string &text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else {
            out += c;
        }
    }
    return out + '"';
}

} // namespace suite

#endif
