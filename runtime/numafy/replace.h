/* SPDX-License-Identifier: Apache-2.0 */
/* replace.h: the functions of the C and C++ library that we replace: malloc and its family, and all
 * twenty forms of operator new and delete, in C units too (a C++ library in a C program would else
 * hand our blocks to jemalloc's sized delete). Allocation follows the ambient node, a free the
 * address. A block that is not ours goes on to the allocator below.
 *
 * They are defined under names of our own with the real one as assembler name: no header's
 * declaration of free or operator delete can disagree, and C and C++ units have the same bodies.
 * Weak: a program that defines its own keeps it, and next.h's probe then turns the pools off. */
#ifndef NUMAFY_REPLACE_H
#define NUMAFY_REPLACE_H

#include "calls.h"

#ifndef NUMAFY_EXTERN

/* --- what the pointers of state.h lead to when a node may be in use; also without replacement */
NUMAFY_HOT_ void *numafy_plain_malloc(size_t size)
{
    if (numafy_is_ambient())
        return numafy_fast_malloc(numafy_tls_v3->ambient - 1, size);
    return numafy_state_v3.next.malloc_(size);
}

NUMAFY_WEAK_ NUMAFY_UNSEEN_ void *numafy_plain_malloc_(size_t size)
{
    return numafy_plain_malloc(size);
}

NUMAFY_BEHIND_ void *numafy_plain_calloc(size_t count, size_t size)
{
    if (numafy_is_ambient())
        return numafy_calloc(numafy_tls_v3->ambient - 1, count, size);
    void *p = numafy_state_v3.next.calloc_(count, size);
    if (NUMAFY_UNLIKELY_(!p))
        errno = ENOMEM; /* tcmalloc and mimalloc leave it as it was if the product wraps */
    return p;
}

NUMAFY_BEHIND_ void numafy_plain_free(void *p)
{
    numafy_fast_free(p);
}

NUMAFY_BEHIND_ void *numafy_plain_new(size_t size)
{
    void *p;
    while (!(p = numafy_plain_malloc(size ? size : 1)))
        numafy_new_failed(false);
    return p;
}

NUMAFY_BEHIND_NEAR_ void *numafy_calls_malloc(size_t size, const volatile void *owner)
{
    return numafy_malloc_near_out_(owner, size);
}

NUMAFY_BEHIND_NEAR_ void *numafy_calls_calloc(size_t count, size_t size, const volatile void *owner)
{
    return numafy_calloc_near_out_(owner, count, size);
}

NUMAFY_BEHIND_NEAR_ void *numafy_calls_new(size_t size)
{
    return numafy_new_(size, 0, NUMAFY_NO_NODE);
}

#ifndef NUMAFY_NO_REPLACE_

NUMAFY_WEAK_ int numafy_replaces_v3 = 1;

/* libjemalloc.a and clang's sanitizers have the same names: see docs/runtime.md for the link line.
 */
#ifdef NUMAFY_STRONG
#define NUMAFY_REPLACED_ NUMAFY_EXPORT_ NUMAFY_UNSEEN_ __attribute__((used))
#else
#define NUMAFY_REPLACED_ NUMAFY_WEAK_ NUMAFY_UNSEEN_ __attribute__((used))
#endif

#define NUMAFY_REPLACES_(result, name, symbol, ...) \
    result name(__VA_ARGS__)                        \
    NUMAFY_DEF_NOTHROW_ __asm__(symbol);            \
    NUMAFY_REPLACED_ result name(__VA_ARGS__) NUMAFY_DEF_NOTHROW_

/* The allocator below may neither check an alignment nor set errno: so does jemalloc's memalign.
 */
NUMAFY_FN_ void *numafy_plain_memalign(size_t alignment, size_t size)
{
    if (numafy_is_ambient())
        return numafy_slow_alloc_(numafy_tls_v3->ambient - 1, size, alignment, 0);
    void *p = numafy_state_v3.next.memalign_(alignment, size ? size : 1);
    if (NUMAFY_UNLIKELY_(!p))
        errno = ENOMEM;
    return p;
}

NUMAFY_REPLACES_(void *, numafy_replaced_malloc_, "malloc", size_t size)
{
    return NUMAFY_GLANCE_(numafy_plain_v3.malloc_)(size);
}

NUMAFY_REPLACES_(void, numafy_replaced_free_, "free", void *p)
{
    NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);
}

/* C23's; the C library may not have them yet. */
NUMAFY_REPLACES_(void, numafy_replaced_free_sized_, "free_sized", void *p, size_t size)
{
    (void)size;
    NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);
}

NUMAFY_REPLACES_(void, numafy_replaced_free_aligned_sized_, "free_aligned_sized", void *p,
                 size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);
}

NUMAFY_REPLACES_(void *, numafy_replaced_calloc_, "calloc", size_t count, size_t size)
{
    return NUMAFY_GLANCE_(numafy_plain_v3.calloc_)(count, size);
}

NUMAFY_REPLACES_(void *, numafy_replaced_realloc_, "realloc", void *p, size_t size)
{
    return numafy_any_realloc(p, size);
}

NUMAFY_REPLACES_(void *, numafy_replaced_reallocarray_, "reallocarray", void *p, size_t count,
                 size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return numafy_any_realloc(p, bytes);
}

NUMAFY_REPLACES_(size_t, numafy_replaced_usable_size_, "malloc_usable_size", void *p)
{
    return numafy_any_usable_size(p);
}

NUMAFY_REPLACES_(void *, numafy_replaced_memalign_, "memalign", size_t alignment, size_t size)
{
    if (NUMAFY_UNLIKELY_(!numafy_power_of_two(alignment))) {
        errno = EINVAL;
        return NULL;
    }
    return numafy_plain_memalign(alignment, size);
}

NUMAFY_REPLACES_(void *, numafy_replaced_aligned_alloc_, "aligned_alloc", size_t alignment,
                 size_t size)
{
    return numafy_replaced_memalign_(alignment, size);
}

NUMAFY_REPLACES_(int, numafy_replaced_posix_memalign_, "posix_memalign", void **out,
                 size_t alignment, size_t size)
{
    const int before = errno;
    if (!numafy_power_of_two(alignment) || alignment % sizeof(void *))
        return EINVAL;
    void *p = numafy_plain_memalign(alignment, size);
    errno = before;
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

NUMAFY_REPLACES_(void *, numafy_replaced_valloc_, "valloc", size_t size)
{
    return numafy_plain_memalign(numafy_os_page(), size);
}

NUMAFY_REPLACES_(void *, numafy_replaced_pvalloc_, "pvalloc", size_t size)
{
    const size_t page = numafy_os_page(), pages = (size + page - 1) & ~(page - 1);
    if (pages < size) {
        errno = ENOMEM;
        return NULL;
    }
    return numafy_plain_memalign(page, pages ? pages : page);
}

/* --- operator new and delete */
/* The other forms of it. */
NUMAFY_FN_ void *numafy_other_new(size_t size, size_t alignment, bool nothrow)
{
    void *p;
    if (!size)
        size = 1;
    while (!(p = alignment ? numafy_plain_memalign(alignment, size) : numafy_plain_malloc(size)))
        if (!numafy_new_failed(nothrow))
            return NULL;
    return p;
}

/* new and new[], then the deletes; n: nothrow, a: aligned, s: sized. std::nothrow_t is passed by
 * reference and never read. */
#define NUMAFY_REPLACES_NEW_(name, symbol)                                             \
    void *name(size_t size) __asm__("_Zn" symbol "m");                                 \
    NUMAFY_REPLACED_ void *name(size_t size)                                           \
    {                                                                                  \
        return NUMAFY_GLANCE_(numafy_plain_v3.new_)(size);                             \
    }                                                                                  \
    void *name##a_(size_t size, size_t a) __asm__("_Zn" symbol "mSt11align_val_t");    \
    NUMAFY_REPLACED_ void *name##a_(size_t size, size_t a)                             \
    {                                                                                  \
        return numafy_other_new(size, a, false);                                       \
    }                                                                                  \
    NUMAFY_REPLACES_(void *, name##n_, "_Zn" symbol "mRKSt9nothrow_t", size_t size,    \
                     const void *nothrow)                                              \
    {                                                                                  \
        (void)nothrow;                                                                 \
        return numafy_other_new(size, 0, true);                                        \
    }                                                                                  \
    NUMAFY_REPLACES_(void *, name##an_, "_Zn" symbol "mSt11align_val_tRKSt9nothrow_t", \
                     size_t size, size_t a, const void *nothrow)                       \
    {                                                                                  \
        (void)nothrow;                                                                 \
        return numafy_other_new(size, a, true);                                        \
    }
NUMAFY_REPLACES_NEW_(numafy_replaced_new_, "w")
NUMAFY_REPLACES_NEW_(numafy_replaced_new_array_, "a")

#define NUMAFY_REPLACES_DELETE_(name, symbol)                                                  \
    NUMAFY_REPLACES_(void, name, "_Zd" symbol "Pv", void *p)                                   \
    {                                                                                          \
        NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);                                              \
    }                                                                                          \
    NUMAFY_REPLACES_(void, name##s_, "_Zd" symbol "Pvm", void *p, size_t size)                 \
    {                                                                                          \
        (void)size; /* the debug build's alone */                                              \
        numafy_check_sized_(p, size);                                                          \
        NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);                                              \
    }                                                                                          \
    NUMAFY_REPLACES_(void, name##n_, "_Zd" symbol "PvRKSt9nothrow_t", void *p,                 \
                     const void *nothrow)                                                      \
    {                                                                                          \
        (void)nothrow;                                                                         \
        NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);                                              \
    }                                                                                          \
    NUMAFY_REPLACES_(void, name##a_, "_Zd" symbol "PvSt11align_val_t", void *p, size_t a)      \
    {                                                                                          \
        (void)a;                                                                               \
        NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);                                              \
    }                                                                                          \
    NUMAFY_REPLACES_(void, name##sa_, "_Zd" symbol "PvmSt11align_val_t", void *p, size_t size, \
                     size_t a)                                                                 \
    {                                                                                          \
        (void)size;                                                                            \
        (void)a;                                                                               \
        NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);                                              \
    }                                                                                          \
    NUMAFY_REPLACES_(void, name##an_, "_Zd" symbol "PvSt11align_val_tRKSt9nothrow_t", void *p, \
                     size_t a, const void *nothrow)                                            \
    {                                                                                          \
        (void)a;                                                                               \
        (void)nothrow;                                                                         \
        NUMAFY_GLANCE_(numafy_plain_v3.free_)(p);                                              \
    }
NUMAFY_REPLACES_DELETE_(numafy_replaced_delete_, "l")
NUMAFY_REPLACES_DELETE_(numafy_replaced_delete_array_, "a")

#undef NUMAFY_REPLACED_
#undef NUMAFY_REPLACES_
#undef NUMAFY_REPLACES_NEW_
#undef NUMAFY_REPLACES_DELETE_

#endif /* NUMAFY_NO_REPLACE_ */
#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_REPLACE_H */
