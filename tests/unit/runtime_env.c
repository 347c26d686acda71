// SPDX-License-Identifier: Apache-2.0
// runtime_env.c: what the runtime makes of its surroundings: strange machines (fake sysfs trees),
// the environment, forbidden system calls, small address spaces, the baseline onnode. Each case
// that needs a fresh process runs this program again as `--child NAME ...`.
#define _GNU_SOURCE
#include "runtime_inside.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime_child.h"
#include "runtime_machine.h"

static void deny(const int *calls, unsigned n)
{
    struct sock_filter f[16];
    unsigned k = 0;
    f[k++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < n; i++) {
        f[k++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        f[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    f[k++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog prog = {(unsigned short)k, f};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
        _exit(125);
}

/* `map K...`: the kernel's node that was chosen for each pool. */
static int child_map(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const int node = atoi(argv[i]);
        void *p = numafy_malloc(node, 100);
        printf("%d:%d:%d ", node, numafy_node_of(p), numafy_pools_v3.mapped[node] - 1);
        free(p);
    }
    return 0;
}

static int child_plain(void)
{
    void *p = malloc(10), *q = strdup("x");
    printf("%d %d", numafy_node_of(p), numafy_node_of(q));
    free(p), free(q);
    return 0;
}

/* Everything that a rewritten program without roots does, functions and places in line. The first
 * number: whether calls still go to the allocator below at once, and no pool was made. */
static int child_rootless(void)
{
    int *const owner = calloc(1, sizeof *owner);
    char *p = numafy_malloc_near(owner, 100), *q = numafy_calloc_near(owner, 1, 100);
    ((void)numafy_enter(owner), (void)numafy_leave(owner), (void)numafy_leave_int(1));
    (void)(numafy_enter)(owner), (void)(numafy_leave)(owner);
    {
        NUMAFY_SCOPE(owner);
    }
    numafy_push_(owner, numafy_near_(owner), NUMAFY_ENTRY_TEMPORARY_);
    numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
    p = numafy_realloc_near(owner, p, 200);
    free(numafy_realloc_near(owner, NULL, 50));
    const bool direct = numafy_plain_v3.malloc_ == numafy_state_v3.next.malloc_ &&
                        numafy_plain_v3.free_ == numafy_state_v3.next.free_;
    printf("%d %d,", direct && !numafy_active_v3 && !numafy_state_v3.span, numafy_node_of(p));
    errno = 0;
    void *const huge = numafy_malloc_near(owner, PTRDIFF_MAX);
    printf(" %d,", !huge && errno == ENOMEM);
    /* The first root: from here on the same calls follow it, and old blocks go where they were. */
    numafy_root_add(owner, sizeof *owner, 1);
    char *const near = numafy_malloc_near(owner, 100), *const zero =
                                                           numafy_calloc_near(owner, 1, 9);
    ((void)numafy_enter(owner), p = (char *)numafy_leave(realloc(p, 300)));
    ((void)numafy_enter(owner), (void)free(q), q = (char *)numafy_leave(malloc(10)));
    printf(" %d %d %d %d", numafy_node_of(near), numafy_node_of(zero), numafy_node_of(p),
           numafy_node_of(q));
    free(near), free(zero), free(p), free(q), free(owner);
    printf(", %d", numafy_plain_v3.malloc_ == numafy_state_v3.next.malloc_);
    return 0;
}

static int child_seccomp(void)
{
    const int calls[] = {SYS_mbind, SYS_move_pages, SYS_get_mempolicy};
    deny(calls, 3);
    char *p = numafy_malloc(1, 40 << 20), *q = numafy_malloc(2, 100);
    memset(p, 1, 40 << 20);
    char text[4096];
    numafy_stats_json(text, sizeof text);
    // One mapping with pages on one node: numa_maps tells. Several nodes: it says EPERM.
    const int node = numafy_resident_node(p);
    printf("%d %d %s %s", numafy_node_of(p), numafy_node_of(q),
           node >= 0 || node == -EPERM ? "known-or-eperm" : "wrong",
           strstr(text, "\"mbind_errno\":1,") ? "counted" : "lost");
    free(p), free(q);
    return 0;
}

static int child_small_space(void)
{
    const struct rlimit limit = {(rlim_t)3 << 30, (rlim_t)3 << 30};
    setrlimit(RLIMIT_AS, &limit);
    void *p = numafy_malloc(1, 1000), *big = numafy_malloc(1, (size_t)300 << 20);
    printf("%d %d %d %zu", numafy_node_of(p), numafy_node_of(big), numafy_state_v3.shift < 30,
           numafy_pools_v3.slot[inside_slot(1)].fallbacks);
    char *grown = realloc(p, (size_t)300 << 20);
    printf(" %d", grown != NULL);
    free(big), free(grown);
    return 0;
}

static int child_no_space(void)
{
    const struct rlimit limit = {(rlim_t)700 << 20, (rlim_t)700 << 20};
    setrlimit(RLIMIT_AS, &limit);
    void *p = numafy_malloc(1, 1000);
    printf("%d %d", p != NULL, numafy_node_of(p));
    p = realloc(p, 5000);
    free(p);
    return 0;
}

static int child_onnode(void)
{
    char *p = numafy_malloc(1, 100), *q = numafy_malloc_near(p + 50, 100000), *zero;
    int bad = numafy_node_of(p) != 1 || numafy_node_of(q) != 1 || numafy_node_of(q + 99999) != 1;
    bad += numafy_pools_v3.onnode != 1 || numafy_state_v3.span != 0;
    bad += (uintptr_t)p % 4096 != 0 || numafy_usable_size(p) != 4096;
    memset(q, 7, 100000);
    q = realloc(q, 300000);
    bad += numafy_node_of(q) != 1 || q[99999] != 7;
    zero = numafy_calloc(2, 1000, 10);
    bad += numafy_node_of(zero) != 2 || zero[9999] != 0;
    void *aligned = numafy_aligned_alloc(0, 1 << 16, 100);
    bad += (uintptr_t)aligned % (1 << 16) != 0 || numafy_node_of(aligned) != 0;
    {
        NUMAFY_SCOPE(p);
        char *s = strdup("scoped");
        bad += numafy_node_of(s) != 1;
        free(s);
    }
    free(p), free(q), free(aligned), numafy_free(zero);
    void *many[3000];
    for (int i = 0; i < 3000; i++)
        many[i] = numafy_malloc(i % 3, 5000);
    for (int i = 0; i < 3000; i++) {
        bad += numafy_node_of(many[i]) != i % 3;
        free(many[i]);
    }
    bad += numafy_node_of(many[5]) != NUMAFY_NO_NODE;
    free(malloc(10));
    printf("%d %zu", bad, numafy_onnode_v3.blocks);
    return 0;
}

/* Handlers that stand before ours run while our locks are held, in the parent and in the child. */
static int fork_handlers_allocate;

static void allocate_in_fork(void)
{
    static int node = 20;
    if (fork_handlers_allocate)
        free(numafy_malloc(node++, 100)); // a new pool: takes the lock
}

static __attribute__((constructor(101))) void before_the_runtime(void)
{
    pthread_atfork(allocate_in_fork, allocate_in_fork, allocate_in_fork);
}

static int child_fork_handlers(void)
{
    int status = -1;
    alarm(60);
    free(numafy_malloc(1, 100));
    fork_handlers_allocate = 1;
    const pid_t pid = fork();
    void *p = numafy_malloc(3, 100);
    const int node = numafy_node_of(p);
    free(p);
    if (!pid)
        _exit(node);
    waitpid(pid, &status, 0);
    int pools = 0;
    for (int k = 0; k < NUMAFY_NODES; k++)
        pools += inside_slot(k) != 0;
    printf("%d %d %d", node, WIFEXITED(status) ? WEXITSTATUS(status) : -1, pools);
    return 0;
}

/* A thread forks while another starts the pools: its child must not find them locked for ever. */
static void *first_block(void *go)
{
    while (!__atomic_load_n((int *)go, __ATOMIC_ACQUIRE))
        ;
    free(numafy_malloc(1, 100));
    return NULL;
}

static int child_fork_at_start(void)
{
    int go = 0, status = -1;
    pthread_t t;
    pthread_create(&t, NULL, first_block, &go);
    __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
    const pid_t pid = fork();
    if (!pid) {
        alarm(60);
        void *p = numafy_malloc(1, 100);
        _exit(numafy_node_of(p));
    }
    waitpid(pid, &status, 0);
    pthread_join(t, NULL);
    printf("%d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}

/* The kernel refuses to open pages: the range that was tried must stay there for later. */
static int child_refused_pages(void)
{
    struct rlimit limit;
    free(numafy_malloc(1, 100));
    getrlimit(RLIMIT_DATA, &limit);
    const struct rlimit none = {(rlim_t)64 << 20, limit.rlim_max};
    setrlimit(RLIMIT_DATA, &none);
    int served = 0;
    for (int shift = 39; shift >= 28; shift--)
        for (int i = 0; i < 3; i++) {
            void *p = numafy_malloc(1, (size_t)1 << shift);
            served += p != NULL;
            free(p);
        }
    setrlimit(RLIMIT_DATA, &limit);
    void *p = numafy_malloc(1, (size_t)200 << 20);
    // With hugetlb jemalloc keeps address space without memory, and takes later blocks from that.
    printf("%d %d %d", served, numafy_node_of(p),
           numafy_huge_v3.page || numafy_pools_v3.slot[inside_slot(1)].used < (size_t)1 << 30);
    free(p);
    return 0;
}

/* A key that is older than ours and younger than jemalloc's: its destructor runs between the two.
 * There jemalloc serves from its arena 0 whatever is asked; such a block must not get out. */
static pthread_key_t early_key;
static unsigned long plain_blocks;

static void early_destructor(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        void *p = numafy_malloc(1, 5000);
        plain_blocks += p && numafy_node_of(p) == NUMAFY_NO_NODE;
        free(p);
    }
}

static void *early_life(void *used)
{
    pthread_setspecific(early_key, &early_key);
    if (used)
        free(numafy_malloc(1, 100));
    free(malloc(10));
    return NULL;
}

static int child_early_key(void)
{
    pthread_key_create(&early_key, early_destructor);
    free(numafy_malloc(1, 100));
    for (int i = 0; i < 6; i++) {
        pthread_t t;
        pthread_create(&t, NULL, early_life, i % 2 ? &early_key : NULL);
        pthread_join(t, NULL);
    }
    printf("%s %zu",
           plain_blocks == numafy_pools_v3.slot[inside_slot(1)].fallbacks ? "counted" : "escaped",
           numafy_pools_v3.threads);
    return 0;
}

static int run_child(int argc, char **argv)
{
    const char *name = argv[0];
    if (!strcmp(name, "early-key"))
        return child_early_key();
    if (!strcmp(name, "fork-at-start"))
        return child_fork_at_start();
    if (!strcmp(name, "fork-handlers"))
        return child_fork_handlers();
    if (!strcmp(name, "refused-pages"))
        return child_refused_pages();
    if (!strcmp(name, "map"))
        return child_map(argc - 1, argv + 1);
    if (!strcmp(name, "plain"))
        return child_plain();
    if (!strcmp(name, "rootless"))
        return child_rootless();
    if (!strcmp(name, "seccomp"))
        return child_seccomp();
    if (!strcmp(name, "small-space"))
        return child_small_space();
    if (!strcmp(name, "no-space"))
        return child_no_space();
    if (!strcmp(name, "onnode"))
        return child_onnode();
    if (!strcmp(name, "onnode-seccomp")) {
        const int calls[] = {SYS_mbind, SYS_move_pages, SYS_get_mempolicy};
        deny(calls, 3);
        return child_onnode();
    }
    return 124;
}

// --- fake machines
static void list_is(const char *text, const char *expected)
{
    uint64_t set[NUMAFY_WORDS];
    char got[256] = "";
    size_t n = 0;
    assert_int_equal(numafy_parse_list(text, set, NUMAFY_NODES), 0);
    for (int i = 0; i < NUMAFY_NODES; i++)
        if (numafy_set_has(set, i))
            n += (size_t)snprintf(got + n, sizeof got - n, "%s%d", n ? " " : "", i);
    assert_string_equal(got, expected);
}

static void test_range_lists(void **state)
{
    (void)state;
    list_is("0\n", "0");
    list_is("", "");
    list_is("\n", "");
    list_is("0-3\n", "0 1 2 3");
    list_is("0,8,252-255\n", "0 8 252 253 254 255");
    list_is("\t3,0-1", "0 1 3");
    list_is("1023", "1023");
    list_is("1022-1025,5", "5 1022 1023");
    uint64_t set[NUMAFY_WORDS];
    const char *const bad[] = {"x", "0-", "-1", "3-1", "0;1", "0,,1", "1 2", "99999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (numafy_parse_list(bad[i], set, NUMAFY_NODES) != -EINVAL)
            fail_msg("'%s' was accepted", bad[i]);
}

static void test_mems_allowed(void **state)
{
    (void)state;
    uint64_t set[NUMAFY_WORDS];
    assert_int_equal(numafy_parse_mems_allowed("Name: x\nMems_allowed_list:\t0,2-3\nx:1\n", set),
                     0);
    assert_int_equal(set[0], 0xd);
    assert_int_equal(numafy_parse_mems_allowed("Name: x\nMems_allowed:\tff\n", set), -ENOENT);
    assert_int_equal(numafy_parse_mems_allowed("", set), -ENOENT);
}

static void maps(const char *expected, const char *const nodes[])
{
    const char *args[10] = {"map"};
    for (int i = 0; nodes[i]; i++)
        args[i + 1] = nodes[i];
    const struct outcome o = child(args, LIST(root_env, "NUMAFY_QUIET=1"));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, expected);
    assert_string_equal(o.err, "");
}

static void test_machine_with_one_node(void **state)
{
    (void)state;
    machine("0\n", "0\n", "0\n");
    put_node(0, "10\n", "0-1\n");
    maps("0:0:0 1:1:0 700:700:0 ", LIST("0", "1", "700"));
}

/* O10, P28 */
static void test_machine_with_gaps_in_its_ids(void **state)
{
    (void)state;
    machine("0,8,252-255\n", "0,8,252-255\n", "0,8\n");
    put_node(0, "10 40 80 80 80 80\n", "0-3\n");
    put_node(8, "40 10 80 80 80 80\n", "4-7\n");
    put_node(255, "80 40 80 80 80 10\n", "\n");
    maps("0:0:0 8:8:8 252:252:252 255:255:255 5:5:0 ", LIST("0", "8", "252", "255", "5"));
}

/* P30 */
static void test_machine_with_memory_only_nodes(void **state)
{
    (void)state;
    struct numafy_topology t;
    machine("0-3\n", "0-3\n", "0-1\n");
    put_node(0, "10 20 30 40\n", "0\n");
    put_node(1, "20 10 40 30\n", "1\n");
    put_node(2, "30 40 10 50\n", "\n");
    put_node(3, "40 30 50 10\n", "\n");
    maps("2:2:2 3:3:3 ", LIST("2", "3"));
    numafy_sysfs_read(root, &t);
    assert_int_equal(numafy_sysfs_nearest(root, 2, t.cpus), 0);
    assert_int_equal(numafy_sysfs_nearest(root, 3, t.cpus), 1);
    assert_int_equal(numafy_sysfs_nearest(root, 1, t.cpus), 1);
    assert_int_equal(t.cpu_count, 2);
    assert_int_equal(t.node_of_cpu[1], 1);
    assert_int_equal(t.node_of_cpu[2], -1);
}

/* P29 */
static void test_machine_with_a_memoryless_node(void **state)
{
    (void)state;
    machine("0-2\n", "0,2\n", "0-2\n");
    put_node(0, "10 20 30\n", "0\n");
    put_node(1, "30 10 20\n", "1\n");
    put_node(2, "30 20 10\n", "2\n");
    maps("1:1:2 0:0:0 ", LIST("1", "0"));
}

/* P8 */
static void test_machine_whose_lists_are_unordered(void **state)
{
    (void)state;
    machine("3,0-1\n", "3,1\n", "1,0\n");
    put_node(0, "10 20 15\n", "0\n"); // the row is in ascending order of ids: 0, 1, 3
    put_node(1, "20 10 30\n", "1\n");
    put_node(3, "15 30 10\n", "\n");
    maps("0:0:3 1:1:1 3:3:3 2:2:1 " /* the lowest: 2 is not there */, LIST("0", "1", "3", "2"));
}

/* P31 */
static void test_cpuset_takes_nodes_away(void **state)
{
    (void)state;
    machine("0-2\n", "0-2\n", "0-2\n");
    put_node(0, "10 30 20\n", "0\n");
    put_node(1, "30 10 20\n", "1\n");
    put_node(2, "20 20 10\n", "2\n");
    put_allowed("1-2");
    maps("0:0:2 1:1:1 2:2:2 ", LIST("0", "1", "2"));
    const struct outcome o = child(LIST("map", "0"), LIST(root_env, "NUMAFY_QUIET=0"));
    assert_non_null(
        strstr(o.err, "node 0 exists but may not be used here (cpuset.mems=1-2): what goes there "
                      "goes to node 2"));
}

static void test_nodemap(void **state)
{
    (void)state;
    machine("0-3\n", "0-3\n", "0-3\n");
    put_node(0, "10 20 20 20\n", "0\n");
    struct outcome o = child(LIST("map", "0", "1", "2"),
                             LIST(root_env, "NUMAFY_QUIET=1", "NUMAFY_NODEMAP=0:2,1:3"));
    assert_string_equal(o.out, "0:0:2 1:1:3 2:2:2 ");
    o = child(LIST("map", "0"), LIST(root_env, "NUMAFY_NODEMAP=0:2,x"));
    assert_string_equal(o.out, "0:0:0 ");
    assert_non_null(strstr(o.err, "NUMAFY_NODEMAP=0:2,x is not understood"));
}

// --- the environment
/* A container may forbid mbind to all of us; what the runtime then says is another test's matter.
 */
static struct outcome child_told(const char *const args[], const char *const env[])
{
    struct outcome o = child(args, env);
    if (syscall(SYS_mbind, NULL, 0L, 0, NULL, 0L, 0) && errno == EPERM)
        drop_line(o.err, "numafy: mbind is forbidden here");
    return o;
}

static void test_one_warning_for_missing_nodes(void **state)
{
    (void)state;
    struct outcome o = child_told(LIST("map", "900", "901", "902"), NONE);
    assert_int_equal(o.status, 0);
    assert_int_equal(lines(o.err), 1);
    assert_non_null(strstr(o.err, "node 900 does not exist, this machine has "));
    assert_non_null(strstr(o.err, ": what goes there goes to node "));
    o = child_told(LIST("map", "900"), LIST("NUMAFY_QUIET=1"));
    assert_string_equal(o.err, "");
}

static void test_unknown_settings_warn_once_and_are_named(void **state)
{
    (void)state;
    struct outcome o =
        child_told(LIST("map", "0"), LIST("NUMAFY_COLOUR=red", "NUMAFY_TASTE=sweet"));
    assert_int_equal(lines(o.err), 1);
    assert_non_null(strstr(o.err, "there is no setting NUMAFY_"));
    o = child_told(LIST("map", "0"), LIST("NUMAFY_CACHE=fast"));
    assert_string_equal(o.err, "numafy: NUMAFY_CACHE=fast is not understood and ignored; it takes "
                               "magazine, tcache or onnode\n");
    o = child_told(LIST("map", "0"), LIST("NUMAFY_MODE=strict"));
    assert_string_equal(o.err, "numafy: NUMAFY_MODE=strict is not understood and ignored; it takes "
                               "prefer, bind or abort\n");
    o = child_told(LIST("map", "0"), LIST("NUMAFY_WINDOW=1"));
    assert_string_equal(o.err, "numafy: this version does not have NUMAFY_WINDOW: ignored\n");
    o = child_told(LIST("map", "0"),
                   LIST("NUMAFY_CACHE=magazine", "NUMAFY_MODE=prefer", "NUMAFY_SHARDS=3"));
    assert_string_equal(o.err, "");
    o = child_told(LIST("map", "0"), LIST("NUMAFY_SHARDS=0", "NUMAFY_QUIET=1"));
    assert_string_equal(o.err, "");
}

static void test_ambient_from_the_environment(void **state)
{
    (void)state;
    struct outcome o = child(LIST("plain"), LIST("NUMAFY_AMBIENT=1", "NUMAFY_QUIET=1"));
    assert_string_equal(o.out, "1 1");
    o = child(LIST("plain"), NONE);
    assert_string_equal(o.out, "-1 -1");
    assert_string_equal(o.err, "");
}

static void test_without_a_root_calls_go_to_the_allocator_below(void **state)
{
    (void)state;
    const struct outcome o = child(LIST("rootless"), LIST("NUMAFY_QUIET=1"));
    assert_string_equal(o.out, "1 -1, 1, 1 1 -1 1, 0");
    assert_int_equal(o.status, 0);
}

static void test_stats_at_exit(void **state)
{
    (void)state;
    char setting[128], path[100], text[2048];
    struct outcome o = child(LIST("map", "0"), LIST("NUMAFY_STATS=1"));
    assert_non_null(strstr(o.err, "numafy: node 0 on "));
    snprintf(path, sizeof path, "%s/stats.json", root);
    snprintf(setting, sizeof setting, "NUMAFY_STATS=%s", path);
    o = child(LIST("map", "0"), LIST(setting));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    assert_non_null(strstr(text, "{\"node\":0,"));
    /* %p: a file for each process */
    snprintf(setting, sizeof setting, "NUMAFY_STATS=%s/of-%%p.json", root);
    child(LIST("map", "0"), LIST(setting));
    child(LIST("map", "0"), LIST(setting));
    snprintf(path, sizeof path, "%s/of-[0-9]*.json", root);
    glob_t found;
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 2);
    globfree(&found);
    o = child(LIST("map", "0"), LIST("NUMAFY_STATS=/nonexistent/x"));
    assert_non_null(strstr(o.err, "the file of NUMAFY_STATS cannot be written"));
}

// --- what the kernel forbids
/* P16, P21 */
static void test_seccomp_forbids_mbind_and_move_pages(void **state)
{
    (void)state;
    machine_pair();
    const struct outcome o = child(LIST("seccomp"), LIST(root_env));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "1 2 known-or-eperm counted");
    assert_non_null(strstr(o.err, "mbind is forbidden here (EPERM"));
    int n = 0;
    for (const char *s = o.err; (s = strstr(s, "mbind")) != NULL; s++)
        n++;
    assert_int_equal(n, 1);
}

static void test_small_address_space(void **state)
{
    (void)state;
    struct outcome o = child(LIST("small-space"), LIST("NUMAFY_QUIET=1"));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "1 -1 1 1 1");
    o = child(LIST("no-space"), NONE);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "1 -1");
    assert_non_null(
        strstr(o.err, "the pools are off, everything is plain malloc: no address space"));
}

static void test_baseline_onnode(void **state)
{
    (void)state;
    const struct outcome o = child(LIST("onnode"), LIST("NUMAFY_CACHE=onnode", "NUMAFY_QUIET=1"));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "0 0");
}

/* libnuma would print a line for every block. */
static void test_baseline_where_mbind_is_forbidden(void **state)
{
    (void)state;
    machine_pair();
    const struct outcome o = child(LIST("onnode-seccomp"), LIST("NUMAFY_CACHE=onnode", root_env));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "0 0");
    assert_non_null(strstr(o.err, "mbind is forbidden here (EPERM"));
    assert_null(strstr(o.err, "Operation not permitted"));
}

// --- linking
static void test_destructors_between_jemallocs_and_ours(void **state)
{
    (void)state;
    const struct outcome o = child(LIST("early-key"), LIST("NUMAFY_QUIET=1"));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "counted 1");
}

static void test_a_fork_while_the_pools_start(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        const struct outcome o = child(LIST("fork-at-start"), LIST("NUMAFY_QUIET=1"));
        assert_int_equal(o.status, 0);
        assert_string_equal(o.out, "1");
    }
}

static void test_fork_handlers_may_allocate(void **state)
{
    (void)state;
    const struct outcome o = child(LIST("fork-handlers"), LIST("NUMAFY_QUIET=1"));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "3 3 4");
}

static void test_pages_that_the_kernel_refuses_do_not_use_up_the_pool(void **state)
{
    (void)state;
    const struct outcome o = child(LIST("refused-pages"), LIST("NUMAFY_QUIET=1"));
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out, "0 1 1");
}

static void test_machine_that_tells_nothing_of_memory(void **state)
{
    (void)state;
    machine("0-1\n", "\n", "\n");
    put_node(0, "10 20\n", "0\n");
    put_node(1, "20 10\n", "1\n");
    maps("0:0:0 1:1:1 5:5:0 ", LIST("0", "1", "5"));
    const struct outcome o =
        child(LIST("onnode"), LIST(root_env, "NUMAFY_QUIET=1", "NUMAFY_CACHE=onnode"));
    assert_string_equal(o.out, "0 0");
}

static void test_a_plugin_finds_the_programs_runtime(void **state)
{
    (void)state;
    void *lib = dlopen(RUNTIME_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        fail_msg("%s", dlerror());
    const void *(*plugin_state)(void) = (const void *(*)(void))numafy_os_dlsym_(lib, "lib_state");
    void *(*plugin_alloc)(int, size_t) = (void *(*)(int, size_t))numafy_os_dlsym_(lib, "lib_alloc");
    assert_non_null(plugin_state);
    assert_ptr_equal(plugin_state(), &numafy_state_v3);
    void *p = plugin_alloc(1, 100);
    assert_int_equal(numafy_node_of(p), 1);
    free(p);
    dlclose(lib);
}

static void test_as_needed_keeps_jemalloc(void **state)
{
    (void)state; // this program is linked with --as-needed
    char line[512];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        found = found || strstr(line, "libjemalloc");
    fclose(f);
    assert_true(found);
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--child"))
        return run_child(argc - 2, argv + 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_range_lists),
        cmocka_unit_test(test_mems_allowed),
        cmocka_unit_test(test_machine_with_one_node),
        cmocka_unit_test(test_machine_with_gaps_in_its_ids),
        cmocka_unit_test(test_machine_with_memory_only_nodes),
        cmocka_unit_test(test_machine_with_a_memoryless_node),
        cmocka_unit_test(test_machine_whose_lists_are_unordered),
        cmocka_unit_test(test_cpuset_takes_nodes_away),
        cmocka_unit_test(test_nodemap),
        cmocka_unit_test(test_one_warning_for_missing_nodes),
        cmocka_unit_test(test_unknown_settings_warn_once_and_are_named),
        cmocka_unit_test(test_ambient_from_the_environment),
        cmocka_unit_test(test_without_a_root_calls_go_to_the_allocator_below),
        cmocka_unit_test(test_stats_at_exit),
        cmocka_unit_test(test_seccomp_forbids_mbind_and_move_pages),
        cmocka_unit_test(test_small_address_space),
        cmocka_unit_test(test_baseline_onnode),
        cmocka_unit_test(test_baseline_where_mbind_is_forbidden),
        cmocka_unit_test(test_machine_that_tells_nothing_of_memory),
        cmocka_unit_test(test_destructors_between_jemallocs_and_ours),
        cmocka_unit_test(test_a_fork_while_the_pools_start),
        cmocka_unit_test(test_fork_handlers_may_allocate),
        cmocka_unit_test(test_pages_that_the_kernel_refuses_do_not_use_up_the_pool),
        cmocka_unit_test(test_a_plugin_finds_the_programs_runtime),
        cmocka_unit_test(test_as_needed_keeps_jemalloc),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
