// SPDX-License-Identifier: Apache-2.0
// race_roots.c: roots come and go in one entry of the table while other threads ask for owners.
// Whoever asks gets a root's own node or the plain heap, never one root's range with another's
// node.
#include "numa_alloc.h"

#include <pthread.h>

enum { OBJECTS = 4, READERS = 2, CHANGES = 4000000 };

static char object[OBJECTS][64];
static int done;
static unsigned long asked, hits, wrong;

static void *ask(void *unused)
{
    unsigned long n = 0, found = 0, bad = 0;
    (void)unused;
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
        const int i = (int)(n++ % OBJECTS);
        const int node = numafy_near_(&object[i][60]);
        found += node == i;
        bad += node != i && node != NUMAFY_NO_NODE;
    }
    __atomic_fetch_add(&asked, n, __ATOMIC_RELAXED);
    __atomic_fetch_add(&hits, found, __ATOMIC_RELAXED);
    __atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    pthread_t t[READERS];
    printf("1..2\n");
    for (int i = 0; i < READERS; i++)
        pthread_create(&t[i], NULL, ask, NULL);
    // One root at any time, always in the table's first entry; sizes differ too.
    for (int change = 0; change < CHANGES; change++) {
        const int i = change % OBJECTS;
        numafy_root_remove(object[(change + OBJECTS - 1) % OBJECTS]);
        numafy_root_add(object[i], sizeof object[i] - (unsigned)i, i);
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < READERS; i++)
        pthread_join(t[i], NULL);
    printf("# %lu questions, %lu found a root\n", asked, hits);
    printf("%sok 1 - an owner has its root's node or none\n", wrong ? "not " : "");
    printf("%sok 2 - roots were found\n", hits ? "" : "not ");
    return wrong || !hits;
}
