// SPDX-License-Identifier: Apache-2.0
/* runtime_faults.h: part of runtime_system.c: a program in small that uses the runtime in every
 * way, run once for each system call that it makes, with that call refused. Whatever the call: no
 * block is lost or changed, none leaks, no lock stays held, and later calls work. */
#ifndef RUNTIME_FAULTS_H
#define RUNTIME_FAULTS_H

enum { FAULT_NODES = 3, FAULT_BLOCKS = 64 };

struct fault {
    unsigned long call; // 0: none
    int error, mode;
    int all_of;  // or a kind
    int tcache;  // 1: NUMAFY_CACHE=tcache
    size_t huge; // NUMAFY_HUGE
};

/* Why a run is bad; a child's status. */
enum {
    BAD_NULL = 10,
    BAD_CONTENTS,
    BAD_REASON,
    BAD_LATER,
    BAD_LOCK,
    BAD_LEAK,
    BAD_CHILD,
    BAD_THREADS,
    BAD_STATS
};

static struct fault fault;

static void fail_as(int bad)
{
    _exit(bad);
}

/* A block that knows its size and what is in it. Mode prefer always has one. */
static unsigned char *mark(void *block, size_t size)
{
    unsigned char *p = block;
    if (!p) {
        if (fault.mode == NUMAFY_PREFER)
            fail_as(BAD_NULL);
        if (errno != ENOMEM || !strcmp(numafy_strerror(), "no error"))
            fail_as(BAD_REASON);
        return NULL;
    }
    p[0] = (unsigned char)(size * 7 + 1);
    p[size - 1] = (unsigned char)(size * 7 + 1);
    return p;
}

static void check(const unsigned char *p, size_t size, size_t end)
{
    if (p && (p[0] != (unsigned char)(size * 7 + 1) || (end && p[end - 1] != p[0])))
        fail_as(BAD_CONTENTS);
}

static void give(unsigned char *p, size_t size)
{
    check(p, size, size);
    free(p);
}

/* Grows and shrinks; a failure leaves the block as it was. */
static void resize(unsigned char *p, size_t size)
{
    const size_t sizes[] = {size * 50, size / 2 + 2, (size_t)500 << 10, size};
    size_t now = size;
    for (int i = 0; p && i < 4; i++) {
        unsigned char *q = numafy_realloc(p, sizes[i]);
        if (!q && fault.mode == NUMAFY_PREFER)
            fail_as(BAD_NULL);
        if (!q)
            continue;
        check(q, size, 0); // its first byte
        p = q;
        now = sizes[i];
        p[now - 1] = p[0];
    }
    free(p);
}

static void *fault_thread(void *blocks)
{
    unsigned char **p = blocks;
    numafy_thread_bind(0);
    for (int i = 0; i < FAULT_BLOCKS; i++) {
        give(p[i], 40 + (size_t)i); // the main thread's
        p[i] = mark(numafy_malloc(i % FAULT_NODES, 40 + (size_t)i), 40 + (size_t)i);
    }
    return NULL;
}

static void fault_allocate(unsigned char **p)
{
    static char object[100];
    for (int i = 0; i < FAULT_BLOCKS; i++)
        p[i] = mark(numafy_malloc(i % FAULT_NODES, 40 + (size_t)i), 40 + (size_t)i);
    for (int node = 0; node < FAULT_NODES; node++) {
        const size_t large = 300 << 10;
        give(mark(numafy_malloc(node, large), large), large);
        give(mark(numafy_calloc(node, 10, 500), 5000), 5000);
        give(mark(numafy_aligned_alloc(node, 1 << 16, 100), 100), 100);
        resize(mark(numafy_malloc(node, 1000), 1000), 1000);
    }
    give(mark(numafy_malloc(NUMAFY_INTERLEAVE, 9000), 9000), 9000);
    give(mark(numafy_malloc(NUMAFY_LOCAL, 90), 90), 90);
    numafy_root_add(object, sizeof object, 2);
    give(mark(numafy_malloc_near(object, 33), 33), 33);
    numafy_root_remove(object);
    NUMAFY_SCOPE_NODE(1);
    give(mark(malloc(77), 77), 77);
}

static void fault_fork(void)
{
    int status = 0;
    const pid_t pid = fork();
    if (!pid) {
        give(mark(numafy_malloc(2, 5000), 5000), 5000);
        numafy_purge(2);
        _exit(0);
    }
    if (pid > 0 && (waitpid(pid, &status, 0) != pid || status))
        fail_as(WIFEXITED(status) ? WEXITSTATUS(status) : BAD_CHILD);
}

/* The program; then the same with a kernel that works. */
static void fault_use(void)
{
    static char text[16384];
    unsigned char *p[FAULT_BLOCKS];
    pthread_t t;
    fault_allocate(p);
    if (!pthread_create(&t, NULL, fault_thread, p))
        pthread_join(t, NULL);
    numafy_resident_node(p[0]);
    if (numafy_stats_json(text, sizeof text) <= 0)
        fail_as(BAD_STATS);
    fault_fork();
    for (int i = 0; i < FAULT_BLOCKS; i++)
        give(p[i], 40 + (size_t)i);
    numafy_thread_flush();
    for (int node = 0; node < FAULT_NODES; node++)
        numafy_purge(node);
    give(mark(numafy_malloc(1, 600 << 10), 600 << 10), 600 << 10);
}

/* Blocks of the pools that are still out when all is freed. */
static size_t fault_left(void)
{
    size_t bytes = 0;
    numafy_thread_flush();
    for (int node = NUMAFY_INTERLEAVE; node < FAULT_NODES; node++)
        if (node != NUMAFY_NO_NODE && node != NUMAFY_LOCAL)
            numafy_purge(node);
    for (unsigned i = 1; i <= numafy_pools_v3.slots; i++)
        bytes += numafy_pools_v3.slot[i].taken;
    return bytes;
}

static bool fault_locked(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    bool held = g->lock.word || numafy_onnode_v3.lock.word;
    for (unsigned i = 0; i <= NUMAFY_SLOTS; i++)
        held = held || g->slot[i].growth.word || numafy_huge_v3.pool[i].lock.word;
    return held;
}

/* A refusal that the runtime may remember: without a pthread key the pools stay off, and what a
 * filter forbids stays forbidden. */
static bool fault_is_final(int node)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    const unsigned slot = numafy_state_v3.slot_of[node + NUMAFY_NODE_ARGS];
    return g->disabled || (fault.error == EPERM && slot && g->slot[slot].refused);
}

static int fault_case(const void *arg)
{
    fault = *(const struct fault *)arg;
    kernel.error = fault.error;
    kernel.fail = fault.call;
    kernel.all_of = fault.all_of;
    start(fault.mode);
    numafy_pools_v3.use_tcache = fault.tcache;
    numafy_pools_v3.huge = fault.huge;
    fault_use();
    const unsigned long made = kernel.calls;
    if (fault_locked())
        return BAD_LOCK;
    if (fault.all_of < 0) {
        kernel.fail = 0;
        for (int node = 0; node < FAULT_NODES; node++) {
            void *p = numafy_malloc(node, 100);
            if (!fault_is_final(node) && numafy_node_of(p) != node)
                return BAD_LATER;
            free(p);
        }
    }
    fault_use(); // all once more
    if (fault_left())
        return BAD_LEAK;
    if (numafy_pools_v3.threads > 1)
        return BAD_THREADS;
    if (!fault.call && fault.all_of < 0)
        fprintf(stderr, "%lu", made);
    return 0;
}

/* Pages of hugetlb to ask for, though the store may be empty. */
static void fault_machine_huge(void)
{
    const char *const folders[] = {"kernel", "kernel/mm", "kernel/mm/hugepages",
                                   "kernel/mm/hugepages/hugepages-2048kB"};
    char path[256];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        mkdir(path, 0755);
    }
    snprintf(path, sizeof path, "%s/meminfo", root);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("Hugepagesize:       2048 kB\n", f);
    fclose(f);
}

static void fault_machine(void)
{
    fault_machine_huge();
    machine("0-2\n", "0-2\n", "0-1\n");
    put_node(0, "10 20 20\n", "0\n");
    put_node(1, "20 10 20\n", "1\n");
    put_node(2, "20 20 10\n", "\n");
    numafy_pools_v3.quiet = 1;  // warnings are another test's matter
    numafy_pools_v3.shards = 1; // each would populate 2 MiB more in mode bind
}

static void fault_run(const struct fault *f)
{
    const int status = in_child(fault_case, f);
    if (status)
        fail_msg("call %lu (kind %d), errno %d, mode %d: status %d %s", f->call, f->all_of,
                 f->error, f->mode, status, said);
}

static void test_every_call_may_fail_once(void **state)
{
    (void)state;
    const int errors[] = {ENOMEM, EPERM, EAGAIN};
    const struct fault ways[] = {{0, 0, NUMAFY_PREFER, -1, 0, 0},
                                 {0, 0, NUMAFY_BIND, -1, 0, 0},
                                 {0, 0, NUMAFY_PREFER, -1, 1, 0},
                                 {0, 0, NUMAFY_PREFER, -1, 0, 2}};
    fault_machine();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct fault f = ways[i];
        fault_run(&f);
        const unsigned long calls = strtoul(said, NULL, 10);
        print_message("way %zu: %lu calls\n", i, calls);
        assert_true(calls > 50);
        for (int e = 0; e < 3; e++)
            for (f.call = 1, f.error = errors[e]; f.call <= calls; f.call++)
                fault_run(&f);
    }
    numafy_pools_v3.quiet = 0;
    numafy_pools_v3.shards = 0;
}

static void test_every_kind_of_call_may_always_fail(void **state)
{
    (void)state;
    const int errors[] = {ENOMEM, EPERM, EAGAIN, ENOSYS, EINVAL};
    fault_machine();
    for (int mode = NUMAFY_PREFER; mode <= NUMAFY_BIND; mode++)
        for (int kind = 0; kind < CALL_OTHER; kind++) // the rest is futex, which waits
            for (int e = 0; e < 5; e++) {
                const struct fault f = {0, errors[e], mode, kind, 0, 0};
                fault_run(&f);
            }
    numafy_pools_v3.quiet = 0;
    numafy_pools_v3.shards = 0;
}

#endif
