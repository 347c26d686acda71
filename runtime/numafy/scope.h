/* SPDX-License-Identifier: Apache-2.0 */
/* scope.h: whose node a plain or a near allocation gets: owners, the ambient node and the entries
 * that set it for a while. It allocates no block and knows pools only by their address. */
#ifndef NUMAFY_SCOPE_H
#define NUMAFY_SCOPE_H

#include "roots.h"

#ifndef NUMAFY_EXTERN

/* --- owners */
/* Whether p is on the calling thread's stack. Asked only while an ambient node is set; the bounds
 * are read once per thread (for the main thread glibc reads /proc/self/maps). */
NUMAFY_OWNER_ NUMAFY_INNER_ bool numafy_on_stack(const volatile void *p)
{
    struct numafy_thread *t = numafy_tls_v3;
    if (!t->own)
        return false;
    if (!t->stack_size) {
        unsigned long attr[16]; /* pthread_attr_t has 56 or 64 bytes */
        void *low = NULL;
        size_t size = 0;
        const int ambient = t->ambient;
        t->ambient = 0; /* glibc allocates in here */
        if (!numafy_os_getattr_(numafy_os_self_(), attr)) {
            numafy_os_getstack_(attr, &low, &size);
            numafy_os_attr_destroy_(attr);
        }
        t->ambient = ambient;
        t->stack_low = (uintptr_t)low;
        t->stack_size = size ? size : 1;
    }
    return (uintptr_t)p - t->stack_low < t->stack_size;
}

/* The rule of near(); *keep: the owner is NULL or on the stack. */
NUMAFY_OWNER_ NUMAFY_FN_ int numafy_owner_node(const volatile void *owner, bool *keep)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    const unsigned slot = numafy_slot_of_address(owner);
    struct numafy_page page;
    int node;
    *keep = false;
    if (slot)
        return numafy_state_v3.node_of[slot];
    if (g->onnode && numafy_onnode_lookup(owner, &page))
        return page.node;
    if (__atomic_load_n(&g->root_high, __ATOMIC_RELAXED) &&
        (node = numafy_root_node(owner)) != NUMAFY_NO_NODE)
        return node;
    if (numafy_tls_v3->ambient == 0)
        return NUMAFY_NO_NODE; /* the same for the stack and the heap: no need to ask */
    *keep = !owner || numafy_on_stack(owner);
    return *keep ? numafy_tls_v3->ambient - 1 : NUMAFY_NO_NODE;
}

NUMAFY_OWNER_ NUMAFY_INNER_ int numafy_near_plain(const volatile void *owner)
{
    bool keep;
    return numafy_owner_node(owner, &keep);
}

NUMAFY_WEAK_ int numafy_near_(const volatile void *owner) NUMAFY_DEF_NOTHROW_
{
    const unsigned slot = numafy_slot_of_address(owner);
    if (NUMAFY_LIKELY_(slot))
        return numafy_state_v3.node_of[slot];
    return numafy_near_plain(owner);
}

/* --- the ambient node */
/* Sets it and returns the previous one. A thread without a record of its own has none set. */
NUMAFY_FN_ int numafy_ambient_set(int node)
{
    struct numafy_thread *t = numafy_tls_v3;
    const int previous = t->ambient - 1;
    if (node == previous)
        return previous;
    if (node < NUMAFY_INTERLEAVE || node >= NUMAFY_NODES)
        return previous;
    t = numafy_thread_own_();
    if (t)
        t->ambient = node + 1;
    return previous;
}

NUMAFY_WEAK_ int numafy_scope_node_(int node) NUMAFY_DEF_NOTHROW_
{
    return numafy_ambient_set(node);
}

NUMAFY_WEAK_ int numafy_scope_(const volatile void *owner) NUMAFY_DEF_NOTHROW_
{
    bool keep;
    const int node = numafy_owner_node(owner, &keep);
    return keep ? numafy_tls_v3->ambient - 1 : numafy_ambient_set(node);
}

NUMAFY_WEAK_ void numafy_scope_end_(int previous) NUMAFY_DEF_NOTHROW_
{
    if (numafy_tls_v3->own)
        numafy_tls_v3->ambient = previous + 1;
}

/* --- entries */
/* The stack pointer of the caller of the function that uses this: entries of live frames are above.
 */
#define NUMAFY_CALLER_SP_ ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))

/* Drops the entries of frames that a longjmp has left. */
NUMAFY_FN_ void numafy_entries_sweep(struct numafy_thread *t, uintptr_t sp)
{
    while (t->depth) {
        const struct numafy_entry *e = &t->entries[t->depth - 1];
        if (e->kind == NUMAFY_ENTRY_OBJECT_ || e->key >= sp)
            return;
        t->ambient = e->saved;
        t->depth--;
        t->unpushed = 0; /* they were younger */
    }
}

NUMAFY_INNER_ bool numafy_entries_grow(struct numafy_thread *t)
{
    const size_t room = t->room < 256 ? 256 : t->room * 2;
    struct numafy_entry *more = (struct numafy_entry *)numafy_os_map(room * sizeof *more);
    if (!more)
        return false;
    __builtin_memcpy(more, t->entries, t->depth * sizeof *more);
    if (t->entries != t->first_entries)
        numafy_os_munmap_(t->entries, t->room * sizeof *more);
    t->entries = more;
    t->room = room;
    return true;
}

NUMAFY_FN_ void numafy_entries_push(const void *key, int node, int kind, uintptr_t sp)
{
    struct numafy_thread *t = numafy_tls_v3;
    if (NUMAFY_UNLIKELY_(!t->own)) {
        if (node == NUMAFY_NO_NODE && !numafy_active_v3)
            return; /* says what holds already: no reason to make pools and a record */
        if (!(t = numafy_thread_own_()))
            return;
    }
    numafy_entries_sweep(t, sp);
    if (t->unpushed || (t->depth == t->room && !numafy_entries_grow(t))) {
        t->unpushed++;
        t->unpushed_key = (uintptr_t)key;
        return;
    }
    struct numafy_entry *e = &t->entries[t->depth++];
    e->key = (uintptr_t)key;
    e->kind = kind;
    e->saved = t->ambient;
    if (node >= NUMAFY_INTERLEAVE && node < NUMAFY_NODES)
        t->ambient = node + 1;
}

/* Counts down what could not be pushed. Only the youngest's key is known, so after it is gone
 * others are found to have ended when an older entry ends. */
NUMAFY_FN_ void numafy_unpushed_drop(struct numafy_thread *t)
{
    t->unpushed--;
    t->unpushed_key = 0;
}

/* Ends the youngest entry if `wanted` says that it is the right one. */
NUMAFY_FN_ void numafy_entries_drop(struct numafy_thread *t, bool wanted)
{
    if (t->unpushed)
        numafy_unpushed_drop(t);
    else if (t->depth && wanted)
        t->ambient = t->entries[--t->depth].saved;
}

__attribute__((noinline)) NUMAFY_WEAK_ void numafy_push_(const void *key, int node,
                                                         int kind) NUMAFY_DEF_NOTHROW_
{
    numafy_entries_push(key, node, kind, NUMAFY_CALLER_SP_);
}

__attribute__((noinline)) NUMAFY_WEAK_ void numafy_pop_(int kind) NUMAFY_DEF_NOTHROW_
{
    struct numafy_thread *t = numafy_tls_v3;
    if (!t->own)
        return;
    numafy_entries_sweep(t, NUMAFY_CALLER_SP_);
    numafy_entries_drop(t, t->depth && t->entries[t->depth - 1].kind == kind);
}

/* Ends the youngest entry if its key is in [key, key + size), and with it what was pushed later. */
NUMAFY_FN_ void numafy_entries_end(struct numafy_thread *t, uintptr_t key, size_t size)
{
    if (t->unpushed && t->unpushed_key - key < size) {
        numafy_unpushed_drop(t);
    } else if (t->depth && t->entries[t->depth - 1].key - key < size) {
        t->ambient = t->entries[--t->depth].saved;
        t->unpushed = 0;
    }
}

/* Often of an entry that leave or done has ended already. */
NUMAFY_WEAK_ void numafy_pop_key_(const void *key) NUMAFY_DEF_NOTHROW_
{
    numafy_entries_end(numafy_tls_v3, (uintptr_t)key, 1);
}

/* A constructor of numa<T,k> has thrown and T's destructor is trivial: the entry names an address
 * in the block that operator delete is about to free. */
NUMAFY_WEAK_ void numafy_pop_block_(const void *block) NUMAFY_DEF_NOTHROW_
{
    struct numafy_thread *t = numafy_tls_v3;
    if (NUMAFY_LIKELY_(!t->depth) || !block)
        return;
    if (t->unpushed || t->entries[t->depth - 1].kind == NUMAFY_ENTRY_OBJECT_)
        numafy_entries_end(t, (uintptr_t)block, numafy_usable_size(block));
}

NUMAFY_WEAK_ int numafy_enter_on_at_(int node, const void *frame) NUMAFY_DEF_NOTHROW_
{
    const int previous = numafy_tls_v3->ambient - 1;
    numafy_entries_push(frame, node, NUMAFY_ENTRY_FRAME_, (uintptr_t)frame);
    return previous;
}

NUMAFY_WEAK_ int numafy_enter_at_(const volatile void *owner, const void *frame) NUMAFY_DEF_NOTHROW_
{
    return numafy_enter_on_at_(numafy_near_(owner), frame);
}

__attribute__((noinline)) NUMAFY_WEAK_ int(numafy_enter_on)(int node) NUMAFY_DEF_NOTHROW_
{
    return numafy_enter_on_at_(node, (const void *)NUMAFY_CALLER_SP_);
}

NUMAFY_OUT_OF_PLACE_(int, numafy_enter, const volatile void *owner)
{
    return numafy_enter_at_(owner, (const void *)NUMAFY_CALLER_SP_);
}

NUMAFY_OUT_OF_PLACE_(void *, numafy_leave, const volatile void *result)
{
    struct numafy_thread *t = numafy_tls_v3;
    if (t->own) {
        numafy_entries_sweep(t, NUMAFY_CALLER_SP_);
        numafy_entries_drop(t, t->depth && t->entries[t->depth - 1].kind == NUMAFY_ENTRY_FRAME_);
    }
    return (void *)(uintptr_t)result;
}

NUMAFY_OUT_OF_PLACE_(long, numafy_leave_int, long result)
{
    struct numafy_thread *t = numafy_tls_v3;
    if (t->own) {
        numafy_entries_sweep(t, NUMAFY_CALLER_SP_);
        numafy_entries_drop(t, t->depth && t->entries[t->depth - 1].kind == NUMAFY_ENTRY_FRAME_);
    }
    return result;
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_SCOPE_H */
