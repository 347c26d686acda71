/* SPDX-License-Identifier: Apache-2.0 */
/* fast.h: what an allocation and a free by address do when everything is ready, over the bins of
 * cache.h. No lock, no system call, nothing that is not needed in the common case; all else is in
 * slow.h. */
#ifndef NUMAFY_FAST_H
#define NUMAFY_FAST_H

#include "hooks.h"
#include "state.h"

void *numafy_slow_alloc_(int node, size_t size, size_t alignment, int zero);
void numafy_slow_free_(void *p);

/* The slot of an address of ours, 0 for any other. */
NUMAFY_OWNER_ NUMAFY_FN_ unsigned numafy_slot_of_address(const volatile void *p)
{
    const size_t d = (uintptr_t)p - numafy_state_v3.base;
    return d < numafy_state_v3.span ? (unsigned)(d >> numafy_state_v3.shift) + 1 : 0;
}

/* The slot of any node argument, 0 if the slow path must find out. */
NUMAFY_HOT_ unsigned numafy_slot_of_node(int node)
{
    if (__builtin_constant_p(node) && node >= 0 && node < NUMAFY_FIXED)
        return (unsigned)node + 1;
    const unsigned index = (unsigned)node + NUMAFY_NODE_ARGS;
    return NUMAFY_LIKELY_(index < NUMAFY_NODES + NUMAFY_NODE_ARGS)
               ? __atomic_load_n(&numafy_state_v3.slot_of[index], __ATOMIC_RELAXED)
               : 0;
}

/* A block from the thread's cache; 0: take the slow path. */
NUMAFY_HOT_ int numafy_fast_get(int node, size_t size, void **p)
{
    if (size > NUMAFY_CACHED_MAX ||
        !numafy_bin_pop(numafy_bin_of(numafy_slot_of_node(node), numafy_class_of(size)), p))
        return 0;
    numafy_check_given_(*p, 1);
    return 1;
}

NUMAFY_HOT_ void *numafy_fast_malloc(int node, size_t size)
{
    void *p;
    if (NUMAFY_LIKELY_(numafy_fast_get(node, size, &p)))
        return p;
    return numafy_slow_alloc_(node, size, 0, 0);
}

/* The bin that a page map entry names. */
enum { NUMAFY_BIN_WORDS = sizeof(struct numafy_bin) / 8 };

NUMAFY_HOT_ struct numafy_bin *numafy_bin_at(struct numafy_thread *t, unsigned entry)
{
    return (struct numafy_bin *)((uint64_t *)t->bin + entry);
}

/* p is in the reservation. */
NUMAFY_HOT_ void numafy_fast_free_ours(void *p)
{
    numafy_check_freed_(p);
#ifdef NUMAFY_TEST_AUTO_TCACHE /* control: jemalloc's automatic tcache mixes the nodes */
    numafy_je_dallocx_(p, 0);
#else
    const size_t page = ((uintptr_t)p - numafy_state_v3.base) >> NUMAFY_MAP_SHIFT;
    const unsigned entry = __atomic_load_n(&numafy_state_v3.page_map[page], __ATOMIC_RELAXED);
    struct numafy_bin *bin = numafy_bin_at(numafy_tls_v3, entry);
    if (NUMAFY_PLANTED_(1) && (uintptr_t)p % 4096 == 1024)
        (void)numafy_bin_push(bin, bin->numafy_full_, p);
    if (NUMAFY_UNLIKELY_(!numafy_bin_push(bin, bin->numafy_full_, p)))
        numafy_slow_free_(p);
#endif
}

NUMAFY_HOT_ void numafy_fast_free(void *p)
{
    if ((uintptr_t)p - numafy_state_v3.base < numafy_state_v3.span)
        numafy_fast_free_ours(p);
    else
        numafy_state_v3.next.free_(p);
}

/* Whether plain allocations of this thread go to a node. */
NUMAFY_FN_ bool numafy_is_ambient(void)
{
    return NUMAFY_UNLIKELY_(numafy_tls_v3->ambient != 0);
}

#endif /* NUMAFY_FAST_H */
