/* SPDX-License-Identifier: Apache-2.0 */
/* What the run found, as JSON for programs and as lines for people. Decides nothing. */
#ifndef NUMAFY_TOOL_REPORT_H
#define NUMAFY_TOOL_REPORT_H

#include "options.h"
#include "program.h"

#include <stdio.h>

struct json_object;

struct totals {
    size_t sites, near, on, scope, left, lost, files_edited, files_failed;
    size_t reachable_left, conflicts, scopes, scopes_left;
};

void report_count(const struct program *p, struct totals *t);
/* The report of DESIGN: version, tree, files, sites, totals; plus units, notes and tokens. */
void report_json(const struct program *p, const struct options *o, const struct totals *t,
                 struct strbuf *out);
/* Serialises; bytes that are not UTF-8 become \udcXX as in Python's surrogateescape. */
void report_json_text(struct json_object *root, struct strbuf *out);
/* Diagnostics: errors of units, lost sites, conflicts, left sites that a root reaches. With
 * `verbose` every site. */
void report_diagnostics(FILE *err, const struct program *p, const struct options *o);
void report_summary(FILE *out, const struct program *p, const struct options *o,
                    const struct totals *t);
/* Name and version of the parser; set once by main. */
void report_set_parser(const char *name);
const char *report_parser(void);

#endif
