/* SPDX-License-Identifier: Apache-2.0 */
/* slow.h: what happens seldom: start, pools, the binding of a thread to a pool, thread exit, fork,
 * everything when a node or memory is missing. fast.h calls in here when a bin is empty or full. */
#ifndef NUMAFY_SLOW_H
#define NUMAFY_SLOW_H

#include "check_slow.h"
#include "depot.h"
#include "env.h"
#include "fast.h"
#include "guard.h"
#include "onnode.h"
#include "policy.h"
#include "sanitize.h"

int numafy_start_(void);
int numafy_ready_(void);
struct numafy_thread *numafy_thread_own_(void);
unsigned numafy_slot_(int node);
int numafy_bind_(unsigned slot);

#ifndef NUMAFY_EXTERN

/* --- reasons */
NUMAFY_FN_ void numafy_fail(int reason, int node)
{
    struct numafy_thread *t = numafy_thread_own_();
    if (t) {
        t->reason = reason;
        t->reason_node = node;
    }
}

/* --- start */
void numafy_fork_prepare_(void);
void numafy_fork_parent_(void);
void numafy_fork_child_(void);

NUMAFY_INNER_ void numafy_disable(const char *why, bool quietly)
{
    char text[512];
    struct numafy_pools *g = &numafy_pools_v3;
    g->disabled = why;
    __atomic_store_n(&g->phase, NUMAFY_DISABLED, __ATOMIC_RELEASE);
    if (quietly || !numafy_warn_now(NUMAFY_WARN_OFF))
        return;
    snprintf(text, sizeof text, "numafy: the pools are off, everything is plain malloc: %s\n", why);
    numafy_os_say(text);
}

/* --- while no node is in use */
NUMAFY_BEHIND_NEAR_ void *numafy_calls_plain_malloc(size_t size, const volatile void *owner)
{
    (void)owner;
    return NUMAFY_GLANCE_(numafy_plain_v3.malloc_)(size);
}
NUMAFY_BEHIND_NEAR_ void *numafy_calls_plain_calloc(size_t count, size_t size,
                                                    const volatile void *owner)
{
    (void)owner;
    return NUMAFY_GLANCE_(numafy_plain_v3.calloc_)(count, size);
}

NUMAFY_FN_ void numafy_plain_set(const struct numafy_plain *plain, const struct numafy_calls_ *near)
{
    __atomic_store_n(&numafy_plain_v3.malloc_, plain->malloc_, __ATOMIC_RELAXED);
    __atomic_store_n(&numafy_plain_v3.calloc_, plain->calloc_, __ATOMIC_RELAXED);
    __atomic_store_n(&numafy_plain_v3.free_, plain->free_, __ATOMIC_RELAXED);
    __atomic_store_n(&numafy_plain_v3.new_, plain->new_, __ATOMIC_RELAXED);
    __atomic_store_n(&numafy_calls_v3.numafy_malloc_, near->numafy_malloc_, __ATOMIC_RELAXED);
    __atomic_store_n(&numafy_calls_v3.numafy_calloc_, near->numafy_calloc_, __ATOMIC_RELAXED);
    __atomic_store_n(&numafy_calls_v3.numafy_new_, near->numafy_new_, __ATOMIC_RELAXED);
}

/* Weak: absent in a program without libstdc++ or libc++. */
typedef void (*numafy_handler)(void);
extern __attribute__((weak)) numafy_handler
numafy_get_new_handler_(void) __asm__("_ZSt15get_new_handlerv");

/* The program's calls go to the allocator below without a look at nodes. Only to jemalloc, whose
 * malloc and calloc set errno, and whose operator new is known. When `next` is settled. */
NUMAFY_INNER_ void numafy_plain_direct(void)
{
    const struct numafy_next *n = &numafy_state_v3.next;
    const uintptr_t jemalloc = (uintptr_t)numafy_je_mallocx_;
    struct numafy_plain plain = {n->malloc_, n->calloc_, n->free_, numafy_plain_new};
    struct numafy_calls_ near = {numafy_calls_plain_malloc, numafy_calls_plain_calloc,
                                 numafy_calls_new};
    if (!numafy_os_together((uintptr_t)n->malloc_, jemalloc))
        return;
    /* Where there is a C++ library dlsym finds one. */
    if (&numafy_get_new_handler_ && !numafy_os_is_static()) {
        void *const place = (void *)(intptr_t)numafy_first_place();
        void *(*const new_)(size_t) = (void *(*)(size_t))numafy_os_dlsym_(place, "_Znwm");
        if (numafy_os_together((uintptr_t)new_, jemalloc))
            plain.new_ = near.numafy_new_ = new_;
    }
    numafy_lock(&numafy_pools_v3.lock);
    if (!numafy_active_v3) /* a constructor may have made a root */
        numafy_plain_set(&plain, &near);
    numafy_unlock(&numafy_pools_v3.lock);
}

/* From now on somebody may ask for a node, and for nothing else to be looked at. Whoever gets a
 * block of a pool, or has an ambient node, comes later than this. Lock held. */
NUMAFY_FN_ void numafy_activate(void)
{
    const struct numafy_plain plain = {numafy_plain_malloc_, numafy_plain_calloc, numafy_plain_free,
                                       numafy_plain_new};
    const struct numafy_calls_ near = {numafy_calls_malloc, numafy_calls_calloc, numafy_calls_new};
    if (numafy_active_v3)
        return;
    numafy_plain_set(&plain, &near);
    __atomic_store_n(&numafy_active_v3, 1, __ATOMIC_RELAXED);
}

/* What has to do with the dynamic linker. A thread in dlopen has its lock while it runs
 * constructors that may allocate: so this is done once, when the object with this code is loaded,
 * and never under our lock. Why the pools must stay off, or NULL. */
NUMAFY_INNER_ const char *numafy_start_below(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    if (&numafy_replaces_v3 && !numafy_probe()) {
        numafy_next_global();
        return numafy_probe_advice();
    }
    if (numafy_state_v3.next.free_ == numafy_first_free_)
        numafy_next_find();
#ifdef NUMAFY_SANITIZED_
    return "this program is built with a sanitizer that owns malloc (NUMAFY_SANITIZE=pass says "
           "that "
           "this is meant)";
#endif
    if (NUMAFY_POISONS_ && g->sanitize_pass)
        return "NUMAFY_SANITIZE=pass";
#ifdef NUMAFY_CACHE_ONNODE
    g->want_onnode = 1;
#endif
    if (g->want_onnode && !numafy_onnode_open())
        return "NUMAFY_CACHE=onnode needs libnuma.so.1 (package libnuma1), and a program that is "
               "not "
               "static";
    /* jemalloc has our hooks from now on, and threads our destructor */
    numafy_os_stay_loaded(&numafy_state_v3);
    return NULL;
}

/* Before the state's lock is first taken: else a thread that forks while another starts the pools
 * has a child that waits for ever. jemalloc's handlers must be older than ours; nallocx starts it.
 */
NUMAFY_INNER_ int numafy_start_fork(void)
{
    (void)numafy_je_nallocx_(16, 0);
    return numafy_os_atfork_(numafy_fork_prepare_, numafy_fork_parent_, numafy_fork_child_);
}

NUMAFY_COLD_ int numafy_start_(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    int fresh = 0;
    if (__atomic_load_n(&g->started, __ATOMIC_ACQUIRE) == 2)
        return 0;
    if (__atomic_compare_exchange_n(&g->started, &fresh, 1, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        numafy_env_read();
        numafy_policy_start();
        const char *why = numafy_guard();
        if (why)
            numafy_disable(why, false);
        else if (!(g->unfit = numafy_start_below()) && numafy_start_fork())
            g->unfit = "no fork handler left";
        if (numafy_live_v3.wanted && !why && !g->unfit && !g->want_onnode && !NUMAFY_POISONS_ &&
            !numafy_guard_hpa())
            numafy_live_start();
        if (!why && !g->unfit)
            numafy_plain_direct();
        __atomic_store_n(&g->started, 2, __ATOMIC_RELEASE);
        if (g->ambient && numafy_ready_())
            __atomic_store_n(&numafy_nothread_v3.ambient, g->ambient, __ATOMIC_RELAXED);
    } else {
        while (__atomic_load_n(&g->started, __ATOMIC_ACQUIRE) != 2)
            numafy_os_syscall_(SYS_sched_yield);
    }
    return 0;
}

/* The largest range per pool that the address space limit, a sanitizer or valgrind grants. */
NUMAFY_INNER_ bool numafy_reserve(void)
{
    const unsigned char shifts[] = {40, 36, 33, 30, 28, 26};
    struct numafy_pools *g = &numafy_pools_v3;
    /* Pools are made per id that the program names, also ids that the machine lacks. */
    unsigned want = (unsigned)numafy_set_count(g->topology.memory) + 9;
    want = want < 16 ? 16 : want > NUMAFY_SLOTS ? (unsigned)NUMAFY_SLOTS : want;
    for (unsigned i = 0; i < sizeof shifts; i++) {
        const size_t span = (size_t)want << shifts[i];
        const size_t map = span >> NUMAFY_MAP_SHIFT << 1;
        void *p = numafy_os_reserve(span + map, numafy_huge_unit());
        if (!p)
            continue;
        numafy_state_v3.page_map = (unsigned short *)((uintptr_t)p + span);
        g->slot_limit = want;
        numafy_state_v3.shift = shifts[i];
        for (unsigned slot = 0; slot <= NUMAFY_SLOTS; slot++)
            numafy_state_v3.node_of[slot] = NUMAFY_NO_NODE;
        numafy_state_v3.base = (uintptr_t)p;
        __atomic_store_n(&numafy_state_v3.span, span, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

void numafy_thread_exit_(void *record);
void numafy_thread_end_(void *record);

/* What jemalloc knows of our classes. false: it has others, as with a page of 64 KiB or a build
 * with another quantum; a thread's bins then cannot serve. */
NUMAFY_INNER_ bool numafy_classes_read(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    unsigned bins = 0;
    size_t len = sizeof bins;
    if (numafy_je_mallctl_("arenas.nbins", &bins, &len, NULL, 0))
        return false;
    for (unsigned c = 0; c < NUMAFY_CLASSES; c++) {
        size_t n = NUMAFY_MAGAZINE_BLOCKS;
        while (n > 6 && n * numafy_class_size(c) > NUMAFY_MAGAZINE_BYTES)
            n = n / 2 - 1;
        g->magazine[c] = (unsigned char)n;
        g->nregs[c] = 1;
        if (numafy_je_nallocx_(numafy_class_size(c), 0) != numafy_class_size(c) ||
            (c && numafy_je_nallocx_(numafy_class_size(c - 1) + 1, 0) != numafy_class_size(c)))
            return false;
    }
    for (unsigned bin = 0; bin < bins; bin++) {
        char name[48];
        size_t size = 0;
        uint32_t nregs = 0;
        len = sizeof size;
        snprintf(name, sizeof name, "arenas.bin.%u.size", bin);
        if (numafy_je_mallctl_(name, &size, &len, NULL, 0))
            return false;
        len = sizeof nregs;
        snprintf(name, sizeof name, "arenas.bin.%u.nregs", bin);
        if (numafy_je_mallctl_(name, &nregs, &len, NULL, 0))
            return false;
        if (size >= 16 && size <= NUMAFY_CACHED_MAX)
            g->nregs[numafy_class_of(size)] = (unsigned short)(nregs < 0xffff ? nregs : 0xffff);
    }
    len = 2;
    if (numafy_je_mallctlnametomib_("experimental.batch_alloc", g->batch_mib, &len))
        g->batch_mib[0] = 0;
    return true;
}

NUMAFY_INNER_ void numafy_init(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    if (!g->unfit)
        g->unfit = numafy_guard_hpa();
    numafy_topology_read();
    if (!g->shards) {
        g->shards = g->topology.cpu_count;
        if (g->shards > NUMAFY_SHARDS_MAX)
            g->shards = NUMAFY_SHARDS_MAX;
    }
    if (g->unfit) {
        numafy_disable(g->unfit, g->sanitize_pass);
        return;
    }
    if (numafy_os_key_create_(&g->key, numafy_thread_exit_)) {
        numafy_disable("no pthread key left", false);
        return;
    }
    if (g->want_onnode) {
        numafy_onnode_v3.plain_free = numafy_state_v3.next.free_;
        numafy_state_v3.next.free_ = numafy_onnode_route;
        g->onnode = 1;
        numafy_policy_onnode();
        const int e = numafy_onnode_probe(numafy_set_first(g->topology.allowed));
        if (e)
            numafy_warn_refused(e);
    } else if (numafy_huge_start(), !numafy_reserve()) {
        numafy_disable("no address space left for 16 times 64 MiB", false);
        return;
    }
    if (!g->onnode) {
        if (!numafy_classes_read())
            g->use_tcache = 1;
        numafy_check_start_();
        numafy_poison_begin(numafy_state_v3.base, numafy_state_v3.span);
    }
    numafy_activate();
    __atomic_store_n(&g->phase, NUMAFY_READY, __ATOMIC_RELEASE);
}

/* True: pools (or the baseline) serve. Starts everything at the first call. */
NUMAFY_COLD_ int numafy_ready_(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    int phase = __atomic_load_n(&g->phase, __ATOMIC_ACQUIRE);
    if (phase == NUMAFY_NEW_BORN) {
        /* No thread has an ambient node before this: the probe's malloc does not end up here. */
        numafy_start_();
        numafy_lock(&g->lock);
        if (g->phase == NUMAFY_NEW_BORN)
            numafy_init();
        numafy_unlock(&g->lock);
        phase = __atomic_load_n(&g->phase, __ATOMIC_ACQUIRE);
    }
    return phase == NUMAFY_READY;
}

/* Reads the environment before main, so that wrong settings are told and NUMAFY_AMBIENT holds. */
#if !defined(NUMAFY_SANITIZED_)
static __attribute__((constructor, unused)) void numafy_start_with_program(void)
{
    numafy_check_join();
    numafy_start_();
}
#endif

/* fork: prepare handlers run latest first, and jemalloc registered before us: our locks come first,
 * as everywhere. Handlers of others that registered in between run while we hold them. The child
 * has lost the other threads; their caches may be half changed and stay lost. */
NUMAFY_INNER_ void numafy_fork_begin(struct numafy_mutex *lock, bool child)
{
    (void)child;
    numafy_lock_fork_begin(lock);
}

NUMAFY_INNER_ void numafy_fork_slot(struct numafy_slot *s,
                                    void (*each)(struct numafy_mutex *, bool), bool child)
{
    for (unsigned i = 0; s->start && i < NUMAFY_SHARDS_MAX; i++)
        each(&s->shard[i].lock, child);
    for (unsigned i = 0; s->start && i < NUMAFY_CLASSES; i++)
        each(&s->depot[i].lock, child);
}

/* The locks of all pools. A pool that a handler makes meanwhile begins its own, see numafy_slot_.
 */
NUMAFY_INNER_ void numafy_fork_locks(void (*each)(struct numafy_mutex *, bool), bool child)
{
    struct numafy_pools *g = &numafy_pools_v3;
    for (unsigned slot = 1; slot <= g->slots; slot++)
        numafy_fork_slot(&g->slot[slot], each, child);
    each(&g->blank_lock, child);
    each(&numafy_live_v3.lock, child);
    numafy_poison_fork(each, child);
}

/* --- pools */
/* A slot for the node that has none. 0: all are taken. Lock held. */
NUMAFY_INNER_ unsigned numafy_slot_pick(int node)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    if (node >= 0 && node < NUMAFY_FIXED)
        return (unsigned)node + 1;
    for (unsigned slot = NUMAFY_FIXED + 1; slot <= g->slot_limit; slot++)
        if (!g->slot[slot].start)
            return slot;
    return 0;
}

/* Makes the pool of a slot. false: the kernel has no memory for it now. Lock held. */
NUMAFY_INNER_ bool numafy_slot_make(struct numafy_slot *s, unsigned slot, int node)
{
    struct numafy_pools *g = &numafy_pools_v3;
    const size_t size = (size_t)1 << numafy_state_v3.shift;
    if (!s->depot)
        s->depot = (struct numafy_depot *)numafy_os_map(NUMAFY_CLASSES * sizeof *s->depot);
    if (!s->depot)
        return false;
    s->node = node;
    s->start = numafy_state_v3.base + ((uintptr_t)(slot - 1) << numafy_state_v3.shift);
    s->mapped = node < 0 ? NUMAFY_NO_NODE : numafy_map(node);
    numafy_huge_slot(s, size);
    if (!numafy_slot_bind(s, size)) {
        s->start = 0;
        return false;
    }
    numafy_hooks_set(s);
    numafy_state_v3.node_of[slot] = (int16_t)node;
    if (slot > g->slots)
        g->slots = slot;
    return true;
}

/* The slot of a node id or NUMAFY_INTERLEAVE, made if there is none; 0: all slots are taken. */
NUMAFY_COLD_ unsigned numafy_slot_(int node)
{
    struct numafy_pools *g = &numafy_pools_v3;
    uint8_t *entry = &numafy_state_v3.slot_of[node + NUMAFY_NODE_ARGS];
    unsigned slot = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
    if (slot)
        return slot;
    numafy_lock(&g->lock);
    slot = *entry;
    if (!slot && (slot = numafy_slot_pick(node)) != 0) {
        if (numafy_slot_make(&g->slot[slot], slot, node)) {
            if (numafy_lock_forks(&g->lock))
                numafy_fork_slot(&g->slot[slot], numafy_fork_begin, false);
            __atomic_store_n(entry, (uint8_t)slot, __ATOMIC_RELEASE);
        } else
            slot = 0;
    }
    numafy_unlock(&g->lock);
    return slot;
}

/* The flags of a shard with a new tcache, or without one if jemalloc has no ids left. The state's
 * lock is held, so that no fork comes while the thread's own tcache is in the shard's arena. */
NUMAFY_INNER_ int numafy_shard_cache(int uncached_flags)
{
    const unsigned arena = numafy_je_arena(uncached_flags);
    unsigned tcache;
    if (numafy_je_tcache_create(arena, &tcache))
        return uncached_flags;
    if (tcache < NUMAFY_JE_MAX_INDEX)
        return numafy_je_flags(arena, tcache);
    numafy_je_mallctl_("tcache.destroy", NULL, NULL, &tcache, sizeof tcache);
    return uncached_flags;
}

/* Gives back what the shard's tcache holds. Not by tcache.flush, which destroys the tcache and has
 * the next thread that uses the id make another one, for its own arena. A tcache that a fork's
 * child has inherited must not be destroyed: see numafy_fork_child_. It stays, with what it holds.
 */
NUMAFY_INNER_ void numafy_shard_flush(struct numafy_shard *h)
{
    numafy_lock(&numafy_pools_v3.lock);
    numafy_lock(&h->lock);
    unsigned tcache = (unsigned)numafy_je_tcache(h->flags);
    if ((int)tcache >= 0 && !h->inherited) {
        numafy_je_mallctl_("tcache.destroy", NULL, NULL, &tcache, sizeof tcache);
        __atomic_store_n(&h->flags, numafy_shard_cache(h->uncached_flags), __ATOMIC_RELEASE);
    }
    numafy_unlock(&h->lock);
    numafy_unlock(&numafy_pools_v3.lock);
}

/* Makes the shard. jemalloc has ids for 4,094 arenas and tcaches; without one shard 0 serves. A
 * tcache serves for ever the arena that is current when it is made. Lock held. */
NUMAFY_INNER_ void numafy_shard_make(struct numafy_slot *slot, unsigned shard)
{
    unsigned arena;
    size_t len = sizeof arena;
    struct numafy_shard *h = &slot->shard[shard];
    struct numafy_hooks *hooks = &slot->hooks;
    if (numafy_je_mallctl_("arenas.create", &arena, &len, (void *)&hooks, sizeof hooks) ||
        arena >= NUMAFY_JE_MAX_INDEX)
        return;
    const int uncached = numafy_je_flags_uncached(arena);
    __atomic_store_n(&h->uncached_flags, uncached, __ATOMIC_RELAXED);
    h->inherited = 0;
    __atomic_store_n(&h->flags,
                     numafy_pools_v3.use_tcache ? uncached : numafy_shard_cache(uncached),
                     __ATOMIC_RELEASE);
}

/* A shard of the slot that can serve, the wanted one if it can be had. -1: none at all. */
NUMAFY_INNER_ int numafy_shard_(struct numafy_slot *slot, unsigned wanted)
{
    struct numafy_pools *g = &numafy_pools_v3;
    if (__atomic_load_n(&slot->shard[wanted].flags, __ATOMIC_ACQUIRE))
        return (int)wanted;
    numafy_lock(&g->lock);
    if (!slot->shard[wanted].flags)
        numafy_shard_make(slot, wanted);
    if (!slot->shard[wanted].flags && !slot->shard[0].flags && wanted)
        numafy_shard_make(slot, 0);
    numafy_unlock(&g->lock);
    if (slot->shard[wanted].flags)
        return (int)wanted;
    return slot->shard[0].flags ? 0 : -1;
}

/* --- threads */
/* The calling thread's record, made at the first call. NULL: the thread is past its end, or there
 * is no memory for one; it then works without caches, scopes and reasons. */
NUMAFY_COLD_ struct numafy_thread *numafy_thread_own_(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_thread *t = numafy_tls_v3;
    if (t->own)
        return t;
    if (t == &numafy_latethread_v3 || !numafy_ready_())
        return NULL;
    numafy_lock(&g->lock);
    t = g->free_threads;
    if (t) {
        g->free_threads = t->next_free;
    } else if ((t = (struct numafy_thread *)numafy_os_map(sizeof *t)) != NULL) {
        t->next_made = g->made_threads;
        __atomic_store_n(&g->made_threads, t, __ATOMIC_RELEASE);
    }
    if (t) {
        g->threads++;
        t->shard = g->next_shard++ % g->shards;
    }
    numafy_unlock(&g->lock);
    if (!t)
        return NULL;
    t->own = 1;
    t->ambient = __atomic_load_n(&numafy_nothread_v3.ambient, __ATOMIC_RELAXED);
    t->entries = t->first_entries;
    t->room = sizeof t->first_entries / sizeof t->first_entries[0];
    t->depth = t->unpushed = t->unpushed_key = 0;
    t->reason = NUMAFY_FINE;
    t->stack_size = 0;
    numafy_tls_v3 = t; /* before setspecific, which may call calloc */
    numafy_os_thread_atexit_(numafy_thread_end_, t, &numafy_state_v3);
    numafy_os_setspecific_(g->key, t);
    return t;
}

/* A tcache of this thread for the arena, as mallocx flags; without a cache if none is to be had. */
NUMAFY_INNER_ int numafy_tcache(struct numafy_slot *slot, unsigned arena)
{
    struct numafy_pools *g = &numafy_pools_v3;
#ifdef NUMAFY_TEST_MAIN_TCACHE /* control: caches that another thread made, for its own arena */
    extern unsigned numafy_test_main_tcaches[];
    extern unsigned numafy_test_main_tcache_count;
    const unsigned i = __atomic_fetch_add(&g->main_tcaches, 1, __ATOMIC_RELAXED);
    if (i < numafy_test_main_tcache_count)
        return numafy_je_flags(arena, numafy_test_main_tcaches[i]);
#endif
    if (__atomic_fetch_add(&g->tcaches, 1, __ATOMIC_RELAXED) < NUMAFY_TCACHE_BUDGET) {
        numafy_lock(&g->lock);
        const int flags = numafy_shard_cache(numafy_je_flags_uncached(arena));
        numafy_unlock(&g->lock);
        if (numafy_je_tcache(flags) >= 0)
            return flags;
    }
    __atomic_fetch_sub(&g->tcaches, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&slot->uncached, 1, __ATOMIC_RELAXED);
    return numafy_je_flags_uncached(arena);
}

/* NUMAFY_CACHE=tcache: the calling thread's mallocx flags for the slot, bound at the first call. 0:
 * no arena can be made. The thread makes the tcache itself: see numafy_je_tcache_create. */
NUMAFY_COLD_ int numafy_bind_(unsigned index)
{
    struct numafy_slot *slot = &numafy_pools_v3.slot[index];
    struct numafy_thread *t = numafy_thread_own_();
    if (t && t->flags[index])
        return t->flags[index];
    const int shard = numafy_shard_(slot, t ? t->shard : 0);
    if (shard < 0)
        return 0;
    const int uncached = slot->shard[shard].uncached_flags;
    return t ? t->flags[index] = numafy_tcache(slot, numafy_je_arena(uncached)) : uncached;
}

/* NUMAFY_CACHE=tcache: gives the thread's tcaches back; the next use of a pool makes another one.
 * Not by tcache.flush: see numafy_shard_flush. */
NUMAFY_INNER_ void numafy_tcaches_end(struct numafy_thread *t)
{
    for (unsigned i = 1; i <= NUMAFY_SLOTS; i++) {
        unsigned tcache = (unsigned)numafy_je_tcache(t->flags[i]);
        if (t->flags[i] && (int)tcache >= 0) {
            numafy_je_mallctl_("tcache.destroy", NULL, NULL, &tcache, sizeof tcache);
            __atomic_fetch_sub(&numafy_pools_v3.tcaches, 1, __ATOMIC_RELAXED);
        }
        t->flags[i] = 0;
    }
}

/* The end of a thread: its blocks go back to their pools and its ids to jemalloc. Destructors that
 * run later find numafy_latethread_v3, and go to the arenas without a cache. */
NUMAFY_COLD_ void numafy_thread_exit_(void *record)
{
    struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_thread *t = (struct numafy_thread *)record;
    if (numafy_tls_v3 != t)
        return; /* over already: the record may be another thread's by now */
    numafy_tls_v3 = &numafy_latethread_v3;
    numafy_bins_clear(t);
    numafy_tcaches_end(t);
    if (t->entries != t->first_entries)
        numafy_os_munmap_(t->entries, t->room * sizeof *t->entries);
    t->own = 0;
    numafy_lock(&g->lock);
    t->next_free = g->free_threads;
    g->free_threads = t;
    g->threads--;
    numafy_unlock(&g->lock);
}

/* The same before any pthread key's destructor, for jemalloc ends its part of a thread in one:
 * after that the fast path would hand out blocks of its arena 0. Our own key stands in for the main
 * thread, whose call comes from exit, before atexit handlers and static destructors that allocate,
 * and for a thread that first uses the pools in a destructor. */
NUMAFY_COLD_ void numafy_thread_end_(void *record)
{
    if (numafy_os_syscall_(SYS_gettid) != numafy_os_syscall_(SYS_getpid))
        numafy_thread_exit_(record);
}

NUMAFY_COLD_ void numafy_fork_prepare_(void)
{
    numafy_lock_fork_begin(&numafy_pools_v3.lock);
    numafy_lock_fork_begin(&numafy_onnode_v3.lock);
    numafy_policy_fork();
    numafy_fork_locks(numafy_fork_begin, false);
}
NUMAFY_COLD_ void numafy_fork_parent_(void)
{
    numafy_fork_locks(numafy_lock_fork_end, false);
    numafy_lock_fork_end(&numafy_onnode_v3.lock, false);
    numafy_lock_fork_end(&numafy_pools_v3.lock, false);
}
NUMAFY_COLD_ void numafy_fork_child_(void)
{
    struct numafy_pools *g = &numafy_pools_v3;
    const size_t mine = numafy_tls_v3->own ? 1 : 0;
    numafy_huge_fork_child();
    numafy_policy_fork_child();
    if (!NUMAFY_PLANTED_(7))
        numafy_fork_locks(numafy_lock_fork_end, true);
    numafy_lock_fork_end(&numafy_onnode_v3.lock, true);
    numafy_lock_fork_end(&g->lock, true);
    /* jemalloc 5.3.0 takes explicit tcaches out of its lists here, and corrupts them when one is
     * destroyed later: NUMAFY_CACHE=tcache starts with new ones, and those of the shards stay. */
    if (mine)
        __builtin_memset(numafy_tls_v3->flags, 0, sizeof numafy_tls_v3->flags);
    for (unsigned slot = 1; slot <= NUMAFY_SLOTS; slot++)
        for (unsigned shard = 0; shard < NUMAFY_SHARDS_MAX; shard++)
            g->slot[slot].shard[shard].inherited = 1;
    g->lost_threads += g->threads - mine;
    g->threads = mine;
    numafy_live_v3.scanning = 0; /* a thread that looked is not here */
}

/* --- allocation that needs a thought */
NUMAFY_FN_ void *numafy_plain_alloc(size_t size, size_t alignment, int zero)
{
    const struct numafy_next *next = &numafy_state_v3.next;
    void *p;
    /* jemalloc's malloc aligns up to 8 bytes to 8 only, its memalign 0 bytes not at all. */
    if (alignment <= 8 || (alignment == 16 && size > 8))
        return zero ? next->calloc_(1, size) : next->malloc_(size);
    p = next->memalign_(alignment, size ? size : 1);
    if (p && zero)
        __builtin_memset(p, 0, size);
    return p;
}

NUMAFY_FN_ void *numafy_refused(int reason, int node)
{
    numafy_fail(reason, node);
    errno = ENOMEM;
    return NULL;
}

NUMAFY_FN_ void *numafy_out_of_memory(int node)
{
    return numafy_refused(NUMAFY_OUT_OF_MEMORY, node);
}

/* A pool that has no room, or a thread past its end: the plain heap serves, which is counted. */
NUMAFY_INNER_ void *numafy_fallback(struct numafy_slot *slot, int node, size_t size,
                                    size_t alignment, int zero)
{
    const int refusal = numafy_refusal(slot, node);
    if (refusal)
        return numafy_refused(refusal, node);
    numafy_bins_distrust();
    void *p = numafy_plain_alloc(size, alignment, zero);
    if (!p)
        return numafy_out_of_memory(node);
    if (slot)
        __atomic_fetch_add(&slot->fallbacks, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&numafy_pools_v3.plain_served, 1, __ATOMIC_RELAXED);
    if (numafy_tls_v3 != &numafy_latethread_v3 && numafy_warn_now(NUMAFY_WARN_EXHAUSTED)) {
        char text[160];
        snprintf(text, sizeof text,
                 "numafy: the pool of node %d has no room left: plain malloc serves\n", node);
        numafy_os_say(text);
    }
    return p;
}

/* The class whose blocks serve so many bytes so aligned, NUMAFY_CLASSES if none does: a block of a
 * class that jemalloc keeps in slabs is aligned to the largest power of two that divides its size,
 * a larger one to 64 bytes only. */
NUMAFY_FN_ unsigned numafy_class_aligned(size_t size, size_t alignment)
{
    if (alignment <= 16)
        return size <= NUMAFY_CACHED_MAX ? numafy_class_of(size) : (unsigned)NUMAFY_CLASSES;
    if (alignment > NUMAFY_PAGE || size > NUMAFY_CACHED_MAX)
        return NUMAFY_CLASSES;
    const size_t rounded = (size + alignment - 1) & ~(alignment - 1);
    const unsigned class_ = numafy_class_of(rounded ? rounded : alignment);
    return numafy_pools_v3.nregs[class_] > 1 ? class_ : (unsigned)NUMAFY_CLASSES;
}

/* For a block that did not come by numafy_shard_fill. Returns its usable size. */
NUMAFY_INNER_ size_t numafy_map_set_by_size(const void *p, unsigned slot)
{
    const size_t usable = numafy_je_sallocx_(p, 0);
    const bool cached = usable <= NUMAFY_CACHED_MAX;
    numafy_map_set(p, cached ? numafy_map_entry(slot, numafy_class_of(usable)) : 0);
    return usable;
}

/* A block that no bin serves: large, more aligned than its class, for a thread without a record. */
NUMAFY_INNER_ void *numafy_pool_direct(struct numafy_thread *t, unsigned slot, size_t size,
                                       size_t alignment, int zero)
{
    struct numafy_pools *g = &numafy_pools_v3;
    struct numafy_slot *s = &g->slot[slot];
    int flags;
    if (g->use_tcache) {
        flags = numafy_bind_(slot);
    } else {
        const int shard = numafy_shard_(s, t ? t->shard : 0);
        flags = shard < 0 ? 0 : s->shard[shard].uncached_flags;
    }
    if (!flags)
        return NULL;
    if (alignment > 16)
        flags |= __builtin_ctzl(alignment);
    if (zero)
        flags |= NUMAFY_JE_ZERO;
    /* jemalloc aligns 8-byte blocks to 8 only, and needs a size. */
    void *p = numafy_je_mallocx_(size <= 8 ? 16 : size, flags);
    if (p && !numafy_is_ours(p)) {
        /* After its own end of a thread jemalloc takes no arena but 0. Such a block must not get
         * out: free would hand it to the allocator below, which need not be jemalloc. */
        numafy_je_dallocx_(p, NUMAFY_JE_TCACHE_NONE);
        if (numafy_tls_v3->own)
            numafy_thread_exit_(numafy_tls_v3); /* the fast path must not be taken again */
        return NULL;
    }
    if (p && !g->use_tcache)
        __atomic_fetch_add(&s->taken, numafy_map_set_by_size(p, slot), __ATOMIC_RELAXED);
    if (p)
        numafy_check_given_(p, 0);
    return p;
}

NUMAFY_INNER_ void *numafy_pool_alloc(unsigned slot, size_t size, size_t alignment, int zero)
{
    const unsigned class_ = numafy_class_aligned(size, alignment);
    struct numafy_thread *t = numafy_thread_own_();
    void *p;
    if (NUMAFY_POISONS_) {
        p = numafy_pool_direct(t, slot, size + NUMAFY_REDZONE, alignment, 0);
        return p ? numafy_poison_block(p, size, zero) : NULL;
    }
    if (numafy_live_v3.on) {
        p = numafy_pool_direct(t, slot, size, alignment, zero);
        numafy_live_add(p, size, numafy_pools_v3.slot[slot].node);
        return p;
    }
    if (t && class_ < NUMAFY_CLASSES && !numafy_pools_v3.use_tcache) {
        if (!numafy_bin_pop(&t->bin[slot * NUMAFY_CLASSES + class_], &p))
            p = numafy_bin_refill(t, slot, class_);
        if (p)
            numafy_check_given_(p, 1);
        if (p && zero && !NUMAFY_PLANTED_(6))
            __builtin_memset(p, 0, size);
        if (p)
            return p;
    }
    return numafy_pool_direct(t, slot, size, alignment, zero);
}

/* node: any node argument. alignment 0: the default one, else a power of two. */
NUMAFY_COLD_ void *numafy_slow_alloc_(int node, size_t size, size_t alignment, int zero)
{
    struct numafy_pools *g = &numafy_pools_v3;
    if (node < NUMAFY_INTERLEAVE || node >= NUMAFY_NODES) {
        numafy_fail(NUMAFY_BAD_NODE, node);
        errno = EINVAL;
        return NULL;
    }
    if (node == NUMAFY_NO_NODE || !numafy_ready_()) {
        const int refusal = node == NUMAFY_NO_NODE ? 0 : numafy_refusal(NULL, node);
        if (refusal)
            return numafy_refused(refusal, node);
        void *p = numafy_plain_alloc(size, alignment, zero);
        if (p && node != NUMAFY_NO_NODE)
            __atomic_fetch_add(&g->plain_served, 1, __ATOMIC_RELAXED);
        return p ? p : numafy_out_of_memory(node);
    }
    if (node == NUMAFY_LOCAL)
        node = numafy_local_node();
    if (size > (size_t)PTRDIFF_MAX)
        return numafy_out_of_memory(node);
    if (g->onnode) {
        struct numafy_thread *t = numafy_thread_own_();
        const int ambient = t ? t->ambient : 0;
        if (t)
            t->ambient = 0; /* libnuma allocates in there */
        void *p = numafy_onnode_alloc(node, node < 0 ? numafy_local_node() : numafy_map(node), size,
                                      alignment);
        if (t)
            t->ambient = ambient;
        return p ? p : numafy_out_of_memory(node);
    }
    const unsigned slot = numafy_slot_(node);
    void *p = slot ? numafy_pool_alloc(slot, size, alignment, zero) : NULL;
    return p ? p : numafy_fallback(slot ? &g->slot[slot] : NULL, node, size, alignment, zero);
}

/* p is in the reservation, and the calling thread's bin has no room, or there is none for it. */
NUMAFY_COLD_ void numafy_slow_free_(void *p)
{
    if (NUMAFY_POISONS_) {
        numafy_poison_free(p);
        return;
    }
    const unsigned slot = numafy_slot_of_address(p), entry = *numafy_map_at(p);
    struct numafy_slot *s = &numafy_pools_v3.slot[slot];
    if (numafy_live_v3.on)
        numafy_live_remove(p);
    if (numafy_pools_v3.use_tcache) {
        const int flags = numafy_bind_(slot);
        numafy_je_dallocx_(p, flags ? flags : NUMAFY_JE_TCACHE_NONE);
        return;
    }
    if (entry && !numafy_live_v3.on) {
        const unsigned class_ = entry / NUMAFY_BIN_WORDS % NUMAFY_CLASSES;
        struct numafy_thread *t = numafy_thread_own_();
        struct numafy_bin *bin = t ? numafy_bin_at(t, entry) : NULL;
        if (bin &&
            (numafy_bin_push(bin, bin->numafy_full_, p) || numafy_bin_flush(t, slot, class_, p)))
            return;
    }
    __atomic_fetch_sub(&s->taken, numafy_je_sallocx_(p, 0), __ATOMIC_RELAXED);
    numafy_je_dallocx_(p, NUMAFY_JE_TCACHE_NONE);
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_SLOW_H */
