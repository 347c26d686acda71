/* SPDX-License-Identifier: Apache-2.0 */
/* slow.h: what happens seldom: start, pools, the binding of a thread to a pool, thread exit, fork,
 * everything when a node or memory is missing. fast.h calls in here when flags are 0. */
#ifndef NUMAFY_SLOW_H
#define NUMAFY_SLOW_H

#include "env.h"
#include "fast.h"
#include "guard.h"
#include "onnode.h"
#include "policy.h"

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
NUMAFY_INNER_ void numafy_disable(const char *why, bool quietly)
{
    char text[512];
    struct numafy_pools *g = &numafy_pools_v2;
    g->disabled = why;
    __atomic_store_n(&g->phase, NUMAFY_DISABLED, __ATOMIC_RELEASE);
    if (quietly || !numafy_warn_now(NUMAFY_WARN_OFF))
        return;
    snprintf(text, sizeof text, "numafy: the pools are off, everything is plain malloc: %s\n", why);
    numafy_os_say(text);
}

NUMAFY_COLD_ int numafy_start_(void)
{
    struct numafy_pools *g = &numafy_pools_v2;
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
        __atomic_store_n(&g->started, 2, __ATOMIC_RELEASE);
        if (g->ambient && numafy_ready_())
            __atomic_store_n(&numafy_nothread_v2.ambient, g->ambient, __ATOMIC_RELAXED);
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
    struct numafy_pools *g = &numafy_pools_v2;
    /* Pools are made per id that the program names, also ids that the machine lacks. */
    unsigned want = (unsigned)numafy_set_count(g->topology.memory) + 9;
    want = want < 16 ? 16 : want > NUMAFY_SLOTS ? (unsigned)NUMAFY_SLOTS : want;
    for (unsigned i = 0; i < sizeof shifts; i++) {
        const size_t span = (size_t)want << shifts[i];
        void *p = numafy_os_reserve(span, numafy_huge_unit());
        if (!p)
            continue;
        g->slot_limit = want;
        numafy_state_v2.shift = shifts[i];
        numafy_state_v2.base = (uintptr_t)p;
        __atomic_store_n(&numafy_state_v2.span, span, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

void numafy_thread_exit_(void *record);
void numafy_thread_end_(void *record);
void numafy_fork_prepare_(void);
void numafy_fork_parent_(void);
void numafy_fork_child_(void);

NUMAFY_INNER_ void numafy_init(void)
{
    struct numafy_pools *g = &numafy_pools_v2;
    numafy_topology_read();
    if (!g->shards) {
        g->shards = g->topology.cpu_count;
        if (g->shards > NUMAFY_SHARDS_MAX)
            g->shards = NUMAFY_SHARDS_MAX;
    }
    if (&numafy_replaces_v2 && !numafy_probe()) {
        numafy_next_global();
        numafy_disable(numafy_probe_advice(), g->sanitize_pass);
        return;
    }
#ifdef NUMAFY_SANITIZED_
    numafy_next_find();
    numafy_disable("this program is built with a sanitizer that owns malloc (NUMAFY_SANITIZE=pass "
                   "says that this is meant)",
                   g->sanitize_pass);
    return;
#endif
    if (numafy_os_key_create_(&g->key, numafy_thread_exit_) ||
        numafy_os_atfork_(numafy_fork_prepare_, numafy_fork_parent_, numafy_fork_child_)) {
        numafy_disable("no pthread key or fork handler left", false);
        return;
    }
#ifdef NUMAFY_CACHE_ONNODE
    g->want_onnode = 1;
#endif
    if (g->want_onnode) {
        if (!numafy_onnode_open()) {
            numafy_disable("NUMAFY_CACHE=onnode needs libnuma.so.1 (package libnuma1), and a "
                           "program that is not static",
                           false);
            return;
        }
        if (numafy_state_v2.next.free_ == numafy_first_free_)
            numafy_next_find();
        numafy_onnode_v2.plain_free = numafy_state_v2.next.free_;
        numafy_state_v2.next.free_ = numafy_onnode_route;
        g->onnode = 1;
        numafy_policy_onnode();
        const int e = numafy_onnode_probe(numafy_set_first(g->topology.allowed));
        if (e)
            numafy_warn_refused(e);
    } else if (numafy_huge_start(), !numafy_reserve()) {
        numafy_disable("no address space left for 16 times 64 MiB", false);
        return;
    }
    __atomic_store_n(&g->phase, NUMAFY_READY, __ATOMIC_RELEASE);
}

/* True: pools (or the baseline) serve. Starts everything at the first call. */
NUMAFY_COLD_ int numafy_ready_(void)
{
    struct numafy_pools *g = &numafy_pools_v2;
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
    numafy_start_();
}
#endif

/* --- pools */
/* The slot of a node id or NUMAFY_INTERLEAVE, made if there is none; 0: all slots are taken, or the
 * kernel has no memory for it now. */
NUMAFY_COLD_ unsigned numafy_slot_(int node)
{
    struct numafy_pools *g = &numafy_pools_v2;
    uint8_t *entry = &numafy_state_v2.slot_of[node + NUMAFY_NODE_ARGS];
    unsigned slot = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
    if (slot)
        return slot;
    numafy_lock(&g->lock);
    slot = *entry;
    if (!slot && g->slots < g->slot_limit) {
        struct numafy_slot *s = &g->slot[g->slots + 1];
        s->node = node;
        s->start = numafy_state_v2.base + ((uintptr_t)g->slots << numafy_state_v2.shift);
        s->mapped = node < 0 ? NUMAFY_NO_NODE : numafy_map(node);
        numafy_huge_slot(s, (size_t)1 << numafy_state_v2.shift);
        if (numafy_slot_bind(s, (size_t)1 << numafy_state_v2.shift)) {
            slot = ++g->slots;
            __atomic_store_n(entry, (uint8_t)slot, __ATOMIC_RELEASE);
        }
    }
    numafy_unlock(&g->lock);
    return slot;
}

/* The arena of a shard, made if there is none; shard 0 serves when jemalloc has no ids left.
 * jemalloc's index + 1, 0: none at all. Lock held. */
NUMAFY_INNER_ unsigned numafy_arena(struct numafy_slot *slot, unsigned shard)
{
    unsigned arena;
    size_t len = sizeof arena;
    struct numafy_hooks *hooks = &slot->hooks;
    if (slot->arena[shard])
        return slot->arena[shard];
    numafy_hooks_set(slot);
    if (!numafy_je_mallctl_("arenas.create", &arena, &len, (void *)&hooks, sizeof hooks) &&
        arena < NUMAFY_JE_MAX_INDEX) {
        if (shard == 0 || !slot->late_flags)
            __atomic_store_n(&slot->late_flags, numafy_je_flags_uncached(arena), __ATOMIC_RELAXED);
        return slot->arena[shard] = arena + 1;
    }
    return slot->arena[0];
}

/* --- threads */
/* The calling thread's record, made at the first call. NULL: the thread is past its end, or there
 * is no memory for one; it then works without caches, scopes and reasons. */
NUMAFY_COLD_ struct numafy_thread *numafy_thread_own_(void)
{
    struct numafy_pools *g = &numafy_pools_v2;
    struct numafy_thread *t = numafy_tls_v2;
    if (t->own)
        return t;
    if (t == &numafy_latethread_v2 || !numafy_ready_())
        return NULL;
    numafy_lock(&g->lock);
    if (!g->free_threads) {
        const size_t size = 64 << 10;
        char *block = (char *)numafy_os_map(size);
        for (size_t at = 0; block && at + sizeof *t <= size; at += (sizeof *t + 63) & ~(size_t)63) {
            t = (struct numafy_thread *)(block + at);
            t->next_free = g->free_threads;
            g->free_threads = t;
        }
    }
    t = g->free_threads;
    if (t) {
        g->free_threads = t->next_free;
        g->threads++;
        t->shard = g->next_shard++ % g->shards;
    }
    numafy_unlock(&g->lock);
    if (!t)
        return NULL;
    t->own = 1;
    t->ambient = __atomic_load_n(&numafy_nothread_v2.ambient, __ATOMIC_RELAXED);
    t->entries = t->first_entries;
    t->room = sizeof t->first_entries / sizeof t->first_entries[0];
    t->depth = t->unpushed = 0;
    t->reason = NUMAFY_FINE;
    t->stack_size = 0;
    numafy_tls_v2 = t; /* before setspecific, which may call calloc */
    numafy_os_thread_atexit_(numafy_thread_end_, t, &numafy_state_v2);
    numafy_os_setspecific_(g->key, t);
    return t;
}

/* A tcache of this thread for the arena, as mallocx flags; without a cache if none is to be had. */
NUMAFY_INNER_ int numafy_tcache(struct numafy_slot *slot, unsigned arena)
{
    struct numafy_pools *g = &numafy_pools_v2;
    unsigned tcache;
#ifdef NUMAFY_TEST_MAIN_TCACHE /* control: caches that another thread made, for its own arena */
    extern unsigned numafy_test_main_tcaches[];
    extern unsigned numafy_test_main_tcache_count;
    const unsigned i = __atomic_fetch_add(&g->main_tcaches, 1, __ATOMIC_RELAXED);
    if (i < numafy_test_main_tcache_count)
        return numafy_je_flags(arena, numafy_test_main_tcaches[i]);
#endif
    if (__atomic_fetch_add(&g->tcaches, 1, __ATOMIC_RELAXED) < NUMAFY_TCACHE_BUDGET) {
        if (!numafy_je_tcache_create(arena, &tcache)) {
            if (tcache < NUMAFY_JE_MAX_INDEX)
                return numafy_je_flags(arena, tcache);
            numafy_je_mallctl_("tcache.destroy", NULL, NULL, &tcache, sizeof tcache);
        }
    }
    __atomic_fetch_sub(&g->tcaches, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&slot->uncached, 1, __ATOMIC_RELAXED);
    return numafy_je_flags_uncached(arena);
}

/* The calling thread's mallocx flags for the slot, bound at the first call. 0: no arena can be
 * made. The thread makes the tcache itself: see numafy_je_tcache_create. */
NUMAFY_COLD_ int numafy_bind_(unsigned index)
{
    struct numafy_pools *g = &numafy_pools_v2;
    struct numafy_slot *slot = &g->slot[index];
    struct numafy_thread *t = numafy_thread_own_();
    if (t && t->flags[index])
        return t->flags[index];
    numafy_lock(&g->lock);
    const unsigned arena = numafy_arena(slot, t ? t->shard : 0);
    numafy_unlock(&g->lock);
    if (!arena)
        return 0;
    if (!t)
        return __atomic_load_n(&slot->late_flags, __ATOMIC_RELAXED);
    return t->flags[index] = numafy_tcache(slot, arena - 1);
}

/* The end of a thread: its blocks go back to their pools and its ids to jemalloc. Destructors that
 * run later find numafy_latethread_v2, and go to the arenas without a cache. */
NUMAFY_COLD_ void numafy_thread_exit_(void *record)
{
    struct numafy_pools *g = &numafy_pools_v2;
    struct numafy_thread *t = (struct numafy_thread *)record;
    if (numafy_tls_v2 != t)
        return; /* over already: the record may be another thread's by now */
    numafy_tls_v2 = &numafy_latethread_v2;
    for (unsigned i = 1; i <= NUMAFY_SLOTS; i++) {
        unsigned tcache = (unsigned)numafy_je_tcache(t->flags[i]);
        if (t->flags[i] && (int)tcache >= 0) {
            numafy_je_mallctl_("tcache.destroy", NULL, NULL, &tcache, sizeof tcache);
            __atomic_fetch_sub(&g->tcaches, 1, __ATOMIC_RELAXED);
        }
        t->flags[i] = 0;
    }
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

/* fork: prepare handlers run latest first, and jemalloc registered before us: our locks come first,
 * as everywhere. Handlers of others that registered in between run while we hold them. The child
 * has lost the other threads; their caches may be half changed and stay lost. */
NUMAFY_COLD_ void numafy_fork_prepare_(void)
{
    numafy_lock_fork_begin(&numafy_pools_v2.lock);
    numafy_lock_fork_begin(&numafy_onnode_v2.lock);
    numafy_policy_fork();
}
NUMAFY_COLD_ void numafy_fork_parent_(void)
{
    numafy_lock_fork_end(&numafy_onnode_v2.lock, false);
    numafy_lock_fork_end(&numafy_pools_v2.lock, false);
}
NUMAFY_COLD_ void numafy_fork_child_(void)
{
    struct numafy_pools *g = &numafy_pools_v2;
    const size_t mine = numafy_tls_v2->own ? 1 : 0;
    numafy_huge_fork_child();
    numafy_policy_fork_child();
    numafy_lock_fork_end(&numafy_onnode_v2.lock, true);
    numafy_lock_fork_end(&g->lock, true);
    g->lost_threads += g->threads - mine;
    g->threads = mine;
}

/* --- allocation that needs a thought */
NUMAFY_FN_ void *numafy_plain_alloc(size_t size, size_t alignment, int zero)
{
    const struct numafy_next *next = &numafy_state_v2.next;
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
    void *p = numafy_plain_alloc(size, alignment, zero);
    if (!p)
        return numafy_out_of_memory(node);
    if (slot)
        __atomic_fetch_add(&slot->fallbacks, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&numafy_pools_v2.plain_served, 1, __ATOMIC_RELAXED);
    if (numafy_tls_v2 != &numafy_latethread_v2 && numafy_warn_now(NUMAFY_WARN_EXHAUSTED)) {
        char text[160];
        snprintf(text, sizeof text,
                 "numafy: the pool of node %d has no room left: plain malloc serves\n", node);
        numafy_os_say(text);
    }
    return p;
}

/* node: any node argument. alignment 0: the default one, else a power of two. */
NUMAFY_COLD_ void *numafy_slow_alloc_(int node, size_t size, size_t alignment, int zero)
{
    struct numafy_pools *g = &numafy_pools_v2;
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
    int flags = slot ? numafy_tls_v2->flags[slot] : 0;
    if (slot && !flags)
        flags = numafy_bind_(slot);
    if (flags) {
        if (alignment > 16)
            flags |= __builtin_ctzl(alignment);
        if (zero)
            flags |= NUMAFY_JE_ZERO;
        void *p = numafy_je_mallocx_(size <= 8 ? 16 : size, flags);
        if (p && numafy_slot_of_address(p))
            return p;
        /* After its own end of a thread jemalloc takes no arena but 0. Such a block must not get
         * out: free would hand it to the allocator below, which need not be jemalloc. */
        if (p) {
            numafy_je_dallocx_(p, NUMAFY_JE_TCACHE_NONE);
            if (numafy_tls_v2->own)
                numafy_thread_exit_(numafy_tls_v2); /* the fast path must not be taken again */
        }
    }
    return numafy_fallback(slot ? &g->slot[slot] : NULL, node, size, alignment, zero);
}

NUMAFY_COLD_ void numafy_slow_free_(void *p, unsigned slot)
{
    const int flags = numafy_bind_(slot);
    numafy_je_dallocx_(p, flags ? flags : NUMAFY_JE_TCACHE_NONE);
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_SLOW_H */
