// SPDX-License-Identifier: Apache-2.0
// place_runtime.c: a million blocks of mixed sizes on four nodes, allocated, freed and reallocated
// by a thread of each CPU node, every one's page asked from the kernel (move_pages), before and
// after the threads have freed each other's blocks; plain malloc and new of the same threads stay
// unbound.
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

enum { NODES = 4, THREADS = 2, PER_THREAD = 500000, BATCH = 1024, PLAIN = 20000 };

struct block {
    unsigned char *p;
    unsigned size;
    int node;
};

struct worker {
    pthread_t thread;
    int cpu_node;
    unsigned seed;
    struct block *blocks; // PER_THREAD of them
    struct block *others; // the other thread's
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
    // Mostly nodes of trees and lists, some strings, few vectors; about 100 bytes on average.
    b->size = r % 1000 < 700 ? 16 + r % 64 : r % 1000 < 995 ? 80 + r % 180 : 1000 + r % 7000;
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

static void *work(void *arg)
{
    struct worker *w = arg;
    numafy_thread_bind(w->cpu_node);
    for (unsigned i = 0; i < PER_THREAD; i++)
        take(w, &w->blocks[i], (int)(i % NODES));
    pthread_barrier_wait(&barrier); // the main thread asks the kernel
    pthread_barrier_wait(&barrier);
    // Even blocks are freed by the other thread, odd ones by their own, in a mixed order.
    for (unsigned i = 0; i < PER_THREAD; i++) {
        const unsigned at = (unsigned)((unsigned long)i * 250007 % PER_THREAD);
        give(w, at % 2 ? &w->blocks[at] : &w->others[at]);
        if (i % 25 == 0) { // plain allocations in between, of sizes that the pools use too
            void *p = malloc(16 + i % 200);
            w->bad_plain += numafy_node_of(p) != NUMAFY_NO_NODE;
            w->plain++;
            free(p);
        }
    }
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < PER_THREAD; i++) {
        take(w, &w->blocks[i], (int)(next_random(&w->seed) % NODES));
        if (i % 8 == 0 && w->blocks[i].p) { // grown by whoever holds it, on its node
            struct block *b = &w->blocks[i];
            unsigned char *p = realloc(b->p, b->size + 60);
            b->size += 60;
            b->p = p;
            w->bad_address += numafy_node_of(p) != b->node;
            p[0] = p[b->size - 1] = (unsigned char)(b->size ^ (unsigned)b->node);
        }
    }
    pthread_barrier_wait(&barrier); // asked again
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < PER_THREAD; i++)
        give(w, &w->blocks[i]);
    return NULL;
}

/* Where the pool of `node` keeps its pages. */
static int home(int node)
{
    return numafy_pools_v2.slot[numafy_state_v2.slot_of[node + NUMAFY_NODE_ARGS]].mapped;
}

struct count {
    unsigned long asked, wrong, unknown;
    int error; // what the kernel said instead
};

/* Asks the kernel for every block's page. */
static void ask(const struct block *blocks, struct count *c)
{
    static void *pages[BATCH];
    static int status[BATCH];
    for (unsigned at = 0; at < PER_THREAD; at += BATCH) {
        const unsigned n = PER_THREAD - at < BATCH ? PER_THREAD - at : (unsigned)BATCH;
        for (unsigned i = 0; i < n; i++)
            pages[i] = (void *)((uintptr_t)blocks[at + i].p & ~(uintptr_t)4095);
        const long r =
            numafy_os_syscall_(SYS_move_pages, 0L, (long)n, pages, (void *)NULL, status, 0L);
        for (unsigned i = 0; i < n; i++) {
            c->asked++;
            if (r) {
                c->error = errno;
                c->unknown++;
            } else if (home(blocks[at + i].node) < 0) {
                c->unknown++;
            } else {
                c->wrong += status[i] != home(blocks[at + i].node);
            }
        }
    }
}

static int number, failed;
static void report(bool ok, const char *text)
{
    printf("%sok %d - %s\n", ok ? "" : "not ", ++number, text);
    failed += !ok;
}

static void report_pages(const char *when, const struct count *c)
{
    printf("# %s: %lu blocks asked, %lu on another node, %lu unknown\n", when, c->asked, c->wrong,
           c->unknown);
    if (c->unknown)
        printf("ok %d - %s # SKIP the kernel may not be asked or does not bind (%s)\n", ++number,
               when, c->error ? strerror(c->error) : "mbind failed");
    else
        report(c->wrong == 0 && c->asked == (unsigned long)THREADS * PER_THREAD, when);
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
    for (int cpu_node = 0; cpu_node < THREADS; cpu_node++) {
        struct plain p = {cpu_node, -1, -1};
        pthread_t t;
        pthread_create(&t, NULL, touch_plain, &p);
        pthread_join(t, NULL);
        const int wanted = numafy_sysfs_nearest(NULL, cpu_node, numafy_pools_v2.topology.cpus);
        printf("# plain block of a thread on node %d: policy %d, page on node %d\n", wanted,
               p.policy, p.resident);
        policy_ok = policy_ok && p.policy == 0;
        touch_ok = touch_ok && (p.resident == wanted || p.resident == -EPERM);
    }
    report(policy_ok, "plain malloc has no node policy");
    report(touch_ok, "plain malloc's pages follow the first touch");
}

int main(void)
{
    struct worker w[THREADS];
    struct count before = {0, 0, 0, 0}, after = {0, 0, 0, 0};
    unsigned long bad_address = 0, bad_contents = 0, bad_plain = 0, plain = 0;
    memset(w, 0, sizeof w);
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        w[i].cpu_node = i;
        w[i].seed = (unsigned)i + 1;
        w[i].blocks = mmap(NULL, PER_THREAD * sizeof(struct block), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    for (int i = 0; i < THREADS; i++) {
        w[i].others = w[1 - i].blocks;
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    pthread_barrier_wait(&barrier);
#ifndef NUMAFY_TEST_AUTO_TCACHE
    printf("1..7\n");
    for (int i = 0; i < THREADS; i++)
        ask(w[i].blocks, &before);
#else
    printf("1..1\n");
#endif
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier); // all are freed
    pthread_barrier_wait(&barrier); // and taken anew
#ifndef NUMAFY_TEST_AUTO_TCACHE
    for (int i = 0; i < THREADS; i++)
        ask(w[i].blocks, &after);
#endif
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        bad_address += w[i].bad_address;
        bad_contents += w[i].bad_contents;
        bad_plain += w[i].bad_plain;
        plain += w[i].plain;
    }
    printf("# %lu blocks in another pool, %lu with other contents, %lu of %lu plain blocks in a "
           "pool\n",
           bad_address, bad_contents, bad_plain, plain);
#ifdef NUMAFY_TEST_AUTO_TCACHE
    (void)before, (void)after, (void)ask, (void)report_pages, (void)check_plain;
    report(bad_address + bad_plain > 0,
           "control: frees through jemalloc's automatic cache are detected");
#else
    report_pages("a million blocks lie on their nodes", &before);
    report_pages("after mixed frees by both threads all new blocks lie on their nodes", &after);
    report(bad_address == 0, "every block is in its pool by address");
    report(bad_contents == 0, "no block was handed out twice");
    report(bad_plain == 0 && plain == 2 * PLAIN, "plain blocks of the same threads are in no pool");
    check_plain();
#endif
    return failed != 0;
}
