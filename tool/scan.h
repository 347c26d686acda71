/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one process per translation unit, N at a time: a crash of the parser costs one unit. Facts
 * come back through a temporary file each. The order of the results is the database's.
 */
#ifndef NUMAFY_TOOL_SCAN_H
#define NUMAFY_TOOL_SCAN_H

#include "cache.h"
#include "compdb.h"
#include "parser.h"
#include "program.h"

/* Scans every unit of the database into the program, but for those whose facts the cache has.
 * Returns 0, or -1 with one line in err (no temporary file, no process). */
int scan_all(const struct compdb *db, const struct options *o, struct parser *parser,
             struct cache *cache, struct program *p, struct strbuf *err);

#endif
