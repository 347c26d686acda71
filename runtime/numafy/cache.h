/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: a thread's free blocks, and how one is taken from them or put back: the whole of what a
 * typed allocation does when everything is ready. No lock, no system call, no function call.
 *
 * It must not know jemalloc, nodes that are missing, or how a bin is filled: that is depot.h. Part
 * of near.h from C++11 on (numa<T,k> is made of it), hence no system header, nothing that C11 and
 * C++11 do not share, and names that no user has made macros of. */
#ifndef NUMAFY_CACHE_H
#define NUMAFY_CACHE_H

typedef __SIZE_TYPE__ numafy_size;
struct numafy_thread;

#define NUMAFY_FN_ static inline NUMAFY_UNSEEN_ __attribute__((__unused__))
#define NUMAFY_HOT_ static inline __attribute__((__unused__, __always_inline__))
#define NUMAFY_EXPORT_ __attribute__((__visibility__("default")))
/* One 8-byte pointer, so a library that is loaded late still finds static TLS for it. */
#define NUMAFY_TLS_ __thread __attribute__((__tls_model__("initial-exec")))
#define NUMAFY_LIKELY_(x) __builtin_expect(!!(x), 1)
#define NUMAFY_UNLIKELY_(x) __builtin_expect(!!(x), 0)

#include "check.h"

enum {
    NUMAFY_NODES = 1024,       /* node ids are below this: the kernel's largest NODES_SHIFT is 10 */
    NUMAFY_NODE_ARGS = 3,      /* NUMAFY_INTERLEAVE is the smallest node argument: -3 */
    NUMAFY_SLOTS = 64,         /* pools at most; slot 0 means "none" and has no memory */
    NUMAFY_FIXED = 8,          /* nodes 0 to 7 have the slots 1 to 8: known when compiling */
    NUMAFY_CLASSES = 40,       /* jemalloc's size classes from 16 bytes to NUMAFY_CACHED_MAX */
    NUMAFY_CACHED_MAX = 32768, /* larger blocks are not cached */
    NUMAFY_MAP_SHIFT = 12      /* an entry of the page map speaks of 4 KiB */
};

/* The free blocks of one thread, pool and class: [empty, top) of the loaded magazine, which ends at
 * `full`. All zero, as it is before the first use and after the thread's end, it is empty and full
 * at once: every operation then takes the slow path.
 *
 * trust is where a free ends that does not look at the address (numafy_cache_put): `full`, and NULL
 * for ever from the moment when a plain block is handed out in place of a pool's. */
struct numafy_bin {
    void **numafy_top_;
    void **numafy_empty_;
    void **numafy_full_;
    void **numafy_trust_;
};

#ifdef __cplusplus
extern "C" {
#endif
/* The calling thread's record, which begins with its bins. */
extern NUMAFY_EXPORT_ NUMAFY_TLS_ struct numafy_thread *numafy_tls_v3;
#ifdef __cplusplus
}
#endif

/* --- size classes */
/* The class of 129 bytes and more: four to a doubling. */
NUMAFY_HOT_ unsigned numafy_class_of_large(numafy_size numafy_size_)
{
    const unsigned numafy_log_ = 63 - (unsigned)__builtin_clzl(numafy_size_ - 1);
    return 8 + (numafy_log_ - 7) * 4 + (unsigned)((numafy_size_ - 1) >> (numafy_log_ - 2) & 3);
}

/* Classes up to 1 KiB by (size + 15) / 16. */
static const unsigned char numafy_classes_to_1k[65] __attribute__((__unused__)) = {
    0,  0,  1,  2,  3,  4,  5,  6,  7,  8,  8,  9,  9,  10, 10, 11, 11, 12, 12, 12, 12, 13,
    13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15, 16, 16, 16, 16, 16, 16, 16, 16, 17, 17, 17,
    17, 17, 17, 17, 17, 18, 18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19, 19};

/* The class of a size up to NUMAFY_CACHED_MAX; 0 bytes are served as 16. */
NUMAFY_HOT_ unsigned numafy_class_of(numafy_size numafy_size_)
{
    if (__builtin_constant_p(numafy_size_) && numafy_size_ <= 128)
        return numafy_size_ ? (unsigned)(numafy_size_ - 1) / 16 : 0;
    if (!__builtin_constant_p(numafy_size_) && numafy_size_ <= 1024)
        return numafy_classes_to_1k[(numafy_size_ + 15) / 16];
    return numafy_class_of_large(numafy_size_);
}

NUMAFY_FN_ numafy_size numafy_class_size(unsigned numafy_class_)
{
    if (numafy_class_ < 8)
        return (numafy_class_ + 1) * (numafy_size)16;
    return ((numafy_size)128 << (numafy_class_ - 8) / 4) +
           ((numafy_class_ & 3) + 1) * ((numafy_size)32 << (numafy_class_ - 8) / 4);
}

/* --- bins */
NUMAFY_HOT_ struct numafy_bin *numafy_bin_of(unsigned numafy_slot_, unsigned numafy_class_)
{
    return (struct numafy_bin *)numafy_tls_v3 + (numafy_slot_ * NUMAFY_CLASSES + numafy_class_);
}

/* 0: it is empty. The answer is no pointer, so nobody has to ask twice. */
NUMAFY_HOT_ int numafy_bin_pop(struct numafy_bin *numafy_bin_, void **numafy_p_)
{
    void **numafy_top_ = numafy_bin_->numafy_top_;
    if (NUMAFY_UNLIKELY_(numafy_top_ == numafy_bin_->numafy_empty_))
        return 0;
    numafy_bin_->numafy_top_ = --numafy_top_;
    *numafy_p_ = *numafy_top_;
    return 1;
}

/* `end` is bin->numafy_full_ or bin->numafy_trust_. 0: there is no room. */
NUMAFY_HOT_ int numafy_bin_push(struct numafy_bin *numafy_bin_, void **numafy_end_, void *numafy_p_)
{
    void **numafy_top_ = numafy_bin_->numafy_top_;
    if (NUMAFY_UNLIKELY_(numafy_top_ >= numafy_end_))
        return 0;
    *numafy_top_ = numafy_p_;
    numafy_bin_->numafy_top_ = numafy_top_ + 1;
    return 1;
}

/* A block on a node below NUMAFY_FIXED from the thread's cache; 0: take the slow path. */
NUMAFY_HOT_ int numafy_cache_get(int numafy_node_, numafy_size numafy_size_, void **numafy_p_)
{
    if (numafy_node_ < 0 || numafy_node_ >= NUMAFY_FIXED || numafy_size_ > NUMAFY_CACHED_MAX)
        return 0;
    if (!numafy_bin_pop(numafy_bin_of((unsigned)numafy_node_ + 1, numafy_class_of(numafy_size_)),
                        numafy_p_))
        return 0;
    numafy_check_given_(*numafy_p_, 1);
    return 1;
}

/* Puts back a block that was allocated for the same node and size, which is not looked up; 0: free
 * it by its address. */
NUMAFY_HOT_ int numafy_cache_put(void *numafy_p_, int numafy_node_, numafy_size numafy_size_)
{
    if (numafy_node_ < 0 || numafy_node_ >= NUMAFY_FIXED || numafy_size_ > NUMAFY_CACHED_MAX)
        return 0;
    struct numafy_bin *numafy_bin_ =
        numafy_bin_of((unsigned)numafy_node_ + 1, numafy_class_of(numafy_size_));
    numafy_check_typed_(numafy_p_, numafy_node_, numafy_size_);
    if (!numafy_bin_push(numafy_bin_,
                         __atomic_load_n(&numafy_bin_->numafy_trust_, __ATOMIC_RELAXED), numafy_p_))
        return 0;
    numafy_check_freed_(numafy_p_);
    return 1;
}

#endif /* NUMAFY_CACHE_H */
