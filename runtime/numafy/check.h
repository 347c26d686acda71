/* SPDX-License-Identifier: Apache-2.0 */
/* check.h: where the debug build looks at what the program and the caches do. NUMAFY_DEBUG, set
 * alike for all units and libnumafy, has a price for each level; at 0, the default, nothing here is
 * compiled. What is found ends the program with one line and abort; that is in check_slow.h.
 *
 *     1  two atomic operations per block: double free; a pointer that no allocation returned, into
 *        a block or beside it; delete of a numa<T,k> that is on another node; a sized delete with
 *        another size; a block that is handed out twice
 *     2  also writes into every block: use after free of small blocks is seen when they are handed
 *        out again; fresh memory is not zero by chance
 *     3  also walks magazines and depots wherever the fast path ends
 *
 * Part of cache.h: no system header, no name that a user may have made a macro of. It must not know
 * how a bin works. */
#ifndef NUMAFY_CHECK_H
#define NUMAFY_CHECK_H

#ifndef NUMAFY_DEBUG
#define NUMAFY_DEBUG 0
#endif

/* Bugs that tests/fuzz plants, to see that it finds them. */
#ifdef NUMAFY_TEST_PLANT
extern int numafy_test_planted;
#define NUMAFY_PLANTED_(n) (numafy_test_planted == (n))
#else
#define NUMAFY_PLANTED_(n) 0
#endif

#if NUMAFY_DEBUG > 0

/* Units of another level do not link with these names, or are told at start. */
#define numafy_tls_v3 numafy_tls_checked_v3
#define numafy_check_start_ numafy_check_start_v3
#define numafy_check_given_ numafy_check_given_v3
#define numafy_check_freed_ numafy_check_freed_v3
#define numafy_check_live_ numafy_check_live_v3
#define numafy_check_moves_ numafy_check_moves_v3
#define numafy_check_typed_ numafy_check_typed_v3
#define numafy_check_sized_ numafy_check_sized_v3
#define numafy_check_fetched_ numafy_check_fetched_v3
#define numafy_check_bin_ numafy_check_bin_v3
#define numafy_check_depot_ numafy_check_depot_v3

struct numafy_thread;

#ifdef __cplusplus
extern "C" {
#endif
/* The reservation has been made. */
void numafy_check_start_(void);
/* A block goes to the program, from a bin (1) or from jemalloc (0). */
void numafy_check_given_(void *, int);
/* The program gives an address of the reservation back. */
void numafy_check_freed_(void *);
/* The program asks about an address of the reservation, or wants its block resized. */
void numafy_check_live_(const void *);
/* jemalloc is about to resize a block: it is nobody's until numafy_check_given_. */
void numafy_check_moves_(void *);
/* A block is deleted, unseen, as one of that node and size. */
void numafy_check_typed_(const void *, int, numafy_size);
/* A block, ours or not, is deleted with that size. */
void numafy_check_sized_(const void *, numafy_size);
/* So many blocks of that size have come from jemalloc into a magazine. */
void numafy_check_fetched_(void *const *, unsigned, numafy_size);
/* The thread's bin of that slot and class is about to be refilled or emptied. */
void numafy_check_bin_(const struct numafy_thread *, unsigned, unsigned);
/* The depot of that slot and class is about to change; its lock is held. */
void numafy_check_depot_(unsigned, unsigned);
#ifdef __cplusplus
}
#endif

#else

#define numafy_check_start_() ((void)0)
#define numafy_check_given_(p, cached) ((void)0)
#define numafy_check_freed_(p) ((void)0)
#define numafy_check_live_(p) ((void)0)
#define numafy_check_moves_(p) ((void)0)
#define numafy_check_typed_(p, node, size) ((void)0)
#define numafy_check_sized_(p, size) ((void)0)
#define numafy_check_fetched_(blocks, n, size) ((void)0)
#define numafy_check_bin_(t, slot, class_) ((void)0)
#define numafy_check_depot_(slot, class_) ((void)0)

#endif
#endif /* NUMAFY_CHECK_H */
