/* SPDX-License-Identifier: Apache-2.0 */
#include "prelude.h"

#include "planted.h"

#include <stdlib.h>
#include <string.h>

/* One # line: tokens first..last (exclusive). */
struct directive {
    size_t first, end;
};

static bool next_directive(const struct lex *l, size_t i, struct directive *d)
{
    if (i >= l->count || !l->tokens[i].directive)
        return false;
    d->first = i++;
    while (i < l->count && l->tokens[i].directive && !l->tokens[i].line_start)
        i++;
    d->end = i;
    return true;
}

static bool is_directive(const struct lex *l, const struct directive *d, const char *name)
{
    return d->end > d->first + 1 && lex_is(l, d->first + 1, name);
}

static bool is_conditional(const struct lex *l, const struct directive *d)
{
    return is_directive(l, d, "if") || is_directive(l, d, "ifdef") || is_directive(l, d, "ifndef");
}

/* Offset of the line after the directive, continued lines, and a comment that runs past it. */
static size_t after_line(const struct lex *l, const struct directive *d)
{
    const struct lex_token *last = &l->tokens[d->end - 1];
    size_t at = last->offset + last->length, limit = l->length;
    if (d->end < l->count)
        limit = l->tokens[d->end].offset;
    while (at < limit) {
        if (!strncmp(l->text + at, "/*", 2)) {
            const char *end = strstr(l->text + at + 2, "*/");
            at = end ? (size_t)(end - l->text) + 2 : limit;
        } else if (l->text[at] == '\n' && l->text[at - 1] != '\\' &&
                   !(at > 1 && l->text[at - 1] == '\r' && l->text[at - 2] == '\\')) {
            return at + 1;
        } else {
            at++;
        }
    }
    return limit;
}

/* #ifndef X, #define X ... #endif around the whole file. */
static bool is_guard(const struct lex *l, const struct directive *d)
{
    struct directive def;
    if (!is_directive(l, d, "ifndef") || d->end != d->first + 3 ||
        !next_directive(l, d->end, &def) || !is_directive(l, &def, "define") ||
        def.end < def.first + 3)
        return false;
    const struct lex_token *a = &l->tokens[d->first + 2], *b = &l->tokens[def.first + 2];
    if (a->length != b->length || memcmp(l->text + a->offset, l->text + b->offset, a->length))
        return false;
    int depth = 0;
    for (size_t i = d->first; i < l->count; i++) {
        struct directive x;
        if (!l->tokens[i].line_start || !next_directive(l, i, &x))
            continue;
        depth += is_conditional(l, &x);
        if (is_directive(l, &x, "endif") && --depth == 0)
            return x.end == l->count;
        if (depth == 1 && (is_directive(l, &x, "else") || is_directive(l, &x, "elif")))
            return false;
    }
    return false;
}

/* Macros that a system header reads: the include must not come between them and it. */
static bool is_feature_macro(const struct lex *l, const struct directive *d)
{
    static const char *const names[] = {"_FILE_OFFSET_BITS", "_TIME_BITS", "_FORTIFY_SOURCE",
                                        "__USE_MINGW_ANSI_STDIO"};
    if (!is_directive(l, d, "define") || d->end < d->first + 3)
        return false;
    const struct lex_token *t = &l->tokens[d->first + 2];
    const char *s = l->text + t->offset;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == t->length && !memcmp(names[i], s, t->length))
            return true;
    return (t->length > 7 && !memcmp(s + t->length - 7, "_SOURCE", 7)) ||
           (t->length > 7 && !memcmp(s, "__STDC_", 7)) ||
           (t->length > 15 && !memcmp(s, "_GLIBCXX_", 9));
}

static bool includes_near(const struct lex *l, const struct directive *d)
{
    return is_directive(l, d, "include") && lex_is(l, d->first + 2, "\"numafy/near.h\"");
}

/* The number that the line at `offset` has: its place in the file, or counted from a #line. */
static unsigned line_number(const struct lex *l, size_t offset)
{
    unsigned line, column;
    lex_position(l, (unsigned)offset, &line, &column);
    for (size_t i = 0; i < l->count && l->tokens[i].offset < offset; i++) {
        struct directive d;
        if (!l->tokens[i].line_start || !next_directive(l, i, &d) || d.end < d.first + 2)
            continue;
        size_t number = d.first + (is_directive(l, &d, "line") ? 2 : 1);
        if (number < d.end && l->tokens[number].kind == LEX_NUMBER) {
            unsigned at, whole;
            lex_position(l, l->tokens[i].offset, &at, &column);
            lex_position(l, (unsigned)offset, &whole, &column);
            line = (unsigned)strtoul(l->text + l->tokens[number].offset, NULL, 10) + whole - at - 1;
        }
    }
    return line;
}

static const char *line_end_of(const struct lex *l)
{
    const char *nl = memchr(l->text, '\n', l->length);
    return nl && nl > l->text && !NUMAFY_PLANTED_TOOL(18) && nl[-1] == '\r' ? "\r\n" : "\n";
}

struct head {
    size_t place; /* best offset so far */
    int found;    /* 0 nothing, 1 guard or once, 2 an #include, 3 a feature macro after it */
    bool near;
};

static void look_at_directive(const struct lex *l, const struct directive *d, int depth,
                              struct head *h)
{
    if ((depth && !NUMAFY_PLANTED_TOOL(5)) || h->near)
        return;
    h->near = includes_near(l, d);
    bool include = is_directive(l, d, "include") || is_directive(l, d, "include_next") ||
                   is_directive(l, d, "import");
    bool once = is_directive(l, d, "pragma") && lex_is(l, d->first + 2, "once");
    if (include || is_feature_macro(l, d)) {
        h->place = after_line(l, d);
        h->found = 2;
    } else if (once && h->found < 2) {
        h->place = after_line(l, d);
        h->found = 1;
    }
}

long prelude_place(const struct lex *l, struct strbuf *text)
{
    struct head h = {0};
    h.place = l->length >= 3 && !memcmp(l->text, "\xef\xbb\xbf", 3) ? 3 : 0;
    int depth = 0;
    struct directive d;
    for (size_t i = 0; next_directive(l, i, &d); i = d.end) {
        bool first = i == 0 || (i && depth == 0 && h.found == 1);
        if (first && is_guard(l, &d)) {
            struct directive def;
            next_directive(l, d.end, &def);
            if (h.found < 2)
                h.place = after_line(l, &def);
            h.found = h.found < 1 ? 1 : h.found;
            d = def;
            continue;
        }
        if (is_directive(l, &d, "endif"))
            depth--;
        look_at_directive(l, &d, depth, &h);
        depth += is_conditional(l, &d);
    }
    if (h.near)
        return -1;
    const char *nl = line_end_of(l);
    if (h.place && l->text[h.place - 1] != '\n' && h.found)
        strbuf_puts(text, nl); /* the directive is the file's last line, without an end */
    strbuf_printf(text, "#include \"numafy/near.h\"%s#line %u%s", nl,
                  line_number(l, h.place) + NUMAFY_PLANTED_TOOL(16), nl);
    return (long)h.place;
}
