/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostic ids and the one format in which they are written. Knows no site and no file: callers
 * pass strings. diag_* write to the stream that they are given.
 */
#ifndef NUMAFY_TOOL_DIAG_H
#define NUMAFY_TOOL_DIAG_H

#include <stdio.h>

/* 0 means "no diagnostic". */
enum nf_id {
    NF_NONE = 0,
#define NF(number, name, text, advice) NF_##name = number,
#include "nf_ids.def"
#undef NF
};

/* The table's text for the id; "unknown" for a number that is not in it. */
const char *nf_text(enum nf_id id);
/* What to do about it, as docs/diagnostics.md says it; "" for a number that is not in the table. */
const char *nf_advice(enum nf_id id);
/* The table's ids in order, ended by NF_NONE. */
const enum nf_id *nf_list(void);

/* `file:line:col: NF1001: text` plus `: detail` if detail is not empty. */
void diag_site(FILE *out, const char *file, unsigned line, unsigned column, enum nf_id id,
               const char *detail);
/* `numafy: message`, one line. */
void diag_error(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Exit codes of the program, docs/exit-codes.md. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_USAGE = 1,
    EXIT_PARSE = 2,
    EXIT_LEFT = 3,
    EXIT_CONFLICT = 4,
    EXIT_CHANGES = 5,
    EXIT_WRITE = 6,
    EXIT_INTERNAL = 70
};
/* The code that wins when both happened: 70 > 6 > 4 > 2 > 7 > 3 > 5 > 0; 1 wins over all. */
enum exit_code exit_worse(enum exit_code a, enum exit_code b);

#endif
