/* SPDX-License-Identifier: Apache-2.0 */
#include "diag.h"

#include <stdarg.h>
#include <stddef.h>

const char *nf_text(enum nf_id id)
{
    switch (id) {
#define NF(number, name, text, advice) \
    case NF_##name:                    \
        return text;
#include "nf_ids.def"
#undef NF
    case NF_NONE:
        break;
    }
    return "unknown";
}

const char *nf_advice(enum nf_id id)
{
    switch (id) {
#define NF(number, name, text, advice) \
    case NF_##name:                    \
        return advice;
#include "nf_ids.def"
#undef NF
    case NF_NONE:
        break;
    }
    return "";
}

const enum nf_id *nf_list(void)
{
    static const enum nf_id list[] = {
#define NF(number, name, text, advice) NF_##name,
#include "nf_ids.def"
#undef NF
        NF_NONE};
    return list;
}

void diag_site(FILE *out, const char *file, unsigned line, unsigned column, enum nf_id id,
               const char *detail)
{
    fprintf(out, "%s:%u:%u: NF%d: %s%s%s\n", file, line, column, (int)id, nf_text(id),
            detail && *detail ? ": " : "", detail ? detail : "");
}

void diag_error(FILE *out, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("numafy: ", out);
    vfprintf(out, fmt, ap);
    fputc('\n', out);
    va_end(ap);
}

/* Position in the order of precedence, weakest first. */
static int exit_rank(enum exit_code c)
{
    static const enum exit_code order[] = {EXIT_DONE,     EXIT_CHANGES, EXIT_LEFT,     EXIT_PARSE,
                                           EXIT_CONFLICT, EXIT_WRITE,   EXIT_INTERNAL, EXIT_USAGE};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] == c)
            return (int)i;
    return 0;
}

enum exit_code exit_worse(enum exit_code a, enum exit_code b)
{
    return exit_rank(a) >= exit_rank(b) ? a : b;
}
