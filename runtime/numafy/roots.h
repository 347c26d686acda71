/* SPDX-License-Identifier: Apache-2.0 */
/* roots.h: objects outside the pools that near() takes for blocks of a node: the table, and how an
 * object that a macro names gets into it. It must not know entries, scopes or blocks. */
#ifndef NUMAFY_ROOTS_H
#define NUMAFY_ROOTS_H

#include "slow.h"

#ifndef NUMAFY_EXTERN

/* The node of the smallest root around p as the table stands; torn if it changes meanwhile. */
NUMAFY_OWNER_ NUMAFY_FN_ int numafy_root_scan(const volatile void *p)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    const int n = __atomic_load_n(&g->root_high, __ATOMIC_RELAXED);
    size_t best = SIZE_MAX;
    int node = NUMAFY_NO_NODE;
    for (int i = 0; i < n; i++) {
        const size_t size = __atomic_load_n(&g->roots[i].size, __ATOMIC_RELAXED);
        uintptr_t start = __atomic_load_n(&g->roots[i].start, __ATOMIC_RELAXED);
        if (__atomic_load_n(&g->roots[i].by_thread, __ATOMIC_RELAXED))
            start += numafy_os_self_();
        if (size && (size < best || NUMAFY_PLANTED_(8)) && (uintptr_t)p - start < size) {
            best = size;
            node = __atomic_load_n(&g->roots[i].node, __ATOMIC_RELAXED);
        }
    }
    return node;
}

/* The node of the smallest root around p, NUMAFY_NO_NODE if there is none. Takes no lock, so a
 * thread may ask while another one holds it for long. */
NUMAFY_OWNER_ NUMAFY_FN_ int numafy_root_node(const volatile void *p)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    for (;;) {
        const unsigned before = __atomic_load_n(&g->root_changes, __ATOMIC_ACQUIRE);
        const int node = numafy_root_scan(p);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(before & 1) && __atomic_load_n(&g->root_changes, __ATOMIC_RELAXED) == before)
            return node;
        numafy_os_syscall_(SYS_sched_yield); /* the writer may wait for this CPU */
    }
}

/* Makes entry i what is said, for readers at once. Lock held. */
NUMAFY_FN_ void numafy_root_set(int i, uintptr_t start, size_t size, int node, int by_thread)
{
    struct numafy_pools *g = &numafy_pools_v3;
    int high = g->root_high > i ? g->root_high : i + 1;
    const unsigned odd = g->root_changes + 1;
    __atomic_store_n(&g->root_changes, odd, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&g->roots[i].start, start, __ATOMIC_RELAXED);
    __atomic_store_n(&g->roots[i].size, size, __ATOMIC_RELAXED);
    __atomic_store_n(&g->roots[i].node, node, __ATOMIC_RELAXED);
    __atomic_store_n(&g->roots[i].by_thread, by_thread, __ATOMIC_RELAXED);
    while (high && !g->roots[high - 1].size)
        high--;
    __atomic_store_n(&g->root_high, high, __ATOMIC_RELAXED);
    numafy_activate();
    __atomic_store_n(&g->root_changes, odd + 1, __ATOMIC_RELEASE);
}

/* The entry of that object, -1 if it is no root. Lock held, or only to be asked again with it. */
NUMAFY_FN_ int numafy_root_find(uintptr_t start, size_t size, int by_thread)
{
    const struct numafy_pools *g = &numafy_pools_v3;
    int i = __atomic_load_n(&g->root_high, __ATOMIC_RELAXED);
    while (--i >= 0)
        if (__atomic_load_n(&g->roots[i].start, __ATOMIC_RELAXED) == start &&
            __atomic_load_n(&g->roots[i].size, __ATOMIC_RELAXED) == size &&
            __atomic_load_n(&g->roots[i].by_thread, __ATOMIC_RELAXED) == by_thread)
            break;
    return i;
}

/* A new entry; with `once` only if there is none for the object. */
NUMAFY_INNER_ int numafy_root_enter(uintptr_t start, size_t size, int node, int by_thread,
                                    bool once)
{
    struct numafy_pools *g = &numafy_pools_v3;
    int i = 0;
    if (!size || node < NUMAFY_INTERLEAVE || node >= NUMAFY_NODES) {
        numafy_fail(NUMAFY_ROOT_INVALID, node);
        return -EINVAL;
    }
    numafy_lock(&g->lock);
    if (once && numafy_root_find(start, size, by_thread) >= 0) {
        numafy_unlock(&g->lock);
        return 0;
    }
    while (i < NUMAFY_ROOTS && g->roots[i].size)
        i++;
    if (i < NUMAFY_ROOTS)
        numafy_root_set(i, start, size, node, by_thread);
    numafy_unlock(&g->lock);
    if (i < NUMAFY_ROOTS)
        return 0;
    numafy_fail(NUMAFY_ROOTS_FULL, node);
    return -ENOSPC;
}

NUMAFY_COLD_ int numafy_root_add(const volatile void *p, size_t size, int node) NUMAFY_DEF_NOTHROW_
{
    return numafy_root_enter((uintptr_t)p, p ? size : 0, node, 0, false);
}

/* One root that starts at p, the one in the highest entry if several do: entries are used again, so
 * that need not be the youngest. */
NUMAFY_COLD_ void numafy_root_remove(const volatile void *p) NUMAFY_DEF_NOTHROW_
{
    struct numafy_pools *g = &numafy_pools_v3;
    if (numafy_live_v3.on)
        numafy_reach_before_root_(); /* what hangs on it is out of sight from now on */
    numafy_lock(&g->lock);
    int i = g->root_high - 1;
    while (i >= 0 &&
           !(g->roots[i].size && g->roots[i].start == (uintptr_t)p && !g->roots[i].by_thread))
        i--;
    if (i >= 0)
        numafy_root_set(i, 0, 0, NUMAFY_NO_NODE, 0);
    numafy_unlock(&g->lock);
}

/* --- objects by name: NUMAFY_ROOT_OBJECT and NUMAFY_ROOT_GLOBAL */
/* What is looked for among the loaded objects. */
struct numafy_storage_question {
    uintptr_t at;
    enum numafy_storage found;
};

NUMAFY_INNER_ int numafy_storage_look(struct numafy_os_object *object, size_t size, void *question)
{
    struct numafy_storage_question *q = (struct numafy_storage_question *)question;
    (void)size;
    for (unsigned i = 0; i < object->headers; i++) {
        const struct numafy_os_segment *s = &object->segment[i];
        if (s->type == 1 /* PT_LOAD */ && q->at - (object->base + s->address) < s->bytes)
            q->found = NUMAFY_STATIC;
        if (s->type == 7 /* PT_TLS */ && object->tls && q->at - (uintptr_t)object->tls < s->bytes) {
            q->found = NUMAFY_PER_THREAD;
            return 1;
        }
    }
    return 0;
}

/* Where an object of the calling thread is. A page of a program's data is no stack, and the block
 * of the thread's own variables is known to the dynamic linker. */
NUMAFY_OWNER_ NUMAFY_INNER_ enum numafy_storage numafy_storage_of(const volatile void *p)
{
    struct numafy_storage_question q = {(uintptr_t)p, NUMAFY_AUTOMATIC};
    numafy_os_each_object_(numafy_storage_look, &q);
    return q.found;
}

/* An object that lasts. At each pass of its declaration: so first without the lock. */
NUMAFY_FN_ void numafy_root_once(uintptr_t start, size_t size, int node, int by_thread)
{
    if (numafy_root_find(start, size, by_thread) < 0)
        numafy_root_enter(start, size, node, by_thread, true);
}

/* `storage` belongs to the declaration, and is found out at its first pass. Returns what
 * numafy_root_end_ must remove. */
NUMAFY_COLD_ const volatile void *numafy_root_begin_(const volatile void *p, size_t size, int node,
                                                     int *storage) NUMAFY_DEF_NOTHROW_
{
    int known = __atomic_load_n(storage, __ATOMIC_RELAXED);
    if (known == NUMAFY_STORAGE_UNKNOWN) {
        known = (int)numafy_storage_of(p);
        __atomic_store_n(storage, known, __ATOMIC_RELAXED);
    }
    if (known == NUMAFY_AUTOMATIC)
        return numafy_root_add(p, size, node) ? NULL : p;
    const uintptr_t from = known == NUMAFY_PER_THREAD ? numafy_os_self_() : 0;
    numafy_root_once((uintptr_t)p - from, size, node, known == NUMAFY_PER_THREAD);
    return NULL;
}

NUMAFY_COLD_ void numafy_root_end_(const volatile void *const *root) NUMAFY_DEF_NOTHROW_
{
    if (*root)
        numafy_root_remove(*root);
}

NUMAFY_COLD_ void numafy_root_global_(const volatile void *p, size_t size,
                                      int node) NUMAFY_DEF_NOTHROW_
{
    int storage = (int)numafy_storage_of(p);
    numafy_root_begin_(p, size, node, &storage);
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_ROOTS_H */
