// SPDX-License-Identifier: Apache-2.0
// One check: threads that allocate objects on all nodes and plain ones, in turn; the main thread
// looks at every one of them; the threads free each other's in a mixed order and allocate again.
#ifndef VERIFY_ALLOCATOR_CHECKS_HPP
#define VERIFY_ALLOCATOR_CHECKS_HPP

#include "control.hpp"
#include "options.hpp"
#include "placement.hpp"

#include <cstdint>
#include <list>
#include <ostream>
#include <string>
#include <vector>

struct Plan {
    std::string name;
    unsigned threads;
    // What stays alive and is looked at: objects on nodes, with a plain one after every sixteenth;
    // or plain ones, with objects on nodes that come and go in between.
    bool plain;
};

// What a check found. `off` counts each object once; refused, contents, bound and the censuses say
// why, and some objects are wrong in two ways.
struct Verdict {
    explicit Verdict(const std::string &check) : name(check) {}

    std::string name;
    // Of the first allocation, and after the mixed frees: a page may have changed in between.
    std::list<suite::Census> censuses;
    std::uint64_t objects = 0;        // looked at
    std::uint64_t off = 0;            // of these, wrong
    std::uint64_t refused = 0;        // there was no memory
    std::uint64_t contents = 0;       // overwritten by somebody, or calloc's not zero
    std::uint64_t bound = 0;          // plain, but on a page with a node policy
    std::uint64_t overwritten = 0;    // other contents when freed
    std::uint64_t strayed = 0;        // in another pool after realloc, or passing
    std::uint64_t policy_unknown = 0; // plain, and the kernel does not tell the policy
    std::vector<std::string> examples;

    std::uint64_t wrong() const { return off + overwritten + strayed; }
    void print(std::ostream &out) const;
    void print_json(std::ostream &out) const;
};

Verdict check_run(const Plan &plan, const Options &options, const Saboteur &saboteur);

#endif
