/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lives in what: a function's variables as a graph, an edge for each store, load and call that
 * puts what one of them points to into what another leads to. Where that depends on a function that
 * is called, the edge says so, and all units together decide whether it does. A wrong answer is a
 * wrong guess for an owner: it places a block elsewhere and breaks nothing.
 */
#include "collect_p.h"

enum { MANY_EDGES = 2048, MANY_ARGUMENTS = 16, MANY_WAYS = 8, MANY_STATES = 512 };

/* How a value hangs together with a variable. */
enum relation {
    SAME,   /* it is the variable's, or points into the same object */
    INSIDE, /* it was found in what the variable leads to */
    HELD    /* what the variable points to is stored in it */
};

struct origin {
    CXCursor var;
    enum relation relation;
    const char *conditions[KEEP_CONDITIONS];
};

typedef VEC(struct origin) origins;

struct search {
    struct collector *c;
    origins *out;
    struct origin at; /* what is known of the expression that is looked at */
    int depth;
};

static bool in_conditions(const char *const *conditions, const char *one)
{
    for (size_t i = 0; i < KEEP_CONDITIONS && conditions[i]; i++)
        if (!strcmp(conditions[i], one))
            return true;
    return false;
}

/* False: they would be too many. */
static bool add_condition(const char **conditions, const char *one)
{
    size_t n = 0;
    if (in_conditions(conditions, one))
        return true;
    while (n < KEEP_CONDITIONS && conditions[n])
        n++;
    if (n == KEEP_CONDITIONS)
        return false;
    conditions[n] = one;
    return true;
}

static bool add_conditions(const char **conditions, const char *const *more)
{
    for (size_t i = 0; i < KEEP_CONDITIONS && more[i]; i++)
        if (!add_condition(conditions, more[i]))
            return false;
    return true;
}

static bool points(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Pointer || t.kind == CXType_ConstantArray || t.kind == CXType_Record ||
           t.kind == CXType_IncompleteArray;
}

static void origins_of(struct search s, CXCursor e);

static void origin_variable(const struct search *s, CXCursor name)
{
    CXCursor decl = clang_getCursorReferenced(name);
    enum CXCursorKind k = clang_getCursorKind(decl);
    struct origin o = s->at;
    if ((k != CXCursor_ParmDecl && k != CXCursor_VarDecl) || !points(clang_getCursorType(decl)))
        return;
    o.var = decl;
    vec_push(s->out, o);
}

/* Into an object: what is loaded from what holds a variable is no longer that. */
static void origins_inside(struct search s, CXCursor e)
{
    if (s.at.relation == HELD)
        return;
    s.at.relation = INSIDE;
    origins_of(s, e);
}

static bool is_pointer(CXCursor e)
{
    return clang_getCanonicalType(clang_getCursorType(skip_wrappers(e))).kind == CXType_Pointer;
}

/* The object that an lvalue is a part of. */
static void origins_of_address(struct search s, CXCursor lvalue)
{
    if (s.depth++ > 32)
        return;
    CXCursor e = skip_casts(lvalue), base = first_expression(e);
    switch ((int)clang_getCursorKind(e)) {
    case CXCursor_DeclRefExpr:
        origin_variable(&s, e);
        return;
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
        if (!clang_Cursor_isNull(base) && is_pointer(base))
            origins_of(s, base);
        else if (!clang_Cursor_isNull(base))
            origins_of_address(s, base);
        return;
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Deref)
            origins_of(s, base);
        return;
    default:
        return;
    }
}

static const char *key_of(struct collector *c, const char *function, const char *from,
                          const char *to)
{
    return arena_printf(c->a, "%s#%s>%s", function, from, to);
}

/* The function that is called, if its body may be in sight of some unit; else a null cursor. */
static CXCursor called(struct collector *c, CXCursor call)
{
    CXCursor decl = clang_getCursorReferenced(call);
    enum CXCursorKind k = clang_getCursorKind(decl);
    bool function = k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod;
    return function && !is_system(c, decl) ? decl : clang_getNullCursor();
}

static bool is_known_to_pass(struct collector *c, CXCursor call)
{
    CXCursor decl = clang_getCursorReferenced(call);
    if (clang_getCursorKind(decl) != CXCursor_FunctionDecl)
        return false;
    char *name = spelling(c, decl);
    return !strcmp(name, "numafy_leave") || (is_system(c, decl) && flow_returns_first(name));
}

/* What a call returns may be in what it was given, and may hold that. */
static void origins_of_call(struct search s, CXCursor call)
{
    int n = clang_Cursor_getNumArguments(call);
    if (n > 0 && is_known_to_pass(s.c, call)) {
        origins_of(s, clang_Cursor_getArgument(call, 0));
        return;
    }
    CXCursor decl = called(s.c, call);
    const char *function = NULL;
    for (int i = 0; i < n && i < MANY_ARGUMENTS && !clang_Cursor_isNull(decl); i++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        char number[12];
        struct search in = s, held = s;
        if (!points(clang_getCursorType(argument)))
            continue;
        function = function ? function : decl_key(s.c, decl);
        snprintf(number, sizeof number, "%d", i);
        in.at.relation = INSIDE;
        held.at.relation = HELD;
        if (s.at.relation != HELD &&
            add_condition(in.at.conditions, key_of(s.c, function, "R", number)))
            origins_of(in, argument);
        if (s.at.relation != INSIDE &&
            add_condition(held.at.conditions, key_of(s.c, function, number, "R")))
            origins_of(held, argument);
    }
}

static void origins_of_children(struct search s, CXCursor e, size_t first)
{
    CXCursor kids[MANY_ARGUMENTS];
    size_t n = children_of(e, kids, MANY_ARGUMENTS);
    for (size_t i = first; i < n; i++)
        if (clang_isExpression(clang_getCursorKind(kids[i])))
            origins_of(s, kids[i]);
}

static void origins_of_operator(struct search s, CXCursor e)
{
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
    if (op == CXBinaryOperator_Comma || op == CXBinaryOperator_Assign)
        origins_of_children(s, e, 1);
    else if (flow_through(op))
        origins_of_children(s, e, 0);
}

/* Variables that the value of a pointer, or of a struct's members, hangs together with. */
static void origins_of(struct search s, CXCursor e)
{
    if (s.depth++ > 32 || clang_Cursor_isNull(e))
        return;
    e = skip_casts(e);
    CXCursor base = first_expression(e);
    switch ((int)clang_getCursorKind(e)) {
    case CXCursor_DeclRefExpr:
        origin_variable(&s, e);
        return;
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
        if (clang_Cursor_isNull(base))
            return;
        if (is_pointer(base))
            origins_inside(s, base);
        else
            origins_of(s, base);
        return;
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Deref)
            origins_inside(s, base);
        else if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf)
            origins_of_address(s, base);
        else /* p++ */
            origins_of(s, base);
        return;
    case CXCursor_InitListExpr:
    case CXCursor_CompoundLiteralExpr:
        if (s.at.relation != INSIDE)
            s.at.relation = HELD;
        origins_of_children(s, e, 0);
        return;
    case CXCursor_ConditionalOperator:
        origins_of_children(s, e, 1);
        return;
    case CXCursor_BinaryOperator:
        origins_of_operator(s, e);
        return;
    case CXCursor_CallExpr:
        origins_of_call(s, e);
        return;
    default:
        return;
    }
}

/* The graph */

static unsigned node_of(struct function *f, CXCursor var)
{
    for (size_t i = 0; i < f->keep_nodes.count; i++)
        if (clang_equalCursors(f->keep_nodes.items[i], var))
            return (unsigned)i;
    vec_push(&f->keep_nodes, var);
    return (unsigned)f->keep_nodes.count - 1;
}

static void add_edge(struct function *f, const struct origin *from, const struct origin *to,
                     unsigned offset, bool alias)
{
    struct keep_edge e = {.offset = offset, .alias = alias};
    if (f->keep_edges.count >= MANY_EDGES || clang_equalCursors(from->var, to->var))
        return;
    memcpy(e.conditions, from->conditions, sizeof e.conditions);
    if (!add_conditions(e.conditions, to->conditions))
        return;
    e.from = node_of(f, from->var);
    e.to = node_of(f, to->var);
    vec_push(&f->keep_edges, e);
}

static unsigned offset_of(CXCursor e)
{
    unsigned offset;
    clang_getFileLocation(clang_getCursorLocation(e), NULL, NULL, NULL, &offset);
    return offset;
}

static bool is_own_object(CXCursor var)
{
    return is_local_variable(var) &&
           clang_getCanonicalType(clang_getCursorType(var)).kind == CXType_Record;
}

/* The variable takes the value. */
static void take(struct collector *c, struct function *f, CXCursor var, CXCursor value,
                 unsigned offset)
{
    origins from = {0};
    struct origin to = {.var = var};
    origins_of((struct search){.c = c, .out = &from}, value);
    bool address = clang_getCursorUnaryOperatorKind(skip_casts(value)) == CXUnaryOperator_AddrOf;
    for (size_t i = 0; i < from.count; i++) {
        const struct origin *o = &from.items[i];
        if (address && o->relation == SAME && is_own_object(o->var)) {
            struct own_address own = {var, o->var};
            vec_push(&f->own_addresses, own);
        }
        if (o->relation != INSIDE)
            add_edge(f, o, &to, offset, o->relation == SAME);
        size_t before = f->keep_edges.count;
        if (o->relation != HELD)
            add_edge(f, &to, o, offset, o->relation == SAME);
        if (f->keep_edges.count > before)
            f->keep_edges.items[before].taken = true;
    }
    vec_release(&from);
}

static void connect(struct function *f, const origins *from, const origins *to, unsigned offset,
                    const char *condition)
{
    for (size_t i = 0; i < from->count; i++)
        for (size_t k = 0; k < to->count && from->items[i].relation != INSIDE; k++) {
            struct origin o = from->items[i];
            if (to->items[k].relation != HELD &&
                (!condition || add_condition(o.conditions, condition)))
                add_edge(f, &o, &to->items[k], offset, false);
        }
}

void keep_assignment(struct collector *c, struct function *f, CXCursor lvalue, CXCursor value)
{
    CXCursor left = skip_wrappers(lvalue);
    if (!points(clang_getCursorType(left)))
        return;
    if (clang_getCursorKind(left) == CXCursor_DeclRefExpr) {
        enum CXCursorKind k = clang_getCursorKind(clang_getCursorReferenced(left));
        if (k == CXCursor_ParmDecl || k == CXCursor_VarDecl)
            take(c, f, clang_getCursorReferenced(left), value, offset_of(left));
        return;
    }
    origins from = {0}, to = {0};
    origins_of((struct search){.c = c, .out = &from}, value);
    if (from.count)
        origins_of_address((struct search){.c = c, .out = &to}, left);
    connect(f, &from, &to, offset_of(left), NULL);
    vec_release(&from);
    vec_release(&to);
}

void keep_initialiser(struct collector *c, struct function *f, CXCursor var, CXCursor value)
{
    if (points(clang_getCursorType(var)))
        take(c, f, var, value, offset_of(var));
}

void keep_return(struct collector *c, struct function *f, CXCursor statement)
{
    CXCursor value = first_expression(statement);
    if (!clang_Cursor_isNull(value) && points(clang_getCursorType(value)))
        take(c, f, f->cursor, value, offset_of(statement));
}

const char *keep_argument(struct collector *c, CXCursor call, unsigned j, unsigned i)
{
    CXCursor decl = called(c, call);
    if (clang_Cursor_isNull(decl))
        return "";
    return arena_printf(c->a, "%s#%u>%u", decl_key(c, decl), j, i);
}

void keep_call(struct collector *c, struct function *f, CXCursor call)
{
    origins of[MANY_ARGUMENTS] = {{0}};
    int n = clang_Cursor_getNumArguments(call), known = 0;
    if (n > MANY_ARGUMENTS || clang_Cursor_isNull(called(c, call)))
        return;
    for (int i = 0; i < n; i++) {
        CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        if (points(clang_getCursorType(argument)))
            origins_of((struct search){.c = c, .out = &of[i]}, argument);
        known += of[i].count > 0;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && known > 1; i++)
            if (i != j && of[j].count && of[i].count)
                connect(f, &of[j], &of[i], offset_of(call),
                        keep_argument(c, call, (unsigned)j, (unsigned)i));
    for (int i = 0; i < n; i++)
        vec_release(&of[i]);
}

/* Ways through it */

struct way {
    unsigned at;
    bool inside; /* not only another name */
    const char *conditions[KEEP_CONDITIONS];
    const struct keep_edge *last;
};

typedef VEC(struct way) ways;

/* A way that needs no more has been there already, or enough have. */
static bool is_known(const ways *list, const struct way *w)
{
    int there = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct way *other = &list->items[i];
        bool all = other->at == w->at && other->inside >= w->inside;
        if (!all)
            continue;
        for (size_t k = 0; k < KEEP_CONDITIONS && other->conditions[k]; k++)
            all &= in_conditions(w->conditions, other->conditions[k]);
        if (all || ++there == MANY_WAYS)
            return true;
    }
    return false;
}

/* All that the node lives in, nearest first. Behind `after`, where it has got a block, edges that
 * start at it count from there on, and what it is assigned then is another block. */
static void find_ways(const struct function *f, unsigned start, unsigned after, ways *out)
{
    struct way first = {.at = start};
    vec_push(out, first);
    for (size_t i = 0; i < out->count && out->count < MANY_STATES; i++)
        for (size_t k = 0; k < f->keep_edges.count; k++) {
            const struct keep_edge *e = &f->keep_edges.items[k];
            struct way w = out->items[i];
            if (e->from != w.at || (e->from == start && after && (e->taken || e->offset < after)) ||
                !add_conditions(w.conditions, e->conditions))
                continue;
            w.at = e->to;
            w.inside |= !e->alias;
            w.last = e;
            if (!is_known(out, &w))
                vec_push(out, w);
        }
}

static void add_pass(struct collector *c, const char *key, const char *const *conditions)
{
    struct fact_pass p = {.argument = key};
    for (size_t i = 0; i < KEEP_CONDITIONS && conditions[i]; i++) {
        if (!strcmp(conditions[i], key)) { /* a recursion says nothing new */
            vec_release(&p.conditions);
            return;
        }
        vec_push(&p.conditions, conditions[i]);
    }
    vec_push(&c->u->passes, p);
}

/* A node's number in keys: the parameter's, R for the result; "" for other variables. */
static const char *number_of(struct collector *c, const struct function *f, unsigned node)
{
    CXCursor var = f->keep_nodes.items[node];
    if (clang_equalCursors(var, f->cursor))
        return "R";
    for (size_t i = 0; i < f->params.count; i++)
        if (clang_equalCursors(f->params.items[i].cursor, var))
            return arena_printf(c->a, "%zu", i);
    return "";
}

void collect_keeps(struct collector *c, struct function *f)
{
    const char *function = decl_key(c, f->cursor);
    size_t nodes = f->keep_nodes.count;
    for (unsigned start = 0; start < nodes; start++) {
        const char *from = number_of(c, f, start);
        ways found = {0};
        if (!*from)
            continue;
        find_ways(f, start, 0, &found);
        for (size_t i = 1; i < found.count; i++) {
            const char *to = number_of(c, f, found.items[i].at);
            if (*to && strcmp(from, to))
                add_pass(c, key_of(c, function, from, to), found.items[i].conditions);
        }
        vec_release(&found);
    }
}

bool keep_reaches_result(struct function *f, CXCursor var)
{
    ways found = {0};
    bool reaches = false;
    find_ways(f, node_of(f, var), 0, &found);
    for (size_t i = 1; i < found.count; i++)
        reaches |= !found.items[i].conditions[0] &&
                   clang_equalCursors(f->keep_nodes.items[found.items[i].at], f->cursor);
    vec_release(&found);
    return reaches;
}

/* One key for all that must hold. */
static const char *via_of(struct collector *c, const struct fact_site *s, const struct way *w,
                          const char *name)
{
    if (!w->conditions[0])
        return "";
    if (!w->conditions[1])
        return w->conditions[0];
    const char *key = arena_printf(c->a, "%s:%u>%s", s->file, s->offset, name);
    add_pass(c, key, w->conditions);
    return key;
}

const char *keep_both(struct collector *c, const struct fact_site *s, const char *a, const char *b)
{
    const struct way w = {.conditions = {a, b}};
    return via_of(c, s, &w, b);
}

size_t keep_holders(struct collector *c, const struct fact_site *s, CXCursor variable, bool local,
                    struct keep_holder *out, size_t max)
{
    struct function *f = function_of(c);
    ways found = {0};
    size_t n = 0;
    if (!f || f->lambda || clang_Cursor_isNull(variable))
        return 0;
    flow_scan_function(c, f);
    find_ways(f, node_of(f, variable), s->offset, &found);
    for (size_t i = 1; i < found.count && n < max; i++) {
        const struct way *w = &found.items[i];
        CXCursor var = f->keep_nodes.items[w->at];
        if (!w->inside || clang_equalCursors(var, f->cursor) || clang_equalCursors(var, variable) ||
            is_local_variable(var) != local || !flow_is_set(f, var, s->offset, w->last->offset))
            continue;
        out[n].holder = var;
        out[n++].via = via_of(c, s, w, spelling(c, var));
    }
    vec_release(&found);
    return n;
}

CXCursor keep_own_object(struct collector *c, struct function *f, CXCursor lvalue)
{
    origins bases = {0};
    CXCursor found = clang_getNullCursor();
    origins_of_address((struct search){.c = c, .out = &bases}, lvalue);
    for (size_t i = 0; i < bases.count && clang_Cursor_isNull(found); i++) {
        if (bases.items[i].relation == SAME && is_own_object(bases.items[i].var))
            found = bases.items[i].var;
        for (size_t k = 0; k < f->own_addresses.count; k++)
            if (bases.items[i].relation == SAME &&
                clang_equalCursors(f->own_addresses.items[k].pointer, bases.items[i].var))
                found = f->own_addresses.items[k].object;
    }
    vec_release(&bases);
    return found;
}
