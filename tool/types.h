/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who allocates whom: from every root and placed type down the classes that own allocations, where
 * that stops and why, and the classes that nothing allocates. Reads a decided program, decides
 * nothing.
 */
#ifndef NUMAFY_TOOL_TYPES_H
#define NUMAFY_TOOL_TYPES_H

#include "options.h"
#include "program.h"

struct json_object;

/* The recursion as lines for people. */
void types_text(const struct program *p, const struct options *o, struct strbuf *out);
/* [{"type", "node", "owner", "sites": ["file:line"], "id", "reason"}]: one entry for each pair of
 * an allocated type and its owner, and for each reason why one was left. `node` is k, "owner", or
 * "" where it was left. */
struct json_object *types_json(const struct program *p, const struct options *o);

#endif
