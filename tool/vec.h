/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growable arrays. VEC(type) declares an anonymous struct with `items` and `count`; zero is an
 * empty one. vec_release frees the items' array, not what the items point to.
 */
#ifndef NUMAFY_TOOL_VEC_H
#define NUMAFY_TOOL_VEC_H

#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define VEC(type)           \
    struct {                \
        type *items;        \
        size_t count, room; \
    }

/* Appends a zeroed item and gives its address, which is valid until the next vec_add. */
#define vec_add(v)                                                                      \
    ((v)->count == (v)->room                                                            \
         ? (void)((v)->room = (v)->room ? (v)->room * 2 : 8,                            \
                  (v)->items = mem_realloc((v)->items, (v)->room * sizeof *(v)->items)) \
         : (void)0,                                                                     \
     memset(&(v)->items[(v)->count], 0, sizeof *(v)->items), &(v)->items[(v)->count++])

#define vec_push(v, value) (*vec_add(v) = (value))

#define vec_sort(v, compare) \
    ((v)->count > 1 ? qsort((v)->items, (v)->count, sizeof *(v)->items, compare) : (void)0)

#define vec_release(v) (free((v)->items), (v)->items = NULL, (void)((v)->count = (v)->room = 0))

#endif
