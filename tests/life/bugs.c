// SPDX-License-Identifier: Apache-2.0
// bugs.c BUG: a program with one bug in a block of a pool, or none, for AddressSanitizer to find.
// Prints "end" where it gets so far.
#define _GNU_SOURCE
#include "numa_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *volatile block;
static void **volatile holder;

static void use_after_free(void)
{
    block = numafy_malloc(1, 100);
    free(block);
    for (int i = 0; i < 1000; i++) // its memory is not handed out again at once
        free(numafy_malloc(1, 100));
    block[50] = 1;
}

static void use_after_realloc(void)
{
    block = numafy_malloc(1, 100);
    char *volatile moved = realloc(block, 1000);
    block[0] = moved[0];
}

static void overflow(void)
{
    block = numafy_malloc(1, 100); // a class of 112 bytes
    block[100] = 1;
}

static void overflow_of_a_whole_class(void)
{
    block = numafy_malloc(1, 128);
    block[128] = 1;
}

static void overflow_of_a_large_block(void)
{
    block = numafy_malloc(1, 1 << 20);
    block[1 << 20] = 1;
}

static void double_free(void)
{
    block = numafy_malloc(1, 100);
    free(block);
    free(block);
}

static void plain_overflow(void)
{
    block = malloc(100);
    block[100] = 1;
}

/* What only a block of a pool points to is not lost. */
static void held_by_a_pool(void)
{
    holder = numafy_malloc(1, 10000);
    for (int i = 0; i < 100; i++)
        holder[i] = strdup("held");
}

/* A block of libc that nothing points to any more, not even a freed block of a pool. */
static void lost(void)
{
    void **volatile first = numafy_malloc(1, 1000);
    for (int i = 0; i < 100; i++)
        first[i] = malloc(77);
    free(first);
}

static void nothing(void)
{
    for (int i = 0; i < 3000; i++) {
        const size_t size = (size_t)(i * 37 % 5000);
        char *p = numafy_malloc(i % 4, size), *q = numafy_calloc(i % 4, 1, size);
        memset(p, 1, size);
        for (size_t k = 0; k < size; k++)
            if (q[k])
                abort();
        if (numafy_usable_size(p) < size || numafy_node_of(p) != i % 4)
            abort();
        p = realloc(p, size * 2 + 1);
        memset(p, 2, size * 2 + 1);
        char *a = numafy_aligned_alloc(i % 4, 1 << i % 13, size);
        memset(a, 3, size);
        if ((size_t)a % (1 << i % 13))
            abort();
        free(p), free(q), free(a);
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} bugs[] = {
    {"use-after-free", use_after_free},
    {"use-after-realloc", use_after_realloc},
    {"overflow", overflow},
    {"overflow-class", overflow_of_a_whole_class},
    {"overflow-large", overflow_of_a_large_block},
    {"double-free", double_free},
    {"plain-overflow", plain_overflow},
    {"held", held_by_a_pool},
    {"lost", lost},
    {"nothing", nothing},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof bugs / sizeof bugs[0]; i++)
        if (argc > 1 && !strcmp(argv[1], bugs[i].name))
            bugs[i].run();
    puts("end");
    return 0;
}
