// SPDX-License-Identifier: Apache-2.0
// constructor.c: a library whose constructor allocates on a node, while another thread of the
// program uses its pools for the first time. dlopen holds the dynamic linker's lock meanwhile.
#include "numa_alloc.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

extern int loading, using_pools;

__attribute__((constructor)) static void begin(void)
{
    __atomic_store_n(&loading, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&using_pools, __ATOMIC_ACQUIRE))
        sched_yield();
    usleep(200000); // the other thread is in the middle of it
    free(numafy_malloc(1, 100));
}
