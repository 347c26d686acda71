/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From decided sites to bytes: the new text of each file, the diff, the out tree and its manifest.
 * The only part that writes below --out. Knows no C++.
 */
#ifndef NUMAFY_TOOL_EMIT_H
#define NUMAFY_TOOL_EMIT_H

#include "options.h"
#include "program.h"

/* New text of one file. */
struct emitted {
    const char *path; /* real path of the source */
    struct strbuf text;
};

struct emit {
    struct arena arena;
    VEC(struct emitted) files; /* sorted by path; only those that change */
};

/* Computes the new text of every file with edits and marks it FILE_EDITED. Returns 0, or -1 with an
 * error (a file cannot be read, edits overlap: our fault). */
int emit_texts(struct emit *e, struct program *p, struct strbuf *err);
/* Appends the unified diff of all changes, paths below the tree. */
int emit_diff(const struct emit *e, const struct options *o, struct strbuf *out);
/* Writes the tree to o->out: edited files, copies of everything else but build folders and .git,
 * symbolic links as links, and .numafy/manifest.json. Files that an earlier run wrote and that the
 * tree no longer has are removed. Returns 0, or -1 with one line in err; no file is ever half
 * written. */
int emit_tree(const struct emit *e, const struct options *o, int argc, char **argv,
              struct strbuf *err);
void emit_release(struct emit *e);

#endif
