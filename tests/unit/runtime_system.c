// SPDX-License-Identifier: Apache-2.0
// runtime_system.c: the runtime on kernels and machines that this host is not (runtime_system.h):
// what it asks of them, and what becomes of every single refusal.
#define _GNU_SOURCE
#define NUMAFY_TEST_FAULTS
#include "numa_alloc.h"

#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "runtime_machine.h"
#include "runtime_system.h"

/* Runs a case in a child of its own, for the runtime's state is the process's. What it says on
 * stderr is kept; its status is what it returns. */
static char said[4096];

static int in_child(int (*run)(const void *), const void *arg)
{
    int fds[2], status = 0;
    size_t n = 0;
    assert_int_equal(pipe(fds), 0);
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        close(fds[0]);
        dup2(fds[1], 2);
        alarm(60); // a lock that is left held
        _exit(run(arg));
    }
    close(fds[1]);
    for (ssize_t r; n < sizeof said - 1 && (r = read(fds[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)r;
    said[n] = 0;
    close(fds[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* The start of the process anew, on the machine of the test's tree, in a child. */
static void start(int mode)
{
    numafy_pools_v3.sysfs = root;
    numafy_pools_v3.mode = mode;
    kernel.calls = kernel.opens = 0;
    numafy_policy_start();
}

// --- what is asked of the kernel
/* P18, P33: one bit for the node, and a length that makes the kernel read it. */
static int mask_case(const void *arg)
{
    const int node = *(const int *)arg;
    int bits = 0;
    start(NUMAFY_PREFER);
    free(numafy_malloc(node, 100));
    for (int w = 0; w < NUMAFY_WORDS; w++)
        bits += __builtin_popcountll(kernel.bind.mask[w]);
    // The kernel reads maxnode - 1 bits.
    return bits != 1 || !(kernel.bind.mask[node / 64] >> (node % 64) & 1) ||
           kernel.bind.maxnode - 1 <= (unsigned long)node ||
           kernel.bind.mode != NUMAFY_MPOL_PREFERRED || numafy_pools_v3.slot[0].bind_error;
}

static void test_masks(void **state)
{
    (void)state;
    const int nodes[] = {0, 1, 63, 64, 127, 255, 1023};
    machine("0-1,63-64,127,255,1023\n", "0-1,63-64,127,255,1023\n", "0\n");
    put_node(0, "10 20 20 20 20 20 20\n", "0\n");
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
        if (in_child(mask_case, &nodes[i]) != 0)
            fail_msg("node %d", nodes[i]);
}

/* P19: another kernel's idea of how long a mask must be is no reason to fail. */
static int strange_policy_case(const void *arg)
{
    (void)arg;
    kernel.strange_policy = 1;
    start(NUMAFY_BIND);
    char *p = numafy_malloc(1, 100);
    return !p || numafy_node_of(p) != 1;
}

static void test_get_mempolicy_may_say_einval(void **state)
{
    (void)state;
    machine_pair();
    assert_int_equal(in_child(strange_policy_case, NULL), 0);
    assert_string_equal(said, "");
}

/* P23: ENOSYS and an empty sysfs are one node 0, without a word. */
static int no_numa_case(const void *arg)
{
    const int mode = *(const int *)arg;
    char *p, *q;
    kernel.no_numa = 1;
    start(mode);
    numafy_pools_v3.sysfs = "/nonexistent";
    p = numafy_malloc(0, 100);
    if (!p || numafy_node_of(p) != 0)
        return 1;
    memset(p, 1, 100);
    free(p);
    q = numafy_malloc(NUMAFY_INTERLEAVE, 100);
    if (!q)
        return 2;
    if (mode == NUMAFY_BIND) // node 1 is not there
        return numafy_malloc(1, 100) || !strstr(numafy_strerror(), "node 1 does not exist") ? 3 : 0;
    return 0;
}

static void test_a_kernel_without_numa_is_one_node_without_a_warning(void **state)
{
    (void)state;
    const int modes[] = {NUMAFY_PREFER, NUMAFY_BIND};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(in_child(no_numa_case, &modes[i]), 0);
        assert_string_equal(said, "");
    }
}

/* P37: nodes that cannot be read, on a kernel that has some, are not taken for one in silence. */
static int hidden_case(const void *arg)
{
    (void)arg;
    start(NUMAFY_PREFER);
    numafy_pools_v3.sysfs = "/nonexistent";
    return numafy_node_of(numafy_malloc(0, 100)) != 0;
}

static void test_a_sysfs_that_is_hidden_is_told(void **state)
{
    (void)state;
    assert_int_equal(in_child(hidden_case, NULL), 0);
    assert_string_equal(said, "numafy: the machine's nodes cannot be read: one node is assumed\n");
}

/* Errors of mbind, told apart. P16, P22 */
struct refusal {
    int error, mode, pair;
    const char *warning, *reason;
};

static int refusal_case(const void *arg)
{
    const struct refusal *r = arg;
    kernel.all_of = CALL_MBIND;
    kernel.error = r->error;
    start(r->mode);
    char *p = numafy_malloc(r->pair, 100);
    if (r->reason)
        return p || errno != ENOMEM || !strstr(numafy_strerror(), r->reason);
    static char text[8192];
    numafy_stats_json(text, sizeof text);
    if (!p || numafy_node_of(p) != r->pair)
        return 2;
    memset(p, 1, 100);
    if (!r->pair)
        return 0;
    numafy_stats_json(text, sizeof text);
    const char *unbound = strstr(text, "\"unbound_bytes\":");
    return unbound && strtol(unbound + 16, NULL, 10) <= 0 ? 3 : 0;
}

static void test_errors_of_mbind_are_told_apart(void **state)
{
    (void)state;
    const struct refusal cases[] = {
        {EPERM, NUMAFY_PREFER, 1, "mbind is forbidden here (EPERM", NULL},
        {ENOSYS, NUMAFY_PREFER, 1, "this kernel has no mbind (ENOSYS)", NULL},
        {EINVAL, NUMAFY_PREFER, 1, "the kernel refuses the node (EINVAL)", NULL},
        {EPERM, NUMAFY_BIND, 1, NULL, "mbind is forbidden here (EPERM"},
        {ENOSYS, NUMAFY_BIND, 1, NULL, "this kernel has no mbind (ENOSYS)"},
        {EINVAL, NUMAFY_BIND, 1, NULL, "the kernel refuses to bind memory to node 1"},
        // One node: there is nothing to choose.
        {EPERM, NUMAFY_PREFER, 0, NULL, NULL},
        {EPERM, NUMAFY_BIND, 0, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        machine_pair();
        if (!cases[i].pair) {
            machine("0\n", "0\n", "0\n");
            put_node(0, "10\n", "0\n");
        }
        const int status = in_child(refusal_case, &cases[i]);
        if (status)
            fail_msg("case %zu: %d, '%s'", i, status, said);
        if (cases[i].warning ? !strstr(said, cases[i].warning) : *said)
            fail_msg("case %zu said '%s'", i, said);
    }
}

/* Interleaving by weights where the kernel has them. */
static int weighted_case(const void *arg)
{
    kernel.no_weights = *(const int *)arg;
    start(NUMAFY_PREFER);
    char *p = numafy_malloc(NUMAFY_INTERLEAVE, 100);
    const int wanted = kernel.no_weights ? NUMAFY_MPOL_INTERLEAVE : NUMAFY_MPOL_WEIGHTED_INTERLEAVE;
    const struct numafy_slot *s = &numafy_pools_v3.slot[numafy_slot_of_address(p)];
    return kernel.bind.mode != wanted || kernel.bind.mask[0] != 5 || s->policy != wanted ||
           s->bind_error;
}

static void test_interleaving_is_weighted_where_the_kernel_can(void **state)
{
    (void)state;
    machine("0-2\n", "0-2\n", "0\n");
    put_allowed("0,2");
    for (int old = 0; old < 2; old++)
        assert_int_equal(in_child(weighted_case, &old), 0);
}

// --- the machine
/* P28 */
static int local_case(const void *arg)
{
    const int *want = arg; // pairs of CPU and node, -1: the end
    start(NUMAFY_PREFER);
    for (; *want >= 0; want += 2) {
        kernel.cpu = want[0];
        char *p = numafy_malloc(NUMAFY_LOCAL, 100);
        if (numafy_node_of(p) != want[1])
            return 1 + want[0] % 100;
        free(p);
    }
    // One that came online since: the kernel knows its node, or says one that is not here.
    kernel.cpu = 754;
    for (kernel.cpu_node = 0; kernel.cpu_node < 10; kernel.cpu_node++) {
        char *p = numafy_malloc(NUMAFY_LOCAL, 100);
        if (numafy_node_of(p) != (kernel.cpu_node == 8 ? 8 : 0))
            return 101;
        free(p);
    }
    return 0;
}

static void test_local_on_1500_cpus(void **state)
{
    (void)state;
    char list[12000];
    size_t n = 0;
    for (int i = 1; i < 1500; i += 2)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%d", i > 1 ? "," : "", i);
    machine("0,8\n", "0,8\n", "0,8\n");
    put_node(0, "10 20\n", "0,2,4-100,102-750\n"); // 101 and the even ones from 752 are offline
    put_node(8, "20 10\n", list);
    const int want[] = {0, 0, 101, 8, 750, 0, 1499, 8, 752, 0, 5000, 0, -1};
    // 1 and others are in both lists: the later node has them.
    assert_int_equal(in_child(local_case, want), 0);
}

static void test_the_longest_list_fits(void **state)
{
    (void)state;
    static uint64_t cpus[NUMAFY_CPUS / 64];
    static char list[40000];
    size_t n = 0;
    for (int i = 0; i < NUMAFY_CPUS; i += 2)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%d", i ? "," : "", i);
    machine("0\n", "0\n", "0\n");
    put_node(0, "10\n", list);
    assert_int_equal(numafy_sysfs_cpus(root, 0, cpus), 0);
    assert_int_equal(cpus[NUMAFY_CPUS / 64 - 1], 0x5555555555555555);
    for (int i = 0; i < 2000; i++) // longer than any can be: an error, not half a list
        n += (size_t)snprintf(list + n, sizeof list - n, ",%d", i);
    put_node(0, "10\n", list);
    assert_int_equal(numafy_sysfs_cpus(root, 0, cpus), -E2BIG);
}

/* P36, P15: start-up reads a few small files per node, whatever the number of CPUs, and never how
 * much memory is free. */
static int start_case(const void *arg)
{
    (void)arg;
    struct timespec from, to;
    start(NUMAFY_PREFER);
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (!numafy_ready_() || numafy_pools_v3.topology.cpu_count != 256)
        return 100;
    clock_gettime(CLOCK_MONOTONIC, &to);
    fprintf(stderr, "%ld us",
            (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000);
    for (unsigned long i = 0; i < kernel.opens; i++)
        if (strstr(kernel.opened[i], "meminfo") || strstr(kernel.opened[i], "/cpu/"))
            return 101;
    return kernel.opens != 20 ? (int)kernel.opens : kernel.calls > 100 ? 102 : 0;
}

static void test_start_up_on_16_nodes_reads_20_files(void **state)
{
    (void)state;
    machine("0-15\n", "0-15\n", "0-15\n");
    for (int node = 0; node < 16; node++) {
        char cpus[64];
        snprintf(cpus, sizeof cpus, "%d-%d,%d-%d\n", node * 8, node * 8 + 7, 128 + node * 8,
                 135 + node * 8);
        put_node(node, "10 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20\n", cpus);
    }
    assert_int_equal(in_child(start_case, NULL), 0);
    print_message("start-up on 16 nodes and 256 CPUs: %s\n", said); // for docs/benchmarks.md
}

/* P24: reading the machine allocates nothing, so a malloc can be built on it. */
static unsigned long mallocs;
static void *counting_malloc(size_t size)
{
    mallocs++;
    return numafy_first_malloc_(size);
}

static int no_malloc_case(const void *arg)
{
    (void)arg;
    free(malloc(1));
    numafy_state_v3.next.malloc_ = counting_malloc;
    start(NUMAFY_PREFER);
    numafy_topology_read();
    numafy_map(1);
    return (int)mallocs;
}

static void test_reading_the_machine_allocates_nothing(void **state)
{
    (void)state;
    machine_pair();
    assert_int_equal(in_child(no_malloc_case, NULL), 0);
}

/* P35: started on one CPU (taskset), which belongs to node 0. */
static int pin_case(const void *arg)
{
    (void)arg;
    cpu_set_t one, now;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (sched_setaffinity(0, sizeof one, &one))
        return 9;
    start(NUMAFY_PREFER);
    if (numafy_thread_bind(1) != -EINVAL || numafy_thread_bind(1) != -EINVAL)
        return 1;
    if (numafy_thread_bind(0) != 0)
        return 2;
    sched_getaffinity(0, sizeof now, &now);
    return CPU_EQUAL(&one, &now) ? 0 : 3;
}

static void test_pinning_keeps_to_the_cpus_of_the_start(void **state)
{
    (void)state;
    machine_pair();
    put_node(0, "10 20\n", "0-3\n");
    put_node(1, "20 10\n", "4-7\n");
    assert_int_equal(in_child(pin_case, NULL), 0);
    assert_string_equal(said, "numafy: no CPU of node 1 may be used here (taskset, cpuset): "
                              "threads are not pinned to it\n");
}

/* P62: 16 and 64 KiB pages. */
static int page_case(const void *arg)
{
    kernel.page = *(const unsigned long *)arg;
    start(NUMAFY_PREFER);
    char *p = valloc(100), *q = pvalloc(kernel.page + 1);
    int bad = (uintptr_t)p % kernel.page != 0 || (uintptr_t)q % kernel.page != 0;
    bad += 2 * (malloc_usable_size(q) < 2 * kernel.page);
    free(p), free(q);
    // Growth of mode bind asks about every page once.
    numafy_pools_v3.mode = NUMAFY_BIND;
    p = numafy_malloc(1, 4 << 20);
    bad += 4 * (!p || numafy_resident_node(p) != 1);
    bad += 8 * (kernel.asked > 2 + (16ul << 20) / kernel.page);
    return bad;
}

static void test_pages_of_16_and_64_kib(void **state)
{
    (void)state;
    const unsigned long pages[] = {4096, 16384, 65536};
    machine_pair();
    for (int i = 0; i < 3; i++)
        assert_int_equal(in_child(page_case, &pages[i]), 0);
}

/* P9: a distance row that is short, or not there. */
static void test_distances_may_be_missing(void **state)
{
    (void)state;
    struct numafy_topology t;
    machine("0-3\n", "1,3\n", "0-3\n");
    put_node(0, "10 20\n", "0\n"); // knows node 1 only
    put_node(2, "\n", "2\n");
    numafy_sysfs_read(root, &t);
    assert_int_equal(numafy_sysfs_nearest(root, 0, t.allowed), 1);
    assert_int_equal(numafy_sysfs_nearest(root, 2, t.allowed), 1); // the lowest
    assert_int_equal(numafy_sysfs_nearest(root, 3, t.allowed), 3);
    assert_int_equal(numafy_sysfs_nearest(root, 9, t.allowed), 1);
}

/* P8: as a machine whose firmware numbers its nodes in another order than their places. */
static void test_unordered_nodes(void **state)
{
    (void)state;
    struct numafy_topology t;
    machine("0,2,1,3,4\n", "0,2,1,3,4\n", "4,0,2\n");
    put_node(1, "30 10 20 40 50\n", "\n"); // to 0, 1, 2, 3, 4
    put_node(3, "50 40 30 10 20\n", "\n");
    put_node(0, "10 20 20 20 20\n", "0\n");
    put_node(2, "20 20 10 20 20\n", "1\n");
    put_node(4, "20 20 20 20 10\n", "2\n");
    numafy_sysfs_read(root, &t);
    assert_int_equal(numafy_set_count(t.memory), 5);
    assert_int_equal(numafy_sysfs_nearest(root, 1, t.cpus), 2);
    assert_int_equal(numafy_sysfs_nearest(root, 3, t.cpus), 4);
}

// --- mode bind without a full node: another answer of move_pages
static int bind_case(const void *arg)
{
    const int mode = *(const int *)arg;
    start(mode);
    char *p = numafy_malloc(1, 1000), *q, *two;
    if (!p)
        return 1;
    memset(p, 7, 1000);
    kernel.full = 1;
    q = numafy_malloc(1, 3 << 20);
    if (q || errno != ENOMEM ||
        strcmp(numafy_strerror(), "node 1 is full: the kernel would take "
                                  "memory of another node"))
        return 2;
    if (numafy_realloc(p, 8 << 20) || p[999] != 7)
        return 3;
    two = numafy_malloc(0, 3 << 20);
    if (!two)
        return 4;
    kernel.full = -1;
    q = numafy_malloc(1, 3 << 20);
    if (!q || numafy_resident_node(q + (1 << 20)) != 1)
        return 5;
    kernel.all_of = CALL_MOVE_PAGES;
    kernel.error = EPERM;
    q = numafy_malloc(1, 30 << 20);
    return q || !strstr(numafy_strerror(), "move_pages is forbidden here") ? 6 : 0;
}

static void test_bind_gives_null_and_recovers(void **state)
{
    (void)state;
    int mode = NUMAFY_BIND;
    machine_pair();
    assert_int_equal(in_child(bind_case, &mode), 0);
    assert_string_equal(said, "");
    mode = NUMAFY_ABORT;
    assert_int_equal(in_child(bind_case, &mode), 1000 + SIGABRT);
    assert_string_equal(said, "numafy: NUMAFY_MODE=abort: node 1 is full: the kernel would take "
                              "memory of another node\n");
}

/* P31, P29, P32: what bind says of nodes that it cannot serve. */
static int bind_reasons_case(const void *arg)
{
    (void)arg;
    start(NUMAFY_BIND);
    const char *const reasons[] = {"node 0 exists but may not be used here (cpuset.mems=2,4)",
                                   "node 1 has no memory", NULL,
                                   "node 3 does not exist, this machine has 0-2,4"};
    for (int node = 0; node < 4; node++) {
        void *p = numafy_calloc(node, 10, 10);
        if (!reasons[node] ? !p : p || errno != ENOMEM || strcmp(numafy_strerror(), reasons[node]))
            return 1 + node;
    }
    return 0;
}

static void test_bind_names_node_and_cause(void **state)
{
    (void)state;
    machine("0-2,4\n", "0,2,4\n", "0-1\n");
    put_allowed("2,4");
    assert_int_equal(in_child(bind_reasons_case, NULL), 0);
    assert_string_equal(said, "");
}

#include "runtime_faults.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_get_mempolicy_may_say_einval),
        cmocka_unit_test(test_a_kernel_without_numa_is_one_node_without_a_warning),
        cmocka_unit_test(test_a_sysfs_that_is_hidden_is_told),
        cmocka_unit_test(test_errors_of_mbind_are_told_apart),
        cmocka_unit_test(test_interleaving_is_weighted_where_the_kernel_can),
        cmocka_unit_test(test_local_on_1500_cpus),
        cmocka_unit_test(test_the_longest_list_fits),
        cmocka_unit_test(test_start_up_on_16_nodes_reads_20_files),
        cmocka_unit_test(test_reading_the_machine_allocates_nothing),
        cmocka_unit_test(test_pinning_keeps_to_the_cpus_of_the_start),
        cmocka_unit_test(test_pages_of_16_and_64_kib),
        cmocka_unit_test(test_distances_may_be_missing),
        cmocka_unit_test(test_unordered_nodes),
        cmocka_unit_test(test_bind_gives_null_and_recovers),
        cmocka_unit_test(test_bind_names_node_and_cause),
        cmocka_unit_test(test_every_call_may_fail_once),
        cmocka_unit_test(test_every_kind_of_call_may_always_fail),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
