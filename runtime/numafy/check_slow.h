/* SPDX-License-Identifier: Apache-2.0 */
/* check_slow.h: what check.h promises: two bits for every 16 bytes of the reservation, whether a
 * block begins there and whether one ever did; patterns in free blocks; walks. It only looks: what
 * it finds is told in one line, and the program ends by abort.
 *
 * Locks are not taken here: the bits are atomic, a bin is its thread's, a depot is looked at under
 * its own lock by those that hold it. */
#ifndef NUMAFY_CHECK_SLOW_H
#define NUMAFY_CHECK_SLOW_H

#include "depot.h"
#include "fast.h"

#ifndef NUMAFY_EXTERN

/* The level of the unit whose copy of the runtime serves; one name at all levels. */
extern NUMAFY_EXPORT_ int numafy_check_level_v3, numafy_check_off_v3;
NUMAFY_WEAK_ int numafy_check_level_v3 = NUMAFY_DEBUG;
NUMAFY_WEAK_ int numafy_check_off_v3;

/* Runs at the start of every unit: one of another level neither marks nor checks its blocks. */
NUMAFY_FN_ void numafy_check_join(void)
{
    if (NUMAFY_LIKELY_(numafy_check_level_v3 == NUMAFY_DEBUG) || numafy_check_off_v3)
        return;
    numafy_check_off_v3 = 1;
    numafy_os_say(
        "numafy: units of this program have different NUMAFY_DEBUG: the checks are off\n");
}

#if NUMAFY_DEBUG > 0

enum {
    NUMAFY_CHECK_LIVE = 1,
    NUMAFY_CHECK_EVER = 2,
    NUMAFY_CHECK_FREE_BYTE = 0xdf, /* in free blocks, */
    NUMAFY_CHECK_NEW_BYTE = 0xd0,  /* and in fresh ones of malloc */
    NUMAFY_CHECK_BACK = 1 << 20    /* how many bytes before a pointer its block is looked for */
};

void numafy_os_abort_(void) __asm__("abort") __attribute__((noreturn));

/* Four blocks to a byte. NULL: no address space for it. */
NUMAFY_WEAK_ uint8_t *numafy_check_marks_v3;

NUMAFY_COLD_ void numafy_check_start_(void)
{
    const size_t size = numafy_state_v3.span / 64;
    if (NUMAFY_POISONS_)
        return; /* AddressSanitizer sees more */
    void *p =
        numafy_os_mmap_(NULL, size, NUMAFY_PROT_RW, NUMAFY_MAP_ANON | NUMAFY_MAP_NORESERVE, -1, 0);
    if ((intptr_t)p == -1) {
        numafy_check_off_v3 = 1;
        numafy_os_say("numafy: no address space for the checks of NUMAFY_DEBUG: they are off\n");
        return;
    }
    numafy_os_madvise_(p, size, NUMAFY_MADV_NOHUGEPAGE);
    numafy_check_marks_v3 = (uint8_t *)p;
}

NUMAFY_FN_ uint8_t *numafy_check_mark(const void *p, unsigned *shift)
{
    const size_t at = ((uintptr_t)p - numafy_state_v3.base) / 16;
    *shift = (unsigned)(at % 4 * 2);
    return &numafy_check_marks_v3[at / 4];
}

NUMAFY_FN_ unsigned numafy_check_marked(const void *p)
{
    unsigned shift;
    const uint8_t *mark = numafy_check_mark(p, &shift);
    return __atomic_load_n(mark, __ATOMIC_RELAXED) >> shift & 3u;
}

NUMAFY_FN_ bool numafy_check_is_off(void)
{
    return numafy_check_off_v3 || !numafy_check_marks_v3;
}

/* --- what is said */
/* The size of the blocks that begin in p's page, 0: not known. The page map can be read for the
 * opened part of a range only. */
NUMAFY_FN_ size_t numafy_check_size(const void *p)
{
    const struct numafy_slot *s = &numafy_pools_v3.slot[numafy_slot_of_address(p)];
    if (!s->start || (uintptr_t)p - s->start >= __atomic_load_n(&s->opened, __ATOMIC_ACQUIRE))
        return 0;
    const unsigned entry = *numafy_map_at(p);
    return entry ? numafy_class_size(entry / NUMAFY_BIN_WORDS % NUMAFY_CLASSES) : 0;
}

NUMAFY_COLD_ void numafy_check_die_(const void *p, const char *what, const char *hint)
{
    char text[640], size[48] = "";
    if (numafy_check_off_v3)
        return;
    if (numafy_is_ours(p) && numafy_check_size(p))
        snprintf(size, sizeof size, ", blocks of %zu bytes", numafy_check_size(p));
    snprintf(text, sizeof text, "numafy: %s: 0x%lx (node %d%s). %s\n", what,
             (unsigned long)(uintptr_t)p, numafy_node_of(p), size, hint);
    numafy_os_say(text);
    numafy_os_abort_();
}

/* The live block that p points into, NULL: none that begins at most NUMAFY_CHECK_BACK before. */
NUMAFY_INNER_ const char *numafy_check_around(const void *p)
{
    const unsigned slot = numafy_slot_of_address(p);
    const uintptr_t start = numafy_pools_v3.slot[slot].start;
    uintptr_t at = (uintptr_t)p & ~(uintptr_t)15;
    for (size_t back = 0; start && at >= start && back <= NUMAFY_CHECK_BACK; back += 16, at -= 16) {
        if (!(numafy_check_marked((const void *)at) & NUMAFY_CHECK_LIVE))
            continue;
        const size_t size = numafy_check_size((const void *)at);
        const size_t usable = size ? size : numafy_je_sallocx_((const void *)at, 0);
        return (uintptr_t)p - at < usable ? (const char *)at : NULL;
    }
    return NULL;
}

/* p is not the beginning of a live block. */
NUMAFY_COLD_ void numafy_check_bad_(const void *p, const char *verb)
{
    char what[160];
    const char *around = numafy_check_around(p);
    if ((uintptr_t)p % 16 == 0 && (numafy_check_marked(p) & NUMAFY_CHECK_EVER)) {
        snprintf(what, sizeof what, "%s of a block that is free already", verb);
        numafy_check_die_(p, *verb == 'f' ? "double free" : what,
                          "Two owners of one pointer? -fsanitize=address shows who freed it first");
    } else if (around) {
        snprintf(what, sizeof what, "%s of a pointer %zu bytes into the block at 0x%lx", verb,
                 (size_t)((const char *)p - around), (unsigned long)(uintptr_t)around);
        numafy_check_die_(p, what, "Only what an allocation has returned can be given back");
    } else {
        snprintf(what, sizeof what, "%s of a pointer into a pool where no block begins", verb);
        numafy_check_die_(p, what,
                          "No allocation has returned it: not initialised, or calculated?");
    }
}

/* --- blocks that come and go */
NUMAFY_FN_ bool numafy_check_is_free_byte(const unsigned char *p, size_t size, size_t *at)
{
    for (*at = 0; *at < size; ++*at)
        if (p[*at] != NUMAFY_CHECK_FREE_BYTE)
            return false;
    return true;
}

NUMAFY_COLD_ void numafy_check_given_(void *p, int cached)
{
    unsigned shift;
    if (numafy_check_is_off())
        return;
    uint8_t *mark = numafy_check_mark(p, &shift);
    const unsigned both = NUMAFY_CHECK_LIVE | NUMAFY_CHECK_EVER;
    if (__atomic_fetch_or(mark, (uint8_t)(both << shift), __ATOMIC_RELAXED) >> shift &
        NUMAFY_CHECK_LIVE)
        numafy_check_die_(p, "a block is handed out that is in use",
                          "A bug of numafy, or its memory was written to");
#if NUMAFY_DEBUG >= 2
    const size_t size = cached ? numafy_check_size(p) : 0;
    size_t at;
    if (!numafy_check_is_free_byte((unsigned char *)p, size, &at)) {
        char what[96];
        snprintf(what, sizeof what, "byte %zu of a free block was written to", at);
        numafy_check_die_(p, what, "A use after free; -fsanitize=address shows where");
    }
    __builtin_memset(p, NUMAFY_CHECK_NEW_BYTE, size);
#else
    (void)cached;
#endif
}

/* Takes the mark of a live block away; false: it is none. */
NUMAFY_FN_ bool numafy_check_unmark(void *p)
{
    unsigned shift;
    uint8_t *mark = numafy_check_mark(p, &shift);
    if ((uintptr_t)p % 16)
        return false;
    return __atomic_fetch_and(mark, (uint8_t) ~(NUMAFY_CHECK_LIVE << shift), __ATOMIC_RELAXED) >>
               shift &
           NUMAFY_CHECK_LIVE;
}

NUMAFY_COLD_ void numafy_check_freed_(void *p)
{
    if (numafy_check_is_off())
        return;
    if (!numafy_check_unmark(p))
        numafy_check_bad_(p, "free");
#if NUMAFY_DEBUG >= 2
    __builtin_memset(p, NUMAFY_CHECK_FREE_BYTE, numafy_check_size(p));
#endif
}

NUMAFY_COLD_ void numafy_check_live_(const void *p)
{
    if (!numafy_check_is_off() &&
        ((uintptr_t)p % 16 || !(numafy_check_marked(p) & NUMAFY_CHECK_LIVE)))
        numafy_check_bad_(p, "use");
}

NUMAFY_COLD_ void numafy_check_moves_(void *p)
{
    if (!numafy_check_is_off() && !numafy_check_unmark(p))
        numafy_check_bad_(p, "realloc");
}

NUMAFY_COLD_ void numafy_check_typed_(const void *p, int node, size_t size)
{
    char what[128];
    const bool ours = numafy_is_ours(p);
    if (numafy_check_is_off() || (!ours && numafy_pools_v3.distrust))
        return;
    if (ours && ((uintptr_t)p % 16 || !(numafy_check_marked(p) & NUMAFY_CHECK_LIVE)))
        numafy_check_bad_(p, "free");
    if (!ours || (node != NUMAFY_LOCAL && numafy_node_of(p) != node)) {
        snprintf(what, sizeof what, "delete of a numa<T,%d> that is not on its node", node);
        numafy_check_die_(p, what, "Delete what new numa<T,k> has made, or use an exact T");
    }
    if (size <= NUMAFY_CACHED_MAX && numafy_check_size(p) &&
        numafy_check_size(p) != numafy_class_size(numafy_class_of(size))) {
        snprintf(what, sizeof what, "delete of a numa<T,%d> of %zu bytes with another size", node,
                 size);
        numafy_check_die_(p, what, "A base without a virtual destructor, or another type?");
    }
}

NUMAFY_COLD_ void numafy_check_sized_(const void *p, size_t size)
{
    char what[96];
    if (!numafy_is_ours(p) || numafy_check_is_off())
        return;
    numafy_check_live_(p);
    const size_t usable = numafy_check_size(p);
    if (!usable ||
        (size <= NUMAFY_CACHED_MAX && usable == numafy_class_size(numafy_class_of(size))))
        return;
    snprintf(what, sizeof what, "delete of %zu bytes of a block that has another size", size);
    numafy_check_die_(p, what, "A base without a virtual destructor, or another type?");
}

NUMAFY_COLD_ void numafy_check_fetched_(void *const *blocks, unsigned n, size_t size)
{
#if NUMAFY_DEBUG >= 2
    for (unsigned i = 0; i < n; i++)
        __builtin_memset(blocks[i], NUMAFY_CHECK_FREE_BYTE, size);
#else
    (void)blocks, (void)n, (void)size;
#endif
}

/* --- walks */
NUMAFY_INNER_ void numafy_check_damaged(const void *p, const char *what)
{
    char text[128];
    snprintf(text, sizeof text, "a cache is damaged, %s", what);
    numafy_check_die_(p, text, "A write through a wild pointer, or a bug of numafy");
}

/* n free blocks of one bin; each is there once, unless `once` is false. */
NUMAFY_INNER_ void numafy_check_blocks(void *const *blocks, unsigned n, unsigned slot,
                                       unsigned class_)
{
    for (unsigned i = 0; i < n; i++) {
        if (numafy_slot_of_address(blocks[i]) != slot)
            numafy_check_damaged(blocks[i], "it has a block of another pool");
        if (*numafy_map_at(blocks[i]) != numafy_map_entry(slot, class_))
            numafy_check_damaged(blocks[i], "it has a block of another size");
        if (!numafy_check_is_off() && numafy_check_marked(blocks[i]) & NUMAFY_CHECK_LIVE)
            numafy_check_damaged(blocks[i], "it has a block that is in use");
        for (unsigned j = 0; j < i; j++)
            if (blocks[j] == blocks[i])
                numafy_check_damaged(blocks[i], "it has a block twice");
    }
}

NUMAFY_COLD_ void numafy_check_bin_(const struct numafy_thread *t, unsigned slot, unsigned class_)
{
#if NUMAFY_DEBUG >= 3
    const struct numafy_bin *bin = &t->bin[slot * NUMAFY_CLASSES + class_];
    struct numafy_magazine *loaded = numafy_bin_loaded(bin);
    if (!loaded)
        return;
    const unsigned room = numafy_pools_v3.magazine[class_];
    const struct numafy_magazine *spare = loaded->next;
    if (bin->numafy_top_ < bin->numafy_empty_ || bin->numafy_top_ > bin->numafy_full_ ||
        bin->numafy_full_ > bin->numafy_empty_ + room)
        numafy_check_damaged(loaded, "its bounds are wrong");
    if (spare && spare->count > room)
        numafy_check_damaged(spare, "its spare magazine has too much");
    numafy_check_blocks(bin->numafy_empty_, (unsigned)(bin->numafy_top_ - bin->numafy_empty_), slot,
                        class_);
    if (spare)
        numafy_check_blocks((void *const *)(spare + 1), spare->count, slot, class_);
#else
    (void)t, (void)slot, (void)class_;
#endif
}

NUMAFY_COLD_ void numafy_check_depot_(unsigned slot, unsigned class_)
{
#if NUMAFY_DEBUG >= 3
    const struct numafy_depot *d = &numafy_pools_v3.slot[slot].depot[class_];
    unsigned n = 0;
    for (const struct numafy_magazine *m = d->full; m; m = m->next, n++)
        if (n >= d->count || !m->count || m->count > numafy_pools_v3.magazine[class_])
            numafy_check_damaged(m, "its depot's list is wrong");
    if (n != d->count)
        numafy_check_damaged(d, "its depot's count is wrong");
    if (d->full)
        numafy_check_blocks((void *const *)(d->full + 1), d->full->count, slot, class_);
#else
    (void)slot, (void)class_;
#endif
}

#endif /* NUMAFY_DEBUG */
#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_CHECK_SLOW_H */
