// SPDX-License-Identifier: Apache-2.0
// loading.c LIBRARY: opens constructor.c in one thread and uses the pools for the first time in
// another.
#include "numa_alloc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int loading, using_pools; // constructor.c

static void *load(void *path)
{
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

int main(int argc, char **argv)
{
    pthread_t t;
    void *library = NULL;
    alarm(60);
    if (argc < 2)
        return 1;
    pthread_create(&t, NULL, load, argv[1]);
    while (!__atomic_load_n(&loading, __ATOMIC_ACQUIRE))
        sched_yield();
    __atomic_store_n(&using_pools, 1, __ATOMIC_RELEASE);
    void *p = numafy_malloc(1, 100);
    printf("%d ", numafy_node_of(p));
    free(p);
    pthread_join(t, &library);
    puts(library ? "loaded" : dlerror());
    return 0;
}
