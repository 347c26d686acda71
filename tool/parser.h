/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parsing part: index.c and collect*.c, a shared object of their own (parse.c) that is loaded
 * when the first unit must be parsed. Starting libclang takes 0.1 s, more than all the rest of a
 * run that finds every unit in the cache. Knows where the part is and what it is, not what it does.
 */
#ifndef NUMAFY_TOOL_PARSER_H
#define NUMAFY_TOOL_PARSER_H

#include "compdb.h"
#include "options.h"

/* Fills the unit's facts; runs in a scanner process. */
typedef void scan_function(const struct compdb_unit *unit, const struct options *o,
                           struct fact_unit *facts);

/* What the part exports, by the name below. */
struct parser_part {
    char *(*version)(struct arena *a); /* "clang version 19.1.7 ..." */
    scan_function *scan;
};
#define PARSER_PART_SYMBOL numafy_parser_part

struct parser {
    struct arena arena;
    const struct parser_part *part; /* NULL: not loaded */
    const char *version;            /* libclang's */
    const char *identity; /* changes with whatever facts depend on: program, part, version */
};

/* Fills version and identity: from a note in the folder `cache` if all files that the loader took
 * are as they were then, otherwise by loading the part. `cache` "" keeps no note. Returns 0, or -1
 * with one line in err. */
int parser_open(struct parser *p, const char *cache, struct strbuf *err);
/* Loads the part unless it is loaded. Returns 0, or -1 with one line in err. */
int parser_load(struct parser *p, struct strbuf *err);
void parser_release(struct parser *p);

#endif
