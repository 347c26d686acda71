/* SPDX-License-Identifier: Apache-2.0 */
/* record_news.c: a library to preload into a rewritten program. It records the blocks that
 * allocations of C and C++ give it out of pools, asks the kernel at exit where each of them lies,
 * and prints a line per size and node:
 *
 *     record_news: 152-byte blocks for node 1: 10001, 10001 in its pool, 10001 on it by the kernel
 *
 * It must not know the program. docs/trees.md shows its use. Blocks that the program has freed by
 * then are asked too: their pages stay with the pool. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int numafy_node_of(const void *p);
int numafy_resident_node(const void *p);

struct record {
    void *block;
    size_t size;
    int node;
};

enum { RECORDS_MAX = 1 << 20, KINDS_MAX = 64 };

static struct record *records;
static size_t record_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void record_add(void *block, size_t size, int node)
{
    pthread_mutex_lock(&lock);
    if (!records) {
        void *area = mmap(NULL, RECORDS_MAX * sizeof *records, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        records = area == MAP_FAILED ? NULL : area;
    }
    if (records && record_count < RECORDS_MAX)
        records[record_count++] = (struct record){block, size, node};
    pthread_mutex_unlock(&lock);
}

/* An allocation may call another one: the outermost is the program's. */
static __thread int inside;

static void *find(const char *name)
{
    void *next = dlsym(RTLD_NEXT, name);
    if (!next) {
        fprintf(stderr, "record_news: the program does not use libnumafy: no %s\n", name);
        abort();
    }
    return next;
}

static void *note(void *block, size_t size)
{
    const int node = --inside || !block ? -1 : numafy_node_of(block);
    if (node >= 0)
        record_add(block, size, node);
    return block;
}

#define RECORD(name, parameters, arguments, size) \
    void *name parameters                         \
    {                                             \
        static void *(*next)parameters;           \
        if (!next)                                \
            *(void **)&next = find(#name);        \
        inside++;                                 \
        return note(next arguments, size);        \
    }

RECORD(malloc, (size_t size), (size), size)
RECORD(calloc, (size_t count, size_t size), (count, size), count *size)
RECORD(_Znwm, (size_t size), (size), size)
RECORD(_Znam, (size_t size), (size), size)
RECORD(numafy_new_, (size_t size, size_t alignment, int node), (size, alignment, node), size)
RECORD(numafy_malloc, (int node, size_t size), (node, size), size)
RECORD(numafy_calloc, (int node, size_t count, size_t size), (node, count, size), count *size)
RECORD(numafy_malloc_near, (const volatile void *owner, size_t size), (owner, size), size)
RECORD(numafy_calloc_near, (const volatile void *owner, size_t count, size_t size),
       (owner, count, size), count *size)

struct kind {
    size_t size;
    int node;
    size_t blocks, in_pool, resident;
};

static struct kind *kind_of(struct kind *kinds, size_t *count, const struct record *r)
{
    for (size_t i = 0; i < *count; i++)
        if (kinds[i].size == r->size && kinds[i].node == r->node)
            return &kinds[i];
    if (*count == KINDS_MAX)
        return NULL;
    kinds[*count] = (struct kind){.size = r->size, .node = r->node};
    return &kinds[(*count)++];
}

__attribute__((destructor)) static void report(void)
{
    struct kind kinds[KINDS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < record_count; i++) {
        struct kind *k = kind_of(kinds, &count, &records[i]);
        if (!k)
            continue;
        k->blocks++;
        k->in_pool += numafy_node_of(records[i].block) == k->node;
        k->resident += numafy_resident_node(records[i].block) == k->node;
    }
    for (size_t i = 0; i < count; i++)
        fprintf(stderr,
                "record_news: %zu-byte blocks for node %d: %zu, %zu in its pool, %zu on it by the "
                "kernel\n",
                kinds[i].size, kinds[i].node, kinds[i].blocks, kinds[i].in_pool, kinds[i].resident);
    if (record_count == RECORDS_MAX)
        fprintf(stderr, "record_news: only the first %d blocks were recorded\n", RECORDS_MAX);
}
