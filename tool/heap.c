/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Address space, not memory: a page is taken when it is touched. The first step fits the parse of
 * most units. Above MMAP_BYTES (glibc's own maximum) a block has a mapping of its own. */
enum {
    HUGE_PAGE = 2 * 1024 * 1024,
    FIRST_STEP = 512 * 1024 * 1024,
    LATER_STEPS = 64 * 1024 * 1024,
    MMAP_BYTES = 32 * 1024 * 1024
};

/* Other C libraries, and the sanitizers' malloc, have their own ways. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

void heap_prepare(void)
{
    uintptr_t start = ((uintptr_t)sbrk(0) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
    mallopt(M_TRIM_THRESHOLD, INT32_MAX);
    mallopt(M_TOP_PAD, FIRST_STEP);
    void *volatile top = malloc(HUGE_PAGE); /* volatile: the pair must not be optimised away */
    free(top);
    mallopt(M_TOP_PAD, LATER_STEPS);
    uintptr_t end = (uintptr_t)sbrk(0);
    if (end > start)
        madvise((void *)start, end - start, MADV_HUGEPAGE);
}

#else

void heap_prepare(void) {}

#endif
