// SPDX-License-Identifier: Apache-2.0
// stress.c THREADS OPERATIONS [RLIMIT_AS in MiB]: threads allocate on four nodes and on the plain
// heap, grow, and free each other's blocks. Prints how many blocks had another node than they
// should or had lost their contents, and "off" if the pools are.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#ifdef NUMAFY_NO_REPLACE
#define free numafy_free
#define realloc numafy_realloc
#define malloc(size) numafy_malloc(NUMAFY_NO_NODE, size)
#endif

enum { SHARED = 256 };

struct block {
    unsigned char *p;
    size_t size;
    int node;
    unsigned char mark;
};

static struct block shared[SHARED];
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long operations, wrong;
static int may_spill, on;

static size_t size_of(unsigned seed)
{
    switch (seed & 15) {
    case 0:
        return (seed >> 8) % 200000 + 1;
    case 1:
    case 2:
        return (seed >> 8) % 20000 + 1;
    default:
        return (seed >> 8) % 300 + 1;
    }
}

static void check(const struct block *b)
{
    const int node = numafy_node_of(b->p);
    int bad = node != b->node;
    if (bad && node == NUMAFY_NO_NODE && b->node >= 0 && (may_spill || !on))
        bad = 0;
    for (size_t i = 0; i < b->size; i += 61)
        bad |= b->p[i] != b->mark;
    bad |= b->p[b->size - 1] != b->mark;
    if (bad)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void make(struct block *b, unsigned seed)
{
    b->node = (int)(seed >> 4 & 7) % 5 - 1;
    b->size = size_of(seed);
    b->mark = (unsigned char)(seed >> 3);
    if (seed & 0x10000)
        b->p = numafy_calloc(b->node, 1, b->size);
    else if (seed & 0x20000)
        b->p = numafy_aligned_alloc(b->node, (size_t)1 << (seed >> 20 & 15), b->size);
    else
        b->p = b->node < 0 ? malloc(b->size) : numafy_malloc(b->node, b->size);
    if (!b->p)
        abort();
    if (seed & 0x10000 && (b->p[0] || b->p[b->size - 1]))
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    memset(b->p, b->mark, b->size);
}

static void grow(struct block *b, unsigned seed)
{
    const size_t old = b->size;
    b->size = size_of(seed * 7);
    b->p = realloc(b->p, b->size);
    if (!b->p)
        abort();
    if (b->size > old)
        memset(b->p + old, b->mark, b->size - old);
}

static void *run(void *arg)
{
    unsigned seed = (unsigned)(size_t)arg * 2654435761u + 1;
    for (unsigned long i = 0; i < operations; i++) {
        seed = seed * 1664525 + 1013904223;
        struct block b, old;
        make(&b, seed >> 5);
        if (seed & 0x80000000)
            grow(&b, seed);
        pthread_mutex_lock(&shared_lock);
        struct block *at = &shared[seed % SHARED];
        old = *at;
        *at = b;
        pthread_mutex_unlock(&shared_lock);
        if (old.p) {
            check(&old);
            free(old.p);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    operations = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    if (argc > 3) {
        const rlim_t bytes = (rlim_t)strtoul(argv[3], NULL, 10) << 20;
        setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
        may_spill = 1;
    }
    void *probe = numafy_malloc(0, 1);
    on = numafy_node_of(probe) == 0;
    free(probe);
    pthread_t t[64];
    for (int i = 0; i < threads && i < 64; i++)
        pthread_create(&t[i], NULL, run, (void *)(size_t)(i + 1));
    for (int i = 0; i < threads && i < 64; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < SHARED; i++)
        free(shared[i].p);
    printf("%lu %s\n", wrong, on ? "on" : "off");
    return 0;
}
