/* SPDX-License-Identifier: Apache-2.0 */
/* Sources that no unit reads, and which parts of a tree are no sources at all. */
#ifndef NUMAFY_TOOL_ORPHANS_H
#define NUMAFY_TOOL_ORPHANS_H

#include "options.h"
#include "program.h"

/* Adds every C or C++ source of the tree that no unit reads to p->files. After program_merge. */
void program_add_orphans(struct program *p, const struct options *o);
/* A folder that a build system made; where its sources lie too it is no build folder. */
bool tree_is_build(const char *dir);
/* Version control, build folders, object files of the database and our own notes: neither copied
 * nor listed. `name` is the last part of `path`. */
bool tree_leaves_out(const struct options *o, const char *path, const char *name);

#endif
