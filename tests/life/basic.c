// SPDX-License-Identifier: Apache-2.0
// basic.c: a small program with pools. Prints the nodes of a block of node 1, of a grown one and of
// a plain one, and what it was told; frees all of them by the C library's names.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *placed = numafy_malloc(1, 100), *plain = malloc(100), *copy = strdup("copied");
    const int node = numafy_node_of(placed);
    memset(placed, 7, 100);
    placed = realloc(placed, 100000);
    char *aligned = aligned_alloc(4096, 8192), *zero = calloc(100, 100);
    const int intact = placed[99] == 7 && !zero[9999] && !((unsigned long)aligned % 4096);
    printf("%d %d %d %s %s\n", node, numafy_node_of(placed), numafy_node_of(plain), copy,
           intact ? "intact" : "broken");
    zero = realloc(zero, 50000);
    free(placed), free(plain), free(copy), free(aligned), free(zero);
    return 0;
}
