/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a name of the command line means in the program: the type of a --place. Pure: no libclang,
 * no files; it knows nothing of sites and edits.
 */
#ifndef NUMAFY_TOOL_PLACES_H
#define NUMAFY_TOOL_PLACES_H

#include "options.h"
#include "program.h"

/* Finds the type of every --place. Returns 0, or -1 with one line in err that offers the nearest
 * names. */
int places_resolve(const struct program *p, struct options *o, struct strbuf *err);

/* Levenshtein distance in bytes, at most `limit`. */
size_t places_distance(const char *a, const char *b, size_t limit);

#endif
