/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_macros.h: what a file may have made macros of before it includes near.h: every short name
 * that is not public. tests/python/test_header_names.py finds the names that are missing here. */
#ifndef RUNTIME_MACROS_H
#define RUNTIME_MACROS_H

#define NASTY_ ) broken(
#define T NASTY_
#define K NASTY_
#define N NASTY_
#define A NASTY_
#define U NASTY_
#define V NASTY_
#define a NASTY_
#define c NASTY_
#define n NASTY_
#define p NASTY_
#define v NASTY_
#define w NASTY_
#define align NASTY_
#define alignment NASTY_
#define array NASTY_
#define base NASTY_
#define block NASTY_
#define box NASTY_
#define count NASTY_
#define ctor_place NASTY_
#define detail NASTY_
#define form NASTY_
#define frame NASTY_
#define key NASTY_
#define kind NASTY_
#define near_ NASTY_
#define node NASTY_
#define node_ NASTY_
#define out NASTY_
#define owner NASTY_
#define place NASTY_
#define previous NASTY_
#define result NASTY_
#define size NASTY_
#define test NASTY_
#define text NASTY_
#define type NASTY_
#define value NASTY_
#define when NASTY_
/* words of attributes */
#define access NASTY_
#define always_inline NASTY_
#define cleanup NASTY_
#define none NASTY_
#define nothrow NASTY_
#define unused NASTY_

#include "numafy/near.h"

#undef T
#undef K
#undef N
#undef A
#undef U
#undef V
#undef a
#undef c
#undef n
#undef p
#undef v
#undef w
#undef align
#undef alignment
#undef array
#undef base
#undef block
#undef box
#undef count
#undef ctor_place
#undef detail
#undef form
#undef frame
#undef key
#undef kind
#undef near_
#undef node
#undef node_
#undef out
#undef owner
#undef place
#undef previous
#undef result
#undef size
#undef test
#undef text
#undef type
#undef value
#undef when
#undef access
#undef always_inline
#undef cleanup
#undef none
#undef nothrow
#undef unused

#endif
