/* SPDX-License-Identifier: Apache-2.0 */
/* site_calls.h: with NUMAFY_SITES, the C calls of a rewritten file are macros that also tell where
 * they stand. Included twice it takes them away: numa_alloc.h declares the functions in between. */
#ifndef NUMAFY_SITE_CALLS_
#define NUMAFY_SITE_CALLS_
#define numafy_malloc(node, size) numafy_malloc(NUMAFY_SITE_ON_(node), (size))
#define numafy_calloc(node, count, size) numafy_calloc(NUMAFY_SITE_ON_(node), (count), (size))
#define numafy_aligned_alloc(node, alignment, size) \
    numafy_aligned_alloc(NUMAFY_SITE_ON_(node), (alignment), (size))
#define numafy_malloc_near(owner, size) numafy_malloc_near(NUMAFY_SITE_NEAR_(owner), (size))
#define numafy_calloc_near(owner, count, size) \
    numafy_calloc_near(NUMAFY_SITE_NEAR_(owner), (count), (size))
#define numafy_aligned_alloc_near(owner, alignment, size) \
    numafy_aligned_alloc_near(NUMAFY_SITE_NEAR_(owner), (alignment), (size))
#define numafy_realloc_near(owner, p, size) \
    numafy_realloc_near(NUMAFY_SITE_NEAR_(owner), (p), (size))
#ifdef __cplusplus /* macros in C without sites as well */
#define numafy_enter(owner) numafy_enter(NUMAFY_SITE_NEAR_(owner))
#endif
#else
#undef NUMAFY_SITE_CALLS_
#ifdef __cplusplus
#undef numafy_enter
#endif
#undef numafy_malloc
#undef numafy_calloc
#undef numafy_aligned_alloc
#undef numafy_malloc_near
#undef numafy_calloc_near
#undef numafy_aligned_alloc_near
#undef numafy_realloc_near
#endif
