/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_parts.h: what the other units and the library of the runtime's tests offer: the header is
 * in all of them (O12). */
#ifndef RUNTIME_PARTS_H
#define RUNTIME_PARTS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* runtime_lib.c, a shared library */
void *lib_alloc(int node, size_t size);
void lib_free(void *p);
void *lib_plain(size_t size);
const void *lib_state(void);
const void *lib_tls(void);

/* runtime_part_c.c and runtime_part_cxx.cpp, units of the program that include the header too */
void *part_c_alloc(int node, size_t size);
void part_c_free(void *p);
const void *part_c_state(void);
void *part_cxx_new(int node);   /* an int[4] by a placed new */
void part_cxx_delete(void *p);  /* delete[] of it */
void *part_cxx_plain_new(void); /* ::operator new(40) */
void part_cxx_sized_delete(void *p, size_t size);
const void *part_cxx_state(void);

#ifdef __cplusplus
}
#endif

#endif
