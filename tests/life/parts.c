// SPDX-License-Identifier: Apache-2.0
// parts.c: a program and its library give each other blocks. Prints the nodes of a block of the
// program's, of one of the library's, and of that one after the program has grown it.
#include "numa_alloc.h"

#include <stdio.h>
#include <stdlib.h>

void *part_give(int node, unsigned long size);
void *part_grow(void *p, unsigned long size);
void part_take(void *p);

int main(void)
{
    void *mine = numafy_malloc(1, 100), *theirs = part_give(1, 100);
    printf("%d %d ", numafy_node_of(mine), numafy_node_of(theirs));
    mine = part_grow(mine, 1000);
    theirs = numafy_realloc(theirs, 1000);
    printf("%d\n", numafy_node_of(theirs));
    part_take(mine);
    numafy_free(theirs);
    return 0;
}
