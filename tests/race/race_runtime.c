// SPDX-License-Identifier: Apache-2.0
// race_runtime.c: threads hand blocks to each other, end while others hold their blocks, bind to
// new pools, add and remove roots, purge and flush, all at once. Every block must be on the node
// that was asked for and keep its contents.
#include "numa_alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAILBOXES = 256, THREADS = 4, GENERATIONS = 30, STEPS = 4000, NODES = 12 };

struct letter {
    int node;
    unsigned size;
    unsigned char mark;
};

static struct letter *mailbox[MAILBOXES];
static unsigned long bad, handed;
static char roots[THREADS][64];

static void check(const struct letter *l)
{
    const unsigned char *bytes = (const unsigned char *)l;
    unsigned long wrong = numafy_node_of(l) != l->node;
    for (unsigned i = sizeof *l; i < l->size; i += 61)
        wrong += bytes[i] != l->mark;
    if (wrong)
        __atomic_fetch_add(&bad, 1, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
    const int me = (int)(intptr_t)arg;
    unsigned seed = (unsigned)me * 2654435761u + 1;
    for (int step = 0; step < STEPS; step++) {
        seed = seed * 1664525u + 1013904223u;
        const unsigned r = seed >> 8;
        const int node = (int)(r % NODES);
        const unsigned size =
            (unsigned)sizeof(struct letter) + (r >> 4) % (step % 100 ? 600 : 70000);
        struct letter *l = numafy_malloc(node, size);
        l->node = node;
        l->size = size;
        l->mark = (unsigned char)r;
        memset(l + 1, l->mark, size - sizeof *l);
        struct letter *old = __atomic_exchange_n(&mailbox[r % MAILBOXES], l, __ATOMIC_ACQ_REL);
        if (!old)
            continue;
        check(old);
        __atomic_fetch_add(&handed, 1, __ATOMIC_RELAXED);
        if (r % 5 == 0) {
            const unsigned keep = old->size;
            struct letter *grown = realloc(old, keep * 2);
            check(grown);
            free(grown);
        } else {
            free(old);
        }
        if (r % 97 == 0) {
            numafy_root_add(roots[me], sizeof roots[me], node);
            void *p = numafy_malloc_near(roots[me] + 10, 20);
            if (numafy_node_of(p) != node)
                __atomic_fetch_add(&bad, 1, __ATOMIC_RELAXED);
            numafy_root_remove(roots[me]);
            free(p);
        }
        if (r % 501 == 0)
            numafy_thread_flush();
        if (r % 1009 == 0)
            numafy_purge(node);
    }
    return NULL;
}

int main(void)
{
    for (int generation = 0; generation < GENERATIONS; generation++) {
        pthread_t t[THREADS];
        for (intptr_t i = 0; i < THREADS; i++)
            pthread_create(&t[i], NULL, work, (void *)i);
        for (int i = 0; i < THREADS; i++)
            pthread_join(t[i], NULL);
    }
    for (int i = 0; i < MAILBOXES; i++)
        if (mailbox[i]) {
            check(mailbox[i]);
            free(mailbox[i]);
        }
    printf("1..2\n# %lu blocks were freed by another thread or a later one\n", handed);
    const int enough = handed > (unsigned long)THREADS * GENERATIONS * STEPS / 2;
    printf("%sok 1 - every block that changed hands is on its node, with its contents\n",
           bad ? "not " : "");
    printf("%sok 2 - blocks did change hands\n", enough ? "" : "not ");
    return bad || !enough;
}
