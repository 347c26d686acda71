/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owns libclang: index, translation unit, arguments, diagnostics. Everything that is created here
 * is disposed here. Runs inside a scanner process: it may change the working directory.
 */
#ifndef NUMAFY_TOOL_INDEX_H
#define NUMAFY_TOOL_INDEX_H

#include "compdb.h"
#include "facts.h"

#include <clang-c/Index.h>

struct index_tu {
    CXIndex index;
    CXTranslationUnit tu; /* NULL if nothing could be parsed */
    bool cxx;             /* parsed as C++ */
};

/* Parses one unit with its own arguments, less what only gcc knows. `runtime` is the directory of
 * numa_alloc.h and numafy/near.h, looked up last; NULL adds none. Notes and `failed` go into
 * `facts`. Returns 0, or -1 if there is no tree to walk. Pair with index_close. */
int index_open(struct index_tu *ix, const struct compdb_unit *unit, const char *runtime,
               struct fact_unit *facts);
void index_close(struct index_tu *ix);

/* "clang version 19.1.7 ..." into the arena. */
char *index_version(struct arena *a);

#endif
