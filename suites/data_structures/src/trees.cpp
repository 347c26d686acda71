// SPDX-License-Identifier: Apache-2.0
// Binary search trees on two nodes. The annotations numa<T, k> below are the only place that names
// nodes; what the trees allocate from then on follows them.
#include "binary_search_tree.hpp"
#include "numa_alloc.h"
#include "run.hpp"
#include "workload.hpp"

static void add_to_census(suite::Census &census, const BinarySearchTree &tree, int node)
{
    census.add("tree", node, &tree, sizeof tree);
    census.add("tree's ring", node, &tree.removed(), sizeof tree.removed());
    const auto &ring = tree.removed().ring();
    census.add("tree's ring buffer", node, ring.data(), ring.size() * sizeof ring[0]);
    tree.for_each_node([&](const TreeNode &n) { census.add("tree node", node, &n, sizeof n); });
}

static void run_placed(const Options &options, Result &result)
{
    auto *left = new numa<BinarySearchTree *, 0>[options.on_node0()];
    auto *right = new numa<BinarySearchTree *, 1>[options.on_node1()];
    for (std::uint64_t i = 0; i < options.on_node0(); ++i)
        left[i] = new numa<BinarySearchTree, 0>();
    for (std::uint64_t i = 0; i < options.on_node1(); ++i)
        right[i] = new numa<BinarySearchTree, 1>();

    run_workload<BinarySearchTree>(options, left, right, result);

    destroy<BinarySearchTree>(left, options.on_node0());
    destroy<BinarySearchTree>(right, options.on_node1());
}

static void run_regular(const Options &options, Result &result)
{
    auto **left = new BinarySearchTree *[options.on_node0()];
    auto **right = new BinarySearchTree *[options.on_node1()];
    for (std::uint64_t i = 0; i < options.on_node0(); ++i)
        left[i] = new BinarySearchTree();
    for (std::uint64_t i = 0; i < options.on_node1(); ++i)
        right[i] = new BinarySearchTree();

    run_workload<BinarySearchTree>(options, left, right, result);

    destroy<BinarySearchTree>(left, options.on_node0());
    destroy<BinarySearchTree>(right, options.on_node1());
}

void run_trees(const Options &options, Result &result)
{
    if (options.placed())
        run_placed(options, result);
    else
        run_regular(options, result);
}
