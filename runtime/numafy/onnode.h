/* SPDX-License-Identifier: Apache-2.0 */
/* onnode.h: the baseline NUMAFY_CACHE=onnode (UMF=0): every block is a numa_alloc_onnode of
 * libnuma, a mapping of its own. A locked table from page to block lets free, near and usable_size
 * work by address; its cost is part of the baseline. Knows nothing of pools, ranges and jemalloc.
 */
#ifndef NUMAFY_ONNODE_H
#define NUMAFY_ONNODE_H

#include "os.h"
#include "state.h"

/* A page of a block. key 0: empty, 1: was removed. Open addressing, at most 2/3 used. */
struct numafy_page {
    uintptr_t key; /* the page's address */
    uintptr_t block;
    uintptr_t map; /* what libnuma gave: block lies in it */
    size_t map_size;
    int node;
};

struct numafy_onnode {
    struct numafy_mutex lock;
    size_t room, used, blocks; /* used counts removed entries too */
    struct numafy_page *pages;
    void *(*alloc)(size_t, int);
    void (*release)(void *, size_t);
    void (*plain_free)(void *);
};

extern NUMAFY_EXPORT_ struct numafy_onnode numafy_onnode_v3;
#ifndef NUMAFY_EXTERN
NUMAFY_WEAK_ struct numafy_onnode numafy_onnode_v3;
#endif

#ifdef NUMAFY_CACHE_ONNODE
void *numafy_numa_alloc_(size_t, int) __asm__("numa_alloc_onnode");
void numafy_numa_free_(void *, size_t) __asm__("numa_free");
#endif

/* Finds libnuma: linked (NUMAFY_CACHE_ONNODE) or opened. False: it is not there. */
NUMAFY_FN_ bool numafy_onnode_open(void)
{
    struct numafy_onnode *o = &numafy_onnode_v3;
#ifdef NUMAFY_CACHE_ONNODE
    o->alloc = numafy_numa_alloc_;
    o->release = numafy_numa_free_;
#else
    void *lib = NULL;
    if (!numafy_os_is_static())
        lib = numafy_os_dlopen_("libnuma.so.1", 2 /* RTLD_NOW */);
    if (lib) {
        o->alloc = (void *(*)(size_t, int))numafy_os_dlsym_(lib, "numa_alloc_onnode");
        o->release = (void (*)(void *, size_t))numafy_os_dlsym_(lib, "numa_free");
    }
#endif
    return o->alloc && o->release;
}

/* What serves where mbind is forbidden: libnuma would print a line for every block there. */
NUMAFY_FN_ void *numafy_onnode_map(size_t size, int node)
{
    (void)node;
    return numafy_os_map(size);
}

NUMAFY_FN_ void numafy_onnode_unmap(void *map, size_t size)
{
    numafy_os_munmap_(map, size);
}

/* Asks mbind for one page on `node`, as every block will. 0, or the negative errno that says that
 * it will never work here: blocks then lie where they are first touched. */
NUMAFY_FN_ int numafy_onnode_probe(int node)
{
    struct numafy_onnode *o = &numafy_onnode_v3;
    uint64_t set[NUMAFY_WORDS] = {0};
    const size_t size = numafy_os_page();
    void *page = numafy_os_map(size);
    if (!page)
        return 0;
    set[node / 64] = (uint64_t)1 << (node % 64);
    const int e = numafy_os_bind((uintptr_t)page, size, NUMAFY_MPOL_PREFERRED, set);
    numafy_os_munmap_(page, size);
    if (e != -EPERM && e != -ENOSYS)
        return 0;
    o->alloc = numafy_onnode_map;
    o->release = numafy_onnode_unmap;
    return e;
}

NUMAFY_FN_ size_t numafy_onnode_hash(uintptr_t page, size_t room)
{
    return (size_t)((page >> 12) * 0x9e3779b97f4a7c15ull >> 20) & (room - 1);
}

/* The entry of a page, or the empty one where it would go. Lock held, room > 0. */
NUMAFY_FN_ struct numafy_page *numafy_onnode_find(struct numafy_page *pages, size_t room,
                                                  uintptr_t page)
{
    size_t i = numafy_onnode_hash(page, room);
    while (pages[i].key != page && pages[i].key != 0)
        i = (i + 1) & (room - 1);
    return &pages[i];
}

/* Makes room for `more` entries and drops the removed ones. Lock held. */
NUMAFY_FN_ bool numafy_onnode_reserve(size_t more)
{
    struct numafy_onnode *o = &numafy_onnode_v3;
    size_t room = o->room ? o->room : 4096, live = 0;
    if ((o->used + more) * 3 <= o->room * 2)
        return true;
    for (size_t i = 0; i < o->room; i++)
        live += o->pages[i].key > 1;
    while ((live + more) * 3 > room * 2 - room / 3)
        room *= 2;
    struct numafy_page *pages = (struct numafy_page *)numafy_os_map(room * sizeof *pages);
    if (!pages)
        return false;
    for (size_t i = 0; i < o->room; i++)
        if (o->pages[i].key > 1)
            *numafy_onnode_find(pages, room, o->pages[i].key) = o->pages[i];
    if (o->pages)
        numafy_os_munmap_(o->pages, o->room * sizeof *pages);
    o->pages = pages;
    o->room = room;
    o->used = live;
    return true;
}

/* What is known of an address; false: not ours. */
NUMAFY_OWNER_ NUMAFY_FN_ bool numafy_onnode_lookup(const volatile void *p, struct numafy_page *out)
{
    struct numafy_onnode *o = &numafy_onnode_v3;
    bool found = false;
    if (!__atomic_load_n(&o->blocks, __ATOMIC_RELAXED))
        return false;
    numafy_lock(&o->lock);
    const uintptr_t page = (uintptr_t)p & ~(uintptr_t)(numafy_os_page() - 1);
    if (o->room && page) {
        const struct numafy_page *e = numafy_onnode_find(o->pages, o->room, page);
        found = e->key == page;
        *out = *e;
    }
    numafy_unlock(&o->lock);
    return found;
}

/* `node` is what near() answers, `mapped` the kernel's node. Zeroed, as libnuma's mapping is. */
NUMAFY_FN_ void *numafy_onnode_alloc(int node, int mapped, size_t size, size_t alignment)
{
    struct numafy_onnode *o = &numafy_onnode_v3;
    const size_t page = numafy_os_page(), extra = alignment > page ? alignment : 0;
    if (size > (size_t)PTRDIFF_MAX - extra - page)
        return NULL;
    const size_t map_size = ((size ? size : 1) + extra + page - 1) & ~(page - 1);
    const uintptr_t map = (uintptr_t)o->alloc(map_size, mapped < 0 ? 0 : mapped);
    if (!map)
        return NULL;
    const uintptr_t block = extra ? (map + alignment - 1) & ~(alignment - 1) : map;
    const size_t pages = (map + map_size - block) / page;
    numafy_lock(&o->lock);
    const bool fits = numafy_onnode_reserve(pages);
    for (size_t i = 0; fits && i < pages; i++) {
        struct numafy_page *e = numafy_onnode_find(o->pages, o->room, block + i * page);
        e->key = block + i * page;
        e->block = block;
        e->map = map;
        e->map_size = map_size;
        e->node = node;
        o->used++;
    }
    if (fits)
        __atomic_store_n(&o->blocks, o->blocks + 1, __ATOMIC_RELAXED);
    numafy_unlock(&o->lock);
    if (!fits) {
        o->release((void *)map, map_size);
        return NULL;
    }
    return (void *)block;
}

/* Frees p if it is ours. */
NUMAFY_FN_ bool numafy_onnode_free(void *p)
{
    struct numafy_onnode *o = &numafy_onnode_v3;
    struct numafy_page found;
    if (!numafy_onnode_lookup(p, &found))
        return false;
    numafy_lock(&o->lock);
    const size_t size = numafy_os_page();
    for (uintptr_t page = found.block; page < found.map + found.map_size; page += size)
        numafy_onnode_find(o->pages, o->room, page)->key = 1;
    __atomic_store_n(&o->blocks, o->blocks - 1, __ATOMIC_RELAXED);
    numafy_unlock(&o->lock);
    o->release((void *)found.map, found.map_size);
    return true;
}

/* Stands in the way of next.free_: the ranges of the pools are empty, so every free comes here. */
NUMAFY_FN_ void numafy_onnode_route(void *p)
{
    if (!numafy_onnode_free(p))
        numafy_onnode_v3.plain_free(p);
}

NUMAFY_FN_ size_t numafy_onnode_usable(const struct numafy_page *e)
{
    return (size_t)(e->map + e->map_size - e->block);
}

#endif /* NUMAFY_ONNODE_H */
