// SPDX-License-Identifier: Apache-2.0
// numa_alloc.c: libnumafy, the same bodies as the header-only form, as strong symbols. It also
// holds our copies of jemalloc's constants and structs against its own header.
#define NUMAFY_BUILD_LIBRARY
#include "numa_alloc.h"

#define JEMALLOC_NO_RENAME
#define JEMALLOC_NO_DEMANGLE
#include <jemalloc/jemalloc.h>

_Static_assert(sizeof(struct numafy_hooks) == sizeof(extent_hooks_t), "extent_hooks_t has changed");
_Static_assert(offsetof(struct numafy_hooks, merge) == offsetof(extent_hooks_t, merge) &&
                   offsetof(struct numafy_hooks, purge_forced) ==
                       offsetof(extent_hooks_t, purge_forced),
               "extent_hooks_t has changed");
_Static_assert(NUMAFY_JE_ZERO == MALLOCX_ZERO, "MALLOCX_ZERO has changed");
_Static_assert(NUMAFY_JE_TCACHE_NONE == MALLOCX_TCACHE_NONE, "MALLOCX_TCACHE_NONE has changed");
_Static_assert((3 + 1) << 20 == MALLOCX_ARENA(3), "MALLOCX_ARENA has changed");
_Static_assert((3 + 2) << 8 == MALLOCX_TCACHE(3), "MALLOCX_TCACHE has changed");
