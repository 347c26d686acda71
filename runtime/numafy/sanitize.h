/* SPDX-License-Identifier: Apache-2.0 */
/* sanitize.h: pools under AddressSanitizer (NUMAFY_SANITIZE_POOLS). A thread's bins stay empty
 * then, so every block comes from its pool's arena by the slow path, a few bytes larger than asked
 * for. What is behind the bytes that were asked for, and a whole block once it is freed, is
 * poisoned. It must not know pools, nodes or threads. In other builds callers compile its calls
 * away. */
#ifndef NUMAFY_SANITIZE_H
#define NUMAFY_SANITIZE_H

#include "hooks.h"
#include "state.h"

#if NUMAFY_POISONS_

void numafy_asan_poison_(const volatile void *, size_t) __asm__("__asan_poison_memory_region");
void numafy_asan_unpoison_(const volatile void *, size_t) __asm__("__asan_unpoison_memory_region");
void *numafy_asan_find_(void *, size_t) __asm__("__asan_region_is_poisoned");
void numafy_lsan_root_(const void *, size_t) __asm__("__lsan_register_root_region");

enum {
    NUMAFY_REDZONE = 16,               /* bytes that are poisoned behind a block at least */
    NUMAFY_QUARANTINE = 1 << 14,       /* freed blocks that are not handed out again yet, ... */
    NUMAFY_QUARANTINE_BYTES = 64 << 20 /* ... at most, and their bytes */
};

/* Freed blocks: those from number `oldest` to `next`, modulo the room. */
struct numafy_quarantine {
    struct numafy_mutex lock;
    unsigned oldest, next;
    size_t bytes;
    void *block[NUMAFY_QUARANTINE];
};

extern NUMAFY_EXPORT_ struct numafy_quarantine numafy_quarantine_v3;
#ifndef NUMAFY_EXTERN
NUMAFY_WEAK_ struct numafy_quarantine numafy_quarantine_v3;
#endif

/* The leak checker finds what only the pools point to. It reads what is readable of the range, and
 * skips what is poisoned. */
NUMAFY_FN_ void numafy_poison_begin(uintptr_t base, size_t span)
{
    numafy_lsan_root_((const void *)base, span);
}

/* Makes a block of `size` of what jemalloc gave for NUMAFY_REDZONE more. jemalloc must not be asked
 * for zeros: its memset is the sanitizer's, which looks at what is poisoned. */
NUMAFY_INNER_ void *numafy_poison_block(void *p, size_t size, int zero)
{
    const size_t room = numafy_je_sallocx_(p, 0);
    if (!size)
        size = 1;
    numafy_asan_unpoison_(p, size);
    numafy_asan_poison_((char *)p + size, room - size);
    if (zero)
        __builtin_memset(p, 0, size);
    return p;
}

/* The bytes that were asked for: those before the first that is poisoned. */
NUMAFY_INNER_ size_t numafy_poison_size(const void *p)
{
    const size_t room = numafy_je_sallocx_(p, 0);
    const char *end = (const char *)numafy_asan_find_((void *)(uintptr_t)p, room);
    return end ? (size_t)(end - (const char *)p) : room;
}

/* Reads a byte where the sanitizer sees it: a block that is free already is reported. */
static __attribute__((noinline, unused)) char numafy_poison_touch(const volatile char *p)
{
    return *p;
}

NUMAFY_INNER_ void numafy_poison_free(void *p)
{
    struct numafy_quarantine *q = &numafy_quarantine_v3;
    numafy_poison_touch((const volatile char *)p);
    const size_t size = numafy_je_sallocx_(p, 0);
    numafy_asan_poison_(p, size);
    numafy_lock(&q->lock);
    q->block[q->next++ % NUMAFY_QUARANTINE] = p;
    q->bytes += size;
    while (q->next - q->oldest == NUMAFY_QUARANTINE || q->bytes > (size_t)NUMAFY_QUARANTINE_BYTES) {
        void *oldest = q->block[q->oldest++ % NUMAFY_QUARANTINE];
        q->bytes -= numafy_je_sallocx_(oldest, 0);
        numafy_je_dallocx_(oldest, NUMAFY_JE_TCACHE_NONE);
    }
    numafy_unlock(&q->lock);
}

NUMAFY_FN_ void numafy_poison_fork(void (*each)(struct numafy_mutex *, bool), bool child)
{
    each(&numafy_quarantine_v3.lock, child);
}

#else
enum { NUMAFY_REDZONE = 0 };
NUMAFY_FN_ void numafy_poison_begin(uintptr_t base, size_t span)
{
    (void)base, (void)span;
}
NUMAFY_FN_ void *numafy_poison_block(void *p, size_t size, int zero)
{
    (void)size, (void)zero;
    return p;
}
NUMAFY_FN_ size_t numafy_poison_size(const void *p)
{
    (void)p;
    return 0;
}
NUMAFY_FN_ void numafy_poison_free(void *p)
{
    (void)p;
}
NUMAFY_FN_ void numafy_poison_fork(void (*each)(struct numafy_mutex *, bool), bool child)
{
    (void)each, (void)child;
}
#endif /* NUMAFY_POISONS_ */
#endif /* NUMAFY_SANITIZE_H */
