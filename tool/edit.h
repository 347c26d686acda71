/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte edits of one file: sorted, non-overlapping replacements. Every byte outside the replaced
 * ranges reaches the output unchanged and in order. Knows neither languages nor files.
 */
#ifndef NUMAFY_TOOL_EDIT_H
#define NUMAFY_TOOL_EDIT_H

#include "strbuf.h"

#include <stddef.h>

/* Replace `length` bytes at `offset` by `text` (borrowed). Length 0 inserts before the byte at
 * `offset`. Edits at one offset keep the order of `rank`: closing brackets of an inner expression
 * before those of an outer one. */
struct edit {
    size_t offset, length;
    const char *text;
    int rank;
};

struct edit_list {
    struct edit *items;
    size_t count, room;
};

void edit_list_add(struct edit_list *list, size_t offset, size_t length, const char *text,
                   int rank);
/* Sorts by (offset, insertions first, rank, text) and drops exact duplicates. Returns 0, or -1 if
 * two edits overlap; *bad is then the index of the second one. */
int edit_list_finish(struct edit_list *list, size_t *bad);
/* Applies a finished list to `size` bytes, appending to out. Returns 0, or -1 if an edit reaches
 * past the end (out is then unspecified). */
int edit_list_apply(const struct edit_list *list, const char *bytes, size_t size,
                    struct strbuf *out);
void edit_list_release(struct edit_list *list);

#endif
