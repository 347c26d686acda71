// SPDX-License-Identifier: Apache-2.0
// place_runtime.c: a million live blocks of 16 to 32768 bytes on four nodes, by one thread and by
// eight on the CPUs of both nodes that have some, allocated in turn, freed and reallocated by each
// other; every one's pages asked from the kernel (move_pages), before and after the mixed frees;
// plain malloc and new of the same threads stay unbound.
//
// In a guest with four nodes this proves the placement. On a machine with fewer the pools'
// addresses are checked all the same, and the pages against the node that the pool was redirected
// to.
//
// Built with NUMAFY_TEST_AUTO_TCACHE it is the control: frees through jemalloc's automatic cache
// must make the same checks count wrong objects.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NODES = 4, CPU_NODES = 2, THREADS = 8, BLOCKS = 1000000, BATCH = 512, PLAIN_EVERY = 25 };

struct block {
    unsigned char *p;
    unsigned size;
    int node;
};

struct worker {
    pthread_t thread;
    int cpu_node;
    unsigned seed;
    unsigned count; // of blocks
    struct block *blocks;
    struct block *others; // the next thread's
    unsigned long bad_address, bad_contents, bad_plain, plain;
};

static pthread_barrier_t barrier;

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void take(struct worker *w, struct block *b, int node)
{
    const unsigned r = next_random(&w->seed);
    // Mostly nodes of trees and lists, some strings, few vectors; about 160 bytes on average.
    b->size = r % 1000 < 700   ? 16 + r % 64
              : r % 1000 < 990 ? 80 + r % 180
              : r % 1000 < 998 ? 1000 + r % 7000
                               : 8192 + r % (32768 - 8192 + 1);
    b->node = node;
    b->p = numafy_malloc(node, b->size);
    if (!b->p) {
        w->bad_address++;
        return;
    }
    w->bad_address += numafy_node_of(b->p) != node;
    b->p[0] = (unsigned char)(b->size ^ (unsigned)node);
    b->p[b->size - 1] = b->p[0];
}

static void give(struct worker *w, struct block *b)
{
    const unsigned char mark = (unsigned char)(b->size ^ (unsigned)b->node);
    w->bad_contents += b->p[0] != mark || b->p[b->size - 1] != mark;
    free(b->p);
    b->p = NULL;
}

/* Grows a block where it is: whoever calls, it stays on its node. */
static void grow(struct worker *w, struct block *b, unsigned size)
{
    unsigned char *p = realloc(b->p, size);
    if (!p) {
        w->bad_address++;
        return;
    }
    b->p = p;
    b->size = size;
    w->bad_address += numafy_node_of(p) != b->node;
    p[0] = p[size - 1] = (unsigned char)(size ^ (unsigned)b->node);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    numafy_thread_bind(w->cpu_node);
    for (unsigned i = 0; i < w->count; i++)
        take(w, &w->blocks[i], (int)(i % NODES));
    pthread_barrier_wait(&barrier); // the main thread asks the kernel
    pthread_barrier_wait(&barrier);
    // Even blocks are freed by the thread before, some after it has grown them, odd ones by their
    // own, in a mixed order.
    for (unsigned i = 0; i < w->count; i++) {
        const unsigned at = (unsigned)((unsigned long)i * 250007 % w->count);
        if (at % 16 == 0)
            grow(w, &w->others[at], w->others[at].size * 2);
        give(w, at % 2 ? &w->blocks[at] : &w->others[at]);
        if (i % PLAIN_EVERY == 0) { // plain allocations in between, of sizes that the pools use too
            void *p = malloc(16 + i % 200);
            w->bad_plain += numafy_node_of(p) != NUMAFY_NO_NODE;
            w->plain++;
            free(p);
        }
    }
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < w->count; i++) {
        take(w, &w->blocks[i], (int)(next_random(&w->seed) % NODES));
        if (i % 8 == 0 && w->blocks[i].p)
            grow(w, &w->blocks[i], w->blocks[i].size + 60);
    }
    pthread_barrier_wait(&barrier); // asked again
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < w->count; i++)
        give(w, &w->blocks[i]);
    return NULL;
}

/* Where the pool of `node` keeps its pages. */
static int home(int node)
{
    return numafy_pools_v3.slot[numafy_state_v3.slot_of[node + NUMAFY_NODE_ARGS]].mapped;
}

struct count {
    unsigned long asked, wrong, unknown;
    int error; // what the kernel said instead
};

/* Asks the kernel for the pages of every block's first and last byte. */
static void ask(const struct block *blocks, struct count *c)
{
    static void *pages[2 * BATCH];
    static int status[2 * BATCH];
    for (unsigned at = 0; at < BLOCKS; at += BATCH) {
        const unsigned n = BLOCKS - at < BATCH ? BLOCKS - at : (unsigned)BATCH;
        for (unsigned i = 0; i < n; i++) {
            const uintptr_t first = (uintptr_t)blocks[at + i].p;
            pages[2 * i] = (void *)(first & ~(uintptr_t)4095);
            pages[2 * i + 1] = (void *)((first + blocks[at + i].size - 1) & ~(uintptr_t)4095);
        }
        const long r =
            numafy_os_syscall_(SYS_move_pages, 0L, 2L * n, pages, (void *)NULL, status, 0L);
        for (unsigned i = 0; i < n; i++) {
            const int node = home(blocks[at + i].node);
            c->asked++;
            if (r) {
                c->error = errno;
                c->unknown++;
            } else if (node < 0) {
                c->unknown++;
            } else {
                c->wrong += status[2 * i] != node || status[2 * i + 1] != node;
            }
        }
    }
}

static int number, failed;
static const char *course = ""; /* begins every line's text */
static void report(bool ok, const char *text)
{
    printf("%sok %d - %s%s\n", ok ? "" : "not ", ++number, course, text);
    failed += !ok;
}

static void report_pages(const char *when, const struct count *c)
{
    printf("# %s: %lu blocks asked, %lu on another node, %lu unknown\n", when, c->asked, c->wrong,
           c->unknown);
    if (c->unknown)
        printf("ok %d - %s%s # SKIP the kernel may not be asked or does not bind (%s)\n", ++number,
               course, when, c->error ? strerror(c->error) : "mbind failed");
    else
        report(c->wrong == 0 && c->asked == BLOCKS, when);
}

/* A fresh plain block that a thread of `cpu_node` touches first: its policy and its node. */
struct plain {
    int cpu_node, policy, resident;
};
static void *touch_plain(void *arg)
{
    struct plain *p = arg;
    numafy_thread_bind(p->cpu_node);
    for (int node = 0; node < NODES; node++)
        free(numafy_malloc(node, 64)); // bound to all pools, as any thread of the program
    char *block = malloc(32 << 20);
    memset(block, 1, 32 << 20);
    p->policy = -1;
    numafy_os_syscall_(SYS_get_mempolicy, &p->policy, (void *)NULL, 0L, block + (16 << 20), 2L);
    p->resident = numafy_resident_node(block + (16 << 20));
    free(block);
    return NULL;
}

static void check_plain(void)
{
    bool policy_ok = true, touch_ok = true;
    for (int cpu_node = 0; cpu_node < CPU_NODES; cpu_node++) {
        struct plain p = {cpu_node, -1, -1};
        pthread_t t;
        pthread_create(&t, NULL, touch_plain, &p);
        pthread_join(t, NULL);
        const int wanted = numafy_sysfs_nearest(NULL, cpu_node, numafy_pools_v3.topology.cpus);
        printf("# plain block of a thread on node %d: policy %d, page on node %d\n", wanted,
               p.policy, p.resident);
        policy_ok = policy_ok && p.policy == 0;
        touch_ok = touch_ok && (p.resident == wanted || p.resident == -EPERM);
    }
    report(policy_ok, "plain malloc has no node policy");
    report(touch_ok, "plain malloc's pages follow the first touch");
}

#ifdef NUMAFY_TEST_AUTO_TCACHE
enum { CONTROL = 1 };
#else
enum { CONTROL = 0 };
#endif

/* The whole course of a million blocks by so many threads. */
static void run(int threads, struct block *blocks)
{
    static struct worker w[THREADS];
    struct worker sum = {0};
    struct count before = {0, 0, 0, 0}, after = {0, 0, 0, 0};
    memset(w, 0, sizeof w);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        w[i].cpu_node = i % CPU_NODES;
        w[i].seed = (unsigned)(threads + i);
        w[i].count = BLOCKS / (unsigned)threads;
        w[i].blocks = blocks + (unsigned)i * w[i].count;
        w[i].others = blocks + (unsigned)((i + 1) % threads) * w[i].count;
    }
    for (int i = 0; i < threads; i++)
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    pthread_barrier_wait(&barrier);
    if (!CONTROL)
        ask(blocks, &before);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier); // all are freed
    pthread_barrier_wait(&barrier); // and taken anew
    if (!CONTROL)
        ask(blocks, &after);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < threads; i++) {
        pthread_join(w[i].thread, NULL);
        sum.bad_address += w[i].bad_address;
        sum.bad_contents += w[i].bad_contents;
        sum.bad_plain += w[i].bad_plain;
        sum.plain += w[i].plain;
    }
    pthread_barrier_destroy(&barrier);
    printf("# %d threads: %lu blocks in another pool, %lu with other contents, %lu of %lu plain "
           "blocks in a pool\n",
           threads, sum.bad_address, sum.bad_contents, sum.bad_plain, sum.plain);
    if (CONTROL) {
        report(sum.bad_address + sum.bad_plain > 0,
               "control: frees through jemalloc's automatic cache are detected");
        return;
    }
    report_pages("a million blocks lie on their nodes", &before);
    report_pages("after mixed frees and reallocs all new blocks lie on their nodes", &after);
    report(sum.bad_address == 0, "every block is in its pool by address");
    report(sum.bad_contents == 0, "no block was handed out twice");
    report(sum.bad_plain == 0 && sum.plain == BLOCKS / PLAIN_EVERY,
           "plain blocks of the same threads are in no pool");
}

int main(void)
{
    struct block *blocks = mmap(NULL, BLOCKS * sizeof *blocks, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf(CONTROL ? "1..1\n" : "1..12\n");
    course = "one thread: ";
    if (!CONTROL)
        run(1, blocks);
    course = "eight threads: ";
    run(THREADS, blocks);
    course = "";
    if (!CONTROL)
        check_plain();
    return failed != 0;
}
