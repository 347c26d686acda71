// SPDX-License-Identifier: Apache-2.0
// The suites' threads: a team that runs one function, half of it on node 0 and half on node 1,
// pinned by thread_numa before the function starts, or plain std::thread; a gate that lets all of
// them begin together; a counter that only one of them writes. Knows no workload.
#ifndef NUMAFY_SUITES_THREADS_HPP
#define NUMAFY_SUITES_THREADS_HPP

#include "numa_alloc.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace suite
{

// The node that thread number t belongs to; it is pinned there if its team is.
inline int node_of_thread(unsigned t)
{
    return static_cast<int>(t % 2);
}

// Runs body(t) on `count` threads; join() waits for all.
class Team
{
  public:
    template <class Body>
    Team(unsigned count, bool pinned, Body body)
    {
        for (unsigned t = 0; t < count; ++t) {
            if (!pinned)
                plain_.emplace_back([body, t] { body(t); });
            else if (node_of_thread(t) == 0)
                on_node0_.emplace_back([body, t] { body(t); });
            else
                on_node1_.emplace_back([body, t] { body(t); });
        }
    }

    void join()
    {
        for (auto &thread : plain_)
            thread.join();
        for (auto &thread : on_node0_)
            thread.join();
        for (auto &thread : on_node1_)
            thread.join();
    }

  private:
    std::vector<std::thread> plain_;
    std::vector<thread_numa<0>> on_node0_;
    std::vector<thread_numa<1>> on_node1_;
};

// Everybody who arrives waits until `parties` have.
class Gate
{
  public:
    explicit Gate(unsigned parties) : missing_(parties) {}

    void arrive_and_wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        if (--missing_ == 0)
            open_.notify_all();
        open_.wait(lock, [this] { return missing_ == 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable open_;
    unsigned missing_;
};

// Written by its thread, read by the reporter: no read-modify-write needed, and 128 bytes (two
// lines, which the adjacent-line prefetcher fetches together) keep neighbours from sharing.
struct alignas(128) Counter {
    std::atomic<std::uint64_t> value{0};

    void increment()
    {
        value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    std::uint64_t read() const { return value.load(std::memory_order_relaxed); }
};

} // namespace suite

#endif
