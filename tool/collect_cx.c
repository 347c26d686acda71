/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, places and children: what every other part of the walk needs from libclang. */
#include "collect_p.h"

#include "path.h"

char *cx_take(struct arena *a, CXString s)
{
    const char *text = clang_getCString(s);
    char *copy = arena_strdup(a, text ? text : "");
    clang_disposeString(s);
    return copy;
}

char *spelling(struct collector *c, CXCursor cursor)
{
    return cx_take(c->a, clang_getCursorSpelling(cursor));
}

struct source *source_of(struct collector *c, CXFile file)
{
    if (!file)
        return NULL;
    if (c->last_source && c->last_source->cx_file == file)
        return c->last_source;
    for (size_t i = 0; i < c->sources.count; i++)
        if (c->sources.items[i]->cx_file == file)
            return c->last_source = c->sources.items[i];
    struct source *s = arena_alloc(c->a, sizeof *s);
    char *name = cx_take(c->a, clang_getFileName(file));
    char *real = path_real(c->a, name);
    s->cx_file = file;
    s->path = real ? real : name;
    s->project = real && path_within(real, c->opt->tree) &&
                 !(*c->opt->skip && path_within(real, c->opt->skip));
    vec_push(&c->sources, s);
    return c->last_source = s;
}

struct lex *source_lex(struct source *s)
{
    return &s->lex;
}

struct place place_of(struct collector *c, CXSourceLocation loc)
{
    struct place p = {0};
    CXFile file = NULL, body = NULL;
    unsigned expansion = 0;
    clang_getFileLocation(loc, &file, &p.line, &p.column, &p.offset);
    p.src = source_of(c, file);
    if (!p.src)
        return p;
    clang_getSpellingLocation(loc, &body, NULL, NULL, &p.body_offset);
    clang_getExpansionLocation(loc, NULL, NULL, NULL, &expansion);
    struct source *in = source_of(c, body);
    if (!in || in->path[0] != '/')
        p.how = SPELLED_NOWHERE; /* <scratch space> */
    else if (in == p.src && p.body_offset == p.offset)
        p.how = expansion == p.offset ? SPELLED_FILE : SPELLED_ARGUMENT;
    else
        p.how = SPELLED_BODY;
    p.body = p.how == SPELLED_BODY ? in : NULL;
    if (p.src->project && !p.src->lexed) {
        p.src->text = clang_getFileContents(c->tu, file, &p.src->length);
        lex_init(&p.src->lex, p.src->text ? p.src->text : "", p.src->length);
        p.src->lexed = true;
    }
    return p;
}

bool place_is_plain(const struct place *p)
{
    return p->src && p->src->project && (p->how == SPELLED_FILE || p->how == SPELLED_ARGUMENT);
}

bool cursor_range(struct collector *c, CXCursor cursor, struct source **src, unsigned *start,
                  unsigned *end)
{
    CXSourceRange range = clang_getCursorExtent(cursor);
    struct place a = place_of(c, clang_getRangeStart(range));
    struct place b = place_of(c, clang_getRangeEnd(range));
    if (!place_is_plain(&a) || !b.src || b.src != a.src || b.offset <= a.offset ||
        b.offset > a.src->length)
        return false;
    *src = a.src;
    *start = a.offset;
    *end = b.offset;
    return true;
}

static bool joins(const struct lex_token *t)
{
    return t->kind == LEX_WORD || t->kind == LEX_NUMBER;
}

char *cursor_text(struct collector *c, CXCursor cursor)
{
    struct source *src;
    unsigned start, end;
    if (!cursor_range(c, cursor, &src, &start, &end))
        return NULL;
    struct strbuf text = {0};
    struct lex *l = source_lex(src);
    int depth = 0;
    for (size_t i = lex_from(l, start); i < l->count && l->tokens[i].offset < end; i++) {
        const struct lex_token *t = &l->tokens[i];
        if (t->directive || t->spliced || t->offset + t->length > end)
            depth = -1000000;
        depth += lex_is(l, i, "(") || lex_is(l, i, "[");
        depth -= lex_is(l, i, ")") || lex_is(l, i, "]");
        bool word_gap = text.len && joins(t) && joins(t - 1);
        /* `a - -b` must not become `a --b`. */
        bool punct_gap = text.len && t->kind == LEX_PUNCT && t[-1].kind == LEX_PUNCT &&
                         l->text[t->offset] == l->text[t[-1].offset] && !lex_is(l, i, "(") &&
                         !lex_is(l, i, ")") && !lex_is(l, i, "[") && !lex_is(l, i, "]") &&
                         !lex_is(l, i, "*");
        if (word_gap || punct_gap)
            strbuf_putc(&text, ' ');
        strbuf_add(&text, l->text + t->offset, t->length);
    }
    char *copy = depth == 0 && text.len ? arena_strndup(c->a, text.data, text.len) : NULL;
    strbuf_release(&text);
    return copy;
}

struct children {
    CXCursor *out;
    size_t count, max;
    bool expressions_only;
};

static enum CXChildVisitResult add_child(CXCursor child, CXCursor parent, CXClientData data)
{
    struct children *k = data;
    (void)parent;
    if (k->expressions_only && !clang_isExpression(clang_getCursorKind(child)))
        return CXChildVisit_Continue;
    if (k->count < k->max)
        k->out[k->count] = child;
    k->count++;
    return k->expressions_only ? CXChildVisit_Break : CXChildVisit_Continue;
}

size_t children_of(CXCursor cursor, CXCursor *out, size_t max)
{
    struct children k = {out, 0, max, false};
    clang_visitChildren(cursor, add_child, &k);
    return k.count < max ? k.count : max;
}

CXCursor first_expression(CXCursor cursor)
{
    CXCursor found = clang_getNullCursor();
    struct children k = {&found, 0, 1, true};
    clang_visitChildren(cursor, add_child, &k);
    return found;
}

/* clang_equalCursors also compares the declaration that an expression's cursor carries as its
 * parent, and that differs between visits, and after a lambda within one. For expressions and
 * statements the node itself, which libclang keeps in data[1] (CXCursor.cpp), is what counts. */
bool same_cursor(CXCursor a, CXCursor b)
{
    if (clang_equalCursors(a, b))
        return true;
    bool node = clang_isExpression(a.kind) || clang_isStatement(a.kind);
    return node && a.kind == b.kind && a.data[1] && a.data[1] == b.data[1];
}

/* Parentheses and implicit conversions. */
CXCursor skip_wrappers(CXCursor cursor)
{
    for (;;) {
        enum CXCursorKind k = clang_getCursorKind(cursor);
        if (k != CXCursor_ParenExpr && k != CXCursor_UnexposedExpr)
            return cursor;
        CXCursor inner = first_expression(cursor);
        if (clang_Cursor_isNull(inner))
            return cursor;
        cursor = inner;
    }
}

bool is_cast_kind(enum CXCursorKind k)
{
    return k == CXCursor_CStyleCastExpr || k == CXCursor_CXXStaticCastExpr ||
           k == CXCursor_CXXReinterpretCastExpr || k == CXCursor_CXXConstCastExpr ||
           k == CXCursor_CXXDynamicCastExpr || k == CXCursor_CXXFunctionalCastExpr;
}

bool passes_value_on(enum CXCursorKind k)
{
    return k == CXCursor_UnexposedExpr || k == CXCursor_ParenExpr || k == CXCursor_InitListExpr ||
           is_cast_kind(k);
}

CXCursor skip_casts(CXCursor cursor)
{
    cursor = skip_wrappers(cursor);
    while (is_cast_kind(clang_getCursorKind(cursor)) &&
           !clang_Cursor_isNull(first_expression(cursor)))
        cursor = skip_wrappers(first_expression(cursor));
    return cursor;
}

bool is_system(struct collector *c, CXCursor decl)
{
    CXSourceLocation loc = clang_getCursorLocation(decl);
    if (!clang_Location_isInSystemHeader(loc))
        return false;
    CXFile file;
    clang_getFileLocation(loc, &file, NULL, NULL, NULL);
    struct source *s = source_of(c, file);
    return !s || !s->project;
}

bool is_record_kind(enum CXCursorKind k)
{
    return k == CXCursor_ClassDecl || k == CXCursor_StructDecl || k == CXCursor_UnionDecl ||
           k == CXCursor_ClassTemplate || k == CXCursor_ClassTemplatePartialSpecialization;
}
