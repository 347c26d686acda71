/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a name of the command line means in the program: the type of a --place. Pure: no libclang,
 * no files; it knows nothing of sites and edits.
 */
#ifndef NUMAFY_TOOL_PLACES_H
#define NUMAFY_TOOL_PLACES_H

#include "options.h"
#include "program.h"

/* Finds the types of every --place; o->placements gets one entry for each type. A pattern (`ns::*`,
 * `*Node`, on qualified names) gives way to one that says more, and to a name. Returns 0, or -1
 * with one line in err that offers the nearest names. */
int places_resolve(const struct program *p, struct options *o, struct strbuf *err);

/* Appends "; nearest: a, b, c" of those names that are near, or nothing. */
void places_offer(const strings *names, const char *name, struct strbuf *out);

/* The node as the edited text writes it: `1`, `NUMAFY_LOCAL`, `NUMAFY_INTERLEAVE`. */
const char *places_node_text(struct arena *a, int node);

/* Levenshtein distance in bytes, at most `limit`. */
size_t places_distance(const char *a, const char *b, size_t limit);

#endif
