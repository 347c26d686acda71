// SPDX-License-Identifier: Apache-2.0
// part.c: a library of a program; built with the header in some other way than parts.c.
#include "numa_alloc.h"

#include <stdlib.h>

#define VISIBLE __attribute__((visibility("default"))) // also under -fvisibility=hidden

#ifndef PART
#define PART(name) part_##name
#endif

VISIBLE void *PART(give)(int node, unsigned long size);
VISIBLE void *PART(grow)(void *p, unsigned long size);
VISIBLE void PART(take)(void *p);
VISIBLE int PART(node)(void *p);

void *PART(give)(int node, unsigned long size)
{
    return numafy_malloc(node, size);
}
void *PART(grow)(void *p, unsigned long size)
{
    return numafy_realloc(p, size);
}
void PART(take)(void *p)
{
    numafy_free(p);
}
int PART(node)(void *p)
{
    return numafy_node_of(p);
}
