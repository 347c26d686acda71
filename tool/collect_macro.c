/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations in macro arguments. An argument is edited where it is written, which is wrong where
 * the macro also turns it into text (`#e`: what assert prints would change). It reads the texts of
 * the definitions and knows nothing of sites.
 */
#include "collect_p.h"

/* Macros that call macros deeper than this are taken to do anything. */
enum { MACRO_DEPTH = 16 };

static enum CXChildVisitResult add_macro(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct collector *c = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_MacroDefinition ||
        !clang_Cursor_isMacroFunctionLike(cursor))
        return CXChildVisit_Continue;
    CXFile file;
    unsigned start, end;
    size_t length;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    const char *text = file ? clang_getFileContents(c->tu, file, &length) : NULL;
    if (!text || start >= end || end > length)
        return CXChildVisit_Continue;
    struct macro_text m = {spelling(c, cursor), text + start, end - start};
    vec_push(&c->macros, m);
    return CXChildVisit_Continue;
}

/* Name of the parameter that takes argument `index`; the last one of a variadic macro takes the
 * rest. NULL: no such parameter. *body is the token after the list. */
static char *parameter_at(struct collector *c, const struct lex *l, size_t index, size_t *body)
{
    size_t close = lex_match(l, 1), last = 0, n = 0;
    bool variadic = false;
    *body = close + 1;
    for (size_t i = 2; i < close && i < l->count; i++) {
        variadic |= lex_is(l, i, "...");
        if (l->tokens[i].kind == LEX_WORD && n++ <= index)
            last = i;
    }
    if (variadic && (n <= index || !last)) /* an unnamed rest is one parameter more */
        return arena_strdup(c->a, lex_is(l, close - 2, ",") || close == 3 ? "__VA_ARGS__" : "");
    if (!last || n <= index)
        return NULL;
    return arena_strndup(c->a, l->text + l->tokens[last].offset, l->tokens[last].length);
}

/* Which argument of the call that opens at token `open` token i is in. */
static size_t argument_index(const struct lex *l, size_t open, size_t i)
{
    size_t index = 0;
    int depth = 0;
    for (size_t k = open + 1; k < i; k++) {
        depth += lex_is(l, k, "(") - lex_is(l, k, ")");
        index += depth == 0 && lex_is(l, k, ",");
    }
    return index;
}

static bool is_hash(const struct lex *l, size_t i)
{
    return lex_is(l, i, "#") &&
           !(i > 0 && lex_is(l, i - 1, "#") && l->tokens[i - 1].offset + 1 == l->tokens[i].offset);
}

static bool becomes_text(struct collector *c, const char *name, size_t index, int depth);

/* A name that only the use tells: a parameter, or pasted. */
static bool is_open_name(const struct lex *l, size_t body, size_t i)
{
    for (size_t k = 2; k < body; k++)
        if (l->tokens[k].length == l->tokens[i].length &&
            !memcmp(l->text + l->tokens[k].offset, l->text + l->tokens[i].offset,
                    l->tokens[i].length))
            return true;
    return lex_is(l, i - 1, "#");
}

/* Token i of a body is handed on to another macro that makes text of it. */
static bool handed_on(struct collector *c, const struct lex *l, size_t body, size_t i, int depth)
{
    int level = 0;
    for (size_t k = i; k-- > body;) {
        level += lex_is(l, k, ")") - lex_is(l, k, "(");
        if (level >= 0 || k == body || l->tokens[k - 1].kind != LEX_WORD)
            continue;
        level = 0;
        char *name =
            arena_strndup(c->a, l->text + l->tokens[k - 1].offset, l->tokens[k - 1].length);
        if (is_open_name(l, body, k - 1) ||
            becomes_text(c, name, argument_index(l, k, i), depth + 1))
            return true;
    }
    return false;
}

static bool body_makes_text(struct collector *c, const struct macro_text *m, size_t index,
                            int depth)
{
    struct lex l;
    size_t body;
    bool found = false;
    lex_init(&l, m->text, m->length);
    char *parameter = parameter_at(c, &l, index, &body);
    found = parameter && !*parameter; /* a named rest: not looked into */
    for (size_t i = body; parameter && !found && i < l.count; i++)
        if (lex_is(&l, i, parameter))
            found = is_hash(&l, i - 1) || handed_on(c, &l, body, i, depth);
    lex_release(&l);
    return found;
}

/* Any definition of the name counts: which one was in force is not looked up. */
static bool becomes_text(struct collector *c, const char *name, size_t index, int depth)
{
    if (depth > MACRO_DEPTH)
        return true;
    for (size_t i = 0; i < c->macros.count; i++)
        if (!strcmp(c->macros.items[i].name, name) &&
            body_makes_text(c, &c->macros.items[i], index, depth))
            return true;
    return false;
}

static const struct fact_file *file_of(struct collector *c, const char *path)
{
    for (size_t i = 0; i < c->u->files.count; i++)
        if (!strcmp(c->u->files.items[i].path, path))
            return &c->u->files.items[i];
    return NULL;
}

bool macro_makes_text(struct collector *c, const struct place *p)
{
    const struct fact_file *f = file_of(c, p->src->path);
    struct lex *l = source_lex(p->src);
    size_t at = lex_from(l, p->offset);
    bool seen = false;
    if (!c->macros.count)
        clang_visitChildren(clang_getTranslationUnitCursor(c->tu), add_macro, c);
    for (size_t i = 0; f && i < f->macros.count; i++) {
        const struct fact_range *r = &f->macros.items[i];
        size_t name = lex_at(l, r->start);
        if (p->offset <= r->start || p->offset >= r->end || !lex_is(l, name + 1, "("))
            continue;
        seen = true;
        char *word = arena_strndup(c->a, l->text + r->start, l->tokens[name].length);
        if (becomes_text(c, word, argument_index(l, name + 1, at), 0))
            return true;
    }
    return !seen; /* handed over by a name that stands for a macro's */
}
