/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h: what may be in the process beside us that the pools cannot work with: another version of
 * this header, units that were built in another way, settings of jemalloc. It answers with a reason
 * and changes nothing. */
#ifndef NUMAFY_GUARD_H
#define NUMAFY_GUARD_H

#include "next.h"

#ifndef NUMAFY_EXTERN

/* One name in all versions: the copy that the dynamic linker finds first tells its layout. */
extern NUMAFY_EXPORT_ int numafy_layout;
NUMAFY_WEAK_ int numafy_layout = NUMAFY_LAYOUT;

/* In units that are built with NUMAFY_OFF; see off.h. */
extern NUMAFY_EXPORT_ __attribute__((weak)) char numafy_off_unit;

/* MALLOC_CONF: with the huge page allocator of 5.3.0 threads of pools were seen to spin for ever in
 * rallocx, one run in twenty. Others that would harm are met where they do: numafy_je_percpu. Asked
 * when pools are wanted: mallctl's first call makes tables that a program without has no need of.
 */
NUMAFY_INNER_ const char *numafy_guard_hpa(void)
{
    bool on = false;
    size_t len = sizeof on;
    return !numafy_je_mallctl_("opt.hpa", &on, &len, NULL, 0) && on
               ? "jemalloc's setting hpa:true (MALLOC_CONF) does not go with them"
               : NULL;
}

/* Why the pools must stay off, NULL: nothing speaks against them. */
NUMAFY_INNER_ const char *numafy_guard(void)
{
    if (numafy_layout != NUMAFY_LAYOUT)
        return "units or libraries of this program were built with another version of "
               "numa_alloc.h, which comes first and serves alone. Build all with one version";
    if (&numafy_off_unit && !&numafy_replaces_v3)
        return "some units are built with NUMAFY_OFF, and their free is not ours, because others "
               "are built with NUMAFY_NO_REPLACE. Build all units alike";
    return NULL;
}

#endif /* NUMAFY_EXTERN */
#endif /* NUMAFY_GUARD_H */
