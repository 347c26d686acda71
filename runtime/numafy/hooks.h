/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.h: everything between us and jemalloc: its functions, how its flags are made, and the
 * extent hooks that give an arena pages of its pool's range alone. It must not know nodes or
 * threads.
 *
 * jemalloc is imported by assembler name, without its header, which would bring its own malloc
 * declarations into every user's unit. That also names symbols that only jemalloc has, so a link
 * with
 * --as-needed keeps it. */
#ifndef NUMAFY_HOOKS_H
#define NUMAFY_HOOKS_H

#include "huge.h"

void *numafy_je_mallocx_(size_t, int) __asm__("mallocx");
void *numafy_je_rallocx_(void *, size_t, int) __asm__("rallocx");
void numafy_je_dallocx_(void *, int) __asm__("dallocx");
size_t numafy_je_sallocx_(const void *, int) __asm__("sallocx");
size_t numafy_je_nallocx_(size_t, int) __asm__("nallocx");
int numafy_je_mallctl_(const char *, void *, size_t *, void *, size_t) __asm__("mallctl");
int numafy_je_mallctlnametomib_(const char *, size_t *, size_t *) __asm__("mallctlnametomib");
int numafy_je_mallctlbymib_(const size_t *, size_t, void *, size_t *, void *,
                            size_t) __asm__("mallctlbymib");

enum {
    NUMAFY_JE_ZERO = 0x40,
    NUMAFY_JE_TCACHE_NONE = 1 << 8,
    NUMAFY_JE_MAX_INDEX = 4094, /* 12 bits each for arenas and tcaches, less the reserved values */
    NUMAFY_STEP_MAX = 64 << 20
};

NUMAFY_FN_ int numafy_je_flags(unsigned arena, unsigned tcache)
{
    return (int)((arena + 1) << 20 | (tcache + 2) << 8);
}

NUMAFY_FN_ int numafy_je_flags_uncached(unsigned arena)
{
    return (int)((arena + 1) << 20) | NUMAFY_JE_TCACHE_NONE;
}

/* The tcache id in flags, -1 for "none" and "automatic". */
NUMAFY_FN_ int numafy_je_tcache(int flags)
{
    return (int)((unsigned)flags >> 8 & 0xfff) - 2;
}

NUMAFY_FN_ unsigned numafy_je_arena(int flags)
{
    return ((unsigned)flags >> 20) - 1;
}

/* Makes the page map readable for [from, to) of the reservation, offsets of 2 MiB steps. */
NUMAFY_FN_ bool numafy_map_open(size_t from, size_t to)
{
    const uintptr_t map = (uintptr_t)numafy_state_v3.page_map, page = numafy_os_page() - 1;
    const uintptr_t start = (map + (from >> NUMAFY_MAP_SHIFT) * 2) & ~page;
    const uintptr_t end = (map + (to >> NUMAFY_MAP_SHIFT) * 2 + page) & ~page;
    return !numafy_os_mprotect_((void *)start, end - start, NUMAFY_PROT_RW);
}

/* Makes [start, end) of the slot readable, in steps: 2 MiB or a huge page at first, then as much as
 * is open, up to 64 MiB. Threads may race: see numafy_huge_open. */
NUMAFY_FN_ bool numafy_range_open(struct numafy_slot *slot, size_t end, size_t size)
{
    const size_t unit = numafy_huge_unit();
    size_t opened = __atomic_load_n(&slot->opened, __ATOMIC_ACQUIRE);
    while (opened < end) {
        const size_t step = opened > NUMAFY_STEP_MAX ? (size_t)NUMAFY_STEP_MAX : opened;
        const size_t least = opened + step > end ? opened + step : end;
        size_t target = (least + unit - 1) & ~(unit - 1);
        if (target > size)
            target = size;
        const size_t offset = slot->start - numafy_state_v3.base;
        if (!numafy_map_open(offset + opened, offset + target) ||
            !numafy_huge_open(slot, opened, target))
            return false;
        opened = __atomic_load_n(&slot->opened, __ATOMIC_ACQUIRE);
    }
    return true;
}

/* Gives the end of what is taken back: [from, from + size), unless another thread took what
 * follows. */
NUMAFY_FN_ void numafy_range_untake(struct numafy_slot *slot, size_t from, size_t size)
{
    size_t end = from + size;
    __atomic_compare_exchange_n(&slot->used, &end, from, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Takes `size` bytes of the range, zero and never used before. Without a lock: jemalloc holds its
 * own here, and fork takes ours before those. NULL: the range is used up, or the kernel refuses. */
NUMAFY_FN_ void *numafy_range_take(struct numafy_slot *slot, size_t limit, const void *at,
                                   size_t size, size_t alignment)
{
    size_t used = __atomic_load_n(&slot->used, __ATOMIC_RELAXED), from;
    do {
        from = ((slot->start + used + alignment - 1) & ~(alignment - 1)) - slot->start;
        if (at && slot->start + from != (uintptr_t)at)
            return NULL;
        if (from > limit || size > limit - from)
            return NULL;
    } while (!__atomic_compare_exchange_n(&slot->used, &used, from + size, 0, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    if (numafy_range_open(slot, from + size, limit))
        return (void *)(slot->start + from);
    /* The kernel refuses so much now; the range stays there for smaller or later wishes. */
    numafy_range_untake(slot, from, size);
    return NULL;
}

/* A purge is MADV_DONTNEED, after which the pages come zero from the range's policy again. */
NUMAFY_FN_ bool numafy_hook_purge(struct numafy_hooks *hooks, void *p, size_t size, size_t offset,
                                  size_t length, unsigned arena)
{
    (void)hooks;
    (void)size;
    (void)arena;
    return numafy_os_madvise_((char *)p + offset, length, NUMAFY_MADV_DONTNEED) != 0;
}

NUMAFY_FN_ bool numafy_hook_split(struct numafy_hooks *hooks, void *p, size_t size, size_t a,
                                  size_t b, bool committed, unsigned arena)
{
    (void)hooks, (void)p, (void)size, (void)a, (void)b, (void)committed, (void)arena;
    return false;
}

NUMAFY_FN_ bool numafy_hook_merge(struct numafy_hooks *hooks, void *a, size_t a_size, void *b,
                                  size_t b_size, bool committed, unsigned arena)
{
    (void)hooks, (void)a, (void)a_size, (void)b, (void)b_size, (void)committed, (void)arena;
    return false;
}

/* Whether jemalloc ties threads to arenas itself: it then refuses to point thread.arena back. */
NUMAFY_FN_ bool numafy_je_percpu(void)
{
    const char *mode = NULL;
    size_t len = sizeof mode;
    return !numafy_je_mallctl_("opt.percpu_arena", &mode, &len, NULL, 0) && mode &&
           __builtin_strcmp(mode, "disabled") != 0;
}

/* Runs `make` with thread.arena pointed at `arena`, and points it back: a tcache serves for ever
 * the arena that is current when it is made, and a thread left there would get plain malloc from
 * it. */
NUMAFY_FN_ int numafy_je_tcache_create(unsigned arena, unsigned *tcache)
{
    unsigned old;
    size_t len = sizeof old;
    if (numafy_je_percpu())
        return EPERM;
    int e = numafy_je_mallctl_("thread.arena", &old, &len, &arena, sizeof arena);
    if (e)
        return e;
    len = sizeof *tcache;
    e = numafy_je_mallctl_("tcache.create", tcache, &len, NULL, 0);
    numafy_je_mallctl_("thread.arena", NULL, NULL, &old, sizeof old);
    return e;
}

NUMAFY_FN_ size_t numafy_je_stat(unsigned arena, const char *what)
{
    char name[64];
    size_t value = 0, len = sizeof value;
    snprintf(name, sizeof name, "stats.arenas.%u.%s", arena, what);
    return numafy_je_mallctl_(name, &value, &len, NULL, 0) ? 0 : value;
}

#endif /* NUMAFY_HOOKS_H */
