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
/* C takes no attribute behind the declarator of a definition. */
#ifdef __cplusplus
#define NUMAFY_DEF_NOTHROW_ noexcept
#else
#define NUMAFY_DEF_NOTHROW_
#endif
/* The first calls of the allocator below, before dlsym has found it; in next.h. */
void *numafy_first_malloc_(size_t);
void *numafy_first_calloc_(size_t, size_t);
void *numafy_first_realloc_(void *, size_t);
void numafy_first_free_(void *);
void *numafy_first_memalign_(size_t, size_t);
size_t numafy_first_usable_size_(void *);

extern NUMAFY_EXPORT_ struct numafy_state numafy_state_v3;
extern NUMAFY_EXPORT_ struct numafy_pools numafy_pools_v3;
extern NUMAFY_EXPORT_ struct numafy_thread numafy_nothread_v3, numafy_latethread_v3;

#ifndef NUMAFY_EXTERN
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
NUMAFY_WEAK_ int numafy_active_v3; /* of near.h */
NUMAFY_WEAK_ struct numafy_thread numafy_nothread_v3, numafy_latethread_v3;
NUMAFY_WEAK_ NUMAFY_TLS_ struct numafy_thread *numafy_tls_v3 = &numafy_nothread_v3;
#endif

#endif /* NUMAFY_STATE_H */
