/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an object or a pointer is named: the text of an lvalue's base, and the class that it is part
 * of. A path is used only if every part of it was recognised, may be evaluated twice and means the
 * same at the site. Whose node an allocation should be on is collect_owner.c's.
 */
#include "collect_p.h"

bool is_raw_pointer(CXType t)
{
    return clang_getCanonicalType(t).kind == CXType_Pointer;
}

static bool member_is_arrow(struct collector *c, CXCursor member, CXCursor base)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(base));
    if (t.kind == CXType_Pointer)
        return true;
    if (t.kind == CXType_Record)
        return clang_getCursorKind(skip_wrappers(base)) == CXCursor_CallExpr &&
               !strcmp(spelling(c, skip_wrappers(base)), "operator->");
    struct place p = place_of(c, clang_getCursorLocation(member));
    if (!place_is_plain(&p))
        return false;
    struct lex *l = source_lex(p.src);
    size_t i = lex_at(l, p.offset);
    return i > 0 && i < l->count && lex_is(l, i - 1, "->");
}

const char *class_of_member(struct collector *c, CXCursor member, CXCursor base)
{
    CXCursor decl = clang_getCursorReferenced(member);
    CXCursor parent = clang_getCursorSemanticParent(decl);
    if (clang_getCursorKind(decl) == CXCursor_FieldDecl &&
        is_record_kind(clang_getCursorKind(parent)) && !is_system(c, parent) &&
        !clang_Cursor_isAnonymousRecordDecl(parent)) {
        return record_key(c, parent);
    }
    return clang_Cursor_isNull(base) ? arena_strdup(c->a, "")
                                     : type_key(c, clang_getCursorType(base));
}

void object_path(struct collector *c, CXCursor object, struct path *p);

/* base-> or base. in front of a member. */
static void member_path(struct collector *c, CXCursor member, struct path *p)
{
    CXCursor base = first_expression(member);
    CXCursor decl = clang_getCursorReferenced(member);
    if (clang_getCursorKind(decl) == CXCursor_VarDecl) {
        p->reject = NF_NO_OWNER; /* a static data member belongs to no object */
        return;
    }
    bool arrow = !clang_Cursor_isNull(base) && member_is_arrow(c, member, base);
    /* p->pair.second: what holds the library's object tells more than its class. */
    bool inside_library = !clang_Cursor_isNull(base) && !arrow && is_system(c, decl);
    if (!*p->cls && !inside_library)
        p->cls = class_of_member(c, member, base);
    if (clang_Cursor_isNull(base)) {
        p->is_this = true;
    } else if (!arrow) {
        object_path(c, base, p);
    } else {
        CXCursor inner = skip_wrappers(base);
        if (clang_getCursorKind(inner) == CXCursor_CallExpr) {
            CXCursor object = skip_wrappers(first_expression(inner));
            p->get = !clang_Cursor_isNull(object) &&
                     type_is_smart_pointer(c, clang_getCursorType(object));
            p->expr = object;
            p->reject = p->get ? 0 : NF_IMPURE_OWNER;
        } else if (clang_getCursorKind(inner) == CXCursor_CXXThisExpr) {
            p->is_this = true;
        } else {
            p->expr = inner;
        }
    }
}

/* A container's element: the container stands for it. */
static bool is_element_call(struct collector *c, CXCursor call)
{
    char *name = spelling(c, call);
    return !strcmp(name, "operator[]") || !strcmp(name, "at") || !strcmp(name, "back") ||
           !strcmp(name, "front");
}

static void variable_path(struct collector *c, CXCursor ref, struct path *p)
{
    CXCursor decl = clang_getCursorReferenced(ref);
    CXType t = clang_getCanonicalType(clang_getCursorType(decl));
    p->expr = ref;
    p->take_address = true;
    p->local = t.kind != CXType_LValueReference && t.kind != CXType_RValueReference;
    if (t.kind != CXType_Pointer && !is_raw_pointer(clang_getPointeeType(t))) {
        p->pointee = type_key(c, t);
        type_note_address(c, p->local ? t : clang_getPointeeType(t), p->pointee);
    }
    if (!*p->cls)
        p->cls = type_key(c, t);
}

/* The object that an lvalue of class type is part of. */
void object_path(struct collector *c, CXCursor object, struct path *p)
{
    object = skip_wrappers(object);
    CXCursor inner = first_expression(object);
    switch ((int)clang_getCursorKind(object)) {
    case CXCursor_MemberRefExpr:
        member_path(c, object, p);
        return;
    case CXCursor_DeclRefExpr:
        variable_path(c, object, p);
        return;
    case CXCursor_ArraySubscriptExpr:
        p->expr = object;
        p->take_address = true;
        p->pointee = type_key(c, clang_getCursorType(object));
        return;
    case CXCursor_UnaryOperator:
        inner = skip_wrappers(inner);
        if (clang_getCursorUnaryOperatorKind(object) != CXUnaryOperator_Deref)
            break;
        p->is_this = clang_getCursorKind(inner) == CXCursor_CXXThisExpr;
        p->expr = inner;
        return;
    case CXCursor_CallExpr:
        if (type_is_smart_pointer(c, clang_getCursorType(skip_wrappers(inner))) &&
            (is_element_call(c, object) || !strcmp(spelling(c, object), "operator*"))) {
            p->expr = skip_wrappers(inner);
            p->get = true;
            return;
        }
        if (!is_element_call(c, object))
            break;
        if (clang_getCursorKind(inner) == CXCursor_MemberRefExpr &&
            strcmp(spelling(c, object), "operator[]"))
            inner = first_expression(inner);
        if (clang_Cursor_isNull(inner))
            break;
        object_path(c, inner, p);
        return;
    default:
        break;
    }
    p->reject = NF_IMPURE_OWNER;
}

/* The pointer lvalue that receives the block. */
bool slot_path(struct collector *c, CXCursor lvalue, struct path *p)
{
    lvalue = skip_wrappers(lvalue);
    CXCursor inner = first_expression(lvalue);
    switch ((int)clang_getCursorKind(lvalue)) {
    case CXCursor_MemberRefExpr:
        member_path(c, lvalue, p);
        return p->reject != NF_NO_OWNER;
    case CXCursor_DeclRefExpr:
        variable_path(c, lvalue, p);
        p->slot = true;
        p->pointee = arena_strdup(c->a, "");
        return !p->local; /* never the variable being assigned */
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_UnaryOperator: {
        CXCursor base = skip_wrappers(inner);
        p->slot = true;
        if (clang_getCursorKind(base) == CXCursor_MemberRefExpr)
            p->cls = class_of_member(c, base, first_expression(base));
        bool subscript = clang_getCursorKind(lvalue) == CXCursor_ArraySubscriptExpr;
        p->take_address = subscript;
        p->expr = subscript ? lvalue : base;
        if (!subscript && clang_getCursorUnaryOperatorKind(lvalue) != CXUnaryOperator_Deref)
            p->reject = NF_IMPURE_OWNER;
        return true;
    }
    case CXCursor_CallExpr:
        p->slot = true;
        object_path(c, lvalue, p);
        return !(p->local && !p->reject);
    default:
        p->reject = NF_IMPURE_OWNER;
        return true;
    }
}

/* What has just got an element; `callee` is object.insert. The container stands for its elements.
 */
bool container_path(struct collector *c, CXCursor callee, struct path *p)
{
    CXCursor base = first_expression(callee);
    if (member_is_arrow(c, callee, base))
        member_path(c, callee, p);
    else
        object_path(c, base, p);
    p->slot = !*p->cls || !strncmp(p->cls, "lib:", 4);
    return !(p->local && !p->reject);
}

struct fact_owner *add_owner(struct collector *c, struct fact_site *site, enum owner_kind kind,
                             const char *expr, const char *cls)
{
    struct fact_owner *o = vec_add(&site->owners);
    o->kind = kind;
    o->expr = expr;
    o->cls = cls;
    o->pointee = o->via = arena_strdup(c->a, "");
    return o;
}

int this_reject(struct collector *c, struct function *f, unsigned offset)
{
    if (!f)
        return 0; /* a default member initialiser */
    if (!f->has_this)
        return NF_NO_THIS;
    if (f->this_reject)
        return f->this_reject;
    strings reads = {0};
    vec_push(&reads, arena_strdup(c->a, "this"));
    bool freed = function_has_freed(f, &reads, offset);
    vec_release(&reads);
    return freed ? NF_FREED_OWNER : 0;
}

/* A register variable has no address, nor has a part of it. */
static bool is_in_register(CXCursor lvalue)
{
    CXCursor e = skip_wrappers(lvalue);
    while (!clang_Cursor_isNull(e) && (clang_getCursorKind(e) == CXCursor_MemberRefExpr ||
                                       clang_getCursorKind(e) == CXCursor_ArraySubscriptExpr))
        e = skip_wrappers(first_expression(e));
    if (clang_getCursorKind(e) != CXCursor_DeclRefExpr)
        return false;
    CXCursor decl = clang_getCursorReferenced(e);
    return clang_Cursor_getStorageClass(decl) == CX_SC_Register &&
           (clang_equalCursors(e, skip_wrappers(lvalue)) ||
            !is_raw_pointer(clang_getCursorType(decl)));
}

int path_reject(struct collector *c, struct function *f, const struct path *p, const char *text,
                unsigned offset)
{
    if (p->reject)
        return p->reject;
    if (!text || !expression_is_pure(p->expr) || (p->take_address && is_in_register(p->expr)))
        return NF_IMPURE_OWNER;
    strings reads = {0};
    reads_of(c, p->expr, !p->take_address, &reads);
    int reject = reads_reject(c, f, &reads, offset);
    vec_release(&reads);
    return reject;
}

struct fact_owner *add_path(struct collector *c, struct fact_site *site, struct function *f,
                            const struct path *p, enum owner_kind kind)
{
    char *text = p->is_this ? arena_strdup(c->a, "this") : NULL;
    if (!p->is_this && !clang_Cursor_isNull(p->expr))
        text = cursor_text(c, p->expr);
    int reject = p->reject;
    if (!reject)
        reject =
            p->is_this ? this_reject(c, f, site->offset) : path_reject(c, f, p, text, site->offset);
    if (text && !p->is_this && p->get)
        text = arena_printf(c->a, "%s.get()", text);
    struct fact_owner *o = add_owner(c, site, kind, text ? text : arena_strdup(c->a, ""), p->cls);
    o->reject = reject;
    if (p->is_this)
        return o;
    o->take_address = p->take_address;
    o->pointee = p->pointee;
    o->slot = p->slot || !*p->cls || !strncmp(p->cls, "lib:", 4) || !strncmp(p->cls, "T:", 2);
    return o;
}
