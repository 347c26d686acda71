// SPDX-License-Identifier: Apache-2.0
// Linked lists on two nodes. The annotations numa<T, k> below are the only place that names nodes;
// what the lists allocate from then on follows them.
#include "linked_list.hpp"
#include "numa_alloc.h"
#include "run.hpp"
#include "workload.hpp"

static void add_to_census(suite::Census &census, const LinkedList &list, int node)
{
    census.add("list", node, &list, sizeof list);
    census.add("list sentinel", node, &list.sentinel(), sizeof(ListNode));
    census.add("list's ring", node, &list.removed(), sizeof list.removed());
    const auto &ring = list.removed().ring();
    census.add("list's ring buffer", node, ring.data(), ring.size() * sizeof ring[0]);
    list.for_each_node([&](const ListNode &n) { census.add("list node", node, &n, sizeof n); });
}

static void run_placed(const Options &options, Result &result)
{
    auto *left = new numa<LinkedList *, 0>[options.on_node0()];
    auto *right = new numa<LinkedList *, 1>[options.on_node1()];
    for (std::uint64_t i = 0; i < options.on_node0(); ++i)
        left[i] = new numa<LinkedList, 0>();
    for (std::uint64_t i = 0; i < options.on_node1(); ++i)
        right[i] = new numa<LinkedList, 1>();

    run_workload<LinkedList>(options, left, right, result);

    destroy<LinkedList>(left, options.on_node0());
    destroy<LinkedList>(right, options.on_node1());
}

static void run_regular(const Options &options, Result &result)
{
    auto **left = new LinkedList *[options.on_node0()];
    auto **right = new LinkedList *[options.on_node1()];
    for (std::uint64_t i = 0; i < options.on_node0(); ++i)
        left[i] = new LinkedList();
    for (std::uint64_t i = 0; i < options.on_node1(); ++i)
        right[i] = new LinkedList();

    run_workload<LinkedList>(options, left, right, result);

    destroy<LinkedList>(left, options.on_node0());
    destroy<LinkedList>(right, options.on_node1());
}

void run_lists(const Options &options, Result &result)
{
    if (options.placed())
        run_placed(options, result);
    else
        run_regular(options, result);
}
