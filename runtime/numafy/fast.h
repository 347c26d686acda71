/* SPDX-License-Identifier: Apache-2.0 */
/* fast.h: what an allocation and a free do when everything is ready. No lock, no system call,
 * nothing that is not needed in the common case; all else is in slow.h. Thread caches of our own
 * (magazines) will go in here, before the calls of jemalloc; until then its tcache, bound to this
 * thread and pool, does their work. */
#ifndef NUMAFY_FAST_H
#define NUMAFY_FAST_H

#include "hooks.h"
#include "state.h"

#define NUMAFY_LIKELY_(x) __builtin_expect(!!(x), 1)
#define NUMAFY_UNLIKELY_(x) __builtin_expect(!!(x), 0)

void *numafy_slow_alloc_(int node, size_t size, size_t alignment, int zero);
void numafy_slow_free_(void *p, unsigned slot);

/* The slot of an address of ours, 0 for any other. */
NUMAFY_OWNER_ NUMAFY_FN_ unsigned numafy_slot_of_address(const volatile void *p)
{
    const size_t d = (uintptr_t)p - numafy_state_v2.base;
    return d < numafy_state_v2.span ? (unsigned)(d >> numafy_state_v2.shift) + 1 : 0;
}

NUMAFY_FN_ void *numafy_fast_malloc(int node, size_t size)
{
    const unsigned index = (unsigned)node + NUMAFY_NODE_ARGS;
    if (NUMAFY_LIKELY_(index < NUMAFY_NODES + NUMAFY_NODE_ARGS)) {
        const int flags = numafy_tls_v2->flags[numafy_state_v2.slot_of[index]];
        if (NUMAFY_LIKELY_(flags)) {
            /* jemalloc aligns 8-byte blocks to 8 only, and needs a size. */
            void *p = numafy_je_mallocx_(size <= 8 ? 16 : size, flags);
            if (NUMAFY_LIKELY_(p))
                return p;
        }
    }
    return numafy_slow_alloc_(node, size, 0, 0);
}

/* p is in slot's range. */
NUMAFY_FN_ void numafy_fast_free_ours(void *p, unsigned slot)
{
#ifdef NUMAFY_TEST_AUTO_TCACHE /* control: jemalloc's automatic tcache mixes the nodes */
    (void)slot;
    numafy_je_dallocx_(p, 0);
#else
    const int flags = numafy_tls_v2->flags[slot];
    if (NUMAFY_LIKELY_(flags))
        numafy_je_dallocx_(p, flags);
    else
        numafy_slow_free_(p, slot);
#endif
}

NUMAFY_FN_ void numafy_fast_free(void *p)
{
    const unsigned slot = numafy_slot_of_address(p);
    if (slot)
        numafy_fast_free_ours(p, slot);
    else
        numafy_state_v2.next.free_(p);
}

/* Whether plain allocations of this thread go to a node. */
NUMAFY_FN_ bool numafy_is_ambient(void)
{
    return NUMAFY_UNLIKELY_(numafy_tls_v2->ambient != 0);
}

#endif /* NUMAFY_FAST_H */
