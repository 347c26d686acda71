/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the block of a new-expression goes: the lvalue that gets it, on the way up from the site
 * through whatever only carries the pointer. What that lvalue belongs to is collect_owner.c's.
 */
#include "collect_p.h"

struct init_scan {
    CXCursor target, last;
    bool member;
};

static enum CXChildVisitResult find_initialiser(CXCursor child, CXCursor parent, CXClientData data)
{
    struct init_scan *s = data;
    (void)parent;
    if (same_cursor(child, s->target)) {
        s->member = clang_getCursorKind(s->last) == CXCursor_MemberRef;
        return CXChildVisit_Break;
    }
    s->last = child;
    return CXChildVisit_Continue;
}

static bool is_member_initialiser(CXCursor ctor, CXCursor expr)
{
    struct init_scan s = {expr, clang_getNullCursor(), false};
    clang_visitChildren(ctor, find_initialiser, &s);
    return s.member;
}

/* The template for a specialisation: only that one has members to look at. */
static CXCursor record_of(CXType t)
{
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(t));
    for (int i = 0; i < 4; i++) {
        CXCursor pattern = clang_getSpecializedCursorTemplate(decl);
        if (clang_Cursor_isNull(pattern))
            break;
        decl = pattern;
    }
    return decl;
}

static enum CXChildVisitResult find_arrow(CXCursor child, CXCursor parent, CXClientData data)
{
    bool *found = data;
    enum CXCursorKind k = clang_getCursorKind(child);
    (void)parent;
    if (k == CXCursor_CXXBaseSpecifier) {
        clang_visitChildren(record_of(clang_getCursorType(child)), find_arrow, found);
    } else if (k == CXCursor_CXXMethod) {
        CXString name = clang_getCursorSpelling(child);
        *found |= !strcmp(clang_getCString(name), "operator->");
        clang_disposeString(name);
    }
    return *found ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* Somebody's own smart pointer: what it is assigned belongs to whoever holds it. */
static bool is_pointer_like(struct collector *c, CXType t)
{
    bool found = false;
    if (type_is_smart_pointer(c, t))
        return true;
    CXCursor decl = record_of(t);
    if (is_record_kind(clang_getCursorKind(decl)))
        clang_visitChildren(decl, find_arrow, &found);
    return found;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

/* Values of the library that only carry the pointer on. */
static bool is_carrier(struct collector *c, CXType t)
{
    static const char *const names[] = {"pair", "tuple", "optional", "variant", "initializer_list",
                                        "any",  NULL};
    CXCursor decl = record_of(t);
    return is_record_kind(clang_getCursorKind(decl)) && is_system(c, decl) &&
           is_one_of(spelling(c, decl), names);
}

static bool carries_on(struct collector *c, CXCursor call, const char *name)
{
    static const char *const names[] = {
        "make_pair", "make_tuple", "forward_as_tuple", "make_optional", "move", "forward", NULL};
    CXCursor callee = clang_getCursorReferenced(call);
    enum CXCursorKind k = clang_getCursorKind(callee);
    CXType t = clang_getCursorType(call);
    if (k == CXCursor_Constructor || k == CXCursor_FunctionTemplate)
        return is_pointer_like(c, t) || is_carrier(c, t);
    return is_one_of(name, names) && is_system(c, callee);
}

/* object.push_back(new T): into a container, whoever wrote it. */
static bool destination_container(struct collector *c, CXCursor callee, struct destination *d)
{
    static const char *const names[] = {
        "push_back", "emplace_back", "push_front",       "push",         "emplace_front", "emplace",
        "insert",    "try_emplace",  "insert_or_assign", "emplace_hint", "assign",        NULL};
    if (clang_getCursorKind(callee) != CXCursor_MemberRefExpr ||
        !is_one_of(spelling(c, callee), names))
        return false;
    d->found = true;
    d->member_init = clang_Cursor_isNull(first_expression(callee)); /* a method of our own */
    d->container = !d->member_init;
    d->lvalue = callee;
    return true;
}

/* A call on the way up from the site: what only carries the pointer passes, assignment and reset of
 * a smart pointer and insertion into a container are destinations. Returns false to stop. */
static bool destination_call(struct collector *c, CXCursor call, CXCursor from,
                             struct destination *d)
{
    char *name = spelling(c, call);
    CXCursor object = first_expression(call);
    if (!strcmp(name, "operator=") && !same_cursor(object, from)) {
        CXType t = clang_getCursorType(object);
        d->found = is_pointer_like(c, t) || is_carrier(c, t);
        d->lvalue = object;
        return false;
    }
    if (!strcmp(name, "reset") && clang_getCursorKind(object) == CXCursor_MemberRefExpr) {
        CXCursor pointer = first_expression(object);
        if (!clang_Cursor_isNull(pointer) && is_pointer_like(c, clang_getCursorType(pointer))) {
            d->found = true;
            d->lvalue = pointer;
        }
        return false;
    }
    if (destination_container(c, object, d))
        return false;
    return carries_on(c, call, name);
}

/* A call that returns this argument, which takes one that only all units together can vouch for. */
static bool passes_on(struct collector *c, CXCursor call, CXCursor from, struct destination *d)
{
    const char *via;
    CXCursor callee = clang_getCursorReferenced(call);
    if (d->found || clang_getCursorKind(callee) == CXCursor_Constructor ||
        !flow_passes(c, call, from, &via) || (*via && *d->via))
        return false;
    d->via = *via ? via : d->via;
    return true;
}

struct destination find_destination(struct collector *c)
{
    struct destination d = {.via = ""};
    d.declared = d.call = d.argument = clang_getNullCursor();
    for (size_t i = c->frames.count - 1; i > 0; i--) {
        CXCursor up = c->frames.items[i - 1].cursor, from = c->frames.items[i].cursor;
        CXCursor kids[3];
        if (passes_value_on(c->frames.items[i - 1].kind))
            continue;
        switch ((int)c->frames.items[i - 1].kind) {
        case CXCursor_ConditionalOperator:
            if (children_of(up, kids, 3) == 3 && !same_cursor(kids[0], from))
                continue;
            return d;
        case CXCursor_BinaryOperator:
            if (flow_through(clang_getCursorBinaryOperatorKind(up)))
                continue;
            if (children_of(up, kids, 2) != 2 || !same_cursor(kids[1], from))
                return d;
            if (clang_getCursorBinaryOperatorKind(up) == CXBinaryOperator_Comma)
                continue;
            d.found = clang_getCursorBinaryOperatorKind(up) == CXBinaryOperator_Assign;
            d.lvalue = kids[0];
            return d;
        case CXCursor_CallExpr:
            if (destination_call(c, up, from, &d) || passes_on(c, up, from, &d))
                continue;
            d.call = up;
            d.argument = from;
            return d;
        case CXCursor_VarDecl:
            d.declared = up;
            return d;
        case CXCursor_FieldDecl:
            d.found = d.member_init = true;
            return d;
        case CXCursor_Constructor:
        case CXCursor_FunctionTemplate:
            d.found = d.member_init = is_member_initialiser(up, from);
            return d;
        default:
            return d;
        }
    }
    return d;
}
