/* SPDX-License-Identifier: Apache-2.0 */
/* numa_alloc.h: memory on a NUMA node that you name. The one include of numafy, for C11 and C++11
 * to C++23 on 64-bit Linux with glibc.
 *
 *     #include "numa_alloc.h"
 *     struct item *a = NUMAFY_NEW(struct item, 1);         C: one item on node 1, freed by free(a)
 *     Tree *t = new numa<Tree, 0>();                       C++: a Tree on node 0; delete t as ever
 *     p->next = NUMAFY_NEW_NEAR(struct item, p);           on the node where p is
 *
 * Header-only: include it in any number of C and C++ units and link `-ljemalloc -lpthread -ldl
 * -Wl,--export-dynamic-symbol=numafy_*`. As a library: define NUMAFY_EXTERN in every unit and link
 * `-lnumafy -ljemalloc`. Both may meet in one program.
 *
 * Macros, before the include:
 *     NUMAFY_OFF             everything is plain malloc and operator new, no library is needed
 *     NUMAFY_EXTERN          declarations only; the definitions come from libnumafy
 *     NUMAFY_NO_REPLACE      malloc, free and operator new/delete are not replaced: free blocks by
 *                            numafy_free or through numa<T,k>
 *     NUMAFY_STRONG          malloc and the others are strong, not weak: for programs that link
 *                            libjemalloc.a, with -Wl,-z,muldefs, and for sanitizers
 *     NUMAFY_SANITIZE_POOLS  with -fsanitize=address: the sanitizer watches the pools
 *     NUMAFY_CACHE_ONNODE    every allocation is a numa_alloc_onnode of libnuma (link -lnuma): the
 *                            baseline to compare with
 *     NUMAFY_NO_SHORT_NAMES  do not take the names numa, thread_numa and NUMA
 *     NUMAFY_INLINE          numafy_malloc and numafy_free inline in this unit, not only
 *                            numafy_malloc of a constant size
 *     NUMAFY_DEBUG           1, 2 or 3, alike in all units and libnumafy: misuse of the pools ends
 * the program with a line; see docs/runtime.md. 0: nothing is checked
 *
 * Environment: see docs/runtime.md.
 *
 * A node is the kernel's id (0, 8, 252 ...), at most 1023, or NUMAFY_LOCAL (the node of the CPU
 * that runs the call), NUMAFY_INTERLEAVE (pages dealt round over all nodes) or NUMAFY_NO_NODE (the
 * plain heap). If the machine lacks node k or refuses it, k's blocks go to the nearest node that is
 * allowed and one warning says so; numafy_node_of still answers k. NUMAFY_MODE=bind makes that NULL
 * with errno ENOMEM, a full node too.
 *
 * Every function may be called from any thread, and none of them throws. */
#ifndef NUMAFY_NUMA_ALLOC_H
#define NUMAFY_NUMA_ALLOC_H
#ifndef NUMAFY_TEST_WARNINGS
#pragma GCC system_header
#endif

#define NUMAFY_VERSION "0.1.0"

#include <stddef.h>
#include <stdio.h>

#include "numafy/near.h"
#ifdef NUMAFY_SITE_CALLS_
#include "numafy/site_calls.h" /* near.h came first: the functions are declared here */
#endif

#if defined(NUMAFY_NO_REPLACE) || defined(NUMAFY_SANITIZED_)
#define NUMAFY_NO_REPLACE_
#endif

#ifndef NUMAFY_OFF
#ifdef __cplusplus
extern "C" {
#endif

/* --- allocation
 * As malloc, calloc, aligned_alloc and posix_memalign, on `node`. Sizes and alignments in bytes;
 * size 0 gives a block that can be freed. NULL with errno ENOMEM (no memory, or count * size
 * overflows) or EINVAL (no such node id; alignment not a power of two). Free with free,
 * numafy_free, realloc; from any thread or library. */
void *numafy_malloc(int node, size_t size) NUMAFY_NOTHROW_;
void *numafy_calloc(int node, size_t count, size_t size) NUMAFY_NOTHROW_;
void *numafy_aligned_alloc(int node, size_t alignment, size_t size) NUMAFY_NOTHROW_;
int numafy_posix_memalign(int node, void **out, size_t alignment, size_t size) NUMAFY_NOTHROW_;

/* As realloc; a block of ours stays on its node whoever calls, any other goes to the plain realloc.
 * p NULL is malloc(size), size 0 frees. NULL with ENOMEM leaves p as it was. */
void *numafy_realloc(void *p, size_t size) NUMAFY_NOTHROW_;

/* Frees any block, ours or malloc's. NULL is nothing to do. */
void numafy_free(void *p) NUMAFY_NOTHROW_;

/* Bytes that may be used at p, ours or malloc's; 0 for NULL. */
size_t numafy_usable_size(const void *p) NUMAFY_NOTHROW_;

/* On the node of `owner`, an address that is never read: a block of ours gives its node, an address
 * in a registered root the root's node, this thread's stack and NULL the ambient node, anything
 * else the plain heap. realloc_near with p NULL allocates there, else it is numafy_realloc. */
NUMAFY_OWNER_ void *numafy_malloc_near(const volatile void *owner, size_t size) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_calloc_near(const volatile void *owner, size_t count,
                                       size_t size) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_aligned_alloc_near(const volatile void *owner, size_t alignment,
                                              size_t size) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_realloc_near(const volatile void *owner, void *p,
                                        size_t size) NUMAFY_NOTHROW_;

/* --- where things are
 */
/* The node id whose pool holds p (any address inside the block), NUMAFY_INTERLEAVE for an
 * interleaved one, NUMAFY_NO_NODE if p is not ours. Does not ask the kernel. */
NUMAFY_OWNER_ int numafy_node_of(const void *p) NUMAFY_NOTHROW_;

/* The node that holds p's page, from the kernel, or a negative errno: -ENOENT no page there yet,
 * -EFAULT not mapped, -EPERM the kernel may not be asked and numa_maps does not tell either. */
NUMAFY_OWNER_ int numafy_resident_node(const void *p) NUMAFY_NOTHROW_;

/* Makes [p, p + size) a root of `node`: a global, static or local object whose near() allocations
 * go there. 0, or a negative errno: -EINVAL (size 0, bad node), -ENOSPC (64 roots exist). remove
 * ends it and must be given the same p. */
NUMAFY_OWNER_ int numafy_root_add(const volatile void *p, size_t size, int node) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void numafy_root_remove(const volatile void *p) NUMAFY_NOTHROW_;

/* --- threads and memory
 */
/* Pins the calling thread to the CPUs of `node`, of the nearest node with CPUs if it has none. 0 or
 * a negative errno. */
int numafy_thread_bind(int node) NUMAFY_NOTHROW_;

/* Gives the calling thread's cached free blocks back to their pools. */
void numafy_thread_flush(void) NUMAFY_NOTHROW_;

/* Returns unused pages of the node's pool to the kernel. */
void numafy_purge(int node) NUMAFY_NOTHROW_;

/* --- the ambient node
 * What plain malloc and operator new of this thread use while it is set. In C around a call:
 *     ((void)numafy_enter(owner), (T *)numafy_leave(f(a)))
 * enter makes owner's node ambient (the rule of numafy_malloc_near) and returns the previous one,
 * enter_on the node that it is given; leave restores it and hands its argument through. Entries of
 * frames that a longjmp has left are dropped. For a block of code there is NUMAFY_SCOPE(owner); or
 * NUMAFY_SCOPE_NODE(node); and, in C++, NUMAFY_SCOPE_OF(T, owner); which is nothing for a trivial
 * T. */
NUMAFY_OWNER_ int(numafy_enter)(const volatile void *owner) NUMAFY_NOTHROW_;
int(numafy_enter_on)(int node) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *(numafy_leave)(const volatile void *result)NUMAFY_NOTHROW_;
long(numafy_leave_int)(long result) NUMAFY_NOTHROW_;

/* --- what went wrong, what happened */
/* Why the last numafy call of this thread failed, one sentence; "no error". Valid until the next.
 */
const char *numafy_strerror(void) NUMAFY_NOTHROW_;

/* State of the pools as one JSON object. Returns its length without the 0 like snprintf; what does
 * not fit into len bytes is cut. Counters are documented in docs/runtime.md. */
int numafy_stats_json(char *buf, size_t len) NUMAFY_NOTHROW_;
void numafy_stats_print(FILE *out) NUMAFY_NOTHROW_;

#if !defined(NUMAFY_EXTERN)
#include "numafy/replace.h"
#elif defined(NUMAFY_INLINE)
#include "numafy/fast.h"
#endif
#ifdef NUMAFY_SITES
#include "numafy/site_calls.h"
#elif defined(NUMAFY_INLINE)
#define numafy_malloc(node, size) numafy_fast_malloc((node), (size))
#define numafy_free(p) numafy_fast_free((p))
#elif !defined(NUMAFY_EXTERN) && defined(__OPTIMIZE__)
/* A size that the compiler knows costs less code in place than a call does. */
#define numafy_malloc(node, size)                                    \
    (__builtin_constant_p(size) ? numafy_fast_malloc((node), (size)) \
                                : (numafy_malloc)((node), (size)))
#endif

#ifdef __cplusplus
}
#endif
#else
static __inline__ __attribute__((unused)) void numafy_stats_print(FILE *out)
{
    fputs("numafy is compiled out (NUMAFY_OFF)\n", out);
}
#endif /* NUMAFY_OFF */

#ifndef NUMAFY_NO_SHORT_NAMES
/* NUMA(k) marks a variable as a root of node k for the rewriter; k is a number, NUMAFY_LOCAL or
 * NUMAFY_INTERLEAVE, or a macro for one. gcc rejects the attribute under -Werror, so it is empty
 * there. */
#ifdef __clang__
#define NUMAFY_NODE_TEXT2_(k) #k
#define NUMAFY_NODE_TEXT_(k) NUMAFY_NODE_TEXT2_(k)
#define NUMA(k) __attribute__((annotate("numafy:node=" NUMAFY_NODE_TEXT_(k))))
#else
#define NUMA(k)
#endif
#endif

#ifdef __cplusplus
#include "numafy/std.hpp"
#ifndef NUMAFY_NO_SHORT_NAMES
using numafy::numa;
using numafy::thread_numa;
#endif
#if !defined(NUMAFY_OFF) && !defined(NUMAFY_EXTERN) && defined(__cpp_exceptions)
/* For a program that links libstdc++ statically; see calls.h. */
extern "C" __attribute__((weak, visibility("default"), noreturn)) void numafy_cxx_throw_(void)
{
    throw std::bad_alloc();
}
#endif
#endif

#endif /* NUMAFY_NUMA_ALLOC_H */
