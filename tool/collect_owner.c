/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guesses whose node an allocation should be on, in order: the base of its destination, this, the
 * parameters. Each guess is source text plus the class it names, or a reason why it must not be
 * used. A wrong guess costs locality; an unsafe text would cost correctness, so a path is used only
 * if every part of it was recognised.
 */
#include "collect_p.h"

/* A variable's own object that gets the block: not an owner among others, since most end with their
 * function, but the last guess, and the first where it is a root. */
struct held {
    bool found;
    struct path path;
    const char *via;
};

/* Key of the variable, static members too, that receives the block itself; "" if none does. */
static const char *destination_variable(struct collector *c, const struct destination *d)
{
    CXCursor var = d->declared;
    if (d->found && !d->member_init) {
        CXCursor lvalue = skip_wrappers(d->lvalue);
        enum CXCursorKind k = clang_getCursorKind(lvalue);
        if (k == CXCursor_DeclRefExpr || k == CXCursor_MemberRefExpr)
            var = clang_getCursorReferenced(lvalue);
    }
    return clang_getCursorKind(var) == CXCursor_VarDecl ? decl_key(c, var) : arena_strdup(c->a, "");
}

/* The call itself says where the block belongs: tmp = realloc(p->items, n), and asprintf(&p->text,
 * ...), which returns a number. */
static struct destination given_destination(struct collector *c, const struct fact_site *site)
{
    struct destination d = {.declared = clang_getNullCursor(), .via = ""};
    CXCursor call = c->frames.items[c->frames.count - 1].cursor;
    bool pointer = clang_getCanonicalType(clang_getCursorType(call)).kind == CXType_Pointer;
    bool grown = !strcmp(site->kind, "realloc");
    int n = grown ? 1 : pointer ? 0 : clang_Cursor_getNumArguments(call);
    for (int i = 0; i < n && !d.found; i++) {
        CXCursor block = skip_casts(clang_Cursor_getArgument(call, (unsigned)i));
        if (!grown && clang_getCursorUnaryOperatorKind(block) != CXUnaryOperator_AddrOf)
            continue;
        d.lvalue = grown ? block : skip_casts(first_expression(block));
        d.found = clang_getCursorKind(d.lvalue) == CXCursor_MemberRefExpr &&
                  clang_getCanonicalType(clang_getCursorType(d.lvalue)).kind == CXType_Pointer;
    }
    return d;
}

/* A variable that ends with its function and holds the object itself. */
static bool is_local_object(CXCursor decl)
{
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(decl);
    return clang_getCursorKind(decl) == CXCursor_ParmDecl ||
           (clang_getCursorKind(decl) == CXCursor_VarDecl &&
            clang_getCursorLinkage(decl) == CXLinkage_NoLinkage && storage != CX_SC_Static &&
            clang_getCursorTLSKind(decl) == CXTLS_None);
}

static void note_held(struct held *held, const struct path *p, const char *via)
{
    if (held->found || !via || !p->local || p->reject)
        return;
    held->found = true;
    held->path = *p;
    held->via = via;
}

/* It is its own reason to hold what its type's arguments name. */
static void add_held(struct collector *c, struct fact_site *site, struct function *f,
                     const struct held *held)
{
    CXCursor var = held->found ? clang_getCursorReferenced(held->path.expr) : clang_getNullCursor();
    if (!held->found || clang_getCursorKind(held->path.expr) != CXCursor_DeclRefExpr ||
        (clang_getCursorKind(var) != CXCursor_VarDecl &&
         clang_getCursorKind(var) != CXCursor_ParmDecl))
        return;
    bool local = is_local_object(var);
    struct fact_owner *o = add_path(c, site, f, &held->path, local ? OWNER_LOCAL : OWNER_GLOBAL);
    strings held_types = {0};
    type_mentions(c, clang_getCursorType(var), &held_types);
    if (in_texts(&held_types, site->type_key))
        o->cls = site->type_key;
    vec_release(&held_types);
    o->var = decl_key(c, var);
    o->via = held->via;
    if (o->reject || !*o->cls)
        site->owners.count--;
}

/* The lvalue of a destination that cannot be named twice, or null. */
static CXCursor add_destination(struct collector *c, struct fact_site *site, struct function *f,
                                struct destination d, struct held *held)
{
    CXCursor given = clang_getNullCursor();
    if (site->flags & (SITE_CALL | SITE_ALLOCATOR))
        given = flow_given_variable(c->frames.items[c->frames.count - 1].cursor);
    site->flags |= clang_Cursor_isNull(given) ? 0 : SITE_GIVEN;
    site->dest_var = clang_Cursor_isNull(given) ? destination_variable(c, &d) : decl_key(c, given);
    if (!d.found && (site->flags & (SITE_CALL | SITE_ALLOCATOR)))
        d = given_destination(c, site);
    if (!d.found)
        return clang_getNullCursor();
    struct path p = {.expr = clang_getNullCursor()};
    p.cls = p.pointee = arena_strdup(c->a, "");
    if (d.member_init) {
        p.is_this = true;
        p.cls = f ? f->cls : p.cls;
        for (size_t i = c->frames.count; !f && !*p.cls && i-- > 0;)
            if (is_record_kind(c->frames.items[i].kind))
                p.cls = record_key(c, c->frames.items[i].cursor);
    } else if (!(d.container ? container_path(c, d.lvalue, &p) : slot_path(c, d.lvalue, &p))) {
        note_held(held, &p, d.container ? d.via : NULL);
        return clang_getNullCursor();
    }
    struct fact_owner *o = add_path(c, site, f, &p, OWNER_DESTINATION);
    o->via = d.via;
    bool unnamed = !p.is_this && o->reject == NF_IMPURE_OWNER;
    return unnamed && !d.container && !*d.via ? d.lvalue : clang_getNullCursor();
}

static bool is_pointer_or_array(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Pointer || t.kind == CXType_ConstantArray ||
           t.kind == CXType_IncompleteArray || t.kind == CXType_VariableArray;
}

/* What the way to an lvalue goes through stands for it if it can be named: p->items for
 * p->items[p->count++], and the variable at the start of what a macro spells. */
static void add_on_the_way(struct collector *c, struct fact_site *site, struct function *f,
                           CXCursor lvalue)
{
    for (int depth = 0; depth < 32; depth++) {
        lvalue = first_expression(lvalue);
        if (clang_Cursor_isNull(lvalue))
            return;
        lvalue = skip_casts(lvalue);
        enum CXCursorKind k = clang_getCursorKind(lvalue);
        bool name = k == CXCursor_DeclRefExpr;
        if (k != CXCursor_MemberRefExpr && k != CXCursor_ArraySubscriptExpr &&
            k != CXCursor_UnaryOperator && !name)
            return;
        char *text = name ? spelling(c, lvalue) : cursor_text(c, lvalue);
        if (!text || !is_pointer_or_array(clang_getCursorType(lvalue)) ||
            !expression_is_pure(lvalue))
            continue;
        strings reads = {0};
        reads_of(c, lvalue, true, &reads);
        vec_push(&reads, text);
        bool rejected = reads_reject(c, f, &reads, site->offset) != 0;
        vec_release(&reads);
        if (rejected)
            continue;
        struct fact_owner *o = add_owner(c, site, OWNER_DESTINATION, text, "");
        o->cls = k == CXCursor_MemberRefExpr ? class_of_member(c, lvalue, first_expression(lvalue))
                                             : type_key(c, clang_getCursorType(lvalue));
        o->slot = true;
        return;
    }
}

/* Another variable of that name is declared before the site; a parameter itself counts once. */
static bool is_shadowed(struct function *f, const char *name, unsigned site, int itself)
{
    int seen = 0;
    for (size_t i = 0; i < f->locals.count; i++)
        if (!strcmp(f->locals.items[i].text, name) && f->locals.items[i].offset < site)
            seen++;
    return seen > itself;
}

/* What naming the parameter gives: a pointer, an lvalue, a smart pointer; false: no owner. */
static bool param_form(struct collector *c, CXType t, struct fact_owner *o, const char *name)
{
    t = clang_getCanonicalType(t);
    bool reference = t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
    if (reference)
        t = clang_getCanonicalType(clang_getPointeeType(t));
    o->cls = type_key(c, t);
    o->expr = name;
    if (!*o->cls || type_is_volatile(t))
        return false;
    if (type_is_smart_pointer(c, t)) {
        o->expr = arena_printf(c->a, "%s.get()", name);
        o->cls = type_key(c, clang_Type_getTemplateArgumentAsType(t, 0));
        return *o->cls != '\0';
    }
    if (t.kind == CXType_Pointer) {
        type_note_address(c, clang_getPointeeType(t), o->cls);
        o->slot =
            reference || clang_getCanonicalType(clang_getPointeeType(t)).kind == CXType_Pointer;
        o->take_address = reference;
        return true;
    }
    o->take_address = true;
    o->pointee = o->cls;
    type_note_address(c, t, o->pointee);
    o->slot = !strncmp(o->cls, "lib:", 4);
    return reference;
}

/* A parameter, or another variable that the block is stored in later. Its name must mean it at the
 * site. */
static void add_variable(struct collector *c, struct fact_site *site, struct function *f,
                         const struct param *p, enum owner_kind kind)
{
    struct fact_owner o = {.kind = kind, .pointee = "", .via = ""};
    CXType t = clang_getCursorType(p->cursor);
    bool global =
        clang_getCursorKind(p->cursor) == CXCursor_VarDecl && !is_local_variable(p->cursor);
    if (!*p->name || clang_getCanonicalType(t).kind == CXType_Invalid)
        return;
    if (!param_form(c, t, &o, p->name) && !(global && o.take_address))
        return;
    strings reads = {0}, writes = {0};
    vec_push(&reads, p->name);
    writes_of(c, &writes);
    if (is_shadowed(f, p->name, site->offset, global ? 0 : 1))
        o.reject = NF_SHADOWED;
    else if (function_has_freed(f, &reads, site->offset))
        o.reject = NF_FREED_OWNER;
    else if (!o.take_address && in_texts(&writes, p->name))
        o.reject = NF_IMPURE_OWNER;
    vec_push(&site->owners, o);
    vec_release(&reads);
    vec_release(&writes);
}

/* What the variable that takes the block is stored in later. */
static void add_holders(struct collector *c, struct fact_site *site, struct function *f, bool local)
{
    enum { MANY = 8 };
    struct keep_holder holders[MANY];
    size_t n = keep_holders(c, site, flow_variable(c), local, holders, MANY);
    for (size_t i = 0; i < n; i++) {
        struct param p = {holders[i].holder, spelling(c, holders[i].holder)};
        enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(p.cursor));
        struct place at = place_of(c, clang_getCursorLocation(p.cursor));
        if (at.src && !strcmp(at.src->path, site->file) && at.offset > site->offset)
            continue; /* extern, inside the block */
        bool parameter = clang_getCursorKind(p.cursor) == CXCursor_ParmDecl;
        size_t before = site->owners.count;
        /* Other globals may need a qualified name, statics of functions may be declared below. */
        if (local || parameter || parent == CXCursor_TranslationUnit)
            add_variable(c, site, f, &p, OWNER_LATER);
        if (site->owners.count > before)
            site->owners.items[before].via = holders[i].via;
    }
}

/* Less is better: an object; a slot, which is often a variable of the caller's; the parameter that
 * takes the block, whose value so far may be the end of a list. */
static int weight(const struct fact_owner *o, const char *taken)
{
    return o->slot + 2 * !strcmp(o->expr, taken);
}

static void add_parameters(struct collector *c, struct fact_site *site, struct function *f,
                           const struct destination *d)
{
    size_t first = site->owners.count;
    CXCursor lvalue = d->found && !d->member_init ? skip_wrappers(d->lvalue) : d->declared;
    bool name = clang_getCursorKind(lvalue) == CXCursor_DeclRefExpr;
    const char *taken = name ? spelling(c, lvalue) : "";
    for (size_t i = 0; i < f->params.count; i++)
        add_variable(c, site, f, &f->params.items[i], OWNER_PARAMETER);
    for (size_t i = first + 1; i < site->owners.count; i++)
        for (size_t k = i; k > first; k--) {
            struct fact_owner *o = &site->owners.items[k], *before = o - 1, kept = *o;
            if (weight(before, taken) <= weight(o, taken))
                break;
            *o = *before;
            *before = kept;
        }
}

/* What an argument names: a pointer's object, or an object that the caller does not hold itself. */
static bool argument_path(struct collector *c, CXCursor argument, struct path *p)
{
    CXCursor e = skip_casts(argument);
    CXType t = clang_getCanonicalType(clang_getCursorType(e));
    enum CXCursorKind k = clang_getCursorKind(e);
    bool record = t.kind == CXType_Record;
    if (t.kind == CXType_Pointer)
        record = clang_getCanonicalType(clang_getPointeeType(t)).kind == CXType_Record;
    if (!record)
        return false;
    if (t.kind == CXType_Record) {
        object_path(c, e, p);
    } else if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf) {
        object_path(c, first_expression(e), p);
    } else {
        p->expr = e;
        p->is_this = k == CXCursor_CXXThisExpr;
        if (!p->is_this && k != CXCursor_DeclRefExpr && k != CXCursor_MemberRefExpr &&
            k != CXCursor_ArraySubscriptExpr)
            return false;
    }
    p->cls = type_key(c, t);
    return !p->local;
}

/* A guess among others: one that cannot be named is none, and no reason to leave the site. */
static void add_taker(struct collector *c, struct fact_site *site, struct function *f,
                      const struct path *p, const char *via)
{
    struct fact_owner *o = add_path(c, site, f, p, OWNER_TAKER);
    o->via = via;
    if (o->reject || !*o->cls)
        site->owners.count--;
}

/* scene->add(new Node), attach(tree, node_new()): most often what a call gets with the block, or is
 * called for, keeps it. A guess only where its class reaches the block's. */
static void add_takers(struct collector *c, struct fact_site *site, struct function *f,
                       const struct destination *d, struct held *held)
{
    CXCursor callee = first_expression(d->call), decl = clang_getCursorReferenced(d->call);
    enum CXCursorKind k = clang_getCursorKind(decl);
    if (clang_Cursor_isNull(decl) || k == CXCursor_Constructor || is_system(c, decl))
        return;
    const struct path none = {.expr = clang_getNullCursor(),
                              .cls = arena_strdup(c->a, ""),
                              .pointee = arena_strdup(c->a, "")};
    struct path p = none;
    if (k == CXCursor_CXXMethod && clang_getCursorKind(callee) == CXCursor_MemberRefExpr &&
        !clang_Cursor_isNull(first_expression(callee))) {
        bool owner = container_path(c, callee, &p);
        p.cls = *p.cls ? p.cls : type_key(c, clang_getCursorType(first_expression(callee)));
        if (owner)
            add_taker(c, site, f, &p, d->via);
        else
            note_held(held, &p, d->via);
    }
    int n = clang_Cursor_getNumArguments(d->call);
    for (int i = 0; i < n; i++) {
        CXCursor argument = clang_Cursor_getArgument(d->call, (unsigned)i);
        p = none;
        if (same_cursor(argument, d->argument))
            continue;
        if (argument_path(c, argument, &p))
            add_taker(c, site, f, &p, d->via);
        else
            note_held(held, &p, d->via);
    }
}

/* What an argument leads to that a block is stored in; beside objects, places for pointers. */
static bool keeper_path(struct collector *c, CXCursor argument, struct path *p)
{
    CXCursor e = skip_casts(argument);
    enum CXCursorKind k = clang_getCursorKind(e);
    if (argument_path(c, argument, p))
        return true;
    if (p->local || !is_raw_pointer(clang_getCursorType(e)))
        return false;
    if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf)
        return slot_path(c, first_expression(e), p);
    if (k != CXCursor_DeclRefExpr && k != CXCursor_MemberRefExpr &&
        k != CXCursor_ArraySubscriptExpr)
        return false;
    p->expr = e;
    p->slot = true;
    p->cls = type_key(c, clang_getCursorType(e));
    return true;
}

/* list_add(&list, key, node_new()): the function that is called stores the block in what another
 * argument leads to, or so all units together say. */
static void add_keepers(struct collector *c, struct fact_site *site, struct function *f,
                        const struct destination *d, struct held *held)
{
    int n = clang_Cursor_getNumArguments(d->call), j = 0;
    while (j < n && !same_cursor(clang_Cursor_getArgument(d->call, (unsigned)j), d->argument))
        j++;
    for (int i = 0; i < n && j < n; i++) {
        const char *via = i == j ? "" : keep_argument(c, d->call, (unsigned)j, (unsigned)i);
        struct path p = {.expr = clang_getNullCursor()};
        p.cls = p.pointee = arena_strdup(c->a, "");
        if (!*via)
            continue;
        via = *d->via ? keep_both(c, site, d->via, via) : via;
        if (!keeper_path(c, clang_Cursor_getArgument(d->call, (unsigned)i), &p)) {
            note_held(held, &p, via);
            continue;
        }
        size_t before = site->owners.count;
        add_taker(c, site, f, &p, via);
        if (site->owners.count > before)
            site->owners.items[before].keeps = true;
    }
}

/* `new T(*this)`, `new T(other)`: this, or the variable, that the object is a copy of; else null.
 */
static CXCursor copied_from(struct collector *c, const struct fact_site *site)
{
    CXCursor cursor = c->frames.items[c->frames.count - 1].cursor, kids[16];
    size_t n =
        clang_getCursorKind(cursor) == CXCursor_CXXNewExpr ? children_of(cursor, kids, 16) : 0;
    CXCursor value = n && clang_isExpression(clang_getCursorKind(kids[n - 1]))
                         ? skip_casts(kids[n - 1])
                         : clang_getNullCursor();
    if (clang_getCursorKind(value) == CXCursor_CallExpr)
        value = clang_Cursor_getNumArguments(value) == 1
                    ? skip_casts(clang_Cursor_getArgument(value, 0))
                    : clang_getNullCursor();
    if (clang_Cursor_isNull(value) || !*site->type_key ||
        strcmp(type_key(c, clang_getCursorType(value)), site->type_key))
        return clang_getNullCursor();
    if (clang_getCursorUnaryOperatorKind(value) == CXUnaryOperator_Deref)
        value = skip_casts(first_expression(value));
    return clang_getCursorKind(value) == CXCursor_DeclRefExpr ? clang_getCursorReferenced(value)
                                                              : value;
}

/* What leaves the function as a copy belongs to whoever asked for it, not to the original. */
static void drop_original(struct collector *c, struct fact_site *site)
{
    CXCursor original = site->flow == FLOW_NONE ? clang_getNullCursor() : copied_from(c, site);
    if (clang_Cursor_isNull(original))
        return;
    bool self = clang_getCursorKind(original) == CXCursor_CXXThisExpr;
    char *name = spelling(c, original);
    size_t kept = 0;
    for (size_t i = 0; i < site->owners.count; i++) {
        const struct fact_owner *o = &site->owners.items[i];
        if (self ? o->kind != OWNER_THIS : o->kind != OWNER_PARAMETER || strcmp(o->expr, name))
            site->owners.items[kept++] = *o;
    }
    site->owners.count = kept;
}

/* pool.make(): an allocator that is a method and names no owner itself allocates for its object. */
static void add_maker(struct collector *c, struct fact_site *site, struct function *f,
                      struct held *held)
{
    CXCursor call = c->frames.items[c->frames.count - 1].cursor;
    CXCursor callee = first_expression(call);
    callee = clang_Cursor_isNull(callee) ? callee : skip_wrappers(callee);
    struct path p = {.expr = clang_getNullCursor()};
    p.cls = p.pointee = arena_strdup(c->a, "");
    if (!(site->flags & SITE_CALL) || clang_getCursorKind(callee) != CXCursor_MemberRefExpr ||
        clang_getCursorKind(clang_getCursorReferenced(call)) != CXCursor_CXXMethod ||
        clang_Cursor_isNull(first_expression(callee)))
        return;
    bool owner = container_path(c, callee, &p);
    p.cls = *p.cls ? p.cls : type_key(c, clang_getCursorType(first_expression(callee)));
    if (owner)
        add_taker(c, site, f, &p, "");
    else
        note_held(held, &p, "");
}

void owners_of(struct collector *c, struct fact_site *site)
{
    struct function *f = function_of(c);
    struct destination d = find_destination(c);
    struct held held = {.found = false};
    if (f)
        function_scan(c, f);
    bool on_stack = f && (site->flags & SITE_ON_STACK);
    if (on_stack)
        add_holders(c, site, f, false);
    if (on_stack)
        add_holders(c, site, f, true);
    CXCursor unnamed = add_destination(c, site, f, d, &held);
    if (f && !clang_Cursor_isNull(d.call)) {
        add_keepers(c, site, f, &d, &held);
        add_takers(c, site, f, &d, &held);
    }
    if (f)
        add_maker(c, site, f, &held);
    if (f && f->has_this) {
        struct fact_owner *o = add_owner(c, site, OWNER_THIS, arena_strdup(c->a, "this"), f->cls);
        o->reject = this_reject(c, f, site->offset);
    }
    if (!clang_Cursor_isNull(unnamed))
        add_on_the_way(c, site, f, unnamed);
    if (f && !on_stack)
        add_holders(c, site, f, false);
    if (f)
        add_parameters(c, site, f, &d);
    if (f && !on_stack)
        add_holders(c, site, f, true);
    add_held(c, site, f, &held);
    drop_original(c, site);
}

enum object_kind owner_of_object(struct collector *c, CXCursor object, unsigned offset,
                                 struct fact_owner *owner, CXCursor *root)
{
    struct function *f = function_of(c);
    struct path p = {.expr = clang_getNullCursor()};
    p.cls = p.pointee = arena_strdup(c->a, "");
    object_path(c, object, &p);
    owner->kind = OWNER_DESTINATION;
    owner->expr = owner->pointee = arena_strdup(c->a, "");
    owner->cls = p.cls;
    if (p.is_this)
        return OBJECT_THIS;
    CXCursor decl = clang_Cursor_isNull(p.expr) ? p.expr : clang_getCursorReferenced(p.expr);
    bool name = !clang_Cursor_isNull(decl) && clang_getCursorKind(p.expr) == CXCursor_DeclRefExpr;
    if (name && p.local && is_local_object(decl)) {
        owner->kind = OWNER_LOCAL;
        owner->expr = spelling(c, decl);
        owner->take_address = true;
        owner->pointee = p.pointee;
        *root = decl;
        return OBJECT_LOCAL;
    }
    if (!f || clang_Cursor_isNull(p.expr))
        return OBJECT_UNKNOWN;
    function_scan(c, f);
    char *text = cursor_text(c, p.expr);
    if (!*owner->cls)
        owner->cls = type_key(c, clang_getCursorType(p.expr));
    owner->reject = path_reject(c, f, &p, text, offset);
    if (!text || p.reject)
        return OBJECT_UNKNOWN;
    owner->expr = p.get ? arena_printf(c->a, "%s.get()", text) : text;
    owner->take_address = p.take_address;
    owner->pointee = p.pointee;
    owner->slot = !*owner->cls || !strncmp(owner->cls, "lib:", 4);
    if (name)
        *root = decl;
    return OBJECT_VARIABLE;
}

bool owner_of_parameter(struct collector *c, const struct param *p, struct fact_owner *owner)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(p->cursor));
    owner->kind = OWNER_PARAMETER;
    owner->pointee = arena_strdup(c->a, "");
    if (!*p->name || t.kind == CXType_Invalid)
        return false;
    if (param_form(c, t, owner, p->name))
        return true;
    bool reference = t.kind == CXType_LValueReference;
    bool pointer = t.kind == CXType_Pointer;
    CXType to = reference || pointer ? clang_getPointeeType(t) : t;
    if (*owner->cls || (!reference && !pointer) || clang_isConstQualifiedType(to) ||
        type_is_volatile(to) || !type_is_storage(c, to))
        return false;
    owner->take_address = owner->slot = true;
    if (pointer)
        owner->take_address = false;
    return true;
}
