// SPDX-License-Identifier: Apache-2.0
// runtime_life.c: threads and processes, seen from outside: by the public functions and by what the
// kernel says of the process. Time limits only stop what hangs.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

enum { NODES = 4 };

/* Fills, checks and frees a block of each node, some of them large; how many were wrong. */
static int exercise(unsigned seed)
{
    int wrong = 0;
    for (unsigned i = 0; i < 8; i++) {
        const int node = (int)(i % NODES);
        const size_t size = i == 5 ? 100000 : (seed + i * 37) % 2000 + 1;
        unsigned char *p = numafy_malloc(node, size);
        if (!p)
            return 100;
        memset(p, (int)i + 1, size);
        wrong += numafy_node_of(p) != node || p[size / 2] != i + 1;
        free(p);
    }
    return wrong;
}

/* RssAnon in KiB. */
static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "RssAnon: %ld", &kib) == 1)
            break;
    fclose(f);
    return kib;
}

static void *start(void *(*run)(void *), void *arg)
{
    pthread_t t;
    void *result;
    assert_int_equal(pthread_create(&t, NULL, run, arg), 0);
    pthread_join(t, &result);
    return result;
}

// --- threads
static void *short_thread(void *arg)
{
    return (void *)(intptr_t)exercise((unsigned)(uintptr_t)arg);
}

/* P04, O05, O06. A thread that left as little as a page behind would show as 32 MiB. */
static void test_ten_thousand_short_threads_keep_memory_flat(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < 2000; i++)
        assert_null(start(short_thread, (void *)i));
    const long before = resident_kib();
    for (uintptr_t i = 0; i < 8000; i++)
        assert_null(start(short_thread, (void *)i));
    const long after = resident_kib();
    if (after > before + 4096)
        fail_msg("%ld KiB before, %ld KiB after", before, after);
}

static pthread_barrier_t all_here;
static void *waiting_thread(void *arg)
{
    const unsigned seed = (unsigned)(uintptr_t)arg;
    void *held[NODES];
    intptr_t wrong = 0;
    for (int node = 0; node < NODES; node++)
        held[node] = numafy_malloc(node, seed % 500 + 1);
    pthread_barrier_wait(&all_here);
    for (int node = 0; node < NODES; node++)
        wrong += numafy_node_of(held[node]) != node;
    wrong += exercise(seed);
    for (int node = 0; node < NODES; node++)
        free(held[node]);
    return (void *)wrong;
}

/* P07, O07: 8,000 pairs of a thread and a node, twice what jemalloc has ids for. */
static void test_two_thousand_threads_alive_at_once(void **state)
{
    (void)state;
    enum { THREADS = 2000 };
    static pthread_t t[THREADS];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    assert_int_equal(pthread_barrier_init(&all_here, NULL, THREADS), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], &small, waiting_thread, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(t[i], &wrong);
        assert_null(wrong);
    }
    pthread_barrier_destroy(&all_here);
    pthread_attr_destroy(&small);
}

/* Destructors of keys made before the first pool block and after it run on both sides of ours. */
static pthread_key_t early_key, late_key;
static int in_destructors;
static void destroy(void *held)
{
    __atomic_fetch_add(&in_destructors, numafy_node_of(held) == 1 ? exercise(7) : 1000,
                       __ATOMIC_RELAXED);
    free(held);
    __atomic_fetch_add(&in_destructors, 1 << 16, __ATOMIC_RELAXED);
}
static void *thread_with_keys(void *arg)
{
    (void)arg;
    pthread_setspecific(early_key, numafy_malloc(1, 100));
    pthread_setspecific(late_key, numafy_malloc(1, 100000));
    return NULL;
}

static void test_destructors_before_and_after_ours_free_and_allocate(void **state)
{
    (void)state;
    assert_int_equal(pthread_key_create(&early_key, destroy), 0);
    assert_int_equal(exercise(1), 0);
    assert_int_equal(pthread_key_create(&late_key, destroy), 0);
    for (int i = 0; i < 300; i++)
        start(thread_with_keys, NULL);
    const long before = resident_kib();
    for (int i = 0; i < 3000; i++)
        start(thread_with_keys, NULL);
    assert_int_equal(in_destructors >> 16, 2 * 3300);
    const long after = resident_kib();
    if (after > before + 4096)
        fail_msg("%ld KiB before, %ld KiB after", before, after);
    pthread_key_delete(early_key), pthread_key_delete(late_key);
}

static void *endless_thread(void *arg)
{
    for (unsigned i = 0;; i++) {
        exercise(i);
        __atomic_store_n((int *)arg, 1, __ATOMIC_RELEASE);
        pthread_testcancel();
    }
    return NULL;
}

static void test_cancelled_threads_leave_nothing_locked(void **state)
{
    (void)state;
    alarm(120);
    for (int i = 0; i < 200; i++) {
        int running = 0;
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, endless_thread, &running), 0);
        while (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
            sched_yield();
        pthread_cancel(t);
        pthread_join(t, NULL);
        assert_int_equal(exercise((unsigned)i), 0);
    }
    alarm(0);
}

/* The first block of a node reads sysfs under our lock: open and read are cancellation points. */
static void *cancelled_inside(void *arg)
{
    pthread_cancel(pthread_self());
    void *p = numafy_malloc(3, 100);
    __atomic_store_n((int *)arg, numafy_node_of(p), __ATOMIC_RELEASE);
    free(p);
    pthread_testcancel();
    return NULL;
}

static void test_a_thread_is_not_cancelled_inside(void **state)
{
    (void)state;
    int node = -1;
    assert_ptr_equal(start(cancelled_inside, &node), PTHREAD_CANCELED);
    assert_int_equal(node, 3);
}

// --- other stacks
static ucontext_t main_context, other_context;
static int on_other_stack;
static void other(void)
{
    for (int i = 0;; i++) {
        {
            NUMAFY_SCOPE_NODE(2);
            char *p = malloc(100);
            on_other_stack += numafy_node_of(p) == 2;
            free(p);
        }
        on_other_stack += exercise((unsigned)i) == 0;
        swapcontext(&other_context, &main_context);
    }
}

static void test_stacks_of_makecontext(void **state)
{
    (void)state;
    void *stack = numafy_malloc(1, 256 << 10);
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = 256 << 10;
    makecontext(&other_context, other, 0);
    for (int i = 0; i < 1000; i++) {
        NUMAFY_SCOPE_NODE(1);
        swapcontext(&main_context, &other_context);
        char *p = malloc(100);
        assert_int_equal(numafy_node_of(p), 1);
        free(p);
    }
    assert_int_equal(on_other_stack, 2000);
    free(stack);
}

// --- entries
/* An entry that found no memory, as when numa<T,k> nests deeper than 16 and mmap fails, and that
 * ends by an exception: its destructor names it. */
static void test_entries_without_memory_end_by_their_name(void **state)
{
    (void)state;
    const char keys[18] = {0};
    struct rlimit before;
    for (int i = 0; i < 16; i++)
        numafy_push_(&keys[i], 1, NUMAFY_ENTRY_TEMPORARY_);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, before.rlim_max}), 0);
    numafy_push_(&keys[16], 2, NUMAFY_ENTRY_TEMPORARY_);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    numafy_pop_key_(&keys[16]);
    for (int i = 15; i >= 0; i--) {
        void *p = malloc(100);
        assert_int_equal(numafy_node_of(p), 1);
        free(p);
        numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
        numafy_pop_key_(&keys[i]); // the destructor after done
    }
    void *p = malloc(100);
    assert_int_equal(numafy_node_of(p), NUMAFY_NO_NODE);
    free(p);
    numafy_push_(&keys[17], 3, NUMAFY_ENTRY_TEMPORARY_);
    p = malloc(100);
    assert_int_equal(numafy_node_of(p), 3);
    free(p);
    numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
}

// --- processes
static int stop;
/* Sleeps now and then, so that the thread that forks gets its turn on a machine with two CPUs. */
static void *traffic(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    void *held[64] = {NULL};
    for (int i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
        if (i % 256 == 0)
            usleep(1000);
        seed = seed * 1103515245 + 12345;
        void **p = &held[seed >> 16 & 63];
        free(*p);
        *p = seed & 0x400000 ? malloc(seed >> 20) : numafy_malloc((int)(seed >> 8 & 3), seed >> 18);
    }
    for (int i = 0; i < 64; i++)
        free(held[i]);
    return NULL;
}

static void with_traffic(int threads, void (*run)(void))
{
    pthread_t t[16];
    __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
    for (intptr_t i = 0; i < threads; i++)
        assert_int_equal(pthread_create(&t[i], NULL, traffic, (void *)(i + 1)), 0);
    run();
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
}

static void end_well(pid_t pid)
{
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void fork_many(void)
{
    for (int i = 0; i < 1000; i++) {
        const pid_t pid = fork();
        assert_true(pid >= 0);
        if (!pid) {
            alarm(60);
            _exit(exercise((unsigned)i) || (i % 50 == 0 && start(short_thread, NULL)));
        }
        end_well(pid);
    }
}

/* P56 */
static void test_a_thousand_forks_in_the_middle_of_traffic(void **state)
{
    (void)state;
    with_traffic(16, fork_many);
}

static void start_many(void)
{
    char *const argv[] = {(char *)(uintptr_t) "/bin/true", NULL};
    for (int i = 0; i < 200; i++) {
        const pid_t pid = vfork();
        if (!pid) {
            execv(argv[0], argv);
            _exit(127);
        }
        end_well(pid);
    }
}

static void test_vfork_and_exec_in_the_middle_of_traffic(void **state)
{
    (void)state;
    with_traffic(4, start_many);
}

/* A child of a child, after a thread that forked and ended. */
static void *fork_and_end(void *arg)
{
    (void)arg;
    const pid_t pid = fork();
    if (!pid) {
        alarm(60);
        const pid_t grandchild = fork();
        if (!grandchild)
            _exit(exercise(5));
        int status = -1;
        waitpid(grandchild, &status, 0);
        _exit(status || exercise(6));
    }
    end_well(pid);
    return NULL;
}

static void fork_from_threads(void)
{
    for (int i = 0; i < 100; i++)
        start(fork_and_end, NULL);
}

static void test_threads_fork_children_that_fork(void **state)
{
    (void)state;
    with_traffic(4, fork_from_threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_thread_is_not_cancelled_inside), // first: it makes the pool
        cmocka_unit_test(test_ten_thousand_short_threads_keep_memory_flat),
        cmocka_unit_test(test_two_thousand_threads_alive_at_once),
        cmocka_unit_test(test_destructors_before_and_after_ours_free_and_allocate),
        cmocka_unit_test(test_cancelled_threads_leave_nothing_locked),
        cmocka_unit_test(test_stacks_of_makecontext),
        cmocka_unit_test(test_entries_without_memory_end_by_their_name),
        cmocka_unit_test(test_a_thousand_forks_in_the_middle_of_traffic),
        cmocka_unit_test(test_vfork_and_exec_in_the_middle_of_traffic),
        cmocka_unit_test(test_threads_fork_children_that_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
