/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables whose initialiser libclang does not walk: of `switch (init; ..)`, of `for (init; x :
 * y)` and of a lambda's init-capture. They are found through their uses: a name refers to its
 * declaration, and that can be walked. One that is never used stays lost, and account.c says so.
 */
#include "collect_p.h"

struct hidden {
    struct collector *c;
    struct source *src;
    unsigned start, end; /* the bytes that are not walked */
    VEC(CXCursor) found;
};

/* Tokens open..close (exclusive) of what is not walked; false if the statement has no such part. */
static bool hidden_part(const struct lex *l, size_t first, enum CXCursorKind k, size_t *open,
                        size_t *close)
{
    if (k == CXCursor_LambdaExpr) {
        *open = first;
        *close = lex_match(l, first);
        return lex_is(l, first, "[");
    }
    *open = first + 1;
    size_t end = lex_match(l, first + 1);
    for (*close = first + 2; *close < end && *close < l->count; ++*close) {
        if (lex_is(l, *close, ";"))
            return true;
        if (lex_is(l, *close, "(") || lex_is(l, *close, "[") || lex_is(l, *close, "{"))
            *close = lex_match(l, *close);
    }
    return false;
}

static bool has_allocation(const struct lex *l, size_t open, size_t close)
{
    for (size_t i = open; i < close; i++) {
        char word[16] = "";
        if (l->tokens[i].kind == LEX_WORD && l->tokens[i].length < sizeof word) {
            memcpy(word, l->text + l->tokens[i].offset, l->tokens[i].length);
            if (!strcmp(word, "new") || is_alloc_word(word))
                return true;
        }
    }
    return false;
}

static enum CXChildVisitResult find_use(CXCursor child, CXCursor parent, CXClientData data)
{
    struct hidden *h = data;
    (void)parent;
    if (clang_getCursorKind(child) != CXCursor_DeclRefExpr)
        return CXChildVisit_Recurse;
    CXCursor decl = clang_getCursorReferenced(child);
    if (clang_getCursorKind(decl) != CXCursor_VarDecl)
        return CXChildVisit_Recurse;
    struct place p = place_of(h->c, clang_getCursorLocation(decl));
    if (p.src != h->src || p.offset < h->start || p.offset >= h->end)
        return CXChildVisit_Recurse;
    for (size_t i = 0; i < h->found.count; i++)
        if (same_cursor(h->found.items[i], decl))
            return CXChildVisit_Recurse;
    vec_push(&h->found, decl);
    return CXChildVisit_Recurse;
}

void collect_hidden(struct collector *c, enum CXCursorKind k)
{
    if (k != CXCursor_SwitchStmt && k != CXCursor_CXXForRangeStmt && k != CXCursor_LambdaExpr)
        return;
    struct frame top = c->frames.items[c->frames.count - 1];
    struct place p = place_of(c, clang_getRangeStart(clang_getCursorExtent(top.cursor)));
    if (!place_is_plain(&p))
        return;
    const struct lex *l = source_lex(p.src);
    size_t open, close, first = lex_at(l, p.offset);
    if (!hidden_part(l, first, k, &open, &close) || close >= l->count ||
        !has_allocation(l, open, close))
        return;
    struct hidden h = {c, p.src, l->tokens[open].offset, l->tokens[close].offset, {0}};
    clang_visitChildren(top.cursor, find_use, &h);
    /* A capture is initialised outside of its lambda. */
    size_t count = c->frames.count - (k == CXCursor_LambdaExpr);
    for (size_t i = 0; i < h.found.count; i++) {
        c->frames.count = count;
        collect_below(c, h.found.items[i]);
    }
    c->frames.count = count;
    if (k == CXCursor_LambdaExpr)
        vec_push(&c->frames, top);
    vec_release(&h.found);
}
