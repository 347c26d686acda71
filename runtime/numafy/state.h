/* SPDX-License-Identifier: Apache-2.0 */
/* state.h: the variables of the runtime, nothing else. Weak and of default visibility, so C units,
 * C++ units, libraries and libnumafy share one copy. The name carries the layout's version: mixed
 * versions then have two runtimes, not one corrupt one. */
#ifndef NUMAFY_STATE_H
#define NUMAFY_STATE_H

#include "names.h"
#include "types.h"

#ifdef NUMAFY_BUILD_LIBRARY
#define NUMAFY_WEAK_ NUMAFY_EXPORT_
#else
#define NUMAFY_WEAK_ __attribute__((weak, visibility("default")))
#endif
#define NUMAFY_COLD_ NUMAFY_WEAK_ NUMAFY_UNSEEN_ __attribute__((noinline, cold))
#define NUMAFY_INNER_ static NUMAFY_UNSEEN_ __attribute__((noinline, cold, unused))
/* Behind a pointer: malloc's, which are called before symbols are looked up, and those of near.h,
 * seen because live.h tells by the name what allocates for its caller. */
#define NUMAFY_BEHIND_ static NUMAFY_UNSEEN_ __attribute__((noinline, unused))
#define NUMAFY_BEHIND_NEAR_ NUMAFY_WEAK_ __attribute__((noinline))
/* A function that near.h has in place as well: C++ takes a second definition of no name. */
#define NUMAFY_OUT_OF_PLACE_(result, name, ...)                         \
    result name##_out_(__VA_ARGS__) NUMAFY_DEF_NOTHROW_ __asm__(#name); \
    __attribute__((noinline)) NUMAFY_WEAK_ result name##_out_(__VA_ARGS__) NUMAFY_DEF_NOTHROW_
#define NUMAFY_DEF_NOTHROW_ NUMAFY_NOTHROW_DEF_
/* The first calls of the allocator below, before dlsym has found it; in next.h. */
void *numafy_first_malloc_(size_t);
void *numafy_first_calloc_(size_t, size_t);
void *numafy_first_realloc_(void *, size_t);
void numafy_first_free_(void *);
void *numafy_first_memalign_(size_t, size_t);
size_t numafy_first_usable_size_(void *);

extern NUMAFY_EXPORT_ struct numafy_state numafy_state_v3;
extern NUMAFY_EXPORT_ struct numafy_plain numafy_plain_v3;
extern NUMAFY_EXPORT_ struct numafy_pools numafy_pools_v3;
extern NUMAFY_EXPORT_ struct numafy_thread numafy_nothread_v3, numafy_latethread_v3;

#ifndef NUMAFY_EXTERN
/* Those for when a node is in use, which are right at any time; in replace.h. */
void *numafy_plain_malloc_(size_t);
static void *numafy_plain_calloc(size_t, size_t);
static void numafy_plain_free(void *);
static void *numafy_plain_new(size_t);
void *numafy_calls_malloc(size_t, const volatile void *);
void *numafy_calls_calloc(size_t, size_t, const volatile void *);
void *numafy_calls_new(size_t);
/* And those for when none is; in slow.h. */
void *numafy_calls_plain_malloc(size_t, const volatile void *);
void *numafy_calls_plain_calloc(size_t, size_t, const volatile void *);

/* Above every user address: a thread that sees a new span with the old base takes nothing for ours.
 */
NUMAFY_WEAK_ struct numafy_state numafy_state_v3 = {
    (uintptr_t)1 << 63,
    0,
    NULL,
    0,
    {0},
    {0},
    {numafy_first_malloc_, numafy_first_calloc_, numafy_first_realloc_, numafy_first_free_,
     numafy_first_memalign_, numafy_first_usable_size_}};
NUMAFY_WEAK_ struct numafy_pools numafy_pools_v3;
NUMAFY_WEAK_ struct numafy_plain numafy_plain_v3 = {numafy_plain_malloc_, numafy_plain_calloc,
                                                    numafy_plain_free, numafy_plain_new};
NUMAFY_WEAK_ int numafy_active_v3; /* of near.h, as is the next */
NUMAFY_WEAK_ struct numafy_calls_ numafy_calls_v3 = {numafy_calls_malloc, numafy_calls_calloc,
                                                     numafy_calls_new};
NUMAFY_WEAK_ struct numafy_thread numafy_nothread_v3, numafy_latethread_v3;
NUMAFY_WEAK_ NUMAFY_TLS_ struct numafy_thread *numafy_tls_v3 = &numafy_nothread_v3;
#endif

#endif /* NUMAFY_STATE_H */
