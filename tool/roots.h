/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables as roots: NUMA(k) in the source and --root. A pointer's root means that what it is
 * assigned is on the node; any other object is registered, by a macro behind its declaration. Pure:
 * no libclang, no files; it knows nothing of what a site's edit looks like.
 */
#ifndef NUMAFY_TOOL_ROOTS_H
#define NUMAFY_TOOL_ROOTS_H

#include "options.h"
#include "program.h"

/* Finds the variable of every --root and those that the source marks; fills p->rooted and adds
 * notes. Returns 0, or -1 with one line in err that offers the nearest names. */
int roots_resolve(struct program *p, const struct options *o, struct strbuf *err);

/* The root that is the variable with this key, or NULL: a block that is assigned to it, or that its
 * initialiser allocates, is on the root's node. */
const struct program_root *roots_find(const struct program *p, const char *key);

/* Fills p->inserts, and notes what cannot be registered. Needs every file's prelude_in. */
void roots_insert(struct program *p, const struct options *o);

#endif
