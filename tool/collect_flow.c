/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a fresh block goes inside its function: returned, stored through a parameter, or neither. A
 * function whose fresh blocks leave it is an allocator, and its callers know the owner. Variables
 * are followed through assignments of the function, not through memory: a wrong answer places a
 * block elsewhere and breaks nothing.
 */
#include "collect_p.h"

/* `to` takes a value of `from` somewhere in the function. */
struct alias {
    CXCursor to, from;
};

struct flow_scan {
    struct collector *c;
    struct function *f;
    CXCursor body;
    VEC(struct alias) aliases;
    cursors returned, out;
};

static void cursors_add(cursors *list, CXCursor c)
{
    for (size_t i = 0; i < list->count; i++)
        if (clang_equalCursors(list->items[i], c))
            return;
    vec_push(list, c);
}

bool is_local_variable(CXCursor decl)
{
    return clang_getCursorKind(decl) == CXCursor_VarDecl &&
           clang_Cursor_getStorageClass(decl) != CX_SC_Static &&
           clang_getCursorLinkage(decl) == CXLinkage_NoLinkage;
}

static bool is_variable(CXCursor decl)
{
    return clang_getCursorKind(decl) == CXCursor_ParmDecl || is_local_variable(decl);
}

static void values_of(CXCursor e, cursors *out, int depth);

static void values_of_children(CXCursor e, cursors *out, size_t first, int depth)
{
    CXCursor kids[16];
    size_t n = children_of(e, kids, 16);
    for (size_t i = first; i < n; i++)
        if (clang_isExpression(clang_getCursorKind(kids[i])))
            values_of(kids[i], out, depth);
}

/* &n->member: n. */
static void values_of_address(CXCursor lvalue, cursors *out, int depth)
{
    CXCursor e = skip_wrappers(lvalue);
    while (clang_getCursorKind(e) == CXCursor_MemberRefExpr ||
           clang_getCursorKind(e) == CXCursor_ArraySubscriptExpr) {
        CXCursor inner = first_expression(e);
        if (clang_Cursor_isNull(inner))
            return;
        e = skip_wrappers(inner);
    }
    values_of(e, out, depth);
}

static bool is_object(CXCursor decl)
{
    return is_local_variable(decl) &&
           clang_getCanonicalType(clang_getCursorType(decl)).kind == CXType_Record;
}

/* head.next, of an object in the function's frame: what is in it goes where that goes. */
static void values_of_part(CXCursor e, cursors *out, int depth)
{
    if (clang_getCanonicalType(clang_getCursorType(e)).kind != CXType_Pointer)
        return;
    while (clang_getCursorKind(e) == CXCursor_MemberRefExpr) {
        CXCursor inner = first_expression(e);
        if (clang_Cursor_isNull(inner) ||
            clang_getCanonicalType(clang_getCursorType(inner)).kind != CXType_Record)
            return;
        e = skip_wrappers(inner);
    }
    if (clang_getCursorKind(e) == CXCursor_DeclRefExpr && is_object(clang_getCursorReferenced(e)))
        values_of(e, out, depth);
}

bool flow_through(enum CXBinaryOperatorKind op)
{
    return op == CXBinaryOperator_Add || op == CXBinaryOperator_Sub || op == CXBinaryOperator_Or ||
           op == CXBinaryOperator_And;
}

/* Variables whose pointer the expression's value is made of: casts, arithmetic and tag bits pass
 * it on, -> and calls do not. Moves, and what goes into a smart pointer or out, are no calls here.
 */
static void values_of(CXCursor e, cursors *out, int depth)
{
    if (depth > 32)
        return;
    depth++;
    if (passes_value_on(clang_getCursorKind(e))) {
        values_of_children(e, out, 0, depth);
        return;
    }
    switch ((int)clang_getCursorKind(e)) {
    case CXCursor_DeclRefExpr: {
        CXCursor decl = clang_getCursorReferenced(e);
        if (is_variable(decl))
            cursors_add(out, decl);
        return;
    }
    case CXCursor_MemberRefExpr:
        values_of_part(e, out, depth);
        return;
    case CXCursor_ConditionalOperator:
        values_of_children(e, out, 1, depth);
        return;
    case CXCursor_CXXNewExpr: /* new (room) T is where the room is */
        e = first_expression(e);
        if (!clang_Cursor_isNull(e))
            values_of(e, out, depth);
        return;
    case CXCursor_BinaryOperator: {
        enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
        if (op == CXBinaryOperator_Comma)
            values_of_children(e, out, 1, depth);
        else if (flow_through(op) || op == CXBinaryOperator_Assign)
            values_of_children(e, out, 0, depth);
        return;
    }
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf)
            values_of_address(first_expression(e), out, depth);
        return;
    case CXCursor_CallExpr: {
        CXCursor callee = clang_getCursorReferenced(e);
        enum CXCursorKind k = clang_getCursorKind(callee);
        CXString name = clang_getCursorSpelling(callee);
        const char *s = clang_getCString(name);
        bool move = s && (!strcmp(s, "move") || !strcmp(s, "forward"));
        bool held = s && (!strcmp(s, "release") || !strcmp(s, "get")) && k == CXCursor_CXXMethod;
        clang_disposeString(name);
        CXCursor object = held ? first_expression(first_expression(e)) : e;
        if (held && !clang_Cursor_isNull(object))
            values_of(object, out, depth);
        else if (k == CXCursor_Constructor || move)
            values_of_children(e, out, move ? 1 : 0, depth);
        return;
    }
    default:
        return;
    }
}

/* `*out`, `out[0]`: the parameter that is written through. */
static bool is_out_lvalue(CXCursor lvalue)
{
    CXCursor e = skip_wrappers(lvalue);
    enum CXCursorKind k = clang_getCursorKind(e);
    bool deref = k == CXCursor_ArraySubscriptExpr ||
                 (k == CXCursor_UnaryOperator &&
                  clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Deref);
    if (!deref)
        return false;
    CXCursor base = skip_wrappers(first_expression(e));
    return clang_getCursorKind(base) == CXCursor_DeclRefExpr &&
           clang_getCursorKind(clang_getCursorReferenced(base)) == CXCursor_ParmDecl;
}

static void add_aliases(struct flow_scan *s, CXCursor to, CXCursor value)
{
    cursors from = {0};
    values_of(value, &from, 0);
    for (size_t i = 0; i < from.count; i++) {
        struct alias a = {to, from.items[i]};
        if (!clang_equalCursors(a.to, a.from))
            vec_push(&s->aliases, a);
    }
    vec_release(&from);
}

static unsigned offset_of(CXCursor c)
{
    unsigned offset;
    clang_getFileLocation(clang_getCursorLocation(c), NULL, NULL, NULL, &offset);
    return offset;
}

/* `parent` is what the change is a statement of. */
static void add_change(struct flow_scan *s, CXCursor decl, CXCursor where, CXCursor parent)
{
    bool begun = clang_getCursorKind(where) == CXCursor_VarDecl;
    struct value_change change = {decl, offset_of(where), same_cursor(parent, s->body)};
    if (begun)
        change.sure = !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(decl));
    if (is_local_variable(decl))
        vec_push(&s->f->changes, change);
}

/* A local without an initialiser may not be set yet where the block is allocated. */
bool flow_is_set(const struct function *f, CXCursor variable, unsigned offset, unsigned later)
{
    unsigned first = offset < later ? offset : later, last = offset < later ? later : offset;
    bool set = false;
    if (!is_local_variable(variable))
        return true;
    for (size_t i = 0; i < f->changes.count; i++) {
        const struct value_change *change = &f->changes.items[i];
        if (!clang_equalCursors(change->local, variable))
            continue;
        bool begun = change->offset == offset_of(variable);
        set |= change->sure && change->offset < offset && (begun || !f->jumps);
        if (change->offset > first && change->offset < last)
            return false;
    }
    return set;
}

static void scan_assignment(struct flow_scan *s, CXCursor e, CXCursor parent)
{
    CXCursor kids[2];
    if (clang_getCursorBinaryOperatorKind(e) != CXBinaryOperator_Assign ||
        children_of(e, kids, 2) != 2)
        return;
    CXCursor left = skip_wrappers(kids[0]);
    keep_assignment(s->c, s->f, left, kids[1]);
    if (clang_getCursorKind(left) == CXCursor_DeclRefExpr) {
        add_aliases(s, clang_getCursorReferenced(left), kids[1]);
        add_change(s, clang_getCursorReferenced(left), e, parent);
    } else if (is_out_lvalue(left)) {
        values_of(kids[1], &s->out, 0);
    }
}

static enum CXChildVisitResult scan_flow(CXCursor child, CXCursor parent, CXClientData data)
{
    struct flow_scan *s = data;
    switch ((int)clang_getCursorKind(child)) {
    case CXCursor_ReturnStmt:
        values_of_children(child, &s->returned, 0, 0);
        keep_return(s->c, s->f, child);
        break;
    case CXCursor_BinaryOperator:
        scan_assignment(s, child, parent);
        break;
    case CXCursor_VarDecl: {
        CXCursor init = clang_Cursor_getVarDeclInitializer(child);
        if (!clang_Cursor_isNull(init)) {
            add_aliases(s, child, init);
            keep_initialiser(s->c, s->f, child, init);
        }
        add_change(s, child, child, parent);
        break;
    }
    case CXCursor_CallExpr:
        keep_call(s->c, s->f, child);
        break;
    case CXCursor_LabelStmt:
        s->f->jumps = true;
        break;
    case CXCursor_LambdaExpr:
        return CXChildVisit_Continue;
    default:
        break;
    }
    return CXChildVisit_Recurse;
}

static bool holds(const cursors *list, CXCursor c)
{
    for (size_t i = 0; i < list->count; i++)
        if (clang_equalCursors(list->items[i], c))
            return true;
    return false;
}

static void close_over(const struct flow_scan *s, cursors *list)
{
    for (size_t before = 0; before != list->count;) {
        before = list->count;
        for (size_t i = 0; i < s->aliases.count; i++)
            if (holds(list, s->aliases.items[i].to))
                cursors_add(list, s->aliases.items[i].from);
    }
}

void flow_scan_function(struct collector *c, struct function *f)
{
    if (f->flow_scanned)
        return;
    f->flow_scanned = true;
    struct flow_scan s = {.c = c, .f = f, .body = function_body(f->cursor)};
    clang_visitChildren(f->cursor, scan_flow, &s);
    close_over(&s, &s.returned);
    close_over(&s, &s.out);
    f->returned = s.returned;
    f->out = s.out;
    vec_release(&s.aliases);
}

static enum site_flow flow_of_variable(struct collector *c, struct function *f, CXCursor decl)
{
    flow_scan_function(c, f);
    if (holds(&f->returned, decl))
        return FLOW_RETURN;
    if (holds(&f->out, decl))
        return FLOW_OUT;
    return keep_reaches_result(f, decl) ? FLOW_RETURN : FLOW_NONE;
}

/* The library's own: they return their first argument. */
bool flow_returns_first(const char *name)
{
    static const char *const names[] = {"memcpy", "memmove", "memset",  "strcpy",
                                        "strcat", "strncpy", "strncat", "mempcpy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

bool flow_passes(struct collector *c, CXCursor call, CXCursor self, const char **via)
{
    CXCursor callee = clang_getCursorReferenced(call);
    enum CXCursorKind k = clang_getCursorKind(callee);
    int n = clang_Cursor_getNumArguments(call), i = 0;
    *via = arena_strdup(c->a, "");
    if (k == CXCursor_Constructor)
        return true;
    while (i < n && !same_cursor(clang_Cursor_getArgument(call, (unsigned)i), self))
        i++;
    bool pointer = clang_getCanonicalType(clang_getCursorType(call)).kind == CXType_Pointer;
    if (i >= n || !pointer || (k != CXCursor_FunctionDecl && k != CXCursor_CXXMethod))
        return false;
    if (is_system(c, callee))
        return i == 0 && flow_returns_first(spelling(c, callee));
    *via = arena_printf(c->a, "%s#%d", decl_key(c, callee), i);
    return true;
}

void collect_passes(struct collector *c, CXCursor function)
{
    CXType result = clang_getCanonicalType(clang_getCursorResultType(function));
    struct function *f = clang_isCursorDefinition(function) ? function_of(c) : NULL;
    bool returns = result.kind == CXType_Pointer;
    size_t pointers = returns || result.kind == CXType_Record;
    for (size_t i = 0; f && i < f->params.count; i++)
        pointers += clang_getCanonicalType(clang_getCursorType(f->params.items[i].cursor)).kind ==
                    CXType_Pointer;
    if (!f || pointers < 2)
        return;
    flow_scan_function(c, f);
    collect_keeps(c, f);
    for (size_t i = 0; returns && i < f->params.count; i++)
        if (holds(&f->returned, f->params.items[i].cursor)) {
            struct fact_pass p = {.argument =
                                      arena_printf(c->a, "%s#%zu", decl_key(c, function), i)};
            vec_push(&c->u->passes, p);
        }
}

/* One step up from `self`. Returns true if the value passes on, else *flow is the answer. */
static bool step_up(struct collector *c, struct function *f, const struct frame *up, CXCursor self,
                    bool *direct, enum site_flow *flow, struct fact_site *s)
{
    const char *via;
    CXCursor kids[3];
    *flow = FLOW_NONE;
    if (passes_value_on(up->kind))
        return true;
    switch ((int)up->kind) {
    case CXCursor_ConditionalOperator:
        return children_of(up->cursor, kids, 3) == 3 && !same_cursor(kids[0], self);
    case CXCursor_CallExpr:
        *direct = false;
        if (!flow_passes(c, up->cursor, self, &via) || (*via && *s->via))
            return false;
        s->via = *via ? via : s->via;
        return true;
    case CXCursor_CXXNewExpr:
        *direct = false;
        return same_cursor(first_expression(up->cursor), self);
    case CXCursor_VarDecl:
        *flow = flow_of_variable(c, f, up->cursor);
        return false;
    case CXCursor_ReturnStmt:
        *flow = FLOW_RETURN;
        s->flags |= *direct ? SITE_TAIL : 0;
        return false;
    case CXCursor_BinaryOperator: {
        enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(up->cursor);
        if (children_of(up->cursor, kids, 2) != 2)
            return false;
        if (op == CXBinaryOperator_Comma)
            return same_cursor(kids[1], self);
        *direct = false;
        if (op != CXBinaryOperator_Assign || !same_cursor(kids[1], self))
            return flow_through(op);
        CXCursor left = skip_wrappers(kids[0]), own = flow_own_object(c, left);
        if (!clang_Cursor_isNull(own))
            s->flags |= SITE_ON_STACK;
        if (is_out_lvalue(left))
            *flow = FLOW_OUT;
        else if (clang_getCursorKind(left) == CXCursor_DeclRefExpr)
            *flow = flow_of_variable(c, f, clang_getCursorReferenced(left));
        else if (!clang_Cursor_isNull(own))
            *flow = flow_of_variable(c, f, own);
        return *flow == FLOW_NONE;
    }
    default:
        return false;
    }
}

void flow_of(struct collector *c, struct fact_site *s)
{
    struct function *f = function_of(c);
    if (!f)
        return;
    s->in = function_key(c, f);
    if (f->lambda)
        return;
    bool direct = true;
    enum site_flow flow = FLOW_NONE;
    for (size_t i = c->frames.count - 1; i > 0; i--)
        if (!step_up(c, f, &c->frames.items[i - 1], c->frames.items[i].cursor, &direct, &flow, s))
            break;
    s->flow = flow;
}

const char *room_of(struct collector *c, CXCursor room)
{
    for (int depth = 0; depth < 16 && !clang_Cursor_isNull(room); depth++) {
        CXCursor e = skip_casts(room), decl;
        switch ((int)clang_getCursorKind(e)) {
        case CXCursor_BinaryOperator:
            room = first_expression(e);
            break;
        case CXCursor_DeclRefExpr:
            decl = clang_getCursorReferenced(e);
            if (!is_variable(decl) || clang_getCursorKind(decl) != CXCursor_VarDecl)
                return "";
            room = clang_Cursor_getVarDeclInitializer(decl);
            break;
        case CXCursor_CallExpr: {
            CXCursor callee = skip_wrappers(first_expression(e));
            struct place p = place_of(c, clang_getCursorLocation(callee));
            return p.src ? arena_printf(c->a, "%s:%u", p.src->path, p.offset) : "";
        }
        default:
            return "";
        }
    }
    return "";
}

enum site_flow flow_of_out(struct collector *c, CXCursor call)
{
    struct function *f = function_of(c);
    int n = clang_Cursor_getNumArguments(call);
    enum site_flow flow = FLOW_NONE;
    for (int i = 0; f && !f->lambda && i < n && flow == FLOW_NONE; i++) {
        CXCursor arg = skip_casts(clang_Cursor_getArgument(call, (unsigned)i));
        CXType t = clang_getCanonicalType(clang_getCursorType(arg));
        bool address = clang_getCursorUnaryOperatorKind(arg) == CXUnaryOperator_AddrOf;
        CXCursor e = address ? skip_casts(first_expression(arg)) : arg;
        CXCursor decl = clang_getCursorReferenced(e);
        if (t.kind != CXType_Pointer || clang_getCursorKind(e) != CXCursor_DeclRefExpr ||
            clang_getCanonicalType(clang_getPointeeType(t)).kind != CXType_Pointer)
            continue;
        if (address)
            flow = flow_of_variable(c, f, decl);
        else if (clang_getCursorKind(decl) == CXCursor_ParmDecl)
            flow = FLOW_OUT;
    }
    return flow;
}

CXCursor flow_own_object(struct collector *c, CXCursor lvalue)
{
    struct function *f = function_of(c);
    if (!f || f->lambda || clang_getCursorKind(skip_wrappers(lvalue)) != CXCursor_MemberRefExpr)
        return clang_getNullCursor();
    flow_scan_function(c, f);
    return keep_own_object(c, f, lvalue);
}

CXCursor flow_given_variable(CXCursor call)
{
    CXType result = clang_getCanonicalType(clang_getCursorType(call));
    int n = clang_getCursorKind(call) == CXCursor_CallExpr && result.kind != CXType_Pointer
                ? clang_Cursor_getNumArguments(call)
                : 0;
    for (int i = 0; i < n; i++) {
        CXCursor argument = skip_casts(clang_Cursor_getArgument(call, (unsigned)i));
        if (clang_getCursorUnaryOperatorKind(argument) != CXUnaryOperator_AddrOf)
            continue;
        CXCursor e = skip_casts(first_expression(argument));
        CXCursor decl = clang_getCursorReferenced(e);
        if (clang_getCursorKind(decl) == CXCursor_VarDecl &&
            clang_getCursorKind(e) == CXCursor_DeclRefExpr &&
            clang_getCanonicalType(clang_getCursorType(decl)).kind == CXType_Pointer)
            return decl;
    }
    return clang_getNullCursor();
}

CXCursor flow_variable(struct collector *c)
{
    for (size_t i = c->frames.count - 1; i > 0; i--) {
        const struct frame *up = &c->frames.items[i - 1];
        CXCursor kids[2];
        if (up->kind == CXCursor_VarDecl)
            return up->cursor;
        if (up->kind == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(up->cursor) == CXBinaryOperator_Assign &&
            children_of(up->cursor, kids, 2) == 2) {
            CXCursor left = skip_wrappers(kids[0]);
            return clang_getCursorKind(left) == CXCursor_DeclRefExpr
                       ? clang_getCursorReferenced(left)
                       : flow_own_object(c, left);
        }
        if (!clang_isExpression(up->kind) || up->kind == CXCursor_CallExpr)
            break;
    }
    CXCursor given = flow_given_variable(c->frames.items[c->frames.count - 1].cursor);
    return is_local_variable(given) ? given : clang_getNullCursor();
}
