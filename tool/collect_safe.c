/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an owner's text may stand in the edit, where it is evaluated once more: it has no effect,
 * and the full expression around the site changes nothing that it reads. By text, so that two
 * spellings of one object are told apart; releases know aliases (collect_function.c).
 */
#include "collect_p.h"

bool type_is_volatile(CXType t)
{
    return clang_isVolatileQualifiedType(clang_getCanonicalType(t)) != 0;
}

static bool is_pure_operator(CXCursor e)
{
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
    return op >= CXBinaryOperator_Mul && op <= CXBinaryOperator_LOr;
}

static bool is_pure(CXCursor e, int depth);

/* Exactly one expression inside, and that one pure. */
static bool is_pure_wrapper(CXCursor e, int depth)
{
    CXCursor kids[8];
    size_t n = children_of(e, kids, 8), expressions = 0;
    CXCursor inner = clang_getNullCursor();
    for (size_t i = 0; i < n; i++)
        if (clang_isExpression(clang_getCursorKind(kids[i]))) {
            inner = kids[i];
            expressions++;
        }
    return expressions == 1 && is_pure(inner, depth);
}

static bool is_pure_pair(CXCursor e, int depth)
{
    CXCursor kids[2];
    return children_of(e, kids, 2) == 2 && is_pure(kids[0], depth) && is_pure(kids[1], depth);
}

static bool is_pure_name(CXCursor e)
{
    enum CXCursorKind k = clang_getCursorKind(clang_getCursorReferenced(e));
    return k == CXCursor_VarDecl || k == CXCursor_ParmDecl || k == CXCursor_EnumConstantDecl ||
           k == CXCursor_NonTypeTemplateParameter;
}

static bool is_pure_member(CXCursor e, int depth)
{
    CXCursor referenced = clang_getCursorReferenced(e);
    enum CXCursorKind k = clang_getCursorKind(referenced);
    bool dependent = clang_Cursor_isNull(referenced);
    if (!dependent && k != CXCursor_FieldDecl && k != CXCursor_VarDecl)
        return false;
    CXCursor base = first_expression(e);
    return clang_Cursor_isNull(base) || is_pure(base, depth);
}

/* Evaluating it twice does the same and nothing else: names, ->, ., pure [i] and arithmetic, *. */
static bool is_pure(CXCursor e, int depth)
{
    if (depth > 64 || type_is_volatile(clang_getCursorType(e)))
        return false;
    depth++;
    switch ((int)clang_getCursorKind(e)) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_CXXThisExpr:
    case CXCursor_SizeOfPackExpr:
        return true;
    case CXCursor_DeclRefExpr:
        return is_pure_name(e);
    case CXCursor_MemberRefExpr:
        return is_pure_member(e, depth);
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
        return is_pure_wrapper(e, depth);
    case CXCursor_ArraySubscriptExpr:
        return is_pure_pair(e, depth);
    case CXCursor_BinaryOperator:
        return is_pure_operator(e) && is_pure_pair(e, depth);
    case CXCursor_UnaryOperator:
        switch (clang_getCursorUnaryOperatorKind(e)) {
        case CXUnaryOperator_Deref:
        case CXUnaryOperator_AddrOf:
        case CXUnaryOperator_Plus:
        case CXUnaryOperator_Minus:
        case CXUnaryOperator_Not:
        case CXUnaryOperator_LNot:
            return is_pure_wrapper(e, depth);
        default:
            return false;
        }
    default:
        return false;
    }
}

bool expression_is_pure(CXCursor e)
{
    return is_pure(e, 0);
}

struct gather {
    struct collector *c;
    strings *out;
    const struct frame *path; /* from the full expression down to the site */
    size_t length;
};

/* An assignment whose right side the site is in: sequenced after all of that side. */
static bool is_assigned_later(const struct gather *g, CXCursor assignment)
{
    CXCursor kids[2];
    for (size_t i = 0; i + 1 < g->length; i++)
        if (same_cursor(g->path[i].cursor, assignment))
            return children_of(assignment, kids, 2) == 2 &&
                   same_cursor(kids[1], g->path[i + 1].cursor);
    return false;
}

/* Texts of all lvalues inside an owner: what naming it reads. */
static enum CXChildVisitResult add_read(CXCursor child, CXCursor parent, CXClientData data)
{
    struct gather *g = data;
    (void)parent;
    enum CXCursorKind k = clang_getCursorKind(child);
    if (k == CXCursor_DeclRefExpr || k == CXCursor_MemberRefExpr ||
        k == CXCursor_ArraySubscriptExpr || k == CXCursor_UnaryOperator ||
        k == CXCursor_CXXThisExpr) {
        char *text = cursor_text(g->c, child);
        if (text)
            strings_add_unique(g->out, text);
    }
    return CXChildVisit_Recurse;
}

void reads_of(struct collector *c, CXCursor owner, bool itself, strings *out)
{
    struct gather g = {c, out, NULL, 0};
    owner = skip_wrappers(owner);
    if (itself)
        add_read(owner, owner, &g);
    clang_visitChildren(owner, add_read, &g);
}

static enum CXChildVisitResult add_write(CXCursor child, CXCursor parent, CXClientData data)
{
    struct gather *g = data;
    (void)parent;
    enum CXCursorKind k = clang_getCursorKind(child);
    bool writes = k == CXCursor_CompoundAssignOperator;
    if (k == CXCursor_BinaryOperator)
        writes = clang_getCursorBinaryOperatorKind(child) == CXBinaryOperator_Assign &&
                 !is_assigned_later(g, child);
    if (k == CXCursor_UnaryOperator) {
        enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(child);
        writes = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PostDec ||
                 op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PreDec;
    }
    if (k == CXCursor_CallExpr) {
        char *name = spelling(g->c, child);
        size_t n = strlen(name);
        writes = !strncmp(name, "operator", 8) &&
                 (name[n - 1] == '=' || !strcmp(name, "operator++") || !strcmp(name, "operator--"));
    }
    if (writes) {
        char *text = cursor_text(g->c, skip_wrappers(first_expression(child)));
        if (text)
            strings_add_unique(g->out, text);
    }
    return CXChildVisit_Recurse;
}

void writes_of(struct collector *c, strings *out)
{
    size_t i = c->frames.count - 1;
    while (i > 0 && clang_isExpression(c->frames.items[i - 1].kind) &&
           c->frames.items[i - 1].kind != CXCursor_LambdaExpr)
        i--;
    struct gather g = {c, out, c->frames.items + i, c->frames.count - i};
    add_write(c->frames.items[i].cursor, c->frames.items[i].cursor, &g);
    clang_visitChildren(c->frames.items[i].cursor, add_write, &g);
}

int reads_reject(struct collector *c, struct function *f, const strings *reads, unsigned offset)
{
    strings writes = {0};
    writes_of(c, &writes);
    int reject = function_has_freed(f, reads, offset) ? NF_FREED_OWNER : 0;
    for (size_t i = 0; !reject && i < writes.count; i++)
        if (in_texts(reads, writes.items[i]))
            reject = NF_IMPURE_OWNER;
    vec_release(&writes);
    return reject;
}
