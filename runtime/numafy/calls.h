/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h: the functions of numa_alloc.h, made of fast.h, slow.h and scope.h. Contracts stand
 * there. */
#ifndef NUMAFY_CALLS_H
#define NUMAFY_CALLS_H

#include "reach.h"

#ifndef NUMAFY_EXTERN

NUMAFY_FN_ bool numafy_power_of_two(size_t n)
{
    return n && !(n & (n - 1));
}

NUMAFY_WEAK_ void *(numafy_malloc)(int node, size_t size)NUMAFY_DEF_NOTHROW_
{
    return numafy_fast_malloc(node, size);
}

NUMAFY_WEAK_ void *numafy_calloc(int node, size_t count, size_t size) NUMAFY_DEF_NOTHROW_
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        numafy_fail(NUMAFY_OVERFLOW, node);
        errno = ENOMEM;
        return NULL;
    }
    return numafy_slow_alloc_(node, bytes, 0, 1);
}

NUMAFY_WEAK_ void *numafy_aligned_alloc(int node, size_t alignment, size_t size) NUMAFY_DEF_NOTHROW_
{
    if (!numafy_power_of_two(alignment)) {
        numafy_fail(NUMAFY_BAD_ALIGNMENT, node);
        errno = EINVAL;
        return NULL;
    }
    return numafy_slow_alloc_(node, size, alignment, 0);
}

NUMAFY_WEAK_ int numafy_posix_memalign(int node, void **out, size_t alignment,
                                       size_t size) NUMAFY_DEF_NOTHROW_
{
    const int before = errno;
    if (!numafy_power_of_two(alignment) || alignment % sizeof(void *)) {
        numafy_fail(NUMAFY_BAD_ALIGNMENT, node);
        return EINVAL;
    }
    void *p = numafy_slow_alloc_(node, size, alignment, 0);
    const int e = p ? 0 : errno;
    errno = before;
    if (p)
        *out = p;
    return e;
}

NUMAFY_WEAK_ void(numafy_free)(void *p) NUMAFY_DEF_NOTHROW_
{
    numafy_fast_free(p);
}

/* What the replaced functions do too: those of one version must not call into another's. */
NUMAFY_FN_ size_t numafy_any_usable_size(const void *p)
{
    struct numafy_page page;
    if (NUMAFY_POISONS_ && numafy_is_ours(p))
        return numafy_poison_size(p);
    if (numafy_is_ours(p)) {
        numafy_check_live_(p);
        const unsigned entry = *numafy_map_at(p);
        return entry ? numafy_class_size(entry / NUMAFY_BIN_WORDS % NUMAFY_CLASSES)
                     : numafy_je_sallocx_(p, 0);
    }
    if (numafy_pools_v3.onnode && numafy_onnode_lookup(p, &page))
        return numafy_onnode_usable(&page);
    return p ? numafy_state_v3.next.usable_size_((void *)(uintptr_t)p) : 0;
}

NUMAFY_WEAK_ size_t numafy_usable_size(const void *p) NUMAFY_DEF_NOTHROW_
{
    return numafy_any_usable_size(p);
}

/* A block that moves by hand: to the plain heap, or in the baseline. */
NUMAFY_INNER_ void *numafy_move(void *p, void *to, size_t size)
{
    const size_t old = numafy_usable_size(p);
    if (to) {
        __builtin_memcpy(to, p, old < size ? old : size);
        numafy_fast_free(p);
    }
    return to;
}

/* By jemalloc, which may grow a large block where it is, and keeps the arena in a thread that it
 * has ended its part of. NULL: there is no memory. */
NUMAFY_INNER_ void *numafy_realloc_direct(void *p, size_t size, unsigned slot)
{
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    int flags;
    if (numafy_pools_v3.use_tcache) {
        flags = numafy_bind_(slot);
        if (!flags)
            return NULL;
        numafy_check_moves_(p);
        void *to = numafy_je_rallocx_(p, size <= 8 ? 16 : size, flags);
        numafy_check_given_(to ? to : p, 0);
        return to;
    }
    const struct numafy_thread *t = numafy_thread_own_();
    const int shard = numafy_shard_(s, t ? t->shard : 0);
    if (shard < 0)
        return NULL;
    flags = s->shard[shard].uncached_flags;
    const size_t before = numafy_je_sallocx_(p, 0);
    numafy_check_moves_(p);
    void *to = numafy_je_rallocx_(p, size <= 8 ? 16 : size, flags);
    numafy_check_given_(to ? to : p, 0);
    if (!to)
        return NULL;
    /* One sum of both, so that the counter never goes below zero on the way. */
    __atomic_fetch_add(&s->taken, numafy_je_sallocx_(to, 0) - before, __ATOMIC_RELAXED);
    numafy_map_set_by_size(to, slot);
    return to;
}

/* realloc of a block in `slot`. */
NUMAFY_INNER_ void *numafy_realloc_ours(void *p, size_t size, unsigned slot)
{
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    const unsigned entry = *numafy_map_at(p);
    numafy_check_live_(p);
    if (!size) {
        numafy_fast_free_ours(p);
        return NULL;
    }
    if (size > (size_t)PTRDIFF_MAX)
        return numafy_out_of_memory(s->node);
    if (NUMAFY_POISONS_ || numafy_live_v3.on)
        return numafy_move(p, numafy_slow_alloc_(s->node, size, 0, 0), size);
    if (entry && size <= NUMAFY_CACHED_MAX &&
        numafy_class_of(size) == entry / NUMAFY_BIN_WORDS % NUMAFY_CLASSES + NUMAFY_PLANTED_(5))
        return p;
    const bool binned = entry || size <= NUMAFY_CACHED_MAX;
    void *to = NULL;
    if (binned && !numafy_pools_v3.use_tcache && numafy_thread_own_())
        to = numafy_pool_alloc(slot, size, 0, 0);
    if (to)
        return numafy_move(p, to, size);
    to = numafy_realloc_direct(p, size, slot);
    return to ? to : numafy_move(p, numafy_fallback(s, s->node, size, 0, 0), size);
}

NUMAFY_INNER_ void *numafy_onnode_realloc(void *p, size_t size, const struct numafy_page *page)
{
    if (!size) {
        numafy_onnode_free(p);
        return NULL;
    }
    const size_t usable = numafy_onnode_usable(page);
    if (size <= usable && size > usable / 2)
        return p;
    return numafy_move(p, numafy_slow_alloc_(page->node, size, 0, 0), size);
}

void *numafy_plain_malloc_(size_t size);

NUMAFY_FN_ void *numafy_any_realloc(void *p, size_t size)
{
    struct numafy_page page;
    const unsigned slot = numafy_slot_of_address(p);
    if (slot)
        return numafy_realloc_ours(p, size, slot);
    if (numafy_pools_v3.onnode && numafy_onnode_lookup(p, &page))
        return numafy_onnode_realloc(p, size, &page);
    if (p && !size) { /* mimalloc's realloc would give a block */
        numafy_state_v3.next.free_(p);
        return NULL;
    }
    void *to = p ? numafy_state_v3.next.realloc_(p, size) : numafy_plain_malloc_(size);
    if (!to)
        errno = ENOMEM; /* jemalloc 5.3.0 and mimalloc leave it as it was */
    return to;
}

NUMAFY_WEAK_ void *numafy_realloc(void *p, size_t size) NUMAFY_DEF_NOTHROW_
{
    return numafy_any_realloc(p, size);
}

/* What the allocator below gave where no node is in use: no owner needs to be looked at. */
NUMAFY_FN_ void *numafy_plain_or_none(void *p)
{
    return NUMAFY_LIKELY_(p) ? p : numafy_out_of_memory(NUMAFY_NO_NODE);
}

NUMAFY_OUT_OF_PLACE_(void *, numafy_malloc_near, const volatile void *owner, size_t size)
{
    const unsigned slot = numafy_slot_of_address(owner);
    void *p;
    if (NUMAFY_LIKELY_(slot && size <= NUMAFY_CACHED_MAX &&
                       numafy_bin_pop(numafy_bin_of(slot, numafy_class_of(size)), &p))) {
        numafy_check_given_(p, 1);
        return p;
    }
    if (!numafy_active_v3)
        return numafy_plain_or_none(numafy_state_v3.next.malloc_(size));
    return numafy_slow_alloc_(numafy_near_(owner), size, 0, 0);
}

NUMAFY_OUT_OF_PLACE_(void *, numafy_calloc_near, const volatile void *owner, size_t count,
                     size_t size)
{
    if (!numafy_active_v3)
        return numafy_plain_or_none(numafy_state_v3.next.calloc_(count, size));
    return numafy_calloc(numafy_near_(owner), count, size);
}

NUMAFY_WEAK_ void *numafy_aligned_alloc_near(const volatile void *owner, size_t alignment,
                                             size_t size) NUMAFY_DEF_NOTHROW_
{
    return numafy_aligned_alloc(numafy_near_(owner), alignment, size);
}

NUMAFY_WEAK_ void *numafy_realloc_near(const volatile void *owner, void *p,
                                       size_t size) NUMAFY_DEF_NOTHROW_
{
    return p ? numafy_realloc(p, size) : numafy_malloc_near(owner, size);
}

/* --- C++ */
/* Weak: absent in a program without libstdc++ or libc++. The second is ours, from a C++ unit, for a
 * program that links libstdc++ statically. */
extern __attribute__((weak, noreturn)) void
numafy_std_throw_(void) __asm__("_ZSt17__throw_bad_allocv");
extern __attribute__((weak, noreturn)) void numafy_cxx_throw_(void);

/* Calls the new handler; without one throws, or returns false if `nothrow`. */
NUMAFY_INNER_ bool numafy_new_failed(bool nothrow)
{
    const numafy_handler handler = &numafy_get_new_handler_ ? numafy_get_new_handler_() : NULL;
    if (handler) {
        handler();
        return true;
    }
    if (nothrow)
        return false;
    if (&numafy_std_throw_)
        numafy_std_throw_();
    if (&numafy_cxx_throw_)
        numafy_cxx_throw_();
    numafy_os_say("numafy: operator new has no memory, and nobody here can throw std::bad_alloc\n");
    __builtin_trap();
}

NUMAFY_INNER_ void *numafy_new_slowly(size_t size, size_t alignment, int node, bool nothrow)
{
    void *p;
    while (!(p = numafy_slow_alloc_(node, size, alignment, 0)))
        if (!numafy_new_failed(nothrow))
            return NULL;
    return p;
}

/* A cached block, or what the program's own malloc gives where no node is asked for. */
NUMAFY_FN_ bool numafy_new_at_once(size_t size, int node, void **p)
{
    if (NUMAFY_LIKELY_(numafy_fast_get(node, size, p)))
        return true;
    return node == NUMAFY_NO_NODE && (*p = numafy_state_v3.next.malloc_(size ? size : 1)) != NULL;
}

NUMAFY_WEAK_ void *numafy_new_(size_t size, size_t alignment, int node)
{
    void *p;
    if (NUMAFY_LIKELY_(!alignment && numafy_new_at_once(size, node, &p)))
        return p;
    return numafy_new_slowly(size, alignment, node, false);
}

/* A handler that throws ends the program here, where a std::nothrow form would return NULL. */
NUMAFY_WEAK_ void *numafy_new_nothrow_(size_t size, size_t alignment, int node) NUMAFY_DEF_NOTHROW_
{
    void *p;
    if (NUMAFY_LIKELY_(!alignment && numafy_new_at_once(size, node, &p)))
        return p;
    return numafy_new_slowly(size, alignment, node, true);
}

/* --- where, threads, memory */
NUMAFY_WEAK_ int numafy_node_of(const void *p) NUMAFY_DEF_NOTHROW_
{
    const struct numafy_pools *g = &numafy_pools_v3;
    const unsigned slot = numafy_slot_of_address(p);
    struct numafy_page page;
    if (slot)
        return numafy_state_v3.node_of[slot];
    if (g->onnode && numafy_onnode_lookup(p, &page))
        return page.node;
    return NUMAFY_NO_NODE;
}

NUMAFY_COLD_ int numafy_resident_node(const void *p) NUMAFY_DEF_NOTHROW_
{
    return p ? numafy_os_resident((uintptr_t)p) : -EFAULT;
}

NUMAFY_COLD_ int numafy_thread_bind(int node) NUMAFY_DEF_NOTHROW_
{
    uint64_t cpus[NUMAFY_CPUS / 64];
    if (node < 0 || node >= NUMAFY_NODES) {
        numafy_fail(NUMAFY_BAD_NODE, node);
        return -EINVAL;
    }
    numafy_ready_(); /* reads the machine; pinning does not need the pools */
    const int wanted = numafy_wanted(node);
    int e = numafy_node_cpus(wanted, cpus);
    if (!e && numafy_os_setaffinity_(0, sizeof cpus, cpus))
        e = -errno;
    if (e)
        numafy_fail(NUMAFY_NOT_BOUND, wanted);
    return e;
}

NUMAFY_COLD_ void numafy_thread_flush(void) NUMAFY_DEF_NOTHROW_
{
    struct numafy_thread *t = numafy_tls_v3;
    if (!t->own)
        return;
    numafy_bins_clear(t);
    numafy_tcaches_end(t);
}

NUMAFY_COLD_ void numafy_purge(int node) NUMAFY_DEF_NOTHROW_
{
    char name[32];
    if (node < NUMAFY_INTERLEAVE || node >= NUMAFY_NODES)
        return;
    const unsigned slot = numafy_state_v3.slot_of[node + NUMAFY_NODE_ARGS];
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    for (unsigned c = 0; slot && c < NUMAFY_CLASSES; c++)
        numafy_depot_release(slot, c, 0, __atomic_load_n(&s->depot[c].count, __ATOMIC_RELAXED));
    for (unsigned i = 0; slot && i < NUMAFY_SHARDS_MAX; i++) {
        struct numafy_shard *h = &s->shard[i];
        if (!__atomic_load_n(&h->flags, __ATOMIC_ACQUIRE))
            continue;
        numafy_shard_flush(h);
        snprintf(name, sizeof name, "arena.%u.purge", numafy_je_arena(h->uncached_flags));
        numafy_je_mallctl_(name, NULL, NULL, NULL, 0);
    }
}

/* --- reasons and statistics */
NUMAFY_COLD_ const char *numafy_strerror(void) NUMAFY_DEF_NOTHROW_
{
    struct numafy_thread *t = numafy_tls_v3;
    if (!t->own)
        return numafy_pools_v3.disabled ? numafy_pools_v3.disabled : "no error";
    const int node = t->reason_node;
    switch (t->reason) {
    case NUMAFY_OUT_OF_MEMORY:
        snprintf(t->text, sizeof t->text,
                 "no memory for the block, neither on node %d nor elsewhere", node);
        break;
    case NUMAFY_OVERFLOW:
        return "count times size is larger than the address space";
    case NUMAFY_BAD_NODE:
        snprintf(t->text, sizeof t->text,
                 "%d is not a node: ids are 0 to %d, -2 local, -3 interleaved, -1 the plain heap",
                 node, NUMAFY_NODES - 1);
        break;
    case NUMAFY_BAD_ALIGNMENT:
        return "the alignment is not a power of two, or for posix_memalign not a multiple of 8";
    case NUMAFY_ROOT_INVALID:
        return "a root needs an address, a size and a node";
    case NUMAFY_ROOTS_FULL:
        return "there are 64 roots already";
    case NUMAFY_NOT_BOUND:
        snprintf(t->text, sizeof t->text, "the thread cannot be pinned to the CPUs of node %d",
                 node);
        break;
    case NUMAFY_FINE:
        return "no error";
    default:
        numafy_refusal_text(t->reason, node, t->text, sizeof t->text);
    }
    return t->text;
}

/* The end of a pool's object: its huge pages. */
NUMAFY_FN_ void numafy_huge_json(struct numafy_text *out, const struct numafy_slot *s)
{
    const struct numafy_huge_pool *h = numafy_huge_of(s);
    NUMAFY_TEXT_(out, "\"huge_bytes\":%zu,\"huge_fallbacks\":%zu,", h->pages * numafy_huge_v3.page,
                 h->fallbacks);
    NUMAFY_TEXT_(out, "\"thp_bytes\":%zu,\"thp_fallbacks\":%zu}", h->advised,
                 h->unadvised / NUMAFY_THP_FRAME);
}

/* Bytes of a slot that threads hold in their bins, to within what they do just now. */
NUMAFY_FN_ size_t numafy_slot_in_threads(unsigned slot)
{
    const struct numafy_thread *t =
        __atomic_load_n(&numafy_pools_v3.made_threads, __ATOMIC_ACQUIRE);
    size_t bytes = 0;
    for (; t; t = t->next_made) {
        if (!__atomic_load_n(&t->held[slot], __ATOMIC_RELAXED))
            continue;
        for (unsigned c = 0; c < NUMAFY_CLASSES; c++) {
            const struct numafy_bin *bin = &t->bin[slot * NUMAFY_CLASSES + c];
            const char *top = (const char *)__atomic_load_n(&bin->numafy_top_, __ATOMIC_RELAXED);
            const char *empty =
                (const char *)__atomic_load_n(&bin->numafy_empty_, __ATOMIC_RELAXED);
            if (!empty)
                continue;
            /* Magazines are never unmapped, and numbers caught in a change are within bounds. */
            const struct numafy_magazine *loaded = (const struct numafy_magazine *)empty - 1;
            const struct numafy_magazine *spare = __atomic_load_n(&loaded->next, __ATOMIC_RELAXED);
            size_t n = top > empty ? (size_t)(top - empty) / sizeof(void *) : 0;
            if (n > NUMAFY_MAGAZINE_BLOCKS)
                n = 0;
            bytes += (n + (spare ? spare->count : 0)) * numafy_class_size(c);
        }
    }
    return bytes;
}

/* What a slot's memory is used for, in bytes. live: what the program holds; with
 * NUMAFY_CACHE=tcache the blocks that jemalloc's caches keep count as live. */
struct numafy_use {
    size_t live, cached;
};

NUMAFY_FN_ struct numafy_use numafy_slot_use(unsigned slot)
{
    const struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    struct numafy_use use = {0, 0};
    if (numafy_pools_v3.use_tcache) {
        for (unsigned i = 0; i < NUMAFY_SHARDS_MAX; i++)
            if (s->shard[i].flags)
                use.live +=
                    numafy_je_stat(numafy_je_arena(s->shard[i].uncached_flags), "small.allocated") +
                    numafy_je_stat(numafy_je_arena(s->shard[i].uncached_flags), "large.allocated");
        return use;
    }
    use.cached = __atomic_load_n(&s->in_depots, __ATOMIC_RELAXED) + numafy_slot_in_threads(slot);
    use.live = __atomic_load_n(&s->taken, __ATOMIC_RELAXED);
    use.live -= use.cached < use.live ? use.cached : use.live;
    return use;
}

/* Whether the machine made us put the pool on another node than was meant. */
NUMAFY_FN_ bool numafy_slot_redirected(const struct numafy_slot *s)
{
    return s->node >= 0 && s->mapped != numafy_wanted(s->node);
}

NUMAFY_FN_ void numafy_stats_slot(struct numafy_text *out, const struct numafy_slot *s)
{
    const struct numafy_use use = numafy_slot_use((unsigned)(s - numafy_pools_v3.slot));
    NUMAFY_TEXT_(out, "{\"node\":%d,\"mapped\":%d,\"redirected\":%s,\"policy\":\"%s\",", s->node,
                 s->mapped, numafy_slot_redirected(s) ? "true" : "false",
                 numafy_policy_name(s->policy));
    NUMAFY_TEXT_(out, "\"mbind_errno\":%d,\"opened\":%zu,\"live\":%zu,\"cached\":%zu,",
                 s->bind_error, s->opened, use.live, use.cached);
    NUMAFY_TEXT_(out, "\"fallbacks\":%zu,\"uncached\":%zu,", s->fallbacks, s->uncached);
}

NUMAFY_COLD_ int numafy_stats_json(char *buf, size_t len) NUMAFY_DEF_NOTHROW_
{
    const struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_text out = {buf, len, 0};
    struct numafy_residence where[NUMAFY_SLOTS + 1], sum;
    const char *comma = "";
    uint64_t epoch = 1;
    const bool told = numafy_residence_read(where, &sum);
    numafy_je_mallctl_("epoch", NULL, NULL, &epoch, sizeof epoch);
    NUMAFY_TEXT_(&out, "{\"version\":\"%s\",\"pools\":\"%s\",\"mode\":\"%s\",\"cache\":\"%s\",",
                 NUMAFY_VERSION,
                 g->phase == NUMAFY_READY ? "on"
                 : g->disabled            ? "off"
                                          : "unused",
                 numafy_mode_name(g->mode),
                 g->onnode       ? "onnode"
                 : g->use_tcache ? "tcache"
                                 : "magazine");
    NUMAFY_TEXT_(&out, "\"slot_bytes\":%zu,\"shards\":%u,\"tcaches\":%zu,\"threads\":%zu,",
                 numafy_state_v3.span ? (size_t)1 << numafy_state_v3.shift : 0, g->shards,
                 g->tcaches, g->threads);
    NUMAFY_TEXT_(&out, "\"huge\":\"%s\",\"huge_page\":%zu,",
                 numafy_huge_v3.page          ? "hugetlb"
                 : numafy_huge_v3.transparent ? "transparent"
                                              : "off",
                 numafy_huge_v3.page);
    NUMAFY_TEXT_(&out, "\"lost_threads\":%zu,\"plain_served\":%zu,\"onnode_blocks\":%zu,",
                 g->lost_threads, g->plain_served, numafy_onnode_v3.blocks);
    if (told)
        NUMAFY_TEXT_(&out, "\"redirected_bytes\":%zu,\"unbound_bytes\":%zu,\"spilled_bytes\":%zu,",
                     sum.redirected, sum.unbound, sum.spilled);
    NUMAFY_TEXT_(&out, "\"nodes\":[");
    for (unsigned i = 1; i <= g->slots; i++) {
        const struct numafy_slot *s = &g->slot[i];
        if (!s->start)
            continue;
        NUMAFY_TEXT_(&out, "%s", comma);
        comma = ",";
        numafy_stats_slot(&out, s);
        if (told)
            NUMAFY_TEXT_(&out, "\"resident\":%zu,\"spilled\":%zu,", where[i].resident,
                         where[i].spilled);
        numafy_huge_json(&out, s);
    }
    NUMAFY_TEXT_(&out, "]}");
    if (len && out.used >= len)
        buf[len - 1] = 0;
    return (int)out.used;
}

NUMAFY_COLD_ void numafy_stats_print(FILE *out) NUMAFY_DEF_NOTHROW_
{
    const struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_residence where[NUMAFY_SLOTS + 1], sum;
    uint64_t epoch = 1;
    const bool told = numafy_residence_read(where, &sum);
    numafy_je_mallctl_("epoch", NULL, NULL, &epoch, sizeof epoch);
    fprintf(out, "numafy: pools %s%s%s, mode %s, %zu threads, %zu blocks by plain malloc\n",
            g->phase == NUMAFY_READY ? "on"
            : g->disabled            ? "off"
                                     : "unused",
            g->disabled ? ": " : "", g->disabled ? g->disabled : "", numafy_mode_name(g->mode),
            g->threads, g->plain_served);
    if (g->onnode)
        fprintf(out, "numafy: %zu blocks by numa_alloc_onnode\n", numafy_onnode_v3.blocks);
    for (unsigned i = 1; i <= g->slots; i++) {
        const struct numafy_slot *s = &g->slot[i];
        const struct numafy_use use = numafy_slot_use(i);
        if (!s->start)
            continue;
        fprintf(out,
                "numafy: node %d on %d (%s): %zu bytes live, %zu cached, %zu opened, %zu "
                "fallbacks, mbind %s",
                s->node, s->mapped, numafy_policy_name(s->policy), use.live, use.cached, s->opened,
                s->fallbacks, s->bind_error ? "failed" : "ok");
        if (told)
            fprintf(out, ", %zu in memory, %zu of them on other nodes", where[i].resident,
                    where[i].spilled);
        fputc('\n', out);
        const struct numafy_huge_pool *h = numafy_huge_of(s);
        if (s->start && numafy_pools_v3.huge)
            fprintf(out, "numafy: node %d: %zu bytes in huge pages, %zu huge pages not to be had\n",
                    s->node, h->pages * numafy_huge_v3.page, h->fallbacks);
    }
}

#ifndef NUMAFY_SANITIZED_
/* The file that NUMAFY_STATS names; the first %p is the process's id. */
NUMAFY_INNER_ FILE *numafy_stats_open(const char *where)
{
    char name[4096];
    const char *id = __builtin_strstr(where, "%p");
    if (!id)
        return fopen(where, "w");
    const int n = snprintf(name, sizeof name, "%.*s%ld%s", (int)(id - where), where,
                           numafy_os_syscall_(SYS_getpid), id + 2);
    return n > 0 && (size_t)n < sizeof name ? fopen(name, "w") : NULL;
}

/* NUMAFY_STATS=1: text on stderr; any other value: a JSON file. */
NUMAFY_INNER_ void numafy_stats_at_exit(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    const char *where = g->stats;
    g->stats = NULL;
    if (!where)
        return;
    if (numafy_text_is(where, "1")) {
        numafy_stats_print(stderr);
        return;
    }
    FILE *f = numafy_stats_open(where);
    const size_t room = 64 << 10;
    char *text = (char *)numafy_os_map(room);
    if (f && text) {
        numafy_stats_json(text, room);
        fprintf(f, "%s\n", text);
    } else {
        numafy_os_say("numafy: the file of NUMAFY_STATS cannot be written\n");
    }
    if (text)
        numafy_os_munmap_(text, room);
    if (f)
        fclose(f);
}
static __attribute__((destructor, unused)) void numafy_end_with_program(void)
{
    numafy_stats_at_exit();
    numafy_reach_at_exit();
}
#endif

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_CALLS_H */
