/* SPDX-License-Identifier: Apache-2.0 */
/* typed.h: numa<T,k> for C: blocks of several types and nodes by number, from the inlined new and
 * delete of C++. */
#ifndef FUZZ_TYPED_H
#define FUZZ_TYPED_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
enum { TYPED = 20 };

/* new numa<T,k> number `which`; its size and node. */
void *typed_new(unsigned which, size_t *size, int *node);

/* delete of what typed_new has made of the same number. */
void typed_delete(unsigned which, void *p);
#ifdef __cplusplus
}
#endif
#endif
