/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the classes of a unit have to do with each other beyond their members: casts from one to
 * another, and classes that templates are instantiated with. It adds edges and flags to the graph
 * of collect_type.c and knows nothing of sites.
 */
#include "collect_p.h"

/* Casts */

static bool is_record_pointer(CXType t)
{
    t = clang_getCanonicalType(t);
    if (t.kind != CXType_Pointer && t.kind != CXType_LValueReference &&
        t.kind != CXType_RValueReference)
        return false;
    CXType to = clang_getCanonicalType(clang_getPointeeType(t));
    return to.kind == CXType_Record ||
           is_record_kind(clang_getCursorKind(clang_getTypeDeclaration(to)));
}

static bool is_void_pointer(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Pointer &&
           clang_getCanonicalType(clang_getPointeeType(t)).kind == CXType_Void;
}

/* The class that holds the member; the named one around anonymous ones. */
static const char *holder_of(struct collector *c, CXCursor member)
{
    CXCursor parent = clang_getCursorSemanticParent(clang_getCursorReferenced(member));
    while (is_record_kind(clang_getCursorKind(parent)) &&
           clang_Cursor_isAnonymousRecordDecl(parent))
        parent = clang_getCursorSemanticParent(parent);
    return is_record_kind(clang_getCursorKind(parent)) ? record_key(c, parent)
                                                       : arena_strdup(c->a, "");
}

/* What the operand is a pointer to, or, for a `void *` member, the class that has it. Steps over
 * the casts and offsets of container_of. "" if there is no such class. */
static const char *origin_of(struct collector *c, CXCursor e)
{
    for (int depth = 0; depth < 32; depth++) {
        e = skip_wrappers(e);
        enum CXCursorKind k = clang_getCursorKind(e);
        CXType t = clang_getCursorType(e);
        if (is_record_pointer(t) || clang_getCanonicalType(t).kind == CXType_Record)
            return type_key(c, t);
        if (k == CXCursor_MemberRefExpr)
            return holder_of(c, e);
        bool through = is_cast_kind(k) || k == CXCursor_BinaryOperator ||
                       k == CXCursor_UnaryOperator || k == CXCursor_ArraySubscriptExpr;
        if (!through)
            break;
        e = first_expression(e);
    }
    return arena_strdup(c->a, "");
}

static void add_cast(struct collector *c, CXType to, CXCursor operand)
{
    const char *from = origin_of(c, operand);
    if (*from)
        type_add_edge(c, from, type_key(c, to));
}

void collect_cast(struct collector *c, CXCursor cursor, enum CXCursorKind k)
{
    CXType t = clang_getCursorType(cursor);
    if (k == CXCursor_BinaryOperator) { /* p->any = node: kept as void * */
        CXCursor kids[2];
        if (clang_getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Assign ||
            !is_void_pointer(t) || children_of(cursor, kids, 2) != 2)
            return;
        CXCursor place = skip_wrappers(kids[0]), value = skip_wrappers(kids[1]);
        CXType of = clang_getCursorType(value);
        if (clang_getCursorKind(place) == CXCursor_MemberRefExpr && is_record_pointer(of))
            type_add_edge(c, holder_of(c, place), type_key(c, of));
        return;
    }
    if (!is_record_pointer(t))
        return;
    CXCursor operand = first_expression(cursor);
    if (clang_Cursor_isNull(operand))
        return;
    /* C converts from void * without a word. */
    if (k == CXCursor_UnexposedExpr && !is_void_pointer(clang_getCursorType(operand)))
        return;
    add_cast(c, t, operand);
}

/* Template arguments */

static void mark_all(struct collector *c, const strings *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        type_add_flag(c, keys->items[i], TYPE_ARGUMENT);
}

/* Index of the < whose argument list token i is in, or l->count. */
static size_t open_angle(const struct lex *l, size_t i)
{
    int depth = 0;
    while (i-- > 0) {
        if (lex_is(l, i, ">"))
            depth++;
        else if (lex_is(l, i, ">>"))
            depth += 2;
        else if (lex_is(l, i, "<") && depth-- == 0)
            return i;
        else if (lex_is(l, i, ";") || lex_is(l, i, "{") || lex_is(l, i, "}"))
            break;
    }
    return l->count;
}

/* The name of a class is written in the argument list of a template of the program's own. */
static bool is_argument_by_text(const struct lex *l, size_t i)
{
    while ((i = open_angle(l, i)) < l->count) {
        if (i == 0 || l->tokens[i - 1].kind != LEX_WORD)
            continue;
        if (lex_is(l, i - 1, "template") ||
            (i > 2 && lex_is(l, i - 2, "::") && lex_is(l, i - 3, "std")))
            continue;
        bool cast = lex_is(l, i - 1, "static_cast") || lex_is(l, i - 1, "reinterpret_cast") ||
                    lex_is(l, i - 1, "const_cast") || lex_is(l, i - 1, "dynamic_cast");
        if (!cast && !lex_is(l, i - 1, "numa"))
            return true;
    }
    return false;
}

/* A class named as a template argument, as the default of one, or by a member typedef, which
 * `typename T::name` finds. */
void collect_type_name(struct collector *c, CXCursor reference)
{
    CXCursor decl = clang_getCursorReferenced(reference);
    enum CXCursorKind k = clang_getCursorKind(decl);
    bool alias = k == CXCursor_TypedefDecl || k == CXCursor_TypeAliasDecl;
    if (!alias && !is_record_kind(k))
        return;
    enum CXCursorKind up =
        c->frames.count > 1 ? c->frames.items[c->frames.count - 2].kind : CXCursor_FirstInvalid;
    bool argument = up == CXCursor_TypedefDecl || up == CXCursor_TypeAliasDecl ||
                    up == CXCursor_TemplateTypeParameter;
    if (!argument) {
        struct place p = place_of(c, clang_getCursorLocation(reference));
        if (!p.src || !p.src->project)
            return;
        struct lex *l = source_lex(p.src);
        argument = !place_is_plain(&p) || is_argument_by_text(l, lex_from(l, p.offset));
    }
    if (!argument)
        return;
    strings found = {0};
    type_mentions(c, clang_getCursorType(decl), &found);
    mark_all(c, &found);
    vec_release(&found);
}

/* A call of a function template: its parameters may be deduced from what the arguments mention. */
void collect_template_call(struct collector *c, CXCursor call)
{
    CXCursor callee = clang_getCursorReferenced(call);
    CXCursor pattern = clang_getSpecializedCursorTemplate(callee);
    if (clang_Cursor_isNull(pattern) || is_system(c, pattern))
        return;
    strings found = {0};
    int n = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < n; i++)
        type_mentions(c, clang_getCursorType(clang_Cursor_getArgument(call, (unsigned)i)), &found);
    type_mentions(c, clang_getCursorType(call), &found);
    mark_all(c, &found);
    vec_release(&found);
}
