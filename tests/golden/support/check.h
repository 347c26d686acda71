// SPDX-License-Identifier: Apache-2.0
/*
 * What the programs of golden cases include: CHECK_NODE(p, node) stops the program if p is not in the pool of that node
 * (-1: not in any pool). It is a no-op but in the build of a case's expected output with the runtime. The function is declared
 * under a name of our own, so that this header stays independent of the runtime's.
 */
#ifndef GOLDEN_CHECK_H
#define GOLDEN_CHECK_H
#include <cstdio>
#include <cstdlib>

#ifdef NUMAFY_CHECK_PLACEMENT
extern "C" int golden_node_of(const void *p) __asm__("numafy_node_of");

inline void golden_check(const void *p, int node, const char *what, const char *file, int line)
{
    int found = golden_node_of(p);
    if (found != node) {
        std::fprintf(stderr, "%s:%d: %s is on node %d, expected %d\n", file, line, what, found, node);
        std::_Exit(1);
    }
}
#define CHECK_NODE(p, node) golden_check((p), (node), #p, __FILE__, __LINE__)
/* In the pool of some node. */
#define CHECK_POOL(p)                                                        \
    golden_check((p), golden_node_of(p) < 0 ? 0 : golden_node_of(p), #p, __FILE__, __LINE__)
#else
#define CHECK_POOL(p) ((void)(p))
#define CHECK_NODE(p, node) ((void)(p))
#endif
#endif
