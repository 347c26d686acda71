// SPDX-License-Identifier: Apache-2.0
// runtime_limits.c: what happens when jemalloc's ids run out, and in a program whose free is its
// own. Built once per case with the definition that names it.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef CASE_OWN_FREE
extern unsigned long own_frees; // runtime_own_free.c

static void test_the_pools_stay_off_if_free_is_not_ours(void **state)
{
    (void)state;
    const unsigned long before = own_frees;
    char *p = numafy_malloc(1, 100), *q = numafy_calloc(0, 10, 10);
    assert_non_null(p);
    assert_int_equal(numafy_node_of(p), NUMAFY_NO_NODE);
    assert_int_equal(q[99], 0);
    memset(p, 1, 100);
    p = numafy_realloc(p, 5000);
    assert_int_equal(p[99], 1);
    free(p);
    numafy_free(q);
    assert_true(own_frees >= before + 2);
    assert_non_null(strstr(numafy_strerror(), "the program's free is not ours"));
    assert_true(numafy_pools_v3.plain_served >= 2);
}
#else
static void *use(void *arg)
{
    (void)arg;
    unsigned long wrong = 0;
    void *p[100];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 100; i++) {
            p[i] = numafy_malloc(i % 4, (size_t)i * 3);
            wrong += numafy_node_of(p[i]) != i % 4;
        }
        for (int i = 0; i < 100; i++)
            free(p[i]);
    }
    return (void *)wrong;
}

static void test_threads_beyond_the_ids_work_without_a_cache(void **state)
{
    (void)state;
    pthread_t t[4];
    size_t uncached = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, use, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        assert_null(wrong);
    }
    for (unsigned s = 1; s <= numafy_pools_v3.slots; s++)
        uncached += numafy_pools_v3.slot[s].uncached;
    assert_true(uncached >= 8); // each of 4 threads wants 4 of the 2 that there are
    assert_int_equal(numafy_pools_v3.tcaches, 0);
}

static void test_more_nodes_than_slots_go_to_the_plain_heap(void **state)
{
    (void)state;
    int pooled = 0, plain = 0;
    for (int node = 0; node < 200; node++) {
        void *p = numafy_malloc(node, 50);
        assert_non_null(p);
        if (numafy_node_of(p) == node)
            pooled++;
        else if (numafy_node_of(p) == NUMAFY_NO_NODE)
            plain++;
        free(p);
    }
    assert_int_equal(pooled, numafy_pools_v3.slot_limit);
    assert_int_equal(pooled + plain, 200);
    assert_int_equal(numafy_pools_v3.plain_served, plain);
}
#endif

int main(int argc, char **argv)
{
    (void)argc;
    /* Explicit tcaches are what runs out; the environment is read before main. */
    if (!getenv("NUMAFY_CACHE") && !setenv("NUMAFY_CACHE", "tcache", 1))
        execv("/proc/self/exe", argv);
    const struct CMUnitTest tests[] = {
#ifdef CASE_OWN_FREE
        cmocka_unit_test(test_the_pools_stay_off_if_free_is_not_ours),
#else
        cmocka_unit_test(test_threads_beyond_the_ids_work_without_a_cache),
        cmocka_unit_test(test_more_nodes_than_slots_go_to_the_plain_heap),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
