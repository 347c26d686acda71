// SPDX-License-Identifier: Apache-2.0
// place_huge.c: NUMAFY_HUGE=2 on four nodes with stores of huge pages of their own, which this
// program fills and empties (it is root in the guest): placement by the kernel's word, what happens
// when there are too few, what comes back, fork. Each case is a process of its own, `place_huge
// --child NAME ...`; a touch without a page would end it by SIGBUS, as the control shows.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES = 4, MIB = 1 << 20, FRAME = 2 << 20, BLOCK = 1000, LARGE = 48 << 10 };

// --- the stores
static void store_path(char *path, size_t len, int node, const char *file)
{
    snprintf(path, len, "/sys/devices/system/node/node%d/hugepages/hugepages-2048kB/%s", node,
             file);
}

static long store_get(int node, const char *file)
{
    char path[128];
    long n = -1;
    store_path(path, sizeof path, node, file);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%ld", &n) != 1)
        n = -1;
    if (f)
        fclose(f);
    return n;
}

static bool store_set(int node, long pages)
{
    char path[128];
    store_path(path, sizeof path, node, "nr_hugepages");
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "%ld\n", pages);
        fclose(f);
    }
    return store_get(node, "nr_hugepages") == pages;
}

static const struct numafy_huge_pool *pool(int node)
{
    return &numafy_huge_v3.pool[numafy_state_v3.slot_of[node + NUMAFY_NODE_ARGS]];
}

// --- children
/* Blocks of all nodes in turn, small ones and some of several pages; keeps them. */
struct block {
    char *p;
    size_t size;
};
static struct block blocks[NODES][40000];
static unsigned used[NODES];

static void fill(int node, size_t bytes)
{
    for (size_t sum = 0; sum < bytes; used[node]++) {
        struct block *const b = &blocks[node][used[node]];
        b->size = used[node] % 64 == 63 ? LARGE : BLOCK;
        b->p = numafy_malloc(node, b->size);
        memset(b->p, node + 1, b->size);
        sum += b->size;
    }
}

static unsigned long wrong_contents(int node)
{
    unsigned long bad = 0;
    for (unsigned i = 0; i < used[node]; i++)
        for (size_t at = 0; at < blocks[node][i].size; at += 100)
            bad += blocks[node][i].p[at] != node + 1;
    return bad;
}

/* Blocks whose first page is elsewhere, by move_pages. */
static unsigned long wrong_node(int node)
{
    unsigned long bad = 0;
    for (unsigned i = 0; i < used[node]; i++)
        bad += numafy_resident_node(blocks[node][i].p) != node;
    return bad;
}

/* Huge pages of hugetlb on a node, and elsewhere, of mappings inside the pool's range (numa_maps).
 */
static void maps_of(int node, long *there, long *elsewhere)
{
    static char line[4096];
    const struct numafy_slot *s =
        &numafy_pools_v3.slot[numafy_state_v3.slot_of[node + NUMAFY_NODE_ARGS]];
    FILE *f = fopen("/proc/self/numa_maps", "r");
    *there = *elsewhere = 0;
    while (f && fgets(line, sizeof line, f)) {
        const uintptr_t start = strtoull(line, NULL, 16);
        if (start < s->start || start >= s->start + s->opened || !strstr(line, " huge "))
            continue;
        for (const char *at = line; (at = strstr(at, " N")) != NULL; at++) {
            int id;
            long n;
            if (sscanf(at, " N%d=%ld", &id, &n) == 2)
                *(id == node ? there : elsewhere) += n;
        }
    }
    if (f)
        fclose(f);
}

/* `spread MIB`: on each node, "wrong node, wrong contents, huge pages, those by numa_maps, wrong by
 * numa_maps, fallbacks;". */
static int child_spread(size_t bytes)
{
    for (int node = 0; node < NODES; node++)
        fill(node, bytes);
    for (int node = 0; node < NODES; node++) {
        long there, elsewhere;
        maps_of(node, &there, &elsewhere);
        printf("%lu %lu %zu %ld %ld %zu;", wrong_node(node), wrong_contents(node),
               pool(node)->pages, there, elsewhere, pool(node)->fallbacks);
    }
    return 0;
}

static void free_all(int node)
{
    for (unsigned i = 0; i < used[node]; i++)
        free(blocks[node][i].p);
    used[node] = 0;
    numafy_thread_flush();
    numafy_purge(node);
}

/* Fills, frees, fills again with zeroed blocks; then again with the store emptied in between. */
static int child_again(void)
{
    const int node = 2;
    unsigned long dirty = 0;
    fill(node, 32 * MIB);
    const size_t full = pool(node)->pages;
    free_all(node);
    const size_t left = pool(node)->pages;
    const long in_store = store_get(node, "free_hugepages"),
               total = store_get(node, "nr_hugepages");
    printf("%d %d %d ", full >= 16, left * 4 <= full, in_store == total - (long)left);
    for (int i = 0; i < 30; i++) {
        char *p = numafy_calloc(node, 1, MIB);
        for (int at = 0; at < MIB; at += 64)
            dirty += p[at] != 0;
        memset(p, 1, MIB);
        blocks[node][used[node]++] = (struct block){p, MIB};
    }
    printf("%lu %d %zu ", dirty, pool(node)->pages > left + 10, pool(node)->fallbacks);
    free_all(node);
    store_set(node, (long)pool(node)->pages); // somebody else takes what came back
    fill(node, 32 * MIB);
    printf("%lu %lu %d", wrong_node(node), wrong_contents(node), pool(node)->fallbacks > 0);
    return 0;
}

/* `fork 0`: the parent writes to everything while the store is empty. `fork 1`: so does the child,
 * before, out of spare pages. Prints whether the parent's blocks are as it wrote them. */
static int child_fork(bool spare)
{
    const int node = 1;
    int go[2], status = 0;
    fill(node, 12 * MIB);
    const size_t pages = pool(node)->pages;
    if (!spare)
        store_set(node, (long)pages);
    const long left = store_get(node, "free_hugepages");
    if (pipe(go))
        return 1;
    const pid_t pid = fork();
    if (!pid) {
        char c;
        if (!spare && read(go[0], &c, 1) != 1)
            _exit(1);
        for (unsigned i = 0; spare && i < used[node]; i++)
            memset(blocks[node][i].p, 9, blocks[node][i].size);
        _exit(spare ? 0 : wrong_contents(node) != 0);
    }
    if (spare)
        waitpid(pid, &status, 0);
    for (unsigned i = 0; i < used[node]; i++)
        memset(blocks[node][i].p, node + 1, blocks[node][i].size);
    if (!spare && (write(go[1], "x", 1) != 1 || waitpid(pid, &status, 0) != pid))
        return 1;
    printf("%d %lu", spare ? left >= (long)pages && !status : !left && pages >= 4,
           wrong_contents(node));
    fprintf(stderr, "# fork: %zu huge pages, %ld spare; the child ended with status %#x\n", pages,
            left, (unsigned)status);
    return 0;
}

/* The control: what a plain mapping does on a node whose store is smaller. */
static int child_control(void)
{
    const uint64_t node3[NUMAFY_WORDS] = {8};
    char *p = mmap(NULL, 8 * FRAME, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (p == MAP_FAILED || numafy_os_bind((uintptr_t)p, 8 * FRAME, NUMAFY_MPOL_BIND, node3))
        return 1;
    memset(p, 1, 8 * FRAME);
    return 0;
}

static int run_child(char **argv)
{
    const char *name = argv[0];
    if (!strcmp(name, "spread"))
        return child_spread((size_t)atoi(argv[1]) * MIB);
    if (!strcmp(name, "again"))
        return child_again();
    if (!strcmp(name, "fork"))
        return child_fork(argv[1][0] == '1');
    if (!strcmp(name, "control"))
        return child_control();
    return 124;
}

// --- the cases
static int number, failed;
static void report(bool ok, const char *text)
{
    printf("%sok %d - %s\n", ok ? "" : "not ", ++number, text);
    failed += !ok;
}

/* Runs a child under NUMAFY_HUGE=2; what it prints. The wait status. */
static int child(const char *name, const char *arg, char *out, size_t len)
{
    int fds[2], status = -1;
    size_t n = 0;
    ssize_t r;
    fflush(stdout);
    if (pipe(fds))
        return -1;
    const pid_t pid = fork();
    if (!pid) {
        char self[] = "place_huge", mark[] = "--child";
        char *argv[] = {self, mark, (char *)(uintptr_t)name, (char *)(uintptr_t)arg, NULL};
        setenv("NUMAFY_HUGE", "2", 1);
        setenv("NUMAFY_SHARDS", "1", 1);
        dup2(fds[1], 1);
        execv("/proc/self/exe", argv);
        _exit(126);
    }
    close(fds[1]);
    while (n < len - 1 && (r = read(fds[0], out + n, len - 1 - n)) > 0)
        n += (size_t)r;
    out[n] = 0;
    close(fds[0]);
    waitpid(pid, &status, 0);
    printf("# %s %s: %s (status %#x)\n", name, arg, out, (unsigned)status);
    return status;
}

static bool stores(long n0, long n1, long n2, long n3)
{
    const bool set = store_set(0, n0) & store_set(1, n1) & store_set(2, n2) & store_set(3, n3);
    if (!set)
        printf("# the kernel does not fill the stores\n");
    return set;
}

/* A child `spread` of 24 MiB per node, whose pools find `pages` huge pages, or as many as they
 * need. */
static void spread(const char *text, const long pages[NODES])
{
    char out[512];
    const char *at = out;
    bool ok = stores(pages[0], pages[1], pages[2], pages[3]);
    ok = child("spread", "24", out, sizeof out) == 0 && ok;
    for (int node = 0; node < NODES && ok; node++) {
        unsigned long node_bad, contents_bad;
        long huge, there, elsewhere, fallbacks;
        int n = 0;
        ok = sscanf(at, "%lu %lu %ld %ld %ld %ld;%n", &node_bad, &contents_bad, &huge, &there,
                    &elsewhere, &fallbacks, &n) == 6;
        ok = ok && !node_bad && !contents_bad && !elsewhere && there == huge;
        ok =
            ok && (pages[node] >= 24 ? huge >= 12 && !fallbacks : huge == pages[node] && fallbacks);
        at += n;
    }
    report(ok, text);
}

static bool gives(const char *name, const char *arg, const char *expected)
{
    char out[512];
    return child(name, arg, out, sizeof out) == 0 && !strcmp(out, expected);
}

int main(int argc, char **argv)
{
    char out[64];
    if (argc > 2 && !strcmp(argv[1], "--child"))
        return run_child(argv + 2);
    printf("1..8\n");
    spread("enough huge pages: all blocks on their nodes", (const long[]){24, 24, 24, 24});
    /* P45 */
    spread("too few: each node uses what it has, the rest is counted", (const long[]){4, 3, 1, 5});
    spread("a node without any takes none of another node", (const long[]){24, 24, 24, 0});
    bool ok = stores(8, 8, 8, 4);
    const int status = child("control", "", out, sizeof out);
    report(ok && WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS,
           "control: a plain mapping there dies of SIGBUS");
    ok = stores(0, 0, 24, 0);
    report(ok && gives("again", "", "1 1 1 0 1 0 0 0 1"),
           "free pages go back to the store, and are had again, or replaced");
    /* P46 */
    ok = stores(0, 24, 0, 0);
    report(ok && gives("fork", "0", "1 0"), "after fork the parent lacks no page");
    ok = stores(0, 30, 0, 0);
    report(ok && gives("fork", "1", "1 0"), "a child of fork writes into spare pages");
    ok = stores(0, 0, 0, 0);
    report(ok, "nothing is left in use");
    return failed != 0;
}
