// SPDX-License-Identifier: Apache-2.0
// part.c: a library of a program; built with the header in some other way than parts.c.
#include "numa_alloc.h"

#include <stdlib.h>

void *part_give(int node, unsigned long size);
void *part_grow(void *p, unsigned long size);
void part_take(void *p);

void *part_give(int node, unsigned long size)
{
    return numafy_malloc(node, size);
}
void *part_grow(void *p, unsigned long size)
{
    return numafy_realloc(p, size);
}
void part_take(void *p)
{
    numafy_free(p);
}
