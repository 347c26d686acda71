/* SPDX-License-Identifier: Apache-2.0 */
/* huge.h: NUMAFY_HUGE: what the kernel offers, how a part of a pool's range is opened in
 * transparent or reserved (hugetlb) huge pages, and how reserved ones go back. Counts what was not
 * to be had. It must not know jemalloc beyond the form of its hooks, nor threads.
 *
 * A page of hugetlb that is missing when it is touched is a SIGBUS. So none is ever visible in a
 * range before it is there: it is mapped elsewhere, bound to the node (old kernels ignore
 * "preferred" for huge pages), populated by a call that fails instead of killing, and moved into
 * its place. Mapping over the range and looking afterwards would leave a hole there when the kernel
 * refuses, which another mapping of the process may take.
 *
 * They are mapped with a reservation (no MAP_NORESERVE): after a fork the process that made the
 * pool then never lacks the page that it writes to; the kernel takes it from the child. */
#ifndef NUMAFY_HUGE_H
#define NUMAFY_HUGE_H

#include "env.h"

enum {
    NUMAFY_THP_FRAME = 2 << 20, /* ranges, and steps of opening, are multiples */
    NUMAFY_MAP_FIXED = 0x10,
    NUMAFY_MAP_HUGETLB = 0x40000,
    NUMAFY_MAP_HUGE_SHIFT = 26,
    NUMAFY_MREMAP_TO = 3, /* MREMAP_MAYMOVE | MREMAP_FIXED */
    NUMAFY_MADV_HUGEPAGE = 14,
    NUMAFY_PRCTL_THP_DISABLED = 42,
    NUMAFY_HUGE_SIZES = 8 /* that one kernel has; arm64 has four */
};

/* What stands in the word of a frame (a huge page's place in a range): its state, and above that
 * how many of its 4 KiB pages jemalloc holds as committed. Fresh extents are not: a frame is opened
 * when a part of it is wanted, and closed with the last. */
enum {
    NUMAFY_FRAME_CLOSED = 0,
    NUMAFY_FRAME_SMALL = 1, /* ordinary pages, because no huge one was to be had */
    NUMAFY_FRAME_HUGE = 2,
    NUMAFY_FRAME_STATE = 3,
    NUMAFY_FRAME_LIVE = 4, /* one page */
    NUMAFY_AHEAD_MAX = 64 << 20
};

/* The huge pages of one slot. The lock is the last of all: hooks take it inside jemalloc's. It is
 * not held over fork, whose child sets it free: every change of a frame is such that the next
 * opening of the frame completes it. */
struct numafy_huge_pool {
    struct numafy_mutex lock;
    uint32_t *frames; /* by offset / page; NULL: no hugetlb here */
    size_t pages;     /* of hugetlb, now */
    size_t fallbacks; /* pages of hugetlb that were wanted and not there */
    size_t advised;   /* bytes that may become transparent huge pages */
    size_t unadvised; /* bytes for which these were wanted and are not to be had */
};

struct numafy_huge {
    size_t page;        /* bytes of a hugetlb page, 0: none are used */
    int transparent;    /* 1: ask for transparent ones */
    int no_transparent; /* 1: the kernel gives none */
    struct numafy_huge_pool pool[NUMAFY_SLOTS + 1];
};

extern NUMAFY_EXPORT_ struct numafy_huge numafy_huge_v3;
void *numafy_os_mremap_(void *, size_t, size_t, int, ...) __asm__(NUMAFY_OS_("mremap"));
int numafy_os_prctl_(int, ...) __asm__(NUMAFY_OS_("prctl"));

#ifndef NUMAFY_EXTERN
NUMAFY_WEAK_ struct numafy_huge numafy_huge_v3;
#endif

NUMAFY_FN_ struct numafy_huge_pool *numafy_huge_of(const struct numafy_slot *slot)
{
    return &numafy_huge_v3.pool[slot - numafy_pools_v3.slot];
}

/* --- what the kernel has */
/* The start of <sysfs>/kernel/mm/<name>. */
NUMAFY_FN_ long numafy_huge_slurp(const char *name, char *buf, size_t len)
{
    char path[NUMAFY_PATH_MAX];
    const char *const root = numafy_pools_v3.sysfs;
    snprintf(path, sizeof path, "%s/kernel/mm/%s", root ? root : "/sys", name);
    return numafy_os_slurp(path, buf, len);
}

/* Why no transparent huge page can come of an madvise; NULL: one can. */
NUMAFY_FN_ const char *numafy_huge_thp_missing(void)
{
    char all[128], size[128];
    if (numafy_huge_slurp("transparent_hugepage/enabled", all, sizeof all) < 0)
        return "this kernel has no transparent huge pages";
    if (numafy_os_prctl_(NUMAFY_PRCTL_THP_DISABLED, 0L, 0L, 0L, 0L) > 0)
        return "transparent huge pages are off for this process (PR_SET_THP_DISABLE)";
    /* Since Linux 6.8 each size has a switch of its own, which may point at the common one. */
    const bool own =
        numafy_huge_slurp("transparent_hugepage/hugepages-2048kB/enabled", size, sizeof size) > 0 &&
        !__builtin_strstr(size, "[inherit]");
    return __builtin_strstr(own ? size : all, "[never]")
               ? "transparent huge pages are off (transparent_hugepage/enabled says never)"
               : NULL;
}

/* Enters a size of hugetlb pages, in ascending order. */
NUMAFY_FN_ unsigned numafy_huge_size_add(size_t *sizes, unsigned n, size_t size)
{
    unsigned at = n;
    if (n == NUMAFY_HUGE_SIZES)
        return n;
    for (; at > 0 && sizes[at - 1] > size; at--)
        sizes[at] = sizes[at - 1];
    sizes[at] = size;
    return n + 1;
}

/* The sizes of hugetlb pages, from the names of folders; opendir would allocate. */
NUMAFY_FN_ unsigned numafy_huge_sizes(size_t *sizes)
{
    const char *const root = numafy_pools_v3.sysfs, prefix[] = "hugepages-";
    char path[NUMAFY_PATH_MAX], buf[2048];
    unsigned n = 0, kib;
    snprintf(path, sizeof path, "%s/kernel/mm/hugepages", root ? root : "/sys");
    const int fd = numafy_os_open_(path, 02200000 /* O_RDONLY | O_CLOEXEC | O_DIRECTORY */);
    long got;
    while (fd >= 0 && (got = numafy_os_syscall_(SYS_getdents64, (long)fd, buf, sizeof buf)) > 0)
        for (long at = 0; at < got;) {
            /* struct linux_dirent64: inode, offset, 2 bytes of length, 1 of type, name */
            const char *const name = buf + at + 19;
            unsigned short length;
            __builtin_memcpy(&length, buf + at + 16, sizeof length);
            if (!__builtin_strncmp(name, prefix, sizeof prefix - 1) &&
                numafy_parse_number(name + sizeof prefix - 1, 1u << 28, &kib))
                n = numafy_huge_size_add(sizes, n, (size_t)kib << 10);
            at += length;
        }
    if (fd >= 0)
        numafy_os_close_(fd);
    return n;
}

/* Bytes of the page that MAP_HUGETLB without a size gives: /proc/meminfo, or <sysfs>/meminfo. */
NUMAFY_FN_ size_t numafy_huge_default_size(void)
{
    const char *const root = numafy_pools_v3.sysfs;
    char path[NUMAFY_PATH_MAX], buf[4096];
    unsigned kib;
    snprintf(path, sizeof path, "%s/meminfo", root ? root : "/proc");
    if (numafy_os_slurp(path, buf, sizeof buf) < 0)
        return 0;
    const char *s = __builtin_strstr(buf, "Hugepagesize:");
    for (s = s ? s + 13 : ""; *s == ' '; s++)
        ;
    return numafy_parse_number(s, 1u << 28, &kib) ? (size_t)kib << 10 : 0;
}

/* "2M" and so on. */
NUMAFY_FN_ const char *numafy_huge_size_text(size_t size, char *buf, size_t len)
{
    const unsigned shift = !size || size & 1023 ? 0
                           : size & 0xfffff     ? 10
                           : size & 0x3fffffff  ? 20
                                                : 30;
    const char *const unit = shift == 0 ? "" : shift == 10 ? "K" : shift == 20 ? "M" : "G";
    snprintf(buf, len, "%zu%s", size >> shift, unit);
    return buf;
}

NUMAFY_FN_ void numafy_huge_say(const char *what, const char *then)
{
    char text[400];
    if (!numafy_warn_now(NUMAFY_WARN_HUGE))
        return;
    snprintf(text, sizeof text, "numafy: NUMAFY_HUGE has no effect: %s; %s\n", what, then);
    numafy_os_say(text);
}

NUMAFY_FN_ int numafy_huge_map_flags(size_t page)
{
    return (int)NUMAFY_MAP_ANON | (int)NUMAFY_MAP_HUGETLB |
           __builtin_ctzl(page) << (int)NUMAFY_MAP_HUGE_SHIFT;
}

/* Whether this kernel can move a mapping of hugetlb (Linux 5.16; an older one would leave a hole).
 * Tried without a page: the mapping is neither reserved nor touched. */
NUMAFY_FN_ bool numafy_huge_moves(size_t page)
{
    char *const place = (char *)numafy_os_mmap_(NULL, 2 * page, NUMAFY_PROT_NONE,
                                                NUMAFY_MAP_ANON | NUMAFY_MAP_NORESERVE, -1, 0);
    char *const huge = (char *)numafy_os_mmap_(
        NULL, page, NUMAFY_PROT_RW, numafy_huge_map_flags(page) | NUMAFY_MAP_NORESERVE, -1, 0);
    char *const to = (char *)(((uintptr_t)place + page - 1) & ~(page - 1));
    bool moved = false;
    if ((intptr_t)huge != -1 && (intptr_t)place != -1)
        moved = numafy_os_mremap_(huge, page, page, NUMAFY_MREMAP_TO, to) == to;
    if ((intptr_t)huge != -1 && !moved)
        numafy_os_munmap_(huge, page);
    if ((intptr_t)place != -1)
        numafy_os_munmap_(place, 2 * page);
    return moved;
}

/* Chooses the size of hugetlb pages; warns and leaves it 0 if there is none to choose. */
NUMAFY_FN_ void numafy_huge_choose(size_t wanted)
{
    size_t sizes[NUMAFY_HUGE_SIZES];
    const unsigned n = numafy_huge_sizes(sizes);
    char what[200], size[32];
    size_t used = 0;
    const size_t page = wanted == 2 ? numafy_huge_default_size() : wanted;
    for (unsigned i = 0; i < n; i++)
        if (sizes[i] == page) {
            if (page >= NUMAFY_PAGE && numafy_huge_moves(page)) {
                numafy_huge_v3.page = page;
                return;
            }
            numafy_huge_say("this kernel cannot move huge pages of hugetlb (Linux 5.16 can)",
                            "transparent ones are asked for");
            numafy_huge_v3.transparent = 1;
            return;
        }
    used = (size_t)snprintf(what, sizeof what,
                            n ? "this kernel has no huge pages of %s, only of"
                              : "this kernel has no huge pages to map",
                            numafy_huge_size_text(page, size, sizeof size));
    for (unsigned i = 0; i < n && used < sizeof what; i++)
        used += (size_t)snprintf(what + used, sizeof what - used, "%s %s", i ? "," : "",
                                 numafy_huge_size_text(sizes[i], size, sizeof size));
    numafy_huge_say(what, "ordinary pages are used");
}

/* Reads what NUMAFY_HUGE asks for against what the kernel has. Before the reservation is made. */
NUMAFY_INNER_ void numafy_huge_start(void)
{
    struct numafy_huge *h = &numafy_huge_v3;
    const size_t wanted = numafy_pools_v3.huge;
    if (wanted == 1)
        h->transparent = 1;
    else if (wanted)
        numafy_huge_choose(wanted);
    if (!h->transparent && !h->page)
        return;
    const char *const missing = numafy_huge_thp_missing();
    h->no_transparent = missing != NULL;
    if (missing && !h->page)
        numafy_huge_say(missing, "ordinary pages are used");
}

/* What ranges must be aligned to, and steps of opening be multiples of. */
NUMAFY_FN_ size_t numafy_huge_unit(void)
{
    const size_t page = numafy_huge_v3.page;
    return page > NUMAFY_THP_FRAME ? page : (size_t)NUMAFY_THP_FRAME;
}

/* --- transparent */
/* The advice is given as the range is opened, not once for all of it: the kernel's collapsing
 * thread would walk through a TiB of nothing. */
NUMAFY_FN_ bool numafy_huge_advised(const struct numafy_slot *slot)
{
    const struct numafy_huge *h = &numafy_huge_v3;
    /* One huge page of an interleaved pool would put 512 neighbours on one node. */
    return (h->transparent || h->page) && slot->node != NUMAFY_INTERLEAVE;
}

/* Ordinary pages, which the kernel may make huge. Threads may do the same twice. */
NUMAFY_FN_ bool numafy_huge_open_small(const struct numafy_slot *slot, size_t from, size_t to)
{
    void *const p = (void *)(slot->start + from);
    if (numafy_os_mprotect_(p, to - from, NUMAFY_PROT_RW))
        return false;
    const int before = errno;
    if (numafy_huge_advised(slot) && !numafy_huge_v3.no_transparent)
        numafy_os_madvise_(p, to - from, NUMAFY_MADV_HUGEPAGE);
    errno = before;
    return true;
}

/* Counts ordinary memory that was opened, or closed: then bytes is negative. */
NUMAFY_FN_ void numafy_huge_count_small(const struct numafy_slot *slot, ptrdiff_t bytes)
{
    struct numafy_huge_pool *pool = numafy_huge_of(slot);
    if (numafy_huge_advised(slot))
        __atomic_fetch_add(numafy_huge_v3.no_transparent ? &pool->unadvised : &pool->advised,
                           (size_t)bytes, __ATOMIC_RELAXED);
}

/* --- hugetlb */
NUMAFY_FN_ int numafy_huge_bind(const struct numafy_slot *slot, uintptr_t start, size_t size,
                                int mode)
{
    uint64_t set[NUMAFY_WORDS] = {0};
    if (slot->mapped < 0)
        return 0;
    set[slot->mapped / 64] = (uint64_t)1 << (slot->mapped % 64);
    return numafy_os_bind(start, size, mode, set);
}

/* The frames [from, from + n pages) as at the beginning: reserved address space, the node's policy.
 */
NUMAFY_FN_ bool numafy_huge_close(struct numafy_slot *slot, size_t from, size_t size)
{
    void *const p = (void *)(slot->start + from);
    if (numafy_os_mmap_(p, size, NUMAFY_PROT_NONE,
                        (NUMAFY_MAP_ANON | NUMAFY_MAP_NORESERVE) | (int)NUMAFY_MAP_FIXED, -1,
                        0) != p)
        return false;
    numafy_huge_bind(slot, slot->start + from, size, NUMAFY_MPOL_PREFERRED);
    return true;
}

/* Puts up to n huge pages at `from`: how many there are. See the head of this file. Lock held. */
NUMAFY_FN_ size_t numafy_huge_fill(struct numafy_slot *slot, size_t from, size_t n)
{
    const size_t page = numafy_huge_v3.page;
    char *p = NULL;
    size_t there = 0;
    for (; n; n /= 2) {
        p = (char *)numafy_os_mmap_(NULL, n * page, NUMAFY_PROT_RW, numafy_huge_map_flags(page), -1,
                                    0);
        if ((intptr_t)p != -1)
            break;
    }
    if (!n)
        return 0;
    if (!numafy_huge_bind(slot, (uintptr_t)p, n * page, NUMAFY_MPOL_BIND))
        while (there < n && !numafy_os_madvise_(p + there * page, page, NUMAFY_MADV_POPULATE_WRITE))
            there++;
    if (there < n)
        numafy_os_munmap_(p + there * page, (n - there) * page);
    void *const place = (void *)(slot->start + from);
    if (!there ||
        numafy_os_mremap_(p, there * page, there * page, NUMAFY_MREMAP_TO, place) == place)
        return there;
    numafy_os_munmap_(p, there * page);
    numafy_huge_close(slot, from, there * page);
    return 0;
}

NUMAFY_FN_ void numafy_huge_tell_few(const struct numafy_slot *slot)
{
    char text[256], size[32];
    if (!numafy_warn_now(NUMAFY_WARN_HUGE_FEW))
        return;
    snprintf(text, sizeof text,
             "numafy: NUMAFY_HUGE: too few huge pages of %s are free for node %d (nr_hugepages): "
             "transparent or ordinary ones serve\n",
             numafy_huge_size_text(numafy_huge_v3.page, size, sizeof size), slot->node);
    numafy_os_say(text);
}

NUMAFY_FN_ void numafy_huge_mark(struct numafy_huge_pool *pool, size_t from, size_t to,
                                 uint32_t state)
{
    const size_t page = numafy_huge_v3.page;
    for (size_t f = from / page; f < to / page; f++)
        pool->frames[f] = state;
}

/* Opens closed frames, in huge pages as far as there are any: those before `to`, and huge ones also
 * up to `ahead`. False: the kernel refuses ordinary pages too. Lock held. */
NUMAFY_FN_ bool numafy_huge_open_frames(struct numafy_slot *slot, struct numafy_huge_pool *pool,
                                        size_t from, size_t to, size_t ahead)
{
    const size_t page = numafy_huge_v3.page;
    size_t n = 0;
    while (from < ahead && (n = numafy_huge_fill(slot, from, (ahead - from) / page)) != 0) {
        numafy_huge_mark(pool, from, from + n * page, NUMAFY_FRAME_HUGE);
        pool->pages += n;
        from += n * page;
    }
    if (from >= to)
        return true;
    if (!numafy_huge_open_small(slot, from, to))
        return false;
    numafy_huge_mark(pool, from, to, NUMAFY_FRAME_SMALL);
    numafy_huge_count_small(slot, (ptrdiff_t)(to - from));
    pool->fallbacks += (to - from) / page;
    numafy_huge_tell_few(slot);
    return true;
}

/* Makes [opened, to) of the slot usable, a multiple of numafy_huge_unit, and says so in `opened`,
 * which another thread may have moved on. With hugetlb commit is what opens. False: the kernel
 * refuses the pages. */
NUMAFY_FN_ bool numafy_huge_open(struct numafy_slot *slot, size_t opened, size_t to)
{
    const bool here = !numafy_huge_of(slot)->frames;
    if (here && !numafy_huge_open_small(slot, opened, to))
        return false;
    while (opened < to && !__atomic_compare_exchange_n(&slot->opened, &opened, to, 0,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    if (here && opened < to)
        numafy_huge_count_small(slot, (ptrdiff_t)(to - opened));
    return true;
}

/* Where the frames end that are opened with [from, to): each mapping of hugetlb stays one for ever,
 * and a process has 65,530 of them, so a large pool opens up to an eighth more. */
NUMAFY_FN_ size_t numafy_huge_ahead(const struct numafy_slot *slot,
                                    const struct numafy_huge_pool *pool, size_t from, size_t to)
{
    const size_t page = numafy_huge_v3.page;
    const size_t eighth = pool->pages * page / 8;
    const size_t opened = __atomic_load_n(&slot->opened, __ATOMIC_RELAXED);
    const size_t most = from + (eighth > NUMAFY_AHEAD_MAX ? (size_t)NUMAFY_AHEAD_MAX : eighth);
    while (to < most && to + page <= opened && !pool->frames[to / page])
        to += page;
    return to;
}

/* How many 4 KiB pages of frame f lie in [from, to), for its word; *start and *end: which bytes. */
NUMAFY_FN_ uint32_t numafy_huge_share(size_t f, size_t from, size_t to, size_t *start, size_t *end)
{
    const size_t page = numafy_huge_v3.page;
    *start = f * page > from ? f * page : from;
    *end = (f + 1) * page < to ? (f + 1) * page : to;
    return (uint32_t)((*end - *start) / NUMAFY_PAGE) * NUMAFY_FRAME_LIVE;
}

/* jemalloc wants a part of the range: frames that are closed are opened. */
NUMAFY_FN_ bool numafy_huge_commit(struct numafy_hooks *hooks, void *p, size_t size, size_t offset,
                                   size_t length, unsigned arena)
{
    struct numafy_slot *slot = (struct numafy_slot *)hooks;
    struct numafy_huge_pool *pool = numafy_huge_of(slot);
    const size_t page = numafy_huge_v3.page, from = (uintptr_t)p + offset - slot->start;
    const size_t to = from + length, first = from / page, end = (to + page - 1) / page;
    const int before = errno; /* a page that is missing is no failure of malloc */
    size_t a, b;
    bool done = true;
    (void)size, (void)arena;
    numafy_lock(&pool->lock);
    for (size_t f = first; f < end && done; f++) {
        size_t closed = f;
        while (closed < end && (pool->frames[closed] & NUMAFY_FRAME_STATE) == NUMAFY_FRAME_CLOSED)
            closed++;
        if (closed > f)
            done = numafy_huge_open_frames(slot, pool, f * page, closed * page,
                                           numafy_huge_ahead(slot, pool, f * page, closed * page));
    }
    for (size_t f = first; f < end && done; f++)
        pool->frames[f] += numafy_huge_share(f, from, to, &a, &b);
    numafy_unlock(&pool->lock);
    errno = before;
    return !done;
}

/* An extent fresh from the range. *commit: jemalloc wants it with memory; what it has got. False:
 * the kernel refuses that. */
NUMAFY_FN_ bool numafy_huge_take(struct numafy_slot *slot, void *p, size_t size, bool *commit)
{
    if (!numafy_huge_of(slot)->frames)
        return *commit = true;
    return !*commit || !numafy_huge_commit(&slot->hooks, p, size, 0, size, 0);
}

/* A frame of which nothing is in use any more, so that its word is its state alone. That says
 * closed before it is so, for a fork in between. */
NUMAFY_FN_ void numafy_huge_give_back(struct numafy_slot *slot, struct numafy_huge_pool *pool,
                                      size_t f)
{
    const size_t page = numafy_huge_v3.page;
    const uint32_t word = pool->frames[f];
    __atomic_store_n(&pool->frames[f], NUMAFY_FRAME_CLOSED, __ATOMIC_SEQ_CST);
    if (word == NUMAFY_FRAME_SMALL)
        numafy_huge_count_small(slot, -(ptrdiff_t)page); /* empty; may be huge next time */
    else if (numafy_huge_close(slot, f * page, page))
        pool->pages--;
    else
        pool->frames[f] = word;
}

/* jemalloc gives up a part of the range, which must read as zero when it comes back. A huge page
 * goes back with the last of its parts; until then the parts are cleared by hand. */
NUMAFY_FN_ bool numafy_huge_decommit(struct numafy_hooks *hooks, void *p, size_t size,
                                     size_t offset, size_t length, unsigned arena)
{
    struct numafy_slot *slot = (struct numafy_slot *)hooks;
    struct numafy_huge_pool *pool = numafy_huge_of(slot);
    const size_t page = numafy_huge_v3.page, from = (uintptr_t)p + offset - slot->start;
    const size_t to = from + length;
    const int before = errno;
    size_t a, b;
    (void)size, (void)arena;
    numafy_lock(&pool->lock);
    for (size_t f = from / page; f < (to + page - 1) / page; f++) {
        const uint32_t word = pool->frames[f] -= numafy_huge_share(f, from, to, &a, &b);
        char *const start = (char *)slot->start + a;
        const bool huge = (word & NUMAFY_FRAME_STATE) == NUMAFY_FRAME_HUGE;
        if (!huge && numafy_os_madvise_(start, b - a, NUMAFY_MADV_DONTNEED))
            __builtin_memset(start, 0, b - a);
        if (word <= NUMAFY_FRAME_STATE)
            numafy_huge_give_back(slot, pool, f);
        if (huge && (pool->frames[f] & NUMAFY_FRAME_STATE) == NUMAFY_FRAME_HUGE)
            __builtin_memset(start, 0, b - a);
    }
    numafy_unlock(&pool->lock);
    errno = before;
    return false;
}

/* Prepares a new slot of `size` bytes. */
NUMAFY_FN_ void numafy_huge_slot(const struct numafy_slot *slot, size_t size)
{
    const size_t page = numafy_huge_v3.page;
    struct numafy_huge_pool *pool = numafy_huge_of(slot);
    if (!page || slot->node == NUMAFY_INTERLEAVE)
        return;
    if (page > size)
        numafy_huge_say("a pool has less address space than one huge page", "ordinary ones serve");
    else if (!pool->frames)
        pool->frames = (uint32_t *)numafy_os_map(size / page * sizeof *pool->frames);
}

/* The hooks of a pool with hugetlb: a purge would leave pages that nobody populates again. */
NUMAFY_FN_ void numafy_huge_hooks(struct numafy_slot *slot)
{
    if (!numafy_huge_of(slot)->frames)
        return;
    slot->hooks.commit = numafy_huge_commit;
    slot->hooks.decommit = numafy_huge_decommit;
    slot->hooks.purge_forced = NULL;
}

/* In the child nobody holds the locks: its thread was in fork. */
NUMAFY_FN_ void numafy_huge_fork_child(void)
{
    for (unsigned i = 0; i <= NUMAFY_SLOTS; i++)
        numafy_huge_v3.pool[i].lock.word = 0;
}

#endif /* NUMAFY_HUGE_H */
