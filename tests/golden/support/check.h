/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of golden cases include: CHECK_NODE(p, node) stops the program if p is not in the pool of that node
 * (-1: not in any pool). It is a no-op but in the build of a case's expected output with the runtime. The function is declared
 * under a name of our own, so that this header stays independent of the runtime's.
 */
#ifndef GOLDEN_CHECK_H
#define GOLDEN_CHECK_H
#ifdef __cplusplus
#include <cstdio>
#include <cstdlib>
#define GOLDEN_C extern "C"
#else
#include <stdio.h>
#include <stdlib.h>
#define GOLDEN_C extern
#endif

#ifdef NUMAFY_CHECK_PLACEMENT
GOLDEN_C int golden_node_of(const void *p) __asm__("numafy_node_of");

__attribute__((__unused__)) static void golden_check(const void *p, int node, const char *what, const char *file, int line)
{
    int found = golden_node_of(p);
    if (found != node) {
        fprintf(stderr, "%s:%d: %s is on node %d, expected %d\n", file, line, what, found, node);
        abort();
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
