// SPDX-License-Identifier: Apache-2.0
// place_modes.c: P32: what NUMAFY_MODE makes of a node that is full, seen on node 3 of the guest,
// which is made small (128 MiB) by taking the rest for huge pages. Each case is a process of its
// own, for the control ends in the OOM killer; cases report by their exit status and a line on
// stdout.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODE = 3, MIB = 1 << 20, MANY = 4096 };

// --- the machine
static const char meminfo[] = "/sys/devices/system/node/node3/meminfo";
static const char huge[] = "/sys/devices/system/node/node3/hugepages/hugepages-2048kB/nr_hugepages";

/* A field of node 3's meminfo in MiB, -1 if it is not there. */
static long node_mib(const char *field)
{
    char text[4096], *s;
    const int fd = open(meminfo, O_RDONLY);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return -1;
    text[n] = 0;
    s = strstr(text, field);
    return s ? strtol(s + strlen(field), NULL, 10) / 1024 : -1;
}

static bool node_shrink(long mib)
{
    char text[32];
    const long pages = mib ? (node_mib("MemFree:") - mib) / 2 : 0;
    const int n = snprintf(text, sizeof text, "%ld\n", pages > 0 ? pages : 0);
    const int fd = open(huge, O_WRONLY);
    const bool done = fd >= 0 && write(fd, text, (size_t)n) == n;
    if (fd >= 0)
        close(fd);
    return done;
}

/* Mappings in the reservation that may be read and written: one per pool if they stay whole. */
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

// --- another process
struct other {
    pid_t pid;
    int go, ready; // a byte to go: take the node; one is ready when it is full; go's end: end
};

/* Takes all of node 3's free memory and holds it; spills a little when it is done. */
static void other_run(int go, int ready)
{
    const size_t step = 2 * MIB;
    const uint64_t set[NUMAFY_WORDS] = {1 << NODE};
    char c = 0;
    if (read(go, &c, 1) != 1)
        _exit(0);
    for (int spilled = 0; spilled < 4;) {
        char *p = mmap(NULL, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED || numafy_os_bind((uintptr_t)p, step, NUMAFY_MPOL_PREFERRED, set))
            _exit(9);
        memset(p, 1, step);
        spilled += numafy_os_all_on((uintptr_t)p, step, NODE) != 0;
    }
    if (write(ready, &c, 1) != 1 || read(go, &c, 1) < 0)
        _exit(9);
    _exit(0);
}

/* The process, which waits. Made before there are pools it leaves them as they are: no fork. */
static struct other other_new(void)
{
    int go[2], ready[2];
    if (pipe(go) || pipe(ready))
        exit(90);
    const pid_t pid = fork();
    if (!pid) {
        close(go[1]);
        other_run(go[0], ready[1]);
    }
    close(go[0]), close(ready[1]);
    return (struct other){pid, go[1], ready[0]};
}

static void other_fills(struct other o)
{
    char c = 0;
    if (write(o.go, &c, 1) != 1 || read(o.ready, &c, 1) != 1)
        exit(91);
}

/* True: it is the one that ended itself. */
static bool other_ends(struct other o)
{
    int status = 0;
    close(o.go), close(o.ready);
    waitpid(o.pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// --- cases
static char *block[MANY];

/* Fills the pool with blocks of `size` bytes, touched; how many it got until NULL. */
static unsigned fill(size_t size, unsigned limit)
{
    unsigned n = 0;
    while (n < limit && (block[n] = numafy_malloc(NODE, size)) != NULL) {
        memset(block[n], 1, size);
        n++;
    }
    return n;
}

static void release(unsigned n)
{
    while (n)
        free(block[--n]);
}

static unsigned misplaced(unsigned n, size_t size)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < n; i++) {
        const uintptr_t from = (uintptr_t)block[i] & ~(uintptr_t)4095;
        const uintptr_t to = ((uintptr_t)block[i] + size + 4095) & ~(uintptr_t)4095;
        bad += numafy_os_all_on(from, to - from, NODE) != 0;
    }
    return bad;
}

/* 0 if errno and the reason say that node 3 is full. */
static int reason_is_full(void)
{
    return errno == ENOMEM && strstr(numafy_strerror(), "node 3 is full") ? 0 : 1;
}

static int case_bind_full(void)
{
    const size_t size = 256 << 10;
    const unsigned n = fill(size, MANY);
    int bad = n == MANY || reason_is_full();
    bad += 2 * (misplaced(n, size) != 0);
    bad += 4 * (numafy_malloc(NODE, 8 * MIB) != NULL || reason_is_full());
    void *elsewhere = numafy_malloc(2, 100);
    bad += 8 * (!elsewhere || numafy_resident_node(elsewhere) != 2);
    // What is freed is there for the next, and grows no more mappings.
    release(n);
    numafy_purge(NODE);
    const unsigned again = fill(size, MANY);
    bad += 16 * (again + again / 8 < n || misplaced(again, size) != 0);
    bad += 32 * (mappings() > 2);
    printf("%u and %u blocks of 256 KiB until NULL, %u mappings, bits %d\n", n, again, mappings(),
           bad);
    return bad;
}

/* Blocks of all sizes up to the last page: small ones come from slabs, whose growth fails too. */
static int case_bind_small(void)
{
    unsigned long n = 0, bad = 0;
    char *last = NULL;
    for (char *p; (p = numafy_malloc(NODE, n % 3 ? 64 : 3000)) != NULL; n++) {
        *(char **)(void *)p = last;
        last = p;
    }
    int wrong = reason_is_full();
    for (char *p = last; p; p = *(char **)(void *)p)
        bad += numafy_node_of(p) != NODE || numafy_resident_node(p) != NODE;
    wrong += 2 * (bad != 0) + 4 * (n < 10000);
    char *grown = numafy_realloc(last, 1 << 20); // fails and leaves the block as it was
    wrong += 8 * (grown != NULL || numafy_resident_node(last) != NODE);
    printf("%lu small blocks until NULL, %lu not on node 3, bits %d\n", n, bad, wrong);
    return wrong;
}

static long json_number(const char *name)
{
    static char text[16384];
    numafy_stats_json(text, sizeof text);
    const char *s = strstr(text, name);
    return s ? strtol(s + strlen(name) + 1, NULL, 10) : -1;
}

static bool all_there(const char *p, size_t size)
{
    return !numafy_os_all_on((uintptr_t)p & ~(uintptr_t)4095, size, NODE);
}

/* Another process takes the rest of the node after growth and before the touch. */
static int case_bind_other(void)
{
    const size_t size = 32 * MIB;
    const struct other o = other_new();
    char *p = numafy_malloc(NODE, size);
    if (!p)
        return 1;
    other_fills(o);
    memset(p, 1, size);
    int bad = 2 * !all_there(p, size);
    void *more = numafy_malloc(NODE, size);
    bad += 4 * (more != NULL || reason_is_full());
    bad += 8 * !other_ends(o);
    more = numafy_malloc(NODE, size); // its memory is free again
    bad += 16 * !more;
    printf("32 MiB kept, 32 MiB refused and then given, bits %d\n", bad);
    return bad;
}

/* The same after a purge: these extents never pass growth again. */
static int case_bind_purge(void)
{
    const size_t size = 48 * MIB;
    const struct other o = other_new();
    char *p = numafy_malloc(NODE, size);
    if (!p)
        return 1;
    memset(p, 1, size);
    const long before = node_mib("MemFree:");
    free(p);
    numafy_purge(NODE);
    const long given = node_mib("MemFree:") - before;
    int bad = 2 * (given < 40);
    other_fills(o);
    p = numafy_malloc(NODE, size);
    bad += 4 * (p != NULL || reason_is_full());
    bad += 8 * !other_ends(o);
    p = numafy_malloc(NODE, size);
    bad += 16 * !p;
    if (p) {
        memset(p, 1, size);
        bad += 32 * !all_there(p, size);
    }
    printf("%ld MiB given back, then refused, then given, bits %d\n", given, bad);
    return bad;
}

/* A page that is written to after a fork is copied. The copy may lie elsewhere, which is counted;
 * nobody is killed for it. */
static int case_bind_fork(void)
{
    const size_t size = 32 * MIB;
    char *p = numafy_malloc(NODE, size);
    if (!p)
        return 1;
    const struct other o = other_new(); // shares the pool's pages
    other_fills(o);
    memset(p, 1, size);
    const long spilled = json_number("\"spilled_bytes\"");
    int bad = 2 * (spilled < 16 * MIB || spilled > 40 * MIB);
    bad += 4 * (numafy_malloc(NODE, size) != NULL || reason_is_full());
    bad += 8 * !other_ends(o);
    bad += 16 * (mappings() > 2);
    printf("%ld MiB of copies elsewhere, %u mappings, bits %d\n", spilled >> 20, mappings(), bad);
    return bad;
}

/* With NUMAFY_HUGE=2: first what node 3 has of huge pages (node_shrink made them), then the rest.
 */
static int case_bind_huge(void)
{
    const size_t size = 256 << 10;
    const unsigned n = fill(size, MANY);
    const long in_huge = json_number("\"huge_bytes\"") >> 20;
    int bad = n == MANY || reason_is_full();
    bad +=
        2 * (misplaced(n, size) != 0) + 4 * (in_huge < 32) + 8 * (n / 4 < (unsigned)in_huge + 60);
    // Whole frames: of a transparent huge page that is in use in part the kernel frees the rest
    // late.
    for (unsigned i = n / 8; i < n; i++)
        free(block[i]);
    numafy_purge(NODE);
    const unsigned again = fill(size, MANY);
    bad += 16 * (again < n / 8 * 6 || misplaced(again, size) != 0);
    printf("%u and %u blocks of 256 KiB until NULL, %ld MiB in huge pages, bits %d\n", n, again,
           in_huge, bad);
    return bad;
}

/* Four threads fill the node at once; commits of neighbours meet. */
static void *fill_thread(void *count)
{
    for (unsigned long *n = count; numafy_malloc(NODE, 5000 + (*n % 7) * 4096); ++*n)
        ;
    return NULL;
}

static int case_bind_threads(void)
{
    enum { THREADS = 4 };
    pthread_t t[THREADS];
    unsigned long n[THREADS] = {0}, sum = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, fill_thread, &n[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        sum += n[i];
    }
    struct numafy_residence r[NUMAFY_SLOTS + 1], all;
    int bad = sum < 1000 || mappings() > 2;
    bad += 2 * (!numafy_residence_read(r, &all) || all.spilled != 0);
    printf("%lu blocks by four threads, %zu MiB resident, %zu bytes elsewhere, %u mappings\n", sum,
           all.resident >> 20, all.spilled, mappings());
    return bad;
}

/* prefer gives memory of other nodes, and the statistics say how much. */
static int case_prefer_full(void)
{
    const size_t size = 256 << 10;
    const unsigned n = fill(size, 180 * 4);
    const unsigned away = misplaced(n, size);
    const long spilled = json_number("\"spilled_bytes\"");
    const long counted = (long)(away * size);
    int bad = n != 180 * 4;
    bad += 2 * (away < 80 || spilled < counted / 2 || spilled > counted + 8 * MIB);
    release(n);
    numafy_purge(NODE);
    bad += 4 * (json_number("\"spilled_bytes\"") > 8 * MIB);
    printf("%u of %u blocks elsewhere, %ld KiB counted, bits %d\n", away, n, spilled >> 10, bad);
    return bad;
}

static int case_abort_full(void)
{
    fill(256 << 10, MANY);
    return 1; // not reached
}

/* The control: the same without our check. */
static int case_plain_bind(void)
{
    const uint64_t set[NUMAFY_WORDS] = {1 << NODE};
    const size_t size = (size_t)256 * MIB;
    char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    numafy_os_bind((uintptr_t)p, size, NUMAFY_MPOL_BIND, set);
    memset(p, 1, size);
    return 1; // not reached
}

static int case_absent(void)
{
    int bad = numafy_malloc(7, 100) != NULL || errno != ENOMEM;
    bad += 2 * !strstr(numafy_strerror(), "node 7 does not exist, this machine has 0-3");
    bad += 4 * (numafy_calloc(7, 1, 1) || numafy_aligned_alloc(7, 64, 64));
    void *p = numafy_malloc(2, 100);
    bad += 8 * (!p || numafy_resident_node(p) != 2);
    printf("bits %d\n", bad);
    return bad;
}

/* P27: as under `numactl --membind=0`, in each mode. The policy was set before exec. */
static int case_membind(void)
{
    void *p = numafy_malloc(1, 100);
    int bad;
    if (numafy_pools_v3.mode == NUMAFY_PREFER) {
        memset(p, 1, 100);
        bad = numafy_node_of(p) != 1 || numafy_resident_node(p) != 0;
        bad += 2 * (json_number("\"redirected_bytes\"") < 4096);
    } else {
        bad = p || !strstr(numafy_strerror(), "node 1 exists but may not be used here (numactl");
    }
    printf("bits %d\n", bad);
    return bad;
}

/* P31: a cpuset with the nodes 0 and 2, in each mode. */
static int case_cpuset(void)
{
    char *p = numafy_malloc(1, 100), *two = numafy_malloc(2, 100);
    int bad;
    if (numafy_pools_v3.mode == NUMAFY_PREFER) {
        memset(p, 1, 100);
        bad = numafy_node_of(p) != 1 || numafy_resident_node(p) != 0;
    } else {
        bad = p || strcmp(numafy_strerror(), "node 1 exists but may not be used here "
                                             "(cpuset.mems=0,2)");
    }
    if (two)
        memset(two, 1, 100);
    bad += 2 * (!two || numafy_resident_node(two) != 2);
    printf("bits %d\n", bad);
    return bad;
}

/* Joins a new cpuset with the nodes 0 and 2. */
static void join_cpuset(void)
{
    const char *const files[][2] = {{"cgroup.subtree_control", "+cpuset"},
                                    {"numafy/cpuset.mems", "0,2"},
                                    {"numafy/cgroup.procs", "0"}};
    mkdir("/tmp/place_cgroup", 0755);
    if (mount("none", "/tmp/place_cgroup", "cgroup2", 0, NULL) && errno != EBUSY)
        _exit(97);
    for (int i = 0; i < 3; i++) {
        char path[100];
        snprintf(path, sizeof path, "/tmp/place_cgroup/%s", files[i][0]);
        const int fd = open(path, O_WRONLY);
        const ssize_t n = (ssize_t)strlen(files[i][1]);
        if (fd < 0 || write(fd, files[i][1], (size_t)n) != n)
            _exit(96);
        close(fd);
        if (i == 0)
            mkdir("/tmp/place_cgroup/numafy", 0755);
    }
}

/* P53, P52: two policies in one process, and one thread that initialises objects on four nodes. */
static int case_policies(void)
{
    const size_t size = 4 * MIB;
    unsigned on[NUMAFY_NODES] = {0};
    char *even = numafy_malloc(NUMAFY_INTERLEAVE, size);
    int bad = 0;
    memset(even, 1, size);
    for (size_t at = 0; at < size; at += 4096)
        on[numafy_resident_node(even + at)]++;
    for (int node = 0; node < 4; node++) { // some pages may be in the pool's first block
        bad += on[node] < 240 || on[node] > 272;
        char *p = numafy_malloc(node, size);
        memset(p, 1, size);
        bad += 16 * (numafy_os_all_on((uintptr_t)p & ~(uintptr_t)4095, size, node) != 0);
    }
    for (int node = 0; node < 2; node++) {
        numafy_thread_bind(node);
        bad += 128 * (numafy_node_of(numafy_malloc(NUMAFY_LOCAL, 100)) != node);
    }
    printf("%u %u %u %u pages of an interleaved block, bits %d\n", on[0], on[1], on[2], on[3], bad);
    return bad > 127 ? 127 : bad;
}

static const struct {
    const char *name, *mode, *promise;
    int (*run)(void);
    int signal; // that ends it
} cases[] = {
    {"bind-full", "bind", "bind: a full node is NULL with a reason", case_bind_full, 0},
    {"bind-small", "bind", "bind: to the last small block", case_bind_small, 0},
    {"bind-other", "bind", "bind: another process fills the node between growth and touch",
     case_bind_other, 0},
    {"bind-purge", "bind", "bind: another process fills the node after a purge", case_bind_purge,
     0},
    {"bind-fork", "bind", "bind: nobody is killed for a page that is copied after fork",
     case_bind_fork, 0},
    {"bind-huge", "bind", "bind: a full node with pages of hugetlb", case_bind_huge, 0},
    {"bind-threads", "bind", "bind: threads meet at a full node", case_bind_threads, 0},
    {"prefer-full", "prefer", "prefer: a full node spills, and that is counted", case_prefer_full,
     0},
    {"abort-full", "abort", "abort: a full node ends the program and says why", case_abort_full,
     SIGABRT},
    {"plain-bind", "bind", "control: the kernel kills who fills a node by MPOL_BIND alone",
     case_plain_bind, SIGKILL},
    {"absent", "bind", "bind: a node that is not there is NULL with a reason", case_absent, 0},
    {"membind", "prefer", "prefer: numactl --membind redirects", case_membind, 0},
    {"membind", "bind", "bind: numactl --membind is a reason", case_membind, 0},
    {"cpuset", "prefer", "prefer: a cpuset redirects", case_cpuset, 0},
    {"cpuset", "bind", "bind: a cpuset is a reason", case_cpuset, 0},
    {"policies", "bind", "nodes, interleaving and local memory in one process", case_policies, 0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static int run_child(const char *name)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!strcmp(cases[i].name, name))
            return cases[i].run();
    return 99;
}

/* Runs case i; true if it ended as it should, and `err` has its first line on stderr. */
static bool run_case(unsigned i, char *err, size_t room)
{
    int fds[2], status = 0;
    size_t n = 0;
    if (pipe(fds))
        return false;
    printf("# %s: ", cases[i].name);
    fflush(stdout);
    const pid_t pid = fork();
    if (!pid) {
        const uint64_t zero[NUMAFY_WORDS] = {1};
        setenv("NUMAFY_MODE", cases[i].mode, 1);
        if (cases[i].run == case_bind_huge)
            setenv("NUMAFY_HUGE", "2", 1);
        if (cases[i].run == case_membind)
            syscall(SYS_set_mempolicy, NUMAFY_MPOL_BIND, zero, (long)NUMAFY_NODES);
        if (cases[i].run == case_cpuset)
            join_cpuset();
        dup2(fds[1], 2);
        execl("/proc/self/exe", "place_modes", "--case", cases[i].name, (char *)NULL);
        _exit(98);
    }
    close(fds[1]);
    for (ssize_t r; n < room - 1 && (r = read(fds[0], err + n, room - 1 - n)) > 0;)
        n += (size_t)r;
    err[n] = 0;
    close(fds[0]);
    waitpid(pid, &status, 0);
    if (cases[i].signal)
        printf("ended by signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    else if (WIFSIGNALED(status))
        printf("killed by signal %d\n", WTERMSIG(status));
    return cases[i].signal ? WIFSIGNALED(status) && WTERMSIG(status) == cases[i].signal
                           : WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    char err[2048];
    int failed = 0;
    if (argc == 3 && !strcmp(argv[1], "--case"))
        return run_child(argv[2]);
    if (!node_shrink(128)) {
        printf("1..0 # SKIP node 3 is not there or cannot be made small\n");
        return 0;
    }
    printf("1..%d\n# node 3 has %ld MiB free\n", CASES + 1, node_mib("MemFree:"));
    for (unsigned i = 0; i < CASES; i++) {
        bool ok = run_case(i, err, sizeof err);
        if (cases[i].signal == SIGABRT)
            ok = ok && !strcmp(err, "numafy: NUMAFY_MODE=abort: node 3 is full: the kernel would "
                                    "take memory of another node\n");
        else if (cases[i].run == case_membind && *cases[i].mode == 'p')
            ok = ok && strstr(err, "numactl --membind") && strstr(err, "goes to node 0\n");
        else if (cases[i].run == case_cpuset && *cases[i].mode == 'p')
            ok = ok && strstr(err, "(cpuset.mems=0,2): what goes there goes to node 0\n");
        else if (cases[i].run == case_bind_huge)
            ok = ok && strstr(err, "too few huge pages");
        else
            ok = ok && !*err;
        if (*err)
            printf("# stderr: %s", err);
        printf("%sok %u - %s\n", ok ? "" : "not ", i + 1, cases[i].promise);
        failed += !ok;
    }
    const bool back = node_shrink(0);
    printf("%sok %d - node 3 has its memory back\n", back ? "" : "not ", CASES + 1);
    return failed || !back;
}
