// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include "csv.hpp"
#include "numa_alloc.h"
#include "objects.hpp"
#include "threads.hpp"

#include <numaif.h>
#include <numeric>
#include <sched.h>
#include <unordered_map>

namespace
{

constexpr int generations = 2;
constexpr std::uint64_t plain_after = 16; // placed objects, in checks of placed ones
constexpr std::size_t passing = 64;       // placed objects alive in a check of plain ones
constexpr std::size_t most_examples = 5;

// The policy of a page's mapping: MPOL_DEFAULT, another one, or -1 where the kernel does not tell.
class PagePolicies
{
  public:
    int policy_of(const void *p)
    {
        const auto page = reinterpret_cast<std::uintptr_t>(p) / suite::PageNodes::page_size;
        const auto found = known_.find(page);
        return found != known_.end() ? found->second : known_.emplace(page, ask(p)).first->second;
    }

  private:
    static int ask(const void *p)
    {
        int policy = 0;
        const long failed =
            syscall(SYS_get_mempolicy, &policy, nullptr, 0ul, p, static_cast<long>(MPOL_F_ADDR));
        return failed ? -1 : policy;
    }

    std::unordered_map<std::uintptr_t, int> known_;
};

// All threads and the main thread, which looks at the objects, go from phase to phase together.
struct Phases {
    explicit Phases(unsigned threads) : made(threads + 1), looked_at(threads + 1), freed(threads) {}

    suite::Gate made, looked_at, freed;
};

struct Worker {
    explicit Worker(std::uint64_t seed) : maker(seed) {}

    Maker maker;
    std::vector<Held> held;          // every thread has as many
    int touches = suite::plain_heap; // the node that it is pinned to
    std::uint64_t overwritten = 0, strayed = 0;
};

class Run
{
  public:
    Run(const Plan &plan, const Options &options, const Saboteur &saboteur, Verdict &verdict);
    void all();

  private:
    void work(unsigned t);
    void pin(Worker &w, unsigned t) const;
    void make_all(Worker &w, unsigned t, int generation);
    void free_all(unsigned t);
    void free_one(Worker &w, Held &held, bool resize_first) const;
    int node_for(std::uint64_t index, unsigned t) const;
    void look(suite::Census &census);
    void look_at(suite::Census &census, PagePolicies &policies, const Worker &w, Held &held);
    void keep_example(const Held &held);

    const Plan &plan_;
    const Options &options_;
    const Saboteur &saboteur_;
    Verdict &verdict_;
    const std::uint64_t share_; // objects of a thread
    std::vector<Worker> workers_;
    std::list<Phases> phases_;
};

Run::Run(const Plan &plan, const Options &options, const Saboteur &saboteur, Verdict &verdict)
    : plan_(plan), options_(options), saboteur_(saboteur), verdict_(verdict),
      share_((options.objects + plan.threads - 1) / plan.threads *
                 (plan.plain ? 1 : plain_after + 1) / (plan.plain ? 1 : plain_after) +
             1)
{
    for (unsigned t = 0; t < plan.threads; ++t)
        workers_.emplace_back(options.seed * 1000 + t);
    for (int i = 0; i < generations; ++i)
        phases_.emplace_back(plan.threads);
}

void Run::all()
{
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < plan_.threads; ++t)
        threads.emplace_back([this, t] { work(t); });
    for (Phases &phase : phases_) {
        phase.made.arrive_and_wait();
        verdict_.censuses.emplace_back();
        look(verdict_.censuses.back());
        phase.looked_at.arrive_and_wait();
    }
    for (auto &thread : threads)
        thread.join();
    for (const Worker &w : workers_) {
        verdict_.overwritten += w.overwritten;
        verdict_.strayed += w.strayed;
    }
}

void Run::work(unsigned t)
{
    Worker &w = workers_[t];
    pin(w, t);
    w.held.resize(share_);
    int generation = 0;
    for (Phases &phase : phases_) {
        make_all(w, t, generation++);
        phase.made.arrive_and_wait();
        phase.looked_at.arrive_and_wait();
        free_all(t);
        phase.freed.arrive_and_wait();
    }
}

void Run::pin(Worker &w, unsigned t) const
{
    const auto node = static_cast<int>(options_.nodes[t % options_.nodes.size()]);
    unsigned cpu = 0, touches = 0;
    if (suite::placement_built_in && numafy_thread_bind(node) == 0 && getcpu(&cpu, &touches) == 0)
        w.touches = static_cast<int>(touches);
}

// The node of a thread's object number `index`; every thread begins with another one.
int Run::node_for(std::uint64_t index, unsigned t) const
{
    return static_cast<int>(options_.nodes[(index + t) % options_.nodes.size()]);
}

void Run::make_all(Worker &w, unsigned t, int generation)
{
    std::vector<Held> transient(plan_.plain ? passing : 0);
    const Held *previous = nullptr;
    const std::uint64_t first =
        (static_cast<std::uint64_t>(generation) * plan_.threads + t) * share_;
    for (std::uint64_t i = 0; i < share_; ++i) {
        if (plan_.plain) {
            Held &passes = transient[i % passing];
            free_one(w, passes, false);
            passes = w.maker.make(node_for(i, t), ~(first + i));
            w.strayed +=
                passes.p && suite::placement_built_in && suite::pool_node(passes.p) != passes.node;
        }
        const bool plain = plan_.plain || i % (plain_after + 1) == plain_after;
        // Multiplied so that marks differ in every byte.
        w.held[i] = w.maker.make(plain ? suite::plain_heap : node_for(i, t),
                                 (first + i + 1) * 0x9e3779b97f4a7c15u);
        saboteur_.spoil(w.held[i], previous, plain && !plan_.plain ? i / (plain_after + 1) : i);
        previous = &w.held[i];
    }
    w.maker.forget_owners();
    for (Held &passes : transient)
        free_one(w, passes, false);
}

// Half of this thread's objects and half of its neighbour's, in an order that is not theirs; every
// sixteenth of the neighbour's is resized first.
void Run::free_all(unsigned t)
{
    Worker &own = workers_[t], &other = workers_[(t + 1) % plan_.threads];
    std::uint64_t step = 250007;
    while (std::gcd(step, share_) != 1)
        ++step;
    for (std::uint64_t i = 0; i < share_; ++i) {
        const std::uint64_t at = i * step % share_;
        if (at % 2 == 0)
            free_one(own, own.held[at], false);
        else
            free_one(own, other.held[at], at % 16 == 1);
    }
}

void Run::free_one(Worker &w, Held &held, bool resize_first) const
{
    if (!held.p)
        return;
    w.overwritten += !mark_kept(held);
    if (resize_first && held_resize(held, 2 * held.size))
        w.strayed += suite::placement_built_in && suite::pool_node(held.p) != held.node;
    held_free(held, saboteur_.freeing());
}

void Run::look(suite::Census &census)
{
    PagePolicies policies;
    for (Worker &w : workers_)
        for (Held &held : w.held)
            look_at(census, policies, w, held);
}

void Run::look_at(suite::Census &census, PagePolicies &policies, const Worker &w, Held &held)
{
    ++verdict_.objects;
    if (!held.p) {
        ++verdict_.refused;
        ++verdict_.off;
        return;
    }
    bool right =
        census.add(held.placed() ? "placed" : "plain", held.node, held.p, held.size, w.touches);
    if (!mark_kept(held) || held.dirty) {
        ++verdict_.contents;
        held.dirty = true;
        right = false;
    }
    if (!held.placed()) {
        const int policy = policies.policy_of(held.p);
        verdict_.bound += policy > MPOL_DEFAULT;
        verdict_.policy_unknown += policy < MPOL_DEFAULT;
        right = right && policy <= MPOL_DEFAULT;
    }
    if (!right) {
        ++verdict_.off;
        keep_example(held);
    }
    // What was overwritten has been counted.
    if (held.dirty)
        mark_write(held);
    if (held.borrowed)
        held_free(held, Freeing::by_form);
}

void Run::keep_example(const Held &held)
{
    if (verdict_.examples.size() == most_examples)
        return;
    const auto place = [](int node) {
        return node == suite::plain_heap ? "the plain heap" : "node " + std::to_string(node);
    };
    const int there = suite::ask_kernel(held.p);
    verdict_.examples.push_back(
        std::string(form_name(held.form)) + ", " + std::to_string(held.size) + " bytes, for " +
        place(held.node) + ": by address on " + place(suite::pool_node(held.p)) +
        ", by the kernel " + (there < 0 ? "unknown" : "on node " + std::to_string(there)) +
        (held.dirty ? ", with other contents" : ""));
}

} // namespace

void Verdict::print(std::ostream &out) const
{
    const char *when = "allocated";
    const char *right = suite::placement_built_in ? "ok" : "contents ok, placement not built in";
    out << name << ": " << wrong() << " wrong of " << objects
        << " objects: " << (wrong() ? "WRONG" : right) << '\n';
    for (const auto &census : censuses) {
        out << "# " << when << ":\n";
        census.print(out);
        when = "after mixed frees, allocated again";
    }
    out << "# no memory: " << refused << "; other contents: " << contents
        << "; plain, but bound: " << bound << "; found on the way: " << overwritten
        << " overwritten, " << strayed << " in another pool";
    if (policy_unknown)
        out << " (" << policy_unknown << " unknown: the kernel does not tell)";
    out << '\n';
    for (const auto &example : examples)
        out << "# wrong, e.g. " << example << '\n';
}

void Verdict::print_json(std::ostream &out) const
{
    out << "  {\"name\": " << suite::json_string(name) << ", \"objects\": " << objects
        << ", \"wrong\": " << wrong() << ", \"refused\": " << refused
        << ", \"contents\": " << contents << ", \"strayed\": " << strayed
        << ", \"bound\": " << bound << ", \"overwritten\": " << overwritten
        << ", \"policy_unknown\": " << policy_unknown << ",\n   \"generations\": [";
    const char *separator = "\n";
    for (const auto &census : censuses) {
        out << separator << "    {";
        census.print_json_totals(out);
        out << ",\n     \"kinds\": ";
        census.print_json(out, "     ");
        out << '}';
        separator = ",\n";
    }
    out << "\n   ]}";
}

Verdict check_run(const Plan &plan, const Options &options, const Saboteur &saboteur)
{
    Verdict verdict(plan.name);
    Run(plan, options, saboteur, verdict).all();
    return verdict;
}
