/* SPDX-License-Identifier: Apache-2.0 */
/* depot.h: what stands behind a thread's bins: magazines, the depots in which threads exchange
 * them, and the shards that take blocks from jemalloc and give them back. It must not know which
 * node a pool is on, nor how slots, shards and threads come into being: that is slow.h.
 *
 * A bin has a loaded and a spare magazine (Bonwick and Adams, "Magazines and Vmem", USENIX 2001). A
 * burst of frees or allocations moves whole magazines to or from the depot; only what the depot
 * lacks, or has too much of, goes through jemalloc, some 150 instructions a block. What a thread
 * may hold starts small and doubles with use, within a budget for each pool. */
#ifndef NUMAFY_DEPOT_H
#define NUMAFY_DEPOT_H

#include "fast.h"

#ifndef NUMAFY_EXTERN

enum {
    NUMAFY_MAGAZINE_BLOCKS = 254,     /* with its head 2 KiB */
    NUMAFY_MAGAZINE_BYTES = 64 << 10, /* of blocks in a magazine, if they are 7 or more */
    NUMAFY_THREAD_BYTES = 512 << 10,  /* that a thread may hold of a pool */
    NUMAFY_FIRST_BYTES = 4096,        /* that a bin may hold at first */
    NUMAFY_DEPOT_BYTES = 4 << 20,     /* in the depots of a pool, for each of its shards */
    NUMAFY_SWEEP_S = 1
};

/* --- the page map */
NUMAFY_FN_ unsigned numafy_map_entry(unsigned slot, unsigned class_)
{
    return (slot * NUMAFY_CLASSES + class_) * NUMAFY_BIN_WORDS;
}

/* p is in the reservation. */
NUMAFY_FN_ unsigned short *numafy_map_at(const volatile void *p)
{
    return &numafy_state_v3.page_map[((uintptr_t)p - numafy_state_v3.base) >> NUMAFY_MAP_SHIFT];
}

/* Only blocks of one class start in a page, so it is mostly set already. */
NUMAFY_FN_ void numafy_map_set(const void *p, unsigned entry)
{
    unsigned short *at = numafy_map_at(p);
    if (__atomic_load_n(at, __ATOMIC_RELAXED) != entry)
        __atomic_store_n(at, (unsigned short)entry, __ATOMIC_RELAXED);
}

NUMAFY_FN_ bool numafy_is_ours(const volatile void *p)
{
    return (uintptr_t)p - numafy_state_v3.base < numafy_state_v3.span;
}

/* --- magazines and bins */
NUMAFY_FN_ void **numafy_magazine_blocks(struct numafy_magazine *m)
{
    return (void **)(m + 1);
}

NUMAFY_FN_ struct numafy_magazine *numafy_bin_loaded(const struct numafy_bin *bin)
{
    return bin->numafy_empty_ ? (struct numafy_magazine *)bin->numafy_empty_ - 1 : NULL;
}

/* A new one without blocks, or NULL. They are cut from mappings that are never given back: 8 bytes
 * for each block that the caches held at most. */
NUMAFY_INNER_ struct numafy_magazine *numafy_magazine_new(unsigned class_)
{
    struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_magazine *m = NULL;
    const size_t size = sizeof *m + g->magazine[class_] * sizeof(void *);
    const size_t chunk = 64 << 10;
    numafy_lock(&g->blank_lock);
    char *more = g->blank_left < size ? (char *)numafy_os_map(chunk) : NULL;
    if (more) {
        g->blank_at = more;
        g->blank_left = chunk;
    }
    if (g->blank_left >= size) {
        m = (struct numafy_magazine *)g->blank_at;
        g->blank_at += size;
        g->blank_left -= size;
    }
    numafy_unlock(&g->blank_lock);
    return m;
}

/* Where pushes into the bin end. The fence pairs with the one in numafy_bins_distrust: either this
 * thread sees the flag, or that one sees `held`, which was written before, and its NULL comes later
 * than this store. */
NUMAFY_FN_ void numafy_bin_set_full(struct numafy_bin *bin, void **full)
{
    bin->numafy_full_ = full;
    __atomic_store_n(&bin->numafy_trust_, full, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&numafy_pools_v3.distrust, __ATOMIC_RELAXED))
        __atomic_store_n(&bin->numafy_trust_, (void **)NULL, __ATOMIC_RELAXED);
}

/* Called before a plain block is handed out in place of a pool's. From then on no thread that can
 * come to know that block frees without a look at its address: what lets it know the block lets it
 * see these stores too. */
NUMAFY_INNER_ void numafy_bins_distrust(void)
{
    if (__atomic_load_n(&numafy_pools_v3.distrust, __ATOMIC_ACQUIRE) == 2)
        return;
    __atomic_store_n(&numafy_pools_v3.distrust, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    struct numafy_thread *t = __atomic_load_n(&numafy_pools_v3.made_threads, __ATOMIC_ACQUIRE);
    for (; t; t = t->next_made)
        for (unsigned slot = 1; slot <= NUMAFY_SLOTS; slot++)
            for (unsigned c = 0;
                 __atomic_load_n(&t->held[slot], __ATOMIC_RELAXED) && c < NUMAFY_CLASSES; c++)
                __atomic_store_n(&t->bin[slot * NUMAFY_CLASSES + c].numafy_trust_, (void **)NULL,
                                 __ATOMIC_RELAXED);
    __atomic_store_n(&numafy_pools_v3.distrust, 2, __ATOMIC_RELEASE);
}

/* Makes m the bin's magazine. */
NUMAFY_FN_ void numafy_bin_load(struct numafy_bin *bin, struct numafy_magazine *m,
                                struct numafy_magazine *spare, unsigned limit)
{
    m->limit = limit;
    m->next = spare;
    bin->numafy_empty_ = numafy_magazine_blocks(m);
    bin->numafy_top_ = bin->numafy_empty_ + m->count;
    numafy_bin_set_full(bin, bin->numafy_empty_ + (m->count > limit ? m->count : limit));
}

/* --- shards: between the depots and jemalloc */
/* The shard that serves instead of `wanted`, made if need be; -1: none can be had. In slow.h. */
NUMAFY_INNER_ int numafy_shard_(struct numafy_slot *slot, unsigned wanted);

/* As much of n blocks as experimental.batch_alloc gives, in one call. It must be asked for less
 * than a slab has: from there on jemalloc 5.3.0 takes new slabs and leaves those that have room,
 * and the pool grows without bound. */
NUMAFY_FN_ size_t numafy_je_batch(void **out, size_t n, size_t size, int flags, size_t nregs)
{
    struct {
        void **ptrs;
        size_t num, size;
        int flags;
    } packet = {out, n < nregs ? n : nregs - 1, size, flags};
    size_t got = 0, len = sizeof got;
    if (nregs < 2 || !numafy_pools_v3.batch_mib[0] ||
        numafy_je_mallctlbymib_(numafy_pools_v3.batch_mib, 2, &got, &len, &packet, sizeof packet))
        return 0;
    return got;
}

/* Up to n blocks for the thread's shard; how many. Less: no memory, or jemalloc has ended its part
 * of this thread and gives blocks of its own arena, which must not get out. */
NUMAFY_INNER_ unsigned numafy_shard_fill(unsigned slot, unsigned shard, unsigned class_, void **out,
                                         unsigned n)
{
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    const int index = numafy_shard_(s, shard);
    const size_t size = numafy_class_size(class_);
    size_t got = 0;
    if (index < 0)
        return 0;
    struct numafy_shard *h = &s->shard[index];
    numafy_lock(&h->lock);
    while (got < n) {
        size_t more =
            numafy_je_batch(out + got, n - got, size, h->flags, numafy_pools_v3.nregs[class_]);
        if (!more && (out[got] = numafy_je_mallocx_(size, h->flags)) != NULL)
            more = 1;
        if (!more)
            break;
        got += more;
    }
    unsigned kept = 0;
    for (size_t i = 0; i < got; i++) {
        if (numafy_is_ours(out[i])) {
            numafy_map_set(
                out[i], numafy_map_entry(slot ^ NUMAFY_PLANTED_(2), class_ + NUMAFY_PLANTED_(3)));
            out[kept++] = out[i];
        } else {
            numafy_je_dallocx_(out[i], NUMAFY_JE_TCACHE_NONE);
        }
    }
    numafy_unlock(&h->lock);
    numafy_check_fetched_(out, kept, size);
    __atomic_fetch_add(&s->taken, kept * size, __ATOMIC_RELAXED);
    return kept;
}

NUMAFY_INNER_ void numafy_shard_drain(unsigned slot, unsigned shard, unsigned class_, void **blocks,
                                      unsigned n)
{
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    const int index = numafy_shard_(s, shard);
    struct numafy_shard *h = &s->shard[index < 0 ? 0 : index];
    numafy_lock(&h->lock);
    for (unsigned i = 0; i < n; i++)
        if (NUMAFY_LIKELY_(numafy_is_ours(blocks[i])))
            numafy_je_dallocx_(blocks[i], index < 0 ? (int)NUMAFY_JE_TCACHE_NONE : h->flags);
        else
            numafy_state_v3.next.free_(blocks[i]); /* came by a delete of a wrong numa<T,k> */
    numafy_unlock(&h->lock);
    __atomic_fetch_sub(&s->taken, n * numafy_class_size(class_), __ATOMIC_RELAXED);
}

/* --- depots */
/* A magazine with at most `want` blocks, NULL if the depot is empty. `blank` stays there for it, or
 * is what is returned; without one the magazine may hold more. */
NUMAFY_INNER_ struct numafy_magazine *
numafy_depot_take(unsigned slot, unsigned class_, struct numafy_magazine *blank, unsigned want)
{
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    struct numafy_depot *d = &s->depot[class_];
    if (!__atomic_load_n(&d->full, __ATOMIC_RELAXED))
        return NULL;
    numafy_lock(&d->lock);
    numafy_check_depot_(slot, class_);
    struct numafy_magazine *m = d->full;
    if (m && blank && m->count > want) {
        if (d->count - 1 < d->low)
            d->low = d->count - 1;
        m->count -= want - NUMAFY_PLANTED_(4);
        __builtin_memcpy(numafy_magazine_blocks(blank), numafy_magazine_blocks(m) + m->count,
                         want * sizeof(void *));
        m = blank;
        m->count = want;
    } else if (m) {
        __atomic_store_n(&d->full, m->next, __ATOMIC_RELAXED);
        if (--d->count < d->low)
            d->low = d->count;
        if (blank) {
            blank->next = d->blank;
            d->blank = blank;
        }
    }
    /* Under the lock, which fork holds too: the sum is exact whenever no depot is in use. */
    if (m)
        __atomic_fetch_sub(&s->in_depots, m->count * numafy_class_size(class_), __ATOMIC_RELAXED);
    numafy_unlock(&d->lock);
    return m;
}

/* Puts a magazine there, with blocks or without; returns one without if the depot has it. Many
 * magazines with few blocks become few with many. */
NUMAFY_INNER_ struct numafy_magazine *numafy_depot_put(unsigned slot, unsigned class_,
                                                       struct numafy_magazine *m)
{
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    struct numafy_depot *d = &s->depot[class_];
    const size_t bytes = m->count * numafy_class_size(class_);
    numafy_lock(&d->lock);
    numafy_check_depot_(slot, class_);
    struct numafy_magazine *head = d->full;
    if (head && head->count + m->count <= numafy_pools_v3.magazine[class_]) {
        __builtin_memcpy(numafy_magazine_blocks(head) + head->count, numafy_magazine_blocks(m),
                         m->count * sizeof(void *));
        head->count += m->count;
        m->count = 0;
    }
    if (m->count) {
        m->next = head;
        __atomic_store_n(&d->full, m, __ATOMIC_RELAXED);
        d->count++;
        m = d->blank;
        if (m)
            d->blank = m->next;
    }
    __atomic_fetch_add(&s->in_depots, bytes, __ATOMIC_RELAXED);
    numafy_unlock(&d->lock);
    return m;
}

NUMAFY_FN_ void numafy_depot_put_blank(unsigned slot, unsigned class_, struct numafy_magazine *m)
{
    struct numafy_depot *d = &numafy_pools_v3.slot[slot].depot[class_];
    numafy_lock(&d->lock);
    m->next = d->blank;
    d->blank = m;
    numafy_unlock(&d->lock);
}

NUMAFY_FN_ struct numafy_magazine *numafy_depot_take_blank(unsigned slot, unsigned class_)
{
    struct numafy_depot *d = &numafy_pools_v3.slot[slot].depot[class_];
    numafy_lock(&d->lock);
    struct numafy_magazine *m = d->blank;
    if (m)
        d->blank = m->next;
    numafy_unlock(&d->lock);
    return m ? m : numafy_magazine_new(class_);
}

/* Gives n magazines of a depot back to jemalloc. */
NUMAFY_INNER_ void numafy_depot_release(unsigned slot, unsigned class_, unsigned shard, unsigned n)
{
    while (n--) {
        struct numafy_magazine *m = numafy_depot_take(slot, class_, NULL, 0);
        if (!m)
            return;
        numafy_shard_drain(slot, shard, class_, numafy_magazine_blocks(m), m->count);
        m->count = 0;
        numafy_depot_put_blank(slot, class_, m);
    }
}

/* Once a second: half of what nobody needed in that second goes back. Called where a thread meets
 * the depots anyway; a process that does nothing keeps what it has, or calls numafy_purge. */
NUMAFY_INNER_ void numafy_depots_sweep(unsigned slot, unsigned shard)
{
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    const unsigned long now = numafy_os_seconds();
    unsigned long last = __atomic_load_n(&s->swept, __ATOMIC_RELAXED);
    if (now - last < NUMAFY_SWEEP_S ||
        !__atomic_compare_exchange_n(&s->swept, &last, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    for (unsigned class_ = 0; class_ < NUMAFY_CLASSES; class_++) {
        struct numafy_depot *d = &s->depot[class_];
        numafy_lock(&d->lock);
        const unsigned idle = (d->low + 1) / 2;
        d->low = d->count;
        numafy_unlock(&d->lock);
        if (last)
            numafy_depot_release(slot, class_, shard, idle);
    }
}

/* A magazine with blocks that the thread does not want. Returns one without, or NULL. */
NUMAFY_INNER_ struct numafy_magazine *numafy_magazine_unload(struct numafy_thread *t, unsigned slot,
                                                             unsigned class_,
                                                             struct numafy_magazine *m)
{
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    const size_t cached = __atomic_load_n(&s->in_depots, __ATOMIC_RELAXED);
    numafy_depots_sweep(slot, t->shard);
    if (cached < (size_t)NUMAFY_DEPOT_BYTES * numafy_pools_v3.shards)
        return numafy_depot_put(slot, class_, m);
    numafy_shard_drain(slot, t->shard, class_, numafy_magazine_blocks(m), m->count);
    m->count = 0;
    return m;
}

/* --- what a thread may hold */
NUMAFY_FN_ unsigned numafy_limit_first(unsigned class_)
{
    const size_t n = NUMAFY_FIRST_BYTES / numafy_class_size(class_);
    const unsigned room = numafy_pools_v3.magazine[class_];
    return n < 1 ? 1 : n > room ? room : (unsigned)n;
}

/* Empties a bin into the depot; it is then as it was before its first use. */
NUMAFY_INNER_ void numafy_bin_clear(struct numafy_thread *t, unsigned slot, unsigned class_)
{
    struct numafy_bin *bin = &t->bin[slot * NUMAFY_CLASSES + class_];
    struct numafy_magazine *m[2] = {numafy_bin_loaded(bin), NULL};
    if (!m[0])
        return;
    numafy_check_bin_(t, slot, class_);
    m[1] = m[0]->next;
    t->held[slot] -= 2 * m[0]->limit * numafy_class_size(class_);
    m[0]->count = (unsigned)(bin->numafy_top_ - bin->numafy_empty_);
    bin->numafy_top_ = bin->numafy_empty_ = bin->numafy_full_ = NULL;
    __atomic_store_n(&bin->numafy_trust_, (void **)NULL, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++) {
        if (m[i] && m[i]->count)
            m[i] = numafy_magazine_unload(t, slot, class_, m[i]);
        if (m[i])
            numafy_depot_put_blank(slot, class_, m[i]);
    }
}

/* Empties all bins of the thread. */
NUMAFY_INNER_ void numafy_bins_clear(struct numafy_thread *t)
{
    for (unsigned slot = 1; slot <= NUMAFY_SLOTS; slot++)
        for (unsigned class_ = 0; t->held[slot] && class_ < NUMAFY_CLASSES; class_++)
            numafy_bin_clear(t, slot, class_);
}

/* The limit for a bin that was found empty or full with `limit`: double, if the budget allows it or
 * another bin, in turn, gives up what it has. A bin's first limit is granted in any case. */
NUMAFY_INNER_ unsigned numafy_limit_grow(struct numafy_thread *t, unsigned slot, unsigned class_,
                                         unsigned limit)
{
    const size_t size = numafy_class_size(class_);
    const unsigned room = numafy_pools_v3.magazine[class_];
    unsigned wanted = limit ? limit * 2 : numafy_limit_first(class_);
    if (wanted > room)
        wanted = room;
    const size_t more = 2 * (wanted - limit) * size;
    for (unsigned i = 0; more && i < NUMAFY_CLASSES; i++) {
        if (t->held[slot] + more <= NUMAFY_THREAD_BYTES)
            break;
        t->hand[slot] = (unsigned char)((t->hand[slot] + 1) % NUMAFY_CLASSES);
        if (t->hand[slot] != class_)
            numafy_bin_clear(t, slot, t->hand[slot]);
    }
    if (limit && t->held[slot] + more > NUMAFY_THREAD_BYTES)
        return limit;
    t->held[slot] += more;
    return wanted;
}

/* --- the slow sides of pop and push */
/* A magazine with blocks for an empty bin: the spare one, one of the depot, or one that jemalloc
 * fills; NULL: there is no memory, not even for an empty one. It may have none. */
NUMAFY_INNER_ struct numafy_magazine *numafy_magazine_find(struct numafy_thread *t, unsigned slot,
                                                           unsigned class_,
                                                           struct numafy_magazine *spare,
                                                           unsigned limit)
{
    /* With a blank one at hand the depot gives no more than the limit. */
    if (!spare)
        spare = numafy_depot_take_blank(slot, class_);
    struct numafy_magazine *m = numafy_depot_take(slot, class_, spare, limit);
    if (m)
        return m;
    m = spare;
    if (m)
        m->count = numafy_shard_fill(slot, t->shard, class_, numafy_magazine_blocks(m), limit);
    return m;
}

/* A block for an empty bin of the calling thread; NULL: there is no memory. */
NUMAFY_INNER_ void *numafy_bin_refill(struct numafy_thread *t, unsigned slot, unsigned class_)
{
    struct numafy_bin *bin = &t->bin[slot * NUMAFY_CLASSES + class_];
    struct numafy_magazine *loaded = numafy_bin_loaded(bin);
    struct numafy_magazine *spare = loaded ? loaded->next : NULL, *m = spare;
    unsigned limit = loaded ? loaded->limit : 0;
    void *p;
    numafy_check_bin_(t, slot, class_);
    if (!m || !m->count) {
        limit = numafy_limit_grow(t, slot, class_, limit);
        m = numafy_magazine_find(t, slot, class_, spare, limit);
    }
    if (loaded)
        loaded->count = 0;
    if (!m) {
        if (loaded)
            loaded->limit = limit;
        else
            t->held[slot] -= 2 * limit * numafy_class_size(class_);
        return NULL;
    }
    numafy_bin_load(bin, m, loaded, limit);
    return numafy_bin_pop(bin, &p) ? p : NULL;
}

/* Puts a block into a full bin of the calling thread; false: there is no memory for it. */
NUMAFY_INNER_ bool numafy_bin_flush(struct numafy_thread *t, unsigned slot, unsigned class_,
                                    void *p)
{
    struct numafy_bin *bin = &t->bin[slot * NUMAFY_CLASSES + class_];
    struct numafy_magazine *loaded = numafy_bin_loaded(bin);
    struct numafy_magazine *m = loaded ? loaded->next : NULL;
    unsigned limit = loaded ? loaded->limit : 0;
    numafy_check_bin_(t, slot, class_);
    if (loaded && (!m || m->count) && limit < numafy_pools_v3.magazine[class_]) {
        limit = loaded->limit = numafy_limit_grow(t, slot, class_, limit);
        if (bin->numafy_empty_ + limit > bin->numafy_full_)
            numafy_bin_set_full(bin, bin->numafy_empty_ + limit);
        if (numafy_bin_push(bin, bin->numafy_full_, p))
            return true;
    }
    if (m && m->count) {
        loaded->next = NULL;
        m = numafy_magazine_unload(t, slot, class_, m);
    }
    if (!m)
        m = numafy_depot_take_blank(slot, class_);
    if (!m)
        return false;
    if (loaded)
        loaded->count = (unsigned)(bin->numafy_top_ - bin->numafy_empty_);
    else
        limit = numafy_limit_grow(t, slot, class_, 0);
    m->count = 0;
    numafy_bin_load(bin, m, loaded, limit);
    return numafy_bin_push(bin, bin->numafy_full_, p);
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_DEPOT_H */
