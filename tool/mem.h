/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the tool: checked allocation and an arena whose strings live until the arena is
 * released. Running out of memory aborts: the scanner is a child process whose death the parent
 * reports, and the parent writes nothing but whole files.
 */
#ifndef NUMAFY_TOOL_MEM_H
#define NUMAFY_TOOL_MEM_H

#include <stddef.h>

/* malloc/realloc/strdup that never return NULL. Free with free(). */
void *mem_alloc(size_t size);
void *mem_realloc(void *p, size_t size);
char *mem_strdup(const char *s);

/* A chain of blocks. Zero-initialise; nothing inside is freed before arena_release. */
struct arena {
    struct arena_block *head;
};

/* Zeroed memory, aligned for any object. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
/* printf into the arena. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_release(struct arena *a);

#endif
