// SPDX-License-Identifier: Apache-2.0
// runtime_modes.c: mode bind and the kernel's part of placement on this very host, whatever nodes
// it has: pools 1 to 3 are mapped to its first node. Full nodes are tests/place/place_modes.c's
// matter.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime_child.h"

enum { THREADS = 4, POOLS = 4, ROUNDS = 6, BLOCKS = 300 };

// --- children
/* Mappings of the pools that may be read and written. */
static unsigned mappings(void)
{
    char line[512];
    unsigned n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        const uintptr_t at = strtoul(line, NULL, 16);
        n += at - numafy_state_v3.base < numafy_state_v3.span && strstr(line, " rw-p ");
    }
    if (f)
        fclose(f);
    return n;
}

static void *grow_and_shrink(void *seed)
{
    char *block[BLOCKS];
    size_t size[BLOCKS];
    unsigned long bad = 0;
    unsigned r = (unsigned)(uintptr_t)seed;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            r = r * 1664525u + 1013904223u;
            size[i] = (r >> 8) % (i % 10 ? 20000u : 3000000u) + 1;
            block[i] = numafy_calloc(i % POOLS, 1, size[i]);
            bad += !block[i] || numafy_node_of(block[i]) != i % POOLS;
            bad += block[i] && (block[i][0] || block[i][size[i] - 1] || block[i][size[i] / 2]);
            if (block[i])
                memset(block[i], 1, size[i]);
        }
        for (int i = 0; i < BLOCKS; i++)
            free(block[i]);
        numafy_thread_flush();
        numafy_purge(round % POOLS);
    }
    return (void *)bad;
}

/* Threads grow, free and purge all pools: what comes is zero, in its pool, and the ranges stay
 * whole. Prints errors, mappings beyond one per pool, the policy. */
static int child_bind(void)
{
    pthread_t t[THREADS];
    unsigned long bad = 0;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, grow_and_shrink, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        bad += (unsigned long)wrong;
    }
    const struct numafy_slot *s = &numafy_pools_v3.slot[numafy_state_v3.slot_of[NUMAFY_NODE_ARGS]];
    printf("%lu %u %s", bad, mappings() - POOLS, numafy_policy_name(s->policy));
    return 0;
}

/* What is in memory by the statistics: the pools' pages and no others. */
static int child_residence(void)
{
    struct numafy_residence r[NUMAFY_SLOTS + 1], before, after;
    const size_t size = (size_t)16 << 20;
    free(numafy_malloc(0, 100));
    if (!numafy_residence_read(r, &before)) {
        printf("unknown");
        return 0;
    }
    char *plain = malloc(2 * size), *p = numafy_malloc(0, size);
    memset(plain, 1, 2 * size);
    memset(p, 1, size);
    numafy_residence_read(r, &after);
    const size_t more = after.resident - before.resident;
    printf("%s", more >= size && more <= size + size / 2 && !after.spilled ? "right" : "wrong");
    free(plain), free(p);
    return 0;
}

/* The interleaved pool's policy, and whether the kernel takes the weighted one from us directly. */
static int child_interleave(void)
{
    const uint64_t set[NUMAFY_WORDS] = {1};
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int e = numafy_os_bind((uintptr_t)page, 4096, NUMAFY_MPOL_WEIGHTED_INTERLEAVE, set);
    char *p = numafy_malloc(NUMAFY_INTERLEAVE, 100);
    const char *const name =
        numafy_policy_name(numafy_pools_v3.slot[numafy_slot_of_address(p)].policy);
    const char *const wanted = e == 0 ? "weighted" : e == -EINVAL ? "interleave" : "none";
    printf("%s", strcmp(name, wanted) ? name : "as the kernel can");
    return 0;
}

/* The CPU that is read from memory is the one that getcpu names. */
static int child_cpu(void)
{
    cpu_set_t all, one;
    int bad = 0;
    sched_getaffinity(0, sizeof all, &all);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        bad += sched_setaffinity(0, sizeof one, &one) || numafy_os_cpu() != (int)cpu;
    }
    printf("%d", bad);
    return 0;
}

/* A destructor behind jemalloc's own gets nothing in mode bind, and must not crash. */
static pthread_key_t late;
static void late_destructor(void *unused)
{
    (void)unused;
    void *p = numafy_malloc(0, 100);
    printf("%s", p && numafy_node_of(p) != 0 ? "elsewhere" : "on the node or NULL");
    free(p);
}

static void *late_life(void *unused)
{
    pthread_setspecific(late, &late);
    free(numafy_malloc(0, 100));
    return unused;
}

static int child_late(void)
{
    pthread_t t;
    free(numafy_malloc(0, 100));
    pthread_key_create(&late, late_destructor);
    pthread_create(&t, NULL, late_life, NULL);
    pthread_join(t, NULL);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} children[] = {
    {"bind", child_bind}, {"residence", child_residence}, {"interleave", child_interleave},
    {"cpu", child_cpu},   {"late", child_late},
};

static int run_child(const char *name)
{
    for (size_t i = 0; i < sizeof children / sizeof children[0]; i++)
        if (!strcmp(children[i].name, name))
            return children[i].run();
    return 124;
}

// --- tests
#define MAPPED "NUMAFY_NODEMAP=1:0,2:0,3:0"

/* P25: a library does not print where it was told to be quiet, and leaves ending to the program. */
static void prints(const char *name, const char *setting, const char *out)
{
    const struct outcome o = child(LIST(name), LIST(setting, MAPPED, "NUMAFY_QUIET=1"));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, out);
    assert_string_equal(o.err, "");
}

static void test_ranges_stay_whole_in_mode_bind(void **state)
{
    (void)state;
    const struct outcome o = child(LIST("bind"), LIST("NUMAFY_MODE=bind", MAPPED));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.err, "");
    // On one node a container may forbid mbind; see docs/runtime.md.
    if (strcmp(o.out, "0 0 none"))
        assert_string_equal(o.out, "0 0 bind");
}

static void test_ranges_stay_whole_in_mode_prefer(void **state)
{
    (void)state;
    const struct outcome o = child(LIST("bind"), LIST("NUMAFY_MODE=prefer", MAPPED));
    if (strcmp(o.out, "0 0 none"))
        assert_string_equal(o.out, "0 0 preferred");
}

/* P26 */
static void test_only_pages_of_pools_are_counted(void **state)
{
    (void)state;
    prints("residence", "NUMAFY_MODE=prefer", "right");
}

static void test_interleaving_is_what_the_kernel_can(void **state)
{
    (void)state;
    prints("interleave", "NUMAFY_MODE=prefer", "as the kernel can");
}

static void test_the_cpu_is_read_from_memory(void **state)
{
    (void)state;
    prints("cpu", "NUMAFY_MODE=prefer", "0");
}

static void test_late_destructors_get_nothing_elsewhere_in_mode_bind(void **state)
{
    (void)state;
    prints("late", "NUMAFY_MODE=bind", "on the node or NULL");
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--child"))
        return run_child(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_stay_whole_in_mode_bind),
        cmocka_unit_test(test_ranges_stay_whole_in_mode_prefer),
        cmocka_unit_test(test_only_pages_of_pools_are_counted),
        cmocka_unit_test(test_interleaving_is_what_the_kernel_can),
        cmocka_unit_test(test_the_cpu_is_read_from_memory),
        cmocka_unit_test(test_late_destructors_get_nothing_elsewhere_in_mode_bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
