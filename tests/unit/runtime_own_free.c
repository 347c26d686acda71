// SPDX-License-Identifier: Apache-2.0
// runtime_own_free.c: a program's own strong free, which wins over ours: blocks of the pools would
// end up in the heap below, so the pools must stay off.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

void free(void *p);
unsigned long own_frees;

void free(void *p)
{
    static void (*next)(void *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "free");
    own_frees += p != NULL;
    next(p);
}
