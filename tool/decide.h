/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which site is edited, with which text. Pure: from the merged program and the options to actions;
 * no libclang, no files.
 */
#ifndef NUMAFY_TOOL_DECIDE_H
#define NUMAFY_TOOL_DECIDE_H

#include "options.h"
#include "program.h"

/* Finds the type of every --place. Returns 0, or -1 with one line in err that offers the nearest
 * names. */
int decide_placements(const struct program *p, struct options *o, struct strbuf *err);

/* Fills action, id, owner, head, inside and tail of every site. */
void decide_sites(struct program *p, const struct options *o);

/* Levenshtein distance in bytes, at most `limit`. */
size_t decide_distance(const char *a, const char *b, size_t limit);

#endif
