// SPDX-License-Identifier: Apache-2.0
// The suites' proof of placement: where every object of a run is, by its address (which pool it
// came from) and by the kernel (which node holds its pages). Reports as lines of text and as JSON.
// Knows objects as addresses and sizes only, so that nothing here depends on whether a suite has
// been rewritten.
#ifndef NUMAFY_SUITES_PLACEMENT_HPP
#define NUMAFY_SUITES_PLACEMENT_HPP

#include "csv.hpp"
#include "numa_alloc.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace suite
{

// No pool: the plain heap, whose pages follow first touch.
constexpr int plain_heap = -1;

#ifdef NUMAFY_OFF
constexpr bool placement_built_in = false;
inline int pool_node(const void *)
{
    return plain_heap;
}
inline int ask_kernel(const void *)
{
    return -ENOSYS;
}
#else
constexpr bool placement_built_in = true;
inline int pool_node(const void *p)
{
    return numafy_node_of(p);
}
inline int ask_kernel(const void *p)
{
    return numafy_resident_node(p);
}
#endif

// The node that holds a page, or a negative errno. Remembers pages, since objects share them and
// each answer is a system call, or a look through numa_maps where the kernel refuses that.
class PageNodes
{
  public:
    int node_of(const void *p)
    {
        const auto page = reinterpret_cast<std::uintptr_t>(p) / page_size;
        const auto found = known_.find(page);
        return found != known_.end() ? found->second
                                     : known_.emplace(page, ask_kernel(p)).first->second;
    }

    static constexpr std::size_t page_size = 4096;

  private:
    std::unordered_map<std::uintptr_t, int> known_;
};

// The machine's node that stands behind a pool's: NUMAFY_NODEMAP is `0:2,1:3`, a node it does not
// name stands for itself.
inline int physical_node(int node)
{
    const char *map = std::getenv("NUMAFY_NODEMAP");
    std::istringstream pairs(map ? map : "");
    for (std::string pair; std::getline(pairs, pair, ',');) {
        const auto colon = pair.find(':');
        if (colon != std::string::npos && std::atoi(pair.c_str()) == node)
            return std::atoi(pair.c_str() + colon + 1);
    }
    return node;
}

// Whether this machine has memory on a node; a pool of any other node is served by the nearest one
// that has.
inline bool node_has_memory(int node)
{
    std::ifstream list("/sys/devices/system/node/has_memory");
    for (std::string range; std::getline(list, range, ',');) {
        const auto dash = range.find('-');
        const int low = std::atoi(range.c_str());
        const int high = dash == std::string::npos ? low : std::atoi(range.c_str() + dash + 1);
        if (low <= node && node <= high)
            return true;
    }
    return false;
}

// Whether this system lets a process bind memory: a container's filter may answer EPERM, and then
// pools are kept apart by address only and their pages follow first touch.
inline bool binding_allowed()
{
    constexpr int default_policy = 0;
    return syscall(SYS_mbind, nullptr, 0ul, default_policy, nullptr, 0ul, 0u) == 0 ||
           (errno != EPERM && errno != ENOSYS);
}

// Counts objects by kind and by the node that they belong to.
class Census
{
  public:
    // One object. `node` is the pool that it belongs to, plain_heap for none; every page of it is
    // looked at. For a plain object `touched_by` may name the node of the thread that wrote it
    // first: where its pages are expected, though elsewhere is not wrong. True: it is where it
    // belongs, as far as can be told.
    bool add(const std::string &kind, int node, const void *object, std::size_t size,
             int touched_by = plain_heap)
    {
        Row &row = find(kind, node, node == plain_heap ? touched_by : node);
        const char *first = static_cast<const char *>(object);
        const char *last = first + (size ? size - 1 : 0);
        const bool address_ok = pool_node(first) == node && pool_node(last) == node;
        const Answer answer = row.exists ? resident(first, last, row) : Answer::unknown;
        ++row.objects;
        row.by_address_ok += address_ok;
        row.resident_ok += answer == Answer::yes;
        row.resident_unknown += answer == Answer::unknown;
        const bool wrong =
            !address_ok || (answer == Answer::no && node != plain_heap && binding_allowed_);
        row.wrong += wrong;
        return !wrong || !placement_built_in;
    }

    // Objects that are not where they belong, by address or by the kernel.
    std::uint64_t wrong() const
    {
        std::uint64_t sum = 0;
        for (const auto &row : rows_)
            sum += row.wrong;
        return placement_built_in ? sum : 0;
    }

    void print(std::ostream &out) const
    {
        for (const auto &row : rows_) {
            out << "# verify: " << row.kind << ", "
                << (row.node == plain_heap ? "plain heap" : "node " + std::to_string(row.node))
                << ": " << row.objects << " objects";
            if (placement_built_in)
                out << ", " << row.by_address_ok << " there by address, " << kernel_text(row);
            out << '\n';
        }
        if (!placement_built_in)
            out << "# verify: placement: not built in\n";
    }

    // An array of one object per kind and node.
    void print_json(std::ostream &out, const std::string &indent) const
    {
        out << '[';
        const char *separator = "\n";
        for (const auto &row : rows_) {
            out << separator << indent << " {\"kind\": " << json_string(row.kind)
                << ", \"node\": " << row.node << ", \"physical_node\": " << row.physical
                << ", \"objects\": " << row.objects;
            if (placement_built_in)
                out << ", \"by_address_ok\": " << row.by_address_ok
                    << ", \"resident_ok\": " << known_or_unknown(row)
                    << ", \"resident_unknown\": " << row.resident_unknown
                    << ", \"resident_note\": " << json_string(kernel_note(row))
                    << ", \"wrong\": " << row.wrong;
            out << '}';
            separator = ",\n";
        }
        out << '\n' << indent << ']';
    }

    // The sums over all kinds, as JSON members.
    void print_json_totals(std::ostream &out) const
    {
        Row sum{};
        for (const auto &row : rows_) {
            sum.objects += row.objects;
            sum.by_address_ok += row.by_address_ok;
            sum.resident_ok += row.resident_ok;
            sum.resident_unknown += row.resident_unknown;
        }
        out << "\"objects\": " << sum.objects;
        if (placement_built_in)
            out << ", \"by_address_ok\": " << sum.by_address_ok
                << ", \"resident_ok\": " << known_or_unknown(sum)
                << ", \"resident_unknown\": " << sum.resident_unknown << ", \"wrong\": " << wrong();
    }

  private:
    enum class Answer { yes, no, unknown };

    struct Row {
        std::string kind;
        int node;     // the pool
        int home;     // the pool, or the node of the thread that touched a plain object first
        int physical; // the machine's node behind `home`
        bool exists;  // whether the machine has memory there
        bool refused; // the kernel would not answer for a page
        std::uint64_t objects, by_address_ok, resident_ok, resident_unknown, wrong;
    };

    Row &find(const std::string &kind, int node, int home)
    {
        for (auto &row : rows_) {
            if (row.node == node && row.home == home && row.kind == kind)
                return row;
        }
        // Threads are pinned to nodes of the machine; only pools are mapped.
        const int physical = node == plain_heap ? home : physical_node(node);
        rows_.push_back(
            {kind, node, home, physical, node_has_memory(physical), false, 0, 0, 0, 0, 0});
        return rows_.back();
    }

    Answer resident(const char *first, const char *last, Row &row)
    {
        Answer answer = Answer::yes;
        for (const char *p = first;; p += PageNodes::page_size) {
            const char *byte = p < last ? p : last;
            const int there = pages_.node_of(byte);
            if (there >= 0 && there != row.physical)
                return Answer::no;
            if (there < 0) {
                answer = Answer::unknown;
                row.refused = row.refused || there == -EPERM || there == -ENOSYS;
            }
            if (byte == last)
                return answer;
        }
    }

    static std::string known_or_unknown(const Row &row)
    {
        return row.objects && row.resident_unknown == row.objects ? "\"unknown\""
                                                                  : std::to_string(row.resident_ok);
    }

    std::string kernel_note(const Row &row) const
    {
        if (row.home == plain_heap)
            return "the pages of the plain heap follow first touch";
        if (!row.exists && row.node == plain_heap)
            return "this machine has no node " + std::to_string(row.physical);
        if (!row.exists)
            return "this machine has no node " + std::to_string(row.physical) +
                   ", so its pool was redirected";
        if (!binding_allowed_ && row.node != plain_heap)
            return "this system forbids binding memory, so pages follow first touch";
        if (row.resident_unknown == 0)
            return "";
        return row.refused ? "the kernel may not be asked" : "not all pages are present";
    }

    std::string kernel_text(const Row &row) const
    {
        const std::string note = kernel_note(row);
        if (row.resident_unknown == row.objects)
            return "by the kernel: unknown (" + note + ")";
        return std::to_string(row.resident_ok) + " by the kernel" +
               (row.physical == row.node ? "" : " on node " + std::to_string(row.physical)) +
               (note.empty() ? "" : " (" + note + ")");
    }

    std::vector<Row> rows_;
    PageNodes pages_;
    bool binding_allowed_ = binding_allowed();
};

// What any program has beside its placed objects: a block of malloc and one of new, made and
// written by one thread. A run keeps one per thread, to show that placing some types binds nobody
// else's memory.
class PlainBlocks
{
  public:
    void make()
    {
        malloced_.reset(std::malloc(size));
        created_.reset(new char[size]);
        if (malloced_)
            std::memset(malloced_.get(), 1, size);
        std::memset(created_.get(), 1, size);
    }
    // `touched_by`: the node that the making thread was pinned to, plain_heap if it was not.
    void add_to(Census &census, int touched_by) const
    {
        census.add("plain malloc", plain_heap, malloced_.get(), size, touched_by);
        census.add("plain new", plain_heap, created_.get(), size, touched_by);
    }

  private:
    static constexpr std::size_t size = 256 * 1024;
    struct Free {
        void operator()(void *p) const { std::free(p); }
    };
    std::unique_ptr<void, Free> malloced_;
    std::unique_ptr<char[]> created_;
};

} // namespace suite

#endif
