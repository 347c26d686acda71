// SPDX-License-Identifier: Apache-2.0
// race_runtime_locks.c: frees of threads do not meet at the main thread's arena. A jemalloc tcache
// books its statistics for ever in the arena that was current when it was made; one made on the
// main thread takes that arena's bin locks at every flush, whatever it caches. Counts lock
// operations, so one CPU is enough.
//
// Built with NUMAFY_TEST_MAIN_TCACHE it is the control: a cache for each thread
// (NUMAFY_CACHE=tcache), made on the main thread; the same count must be too high.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200, BLOCKS = 1000, CACHES = 64 };

#ifdef NUMAFY_TEST_MAIN_TCACHE
unsigned numafy_test_main_tcaches[CACHES];
unsigned numafy_test_main_tcache_count;
#endif

static unsigned long lock_operations(unsigned arena)
{
    unsigned nbins = 0;
    size_t len = sizeof nbins;
    uint64_t epoch = 1, sum = 0;
    char name[80];
    numafy_je_mallctl_("epoch", NULL, NULL, &epoch, sizeof epoch);
    numafy_je_mallctl_("arenas.nbins", &nbins, &len, NULL, 0);
    for (unsigned j = 0; j < nbins; j++) {
        uint64_t ops = 0;
        len = sizeof ops;
        snprintf(name, sizeof name, "stats.arenas.%u.bins.%u.mutex.num_ops", arena, j);
        numafy_je_mallctl_(name, &ops, &len, NULL, 0);
        sum += ops;
    }
    return (unsigned long)sum;
}

static void *work(void *arg)
{
    static const unsigned sizes[] = {32, 48, 100, 500};
    void *p[BLOCKS];
    (void)arg;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCKS; i++)
            p[i] = numafy_malloc(1 + i % 2, sizes[i % 4]);
        for (int i = 0; i < BLOCKS; i++)
            free(p[i]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argc, (void)argv;
    unsigned arena = 0;
    size_t len = sizeof arena;
    pthread_t t[THREADS];
    free(malloc(1));
    if (numafy_je_mallctl_("thread.arena", &arena, &len, NULL, 0)) {
        printf("Bail out! jemalloc does not tell the thread's arena\n");
        return 1;
    }
#ifdef NUMAFY_TEST_MAIN_TCACHE
    /* The environment is read before main. */
    if (!getenv("NUMAFY_CACHE") && !setenv("NUMAFY_CACHE", "tcache", 1))
        execv("/proc/self/exe", argv);
    for (unsigned i = 0; i < CACHES; i++) {
        len = sizeof numafy_test_main_tcaches[0];
        if (numafy_je_mallctl_("tcache.create", &numafy_test_main_tcaches[i], &len, NULL, 0))
            break;
        numafy_test_main_tcache_count++;
    }
#endif
    const unsigned long before = lock_operations(arena);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    const unsigned long operations = lock_operations(arena) - before;
    const unsigned long frees = (unsigned long)THREADS * ROUNDS * BLOCKS, limit = frees / 1000;
    printf("1..1\n# %lu lock operations of the main thread's arena for %lu frees of %d threads\n",
           operations, frees, THREADS);
#ifdef NUMAFY_TEST_MAIN_TCACHE
    const int ok = operations > limit;
    printf("%sok 1 - control: caches made on the main thread are detected\n", ok ? "" : "not ");
#else
    const int ok = operations <= limit;
    printf("%sok 1 - threads that free do not take the main arena's locks\n", ok ? "" : "not ");
#endif
    return !ok;
}
