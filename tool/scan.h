/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one process per translation unit, N at a time: a crash of the parser costs one unit. Facts
 * come back through a temporary file each. The order of the results is the database's.
 */
#ifndef NUMAFY_TOOL_SCAN_H
#define NUMAFY_TOOL_SCAN_H

#include "cache.h"
#include "compdb.h"
#include "options.h"
#include "program.h"

/* What a scanner process does: fills the unit's facts. */
typedef void scan_function(const struct compdb_unit *unit, const struct options *o,
                           struct fact_unit *facts);

/* Scans every unit of the database into the program, but for those whose facts the cache has.
 * Returns 0, or -1 with one line in err (no temporary file, no process). */
int scan_all(const struct compdb *db, const struct options *o, scan_function *scan,
             struct cache *cache, struct program *p, struct strbuf *err);

#endif
