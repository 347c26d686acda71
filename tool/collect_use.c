/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that a macro's body makes. The body serves many uses with many owners, so it is not edited;
 * the use is: NEW(T), ALLOC_ARRAY(p, n) and my_malloc(n) stand for an expression, a statement or a
 * name. What the definition says is read as tokens; where it does not come out clearly, the use is
 * left.
 */
#include "collect_p.h"

void macro_note_use(struct collector *c, CXCursor expansion, struct source *src,
                    const struct fact_range *range)
{
    struct macro_use *u = vec_add(&c->uses);
    u->src = src;
    u->start = range->start;
    u->end = range->end;
    u->order = c->uses.count;
    c->uses_sorted = false;
    u->definition = clang_getCursorReferenced(expansion);
}

/* The outermost use first: those inside have its offset too, and end before it. */
static int compare_uses(const void *a, const void *b)
{
    const struct macro_use *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The outermost use that starts there. */
static const struct macro_use *use_at(struct collector *c, const struct source *src,
                                      unsigned offset)
{
    if (!c->uses_sorted)
        vec_sort(&c->uses, compare_uses);
    c->uses_sorted = true;
    size_t low = 0, high = c->uses.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct macro_use *u = &c->uses.items[middle];
        if (u->src < src || (u->src == src && u->start < offset))
            low = middle + 1;
        else
            high = middle;
    }
    const struct macro_use *found = low < c->uses.count ? &c->uses.items[low] : NULL;
    return found && found->src == src && found->start == offset ? found : NULL;
}

/* Tokens of the definition's replacement: first..end in *l. */
static bool body_of(struct collector *c, const struct macro_use *u, const struct lex **l,
                    size_t *first, size_t *end)
{
    CXFile file;
    unsigned start, stop;
    if (clang_Cursor_isNull(u->definition))
        return false;
    CXSourceRange range = clang_getCursorExtent(u->definition);
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &stop);
    place_of(c, clang_getRangeStart(range)); /* lexes the file */
    struct source *src = source_of(c, file);
    if (!src || !src->lexed)
        return false;
    *l = source_lex(src);
    size_t i = lex_at(*l, start);
    if (i >= (*l)->count)
        return false;
    const struct lex_token *name = &(*l)->tokens[i++];
    if (lex_is(*l, i, "(") && (*l)->tokens[i].offset == name->offset + name->length)
        while (i < (*l)->count && !lex_is(*l, i++, ")"))
            continue;
    *first = *end = i;
    while (*end < (*l)->count && (*l)->tokens[*end].offset < stop)
        ++*end;
    return *first < *end;
}

static bool is_one_of(const struct lex *l, size_t i, const char *const *words)
{
    for (; *words; words++)
        if (lex_is(l, i, *words))
            return true;
    return false;
}

/* No statement, no open end: the tokens are one operand or one expression. */
static bool is_expression(const struct lex *l, size_t first, size_t end)
{
    static const char *const never[] = {";",    "#",     "##",       "return", "goto",  "do",
                                        "if",   "while", "for",      "switch", "break", "case",
                                        "else", "new",   "continue", NULL};
    static const char *const open_end[] = {
        "=", ",",  "+",  "-",  "*",  "/", "%", "?",  ":",  ".",  "->", "&", "|",
        "^", "&&", "||", "==", "!=", "<", ">", "<=", ">=", "<<", ">>", NULL};
    int depth = 0;
    if (is_one_of(l, first, open_end) || is_one_of(l, end - 1, open_end))
        return false;
    for (size_t i = first; i < end; i++) {
        depth += lex_is(l, i, "(") - lex_is(l, i, ")");
        if (depth < 0 || is_one_of(l, i, never) || lex_is(l, i, "{"))
            return false;
        if (!depth && lex_is(l, i, ","))
            return false;
    }
    return depth == 0;
}

/* Leaves the statement other than at its end. */
static bool jumps(const struct lex *l, size_t first, size_t end)
{
    static const char *const words[] = {"return", "goto", "break", "continue", "##", NULL};
    for (size_t i = first; i < end; i++)
        if (is_one_of(l, i, words))
            return true;
    return false;
}

static bool in_use(struct collector *c, CXCursor cursor, const struct macro_use *u)
{
    CXFile a, b;
    unsigned start, end;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getFileLocation(clang_getRangeStart(range), &a, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(range), &b, NULL, NULL, &end);
    return source_of(c, a) == u->src && source_of(c, b) == u->src && start >= u->start &&
           end <= u->end;
}

struct overlap {
    struct collector *c;
    const struct macro_use *u;
    CXCursor inside; /* what the use is thought to be */
    bool found;
};

static enum CXChildVisitResult find_overlap(CXCursor child, CXCursor parent, CXClientData data)
{
    struct overlap *o = data;
    CXFile file;
    unsigned start, end;
    (void)parent;
    CXSourceRange range = clang_getCursorExtent(child);
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    o->found = !same_cursor(child, o->inside) && source_of(o->c, file) == o->u->src &&
               start < o->u->end && end > o->u->start;
    return o->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* The use is all of the frame `top` and of nothing else: its body may hold several statements, or
 * an operator that binds a part of it to what stands around (`2 * USE`, USE being a + f()). */
static bool is_all_of_use(struct collector *c, const struct macro_use *u, size_t top)
{
    struct overlap o = {.c = c, .u = u};
    for (size_t i = top; i > 0 && !o.found; i--) {
        o.inside = c->frames.items[i].cursor;
        clang_visitChildren(c->frames.items[i - 1].cursor, find_overlap, &o);
        if (!clang_isExpression(c->frames.items[i - 1].kind))
            break;
    }
    return !o.found;
}

/* A statement of its own: `;` follows, and what stands before ends a statement, opens a block or is
 * the head of one. */
static bool is_whole_statement(const struct lex *l, const struct macro_use *u, unsigned *end)
{
    static const char *const before[] = {"{", "}", ";", ":", ")", "else", "do", NULL};
    size_t i = lex_at(l, u->start), next = lex_from(l, u->end);
    if (i == 0 || i >= l->count || !lex_is(l, next, ";") || l->tokens[i - 1].directive ||
        !is_one_of(l, i - 1, before))
        return false;
    *end = l->tokens[next].offset + 1;
    return true;
}

enum macro_form macro_form(struct collector *c, const struct place *p, struct macro_use *use,
                           size_t *top)
{
    const struct macro_use *u = use_at(c, p->src, p->offset);
    const struct lex *body, *l;
    size_t first, end;
    if (!u || !u->src->project || !body_of(c, u, &body, &first, &end))
        return MACRO_OTHER;
    *use = *u;
    l = source_lex(u->src);
    size_t name = lex_at(l, u->start);
    if (name >= l->count)
        return MACRO_OTHER;
    if (end == first + 1 && u->end == l->tokens[name].offset + l->tokens[name].length)
        return MACRO_NAME;
    *top = c->frames.count - 1;
    bool declares = false;
    while (*top > 0 && in_use(c, c->frames.items[*top - 1].cursor, u)) {
        --*top;
        declares |= c->frames.items[*top].kind == CXCursor_DeclStmt ||
                    c->frames.items[*top].kind == CXCursor_VarDecl;
    }
    if (is_expression(body, first, end) && !declares &&
        clang_isExpression(c->frames.items[*top].kind) && is_all_of_use(c, u, *top))
        return MACRO_EXPRESSION;
    if (!c->cxx && !declares && !jumps(body, first, end) && is_whole_statement(l, u, &use->end))
        return MACRO_STATEMENT;
    return MACRO_OTHER;
}
