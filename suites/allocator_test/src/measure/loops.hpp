// SPDX-License-Identifier: Apache-2.0
// The loops around one allocator's calls, compiled for every size and node so that each allocator
// is called as a user's program would call it: inline where it is inline, with constants. An
// allocator is a class template over size and node with
//
//     static void *take();             one object, its first word written
//     static void give(void *object);
#ifndef ALLOCATOR_TEST_LOOPS_HPP
#define ALLOCATOR_TEST_LOOPS_HPP

#include "measure.hpp"
#include "object.hpp"

#include <ctime>

// The compiler may neither drop an allocation nor move one across this.
inline void loop_use(void *object)
{
    __asm__ volatile("" ::"r"(object) : "memory");
}

inline std::uint64_t loop_cpu_ns()
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(now.tv_nsec);
}

template <class A>
void loop_run(Job &job)
{
    void **const slots = job.slots.data();
    const std::size_t count = job.slots.size();
    job.started = loop_cpu_ns();
    if (job.pattern == Pattern::cycle && !job.keep) {
        for (std::size_t i = 0; i < count; ++i) {
            void *object = A::take();
            loop_use(object);
            A::give(object);
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            slots[i] = A::take();
            loop_use(slots[i]);
        }
        job.allocated = loop_cpu_ns();
        for (std::size_t i = 0; i < count && !job.keep; ++i) {
            A::give(slots[i]);
            __asm__ volatile("" ::: "memory");
        }
    }
    job.freed = loop_cpu_ns();
}

template <class A>
void loop_release(Job &job)
{
    for (void *object : job.slots)
        A::give(object);
}

// The sizes that there are loops for.
#define LOOP_SIZES(X) X(16) X(32) X(64) X(128) X(256) X(1024) X(4096) X(32768)

// Puts the loops for a size and a node into a row.
template <template <std::size_t, int> class A, std::size_t Size>
void loop_choose_node(Allocator &row, int node)
{
    static_assert(static_nodes == 4, "one line per node");
    static constexpr void (*run[])(Job &) = {loop_run<A<Size, 0>>, loop_run<A<Size, 1>>,
                                             loop_run<A<Size, 2>>, loop_run<A<Size, 3>>};
    row.run = run[node];
    static constexpr void (*release[])(Job &) = {loop_release<A<Size, 0>>, loop_release<A<Size, 1>>,
                                                 loop_release<A<Size, 2>>,
                                                 loop_release<A<Size, 3>>};
    row.release = release[node];
}

template <template <std::size_t, int> class A>
void loop_choose(Allocator &row, std::uint64_t size, int node)
{
#define LOOP_CASE(bytes) \
    if (size == bytes)   \
        loop_choose_node<A, bytes>(row, node);
    LOOP_SIZES(LOOP_CASE)
#undef LOOP_CASE
}

#endif
