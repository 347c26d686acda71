// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include "environment.hpp"
#include "loops.hpp"
#include "placement.hpp"
#include "threads.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

namespace
{

using Clock = std::chrono::steady_clock;

constexpr unsigned warm_up = 3;             // batches
constexpr std::size_t most_batches = 50000; // whose times are kept

struct Worker {
    Job job;
    std::vector<double> alloc, free, pair; // ns per object, one of each per batch
    std::uint64_t batches = 0;
    Clock::time_point first, last;
};

// What two readings of the clock are apart although nothing is between them.
double clock_cost()
{
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t before = loop_cpu_ns();
        least = std::min(least, loop_cpu_ns() - before);
    }
    return static_cast<double>(least);
}

// Thread t to the t-th CPU that the process may use, so that none of them wanders between caches.
void pin(unsigned t)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return; // more CPUs than a cpu_set_t has: unpinned is no error
    unsigned nth = t % static_cast<unsigned>(CPU_COUNT(&allowed));
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed) || nth-- > 0)
            continue;
        CPU_ZERO(&allowed);
        CPU_SET(cpu, &allowed);
        sched_setaffinity(0, sizeof allowed, &allowed);
        return;
    }
}

void record(Worker &w, double cost)
{
    if (w.pair.size() == w.pair.capacity())
        return;
    const Job &job = w.job;
    const double objects = static_cast<double>(job.slots.size());
    const auto span = [&](std::uint64_t from, std::uint64_t to) {
        return std::max(0.0, static_cast<double>(to - from) - cost) / objects;
    };
    if (job.pattern == Pattern::cycle) {
        w.pair.push_back(span(job.started, job.freed));
        return;
    }
    w.alloc.push_back(span(job.started, job.allocated));
    w.free.push_back(span(job.allocated, job.freed));
    w.pair.push_back(w.alloc.back() + w.free.back());
}

void run_batches(const Cell &cell, Worker &w, double cost)
{
    const auto time =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(cell.seconds));
    w.first = w.last = Clock::now();
    do {
        cell.allocator->run(w.job);
        record(w, cost);
        ++w.batches;
        w.last = Clock::now();
    } while (w.last - w.first < time);
}

// Where the kept objects are: by address for our pools, and that no other allocator hands out our
// pools' memory; by the kernel for what promises a node.
void look(const Cell &cell, const Worker &w, suite::PageNodes &pages, Figures &figures)
{
    const Allocator &row = *cell.allocator;
    const int pool = row.ours ? cell.node : suite::plain_heap;
    // libnuma does not know of NUMAFY_NODEMAP.
    const int home = row.ours ? suite::physical_node(cell.node) : cell.node;
    const bool judged = row.bound && suite::node_has_memory(home) && suite::binding_allowed();
    for (const void *object : w.job.slots) {
        const int there = judged && object ? pages.node_of(object) : -1;
        ++figures.looked_at;
        figures.wrong += !object ||
                         (suite::placement_built_in && suite::pool_node(object) != pool) ||
                         (there >= 0 && there != home);
        figures.unknown += row.bound && there < 0;
    }
}

double median_over(const std::vector<Worker> &workers, std::vector<double> Worker::*times)
{
    std::vector<double> medians;
    for (const Worker &w : workers)
        medians.push_back(measure_median(w.*times));
    return measure_median(medians);
}

} // namespace

double measure_median(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

Figures measure(const Cell &cell)
{
    std::vector<Worker> workers(cell.threads);
    suite::Gate start(cell.threads), kept(cell.threads + 1), looked(cell.threads + 1);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < cell.threads; ++t) {
        Worker &w = workers[t];
        w.job.pattern = cell.pattern;
        w.job.keep = false;
        w.job.slots.resize(cell.allocator->batch);
        for (auto *times : {&w.alloc, &w.free, &w.pair})
            times->reserve(most_batches / cell.threads);
        threads.emplace_back([&, t] {
            pin(t);
            const double cost = clock_cost();
            for (unsigned i = 0; i < warm_up; ++i)
                cell.allocator->run(workers[t].job);
            start.arrive_and_wait();
            run_batches(cell, workers[t], cost);
            workers[t].job.keep = true;
            cell.allocator->run(workers[t].job);
            kept.arrive_and_wait();
            looked.arrive_and_wait();
            cell.allocator->release(workers[t].job);
        });
    }

    Figures figures;
    kept.arrive_and_wait();
    suite::PageNodes pages;
    for (const Worker &w : workers)
        look(cell, w, pages, figures);
    looked.arrive_and_wait();
    for (auto &thread : threads)
        thread.join();

    Clock::time_point first = workers[0].first, last = workers[0].last;
    for (const Worker &w : workers) {
        first = std::min(first, w.first);
        last = std::max(last, w.last);
        figures.objects += w.batches * w.job.slots.size();
    }
    figures.alloc = median_over(workers, &Worker::alloc);
    figures.free = median_over(workers, &Worker::free);
    figures.pair = median_over(workers, &Worker::pair);
    figures.elapsed = std::chrono::duration<double, std::nano>(last - first).count() *
                      std::min(cell.threads, suite::usable_cpus()) /
                      static_cast<double>(figures.objects);
    return figures;
}
