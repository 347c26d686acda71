/* SPDX-License-Identifier: Apache-2.0 */
/* live.h: with NUMAFY_CHECK=reach, every block that the program holds, of the pools and of the
 * plain heap: where it is, how large, on which node, and whose call made it. It must not know what
 * the blocks are asked for: that is reach.h. Without the setting `on` stays 0, which only slow
 * paths read, and nothing here runs. */
#ifndef NUMAFY_LIVE_H
#define NUMAFY_LIVE_H

#include "os.h"
#include "state.h"

/* start 0: free, 1: was in use. */
struct numafy_live_block {
    uintptr_t start;
    size_t size; /* as asked for */
    uintptr_t caller;
    int node;
};

/* How many blocks a caller has made on a node since the start. blocks 0: free. */
struct numafy_live_caller {
    uintptr_t caller;
    int node;
    size_t blocks;
};

enum {
    NUMAFY_LIVE_FIRST_ROOM = 1 << 16,
    NUMAFY_LIVE_CALLERS = 1 << 15,
    NUMAFY_LIVE_FRAMES = 24, /* looked at to find the caller */
    NUMAFY_LIVE_JUDGED = 4096
};

struct numafy_live {
    int wanted; /* NUMAFY_CHECK=reach */
    int on;
    struct numafy_mutex lock; /* around the tables; nothing else is locked inside */
    struct numafy_live_block *block;
    size_t room, used, count; /* used: with what was in use */
    size_t dropped;           /* blocks that there was no memory to note */
    struct numafy_live_caller *made;
    uint64_t *judged;        /* return addresses, shifted, and whether they are ours */
    struct numafy_next next; /* the plain heap */
    size_t scanned;          /* `count` when reach.h last looked; less once half are gone */
    size_t roots_gone;       /* looks that were taken because a root went */
    int scanning;            /* the thread that looks, or 0 */
    const char *out;         /* NUMAFY_REACH, or NULL */
};

extern NUMAFY_EXPORT_ struct numafy_live numafy_live_v3;

#ifndef NUMAFY_EXTERN

NUMAFY_WEAK_ struct numafy_live numafy_live_v3;
extern __attribute__((weak)) int numafy_os_backtrace_(void **,
                                                      int) __asm__(NUMAFY_OS_("backtrace"));

/* --- whose call */
/* What an address is in: a function that allocates for its caller, a library that does. */
enum { NUMAFY_LIVE_ALLOCATES = 1, NUMAFY_LIVE_LIBRARY = 2, NUMAFY_LIVE_BITS = 2 };

NUMAFY_INNER_ unsigned numafy_live_kind(const char *object, const char *function)
{
    static const char *const objects[] = {"/libc.so",  "/libstdc++.so", "/libc++.so",
                                          "/libgcc_s", "/libjemalloc",  "/libnumafy"};
    static const char *const begins[] = {"numafy_", "_Znw", "_Zna"};
    static const char *const functions[] = {"malloc",        "calloc",         "realloc",
                                            "aligned_alloc", "valloc",         "pvalloc",
                                            "memalign",      "posix_memalign", "reallocarray"};
    unsigned kind = 0;
    for (unsigned i = 0; object && i < sizeof objects / sizeof objects[0]; i++)
        if (__builtin_strstr(object, objects[i]))
            kind |= NUMAFY_LIVE_LIBRARY;
    for (unsigned i = 0; function && i < sizeof begins / sizeof begins[0]; i++)
        if (!__builtin_strncmp(function, begins[i], __builtin_strlen(begins[i])))
            kind |= NUMAFY_LIVE_ALLOCATES;
    for (unsigned i = 0; function && i < sizeof functions / sizeof functions[0]; i++)
        if (!__builtin_strcmp(function, functions[i]))
            kind |= NUMAFY_LIVE_ALLOCATES;
    return kind;
}

/* The same of an address; each is looked up once, as long as the table has room. */
NUMAFY_INNER_ unsigned numafy_live_judge(uintptr_t at)
{
    struct {
        const char *object;
        void *base;
        const char *function;
        void *start;
    } found = {NULL, NULL, NULL, NULL};
    uint64_t *known = &numafy_live_v3.judged[at % NUMAFY_LIVE_JUDGED];
    const uint64_t old = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (old >> NUMAFY_LIVE_BITS == at)
        return (unsigned)old & 3;
    numafy_os_dladdr_((const void *)at, &found);
    const unsigned kind = numafy_live_kind(found.object, found.function);
    __atomic_store_n(known, (uint64_t)at << NUMAFY_LIVE_BITS | kind, __ATOMIC_RELAXED);
    return kind;
}

/* The address that the allocation returns to, behind our functions and the C and C++ libraries'.
 * Static functions of ours have no name: they end at the last of the first frames that has. */
NUMAFY_INNER_ uintptr_t numafy_live_called_from(void)
{
    void *frame[NUMAFY_LIVE_FRAMES];
    const int n = &numafy_os_backtrace_ ? numafy_os_backtrace_(frame, NUMAFY_LIVE_FRAMES) : 0;
    int last = 0;
    for (int i = 0; i < n && i < NUMAFY_LIVE_FRAMES / 2; i++)
        if (numafy_live_judge((uintptr_t)frame[i]) & NUMAFY_LIVE_ALLOCATES)
            last = i;
    while (++last < n)
        if (!(numafy_live_judge((uintptr_t)frame[last]) & NUMAFY_LIVE_LIBRARY))
            return (uintptr_t)frame[last];
    return 0;
}

/* --- the tables; lock held */
NUMAFY_FN_ size_t numafy_live_slot(const struct numafy_live_block *block, size_t room, uintptr_t p)
{
    size_t i = (size_t)(p * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
    while (block[i].start && block[i].start != p)
        i = (i + 1) & (room - 1);
    return i;
}

/* Twice the room, or the same without what was in use. false: no memory. */
NUMAFY_INNER_ bool numafy_live_grow(struct numafy_live *l)
{
    size_t room = l->room ? l->room : (size_t)NUMAFY_LIVE_FIRST_ROOM;
    while (l->count * 2 >= room)
        room *= 2;
    struct numafy_live_block *more = (struct numafy_live_block *)numafy_os_map(room * sizeof *more);
    if (!more)
        return false;
    for (size_t i = 0; i < l->room; i++)
        if (l->block[i].start > 1)
            more[numafy_live_slot(more, room, l->block[i].start)] = l->block[i];
    if (l->block)
        numafy_os_munmap_(l->block, l->room * sizeof *l->block);
    l->block = more;
    l->room = room;
    l->used = l->count;
    return true;
}

NUMAFY_INNER_ void numafy_live_count_caller(struct numafy_live *l, uintptr_t caller, int node)
{
    size_t i = (size_t)((caller + (unsigned)node) * 0x9e3779b97f4a7c15u >> 30);
    for (unsigned tries = 0; tries < 256; tries++, i++) {
        struct numafy_live_caller *c = &l->made[i % NUMAFY_LIVE_CALLERS];
        if (c->blocks && (c->caller != caller || c->node != node))
            continue;
        c->caller = caller;
        c->node = node;
        c->blocks++;
        return;
    }
}

/* --- blocks come and go */
/* A block has been made for the program; p may be NULL. */
NUMAFY_INNER_ void numafy_live_add(const void *p, size_t size, int node)
{
    struct numafy_live *l = &numafy_live_v3;
    if (!p)
        return;
    const struct numafy_live_block b = {(uintptr_t)p, size, numafy_live_called_from(), node};
    numafy_lock(&l->lock);
    if (l->used * 4 < l->room * 3 || numafy_live_grow(l)) {
        const size_t i = numafy_live_slot(l->block, l->room, b.start);
        l->used += !l->block[i].start;
        l->count += !l->block[i].start;
        l->block[i] = b;
        numafy_live_count_caller(l, b.caller, node);
    } else {
        l->dropped++;
    }
    numafy_unlock(&l->lock);
}

void numafy_reach_before_free_(void);
void numafy_reach_before_root_(void);

/* The program gives a block back; it may be one that nobody noted. */
NUMAFY_INNER_ void numafy_live_remove(const void *p)
{
    struct numafy_live *l = &numafy_live_v3;
    if (!p)
        return;
    numafy_reach_before_free_();
    numafy_lock(&l->lock);
    if (l->room) {
        const size_t i = numafy_live_slot(l->block, l->room, (uintptr_t)p);
        if (l->block[i].start) {
            l->block[i].start = 1;
            l->count--;
            if (l->count < __atomic_load_n(&l->scanned, __ATOMIC_RELAXED) / 2)
                __atomic_store_n(&l->scanned, l->count, __ATOMIC_RELAXED);
        }
    }
    numafy_unlock(&l->lock);
}

/* --- the plain heap, in place of numafy_state's next */
NUMAFY_INNER_ void *numafy_live_malloc(size_t size)
{
    void *p = numafy_live_v3.next.malloc_(size);
    numafy_live_add(p, size, NUMAFY_NO_NODE);
    return p;
}
NUMAFY_INNER_ void *numafy_live_calloc(size_t count, size_t size)
{
    void *p = numafy_live_v3.next.calloc_(count, size);
    numafy_live_add(p, count * size, NUMAFY_NO_NODE);
    return p;
}
NUMAFY_INNER_ void *numafy_live_memalign(size_t alignment, size_t size)
{
    void *p = numafy_live_v3.next.memalign_(alignment, size);
    numafy_live_add(p, size, NUMAFY_NO_NODE);
    return p;
}
NUMAFY_INNER_ void numafy_live_free(void *p)
{
    numafy_live_remove(p); /* first: another thread may get the address at once */
    numafy_live_v3.next.free_(p);
}
NUMAFY_INNER_ void *numafy_live_realloc(void *p, size_t size)
{
    const size_t old = p ? numafy_live_v3.next.usable_size_(p) : 0;
    numafy_live_remove(p);
    void *to = numafy_live_v3.next.realloc_(p, size);
    if (to)
        numafy_live_add(to, size, NUMAFY_NO_NODE);
    else if (size)
        numafy_live_add(p, old, NUMAFY_NO_NODE);
    return to;
}

/* Before the pools start, and when `next` is settled. */
NUMAFY_INNER_ void numafy_live_start(void)
{
    struct numafy_live *l = &numafy_live_v3;
    struct numafy_next *next = &numafy_state_v3.next;
    void *frame[2];
    l->made = (struct numafy_live_caller *)numafy_os_map(NUMAFY_LIVE_CALLERS * sizeof *l->made);
    l->judged = (uint64_t *)numafy_os_map(NUMAFY_LIVE_JUDGED * sizeof *l->judged);
    if (!l->made || !l->judged)
        return;
    if (&numafy_os_backtrace_)
        numafy_os_backtrace_(frame, 2); /* loads libgcc_s, which allocates */
    l->next = *next;
    l->on = 1;
    next->malloc_ = numafy_live_malloc;
    next->calloc_ = numafy_live_calloc;
    next->memalign_ = numafy_live_memalign;
    next->realloc_ = numafy_live_realloc;
    next->free_ = numafy_live_free;
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_LIVE_H */
