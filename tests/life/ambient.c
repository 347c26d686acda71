// SPDX-License-Identifier: Apache-2.0
// ambient.c: a program in C that knows nothing of nodes, for tests/python/test_ambient.py. It
// allocates in every way of C, before main, in threads and at exit, and tells on stderr how many of
// its blocks are on node 1, if there is a runtime that knows.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern __attribute__((weak)) int numafy_node_of(const void *);

static int blocks, on_node_1;
static unsigned long sum;
static void *early;

static void *seen(void *p, size_t size)
{
    memset(p, 7, size);
    __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&on_node_1, numafy_node_of && numafy_node_of(p) == 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum, size + ((unsigned char *)p)[size / 2], __ATOMIC_RELAXED);
    return p;
}

__attribute__((constructor)) static void before_main(void)
{
    early = seen(malloc(100), 100);
}

static void at_exit(void)
{
    free(early);
    free(seen(malloc(50), 50));
    fprintf(stderr, "%d of %d on node 1\n", on_node_1, blocks);
}

static void *thread(void *given)
{
    free(given); // the main thread's
    for (size_t size = 16; size < 100000; size *= 3)
        free(seen(malloc(size), size));
    return seen(calloc(10, 10), 100);
}

int main(void)
{
    pthread_t t[4];
    char *text = NULL;
    void *aligned = NULL, *block;
    atexit(at_exit);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, thread, seen(malloc(1000), 1000));
    for (int i = 0; i < 4; i++) {
        pthread_join(t[i], &block);
        free(seen(realloc(block, 5000), 5000));
    }
    free(seen(strdup("a text"), 7));
    if (asprintf(&text, "%d blocks", 12) < 0 || posix_memalign(&aligned, 4096, 8192))
        return 1;
    free(seen(text, 9));
    free(seen(aligned, 8192));
    printf("%lu\n", sum);
    return 3;
}
