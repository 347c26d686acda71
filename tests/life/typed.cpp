// SPDX-License-Identifier: Apache-2.0
// typed.cpp: the inlined paths, for a look at what they compile to.
#define NUMAFY_INLINE
#include "numa_alloc.h"

struct Item {
    int value;
    Item *next;
};

Item *make(Item *next)
{
    Item *made = new numafy::numa<Item, 1>();
    made->next = next;
    return made;
}
void drop(numafy::numa<Item, 1> *p)
{
    delete p;
}
void *get(int node, size_t size)
{
    return numafy_malloc(node, size);
}
void put(void *p)
{
    numafy_free(p);
}
