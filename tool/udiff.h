/* SPDX-License-Identifier: Apache-2.0 */
/* Unified diff of two texts, three lines of context, in the form that patch(1) reads. */
#ifndef NUMAFY_TOOL_UDIFF_H
#define NUMAFY_TOOL_UDIFF_H

#include "strbuf.h"

/* Appends `--- a/name`, `+++ b/name` and hunks; nothing if the texts are equal. */
void udiff(const char *name, const char *old_text, size_t old_len, const char *new_text,
           size_t new_len, struct strbuf *out);

/* Appends a diff with the colours of a terminal. */
void udiff_colour(const struct strbuf *diff, struct strbuf *out);

#endif
