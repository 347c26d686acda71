// SPDX-License-Identifier: Apache-2.0
// Runs threads over structures that lie on two nodes, and checks what they did. Knows a structure
// as something Lockable with contains, insert, remove, size, removed and for_each_node; the arrays
// of pointers as something to index. It allocates no structure.
#ifndef DATA_STRUCTURES_WORKLOAD_HPP
#define DATA_STRUCTURES_WORKLOAD_HPP

#include "model.hpp"
#include "options.hpp"
#include "placement.hpp"
#include "report.hpp"
#include "rng.hpp"
#include "threads.hpp"
#include "timer.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <vector>

// `Left` and `Right` are the elements of the two arrays: Structure pointers, placed or not.
template <class Structure, class Left, class Right>
class Workload
{
  public:
    Workload(const Options &options, const Left *left, const Right *right)
        : options_(options), left_(left), right_(right),
          models_(options.verify ? options.num_DS : 0), workers_(options.num_threads),
          gate_(static_cast<unsigned>(options.num_threads) + 1)
    {
    }

    // Fills, runs, reports rows, and leaves the result in `result`.
    void run(Result &result)
    {
        const suite::Timer fill;
        suite::Team team(static_cast<unsigned>(options_.num_threads), options_.pinned(),
                         [this](unsigned t) { work(t); });
        gate_.arrive_and_wait();
        result.fill_seconds = fill.seconds();
        report_until_done(team);
        for (const auto &worker : workers_)
            result.add(worker.tally);
        for (unsigned node = 0; node < 2; ++node)
            result.operations[node] = operations(node);
        if (options_.verify)
            verify(result);
    }

    void dump(std::ostream &out) const
    {
        for (std::uint64_t i = 0; i < options_.num_DS; ++i) {
            out << "structure " << i << ": " << at(i)->size() << " keys\n";
            at(i)->for_each_node([&out](const auto &node) { out << node.key << '\n'; });
        }
    }

  private:
    struct alignas(128) Worker {
        suite::Counter operations;
        Tally tally;
        suite::PlainBlocks plain;
    };

    Structure *at(std::uint64_t i) const
    {
        const std::uint64_t half = options_.on_node0();
        if (i < half)
            return left_[i];
        return right_[i - half];
    }
    int node_of(std::uint64_t i) const { return i < options_.on_node0() ? 0 : 1; }

    // A structure on the node, or any if the node has none.
    std::uint64_t pick(suite::Rng &rng, int node) const
    {
        const std::uint64_t half = options_.on_node0();
        if (half == 0)
            return rng.below(options_.num_DS);
        return node == 0 ? rng.below(half) : half + rng.below(options_.on_node1());
    }

    bool contains(std::uint64_t i, long key)
    {
        const bool found = at(i)->contains(key);
        if (options_.verify)
            models_[i].saw_contains(key, found);
        return found;
    }
    bool insert(std::uint64_t i, long key)
    {
        const bool inserted = at(i)->insert(key);
        if (options_.verify)
            models_[i].saw_insert(key, inserted);
        return inserted;
    }
    bool remove(std::uint64_t i, long key)
    {
        const bool removed = at(i)->remove(key);
        if (options_.verify)
            models_[i].saw_remove(key, removed);
        return removed;
    }

    void lookup(Tally &tally, std::uint64_t i, long key)
    {
        const std::lock_guard<Structure> guard(*at(i));
        tally.found += contains(i, key);
    }
    void update(Tally &tally, std::uint64_t i, long key, bool add)
    {
        const std::lock_guard<Structure> guard(*at(i));
        if (add)
            tally.inserted += insert(i, key);
        else
            tally.removed += remove(i, key);
    }
    // A transaction over two structures, as a rule on two nodes: the key goes from one to the
    // other.
    void move(Tally &tally, std::uint64_t from, std::uint64_t to, long key)
    {
        if (from == to)
            return lookup(tally, from, key);
        const std::scoped_lock<Structure, Structure> guard(*at(from), *at(to));
        if (remove(from, key)) {
            insert(to, key);
            ++tally.moved;
        }
    }

    // A quarter of the operations each: look-ups on the thread's own node, on the other, updates
    // anywhere, moves between the nodes.
    void operate(Tally &tally, suite::Rng &rng, int node)
    {
        const auto key = static_cast<long>(rng.below(options_.keyspace));
        switch (rng.below(4)) {
        case 0:
            return lookup(tally, pick(rng, node), key);
        case 1:
            return lookup(tally, pick(rng, 1 - node), key);
        case 2:
            return update(tally, rng.below(options_.num_DS), key, rng.below(2) == 0);
        default:
            const int from = static_cast<int>(rng.below(2));
            const std::uint64_t source = pick(rng, from);
            return move(tally, source, pick(rng, 1 - from), key);
        }
    }

    // The thread that fills structure i: one of the structure's node, so that plain pages lie there
    // by first touch.
    std::uint64_t filler(std::uint64_t i) const
    {
        const std::uint64_t threads = options_.num_threads, node = threads == 1 ? 0 : node_of(i);
        return node + 2 * (i % (node == 0 ? (threads + 1) / 2 : threads / 2));
    }

    // Half of the keyspace; the same keys whoever fills.
    void fill(std::uint64_t i)
    {
        suite::Rng rng(options_.seed + i);
        const std::lock_guard<Structure> guard(*at(i));
        for (std::uint64_t size = 0; size < options_.keyspace / 2;)
            size += insert(i, static_cast<long>(rng.below(options_.keyspace)));
    }

    void work(unsigned t)
    {
        Worker &worker = workers_[t];
        if (options_.verify)
            worker.plain.make();
        for (std::uint64_t i = 0; i < options_.num_DS; ++i) {
            if (filler(i) == t)
                fill(i);
        }
        suite::Rng rng(options_.seed + options_.num_DS + t);
        Tally tally;
        const std::uint64_t threads = options_.num_threads;
        const std::uint64_t quota = options_.ops / threads + (t < options_.ops % threads);
        gate_.arrive_and_wait();
        for (std::uint64_t done = 0;
             options_.ops ? done < quota : !stop_.load(std::memory_order_relaxed); ++done) {
            operate(tally, rng, suite::node_of_thread(t));
            worker.operations.increment();
        }
        worker.tally = tally;
        const std::lock_guard<std::mutex> lock(finished_mutex_);
        ++finished_;
        finished_changed_.notify_one();
    }

    std::uint64_t operations(unsigned node) const
    {
        std::uint64_t sum = 0;
        for (std::uint64_t t = node; t < options_.num_threads; t += 2)
            sum += workers_[t].operations.read();
        return sum;
    }

    // One row per interval, the last one when all threads have ended.
    void report_until_done(suite::Team &team)
    {
        const suite::Timer timer;
        const auto rows = suite::interval_count(options_.duration, options_.interval);
        report_header();
        for (std::uint64_t row = 1;; ++row) {
            const bool last = !options_.ops && row == rows;
            const double time =
                last ? options_.duration : static_cast<double>(row) * options_.interval;
            if (wait_until(timer.at(time)) || last)
                break;
            report_row(options_, timer.seconds(), operations(0), operations(1));
        }
        stop_.store(true, std::memory_order_relaxed);
        team.join();
        report_row(options_, timer.seconds(), operations(0), operations(1));
    }

    // Whether all threads have ended by then.
    bool wait_until(suite::Timer::Clock::time_point time)
    {
        std::unique_lock<std::mutex> lock(finished_mutex_);
        return finished_changed_.wait_until(lock, time,
                                            [this] { return finished_ == options_.num_threads; });
    }

    void verify(Result &result) const
    {
        suite::Census &census = result.census;
        for (std::uint64_t i = 0; i < options_.num_DS; ++i) {
            const int node = options_.placed() ? node_of(i) : suite::plain_heap;
            add_to_census(census, *at(i), node);
            result.contents.add(models_[i].compare(*at(i)));
        }
        const int left = options_.placed() ? 0 : suite::plain_heap;
        const int right = options_.placed() ? 1 : suite::plain_heap;
        if (options_.on_node0())
            census.add("pointer array", left, left_, options_.on_node0() * sizeof *left_);
        census.add("pointer array", right, right_, options_.on_node1() * sizeof *right_);
        for (unsigned t = 0; t < options_.num_threads; ++t)
            workers_[t].plain.add_to(census, options_.pinned() ? suite::node_of_thread(t)
                                                               : suite::plain_heap);
    }

    const Options &options_;
    const Left *left_;
    const Right *right_;
    std::vector<Model> models_;
    std::vector<Worker> workers_;
    suite::Gate gate_;
    std::atomic<bool> stop_{false};
    std::mutex finished_mutex_;
    std::condition_variable finished_changed_;
    std::uint64_t finished_ = 0;
};

// Runs the workload over the structures that the two arrays point to.
template <class Structure, class Left, class Right>
void run_workload(const Options &options, const Left *left, const Right *right, Result &result)
{
    Workload<Structure, Left, Right> workload(options, left, right);
    workload.run(result);
    if (!options.dump.empty()) {
        std::ofstream out(options.dump);
        workload.dump(out);
        result.tally.print(out);
        result.dumped = static_cast<bool>(out.flush());
    }
}

// Deletes the structures that an array points to, and the array.
template <class Structure, class Element>
void destroy(Element *array, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        Structure *structure = array[i];
        delete structure;
    }
    delete[] array;
}

#endif
