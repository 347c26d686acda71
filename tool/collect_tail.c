/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls in tail position. A function that comes back to itself by such calls alone runs in one
 * frame; with a scope, whose end comes after the call, it would need one for each step. What may be
 * in tail position counts as if it were, also where a compiler would not make a jump of it.
 */
#include "collect_p.h"

struct tails {
    struct collector *c;
    strings *calls;
    const char *self; /* key of the function */
    bool self_only;   /* a constant is returned next */
};

static void walk(struct tails *t, CXCursor statement, bool last, int depth);
static void value_calls(struct tails *t, CXCursor e, int depth);

/* Cursors below `parent`; released by the caller. */
static size_t all_children(CXCursor parent, CXCursor **out)
{
    size_t room = 16, n;
    *out = NULL;
    do {
        free(*out);
        room *= 8;
        *out = mem_alloc(room * sizeof **out);
        n = children_of(parent, *out, room);
    } while (n == room);
    return n;
}

static void value_calls_below(struct tails *t, CXCursor e, size_t first, int depth)
{
    CXCursor *kids;
    size_t n = all_children(e, &kids);
    for (size_t i = first; i < n; i++)
        if (clang_isExpression(clang_getCursorKind(kids[i])))
            value_calls(t, kids[i], depth);
    free(kids);
}

static bool is_lambda_call(struct collector *c, CXCursor callee)
{
    char *cls = spelling(c, clang_getCursorSemanticParent(callee));
    return !strcmp(spelling(c, callee), "operator()") && (!*cls || *cls == '(');
}

static const char *callee_key(struct tails *t, CXCursor call)
{
    struct collector *c = t->c;
    CXCursor callee = clang_getCursorReferenced(call);
    enum CXCursorKind k = clang_getCursorKind(callee);
    if (k == CXCursor_OverloadedDeclRef || clang_Cursor_isNull(callee)) {
        char *name = callee_name(c, call);
        return *name ? arena_printf(c->a, "N:%s", name) : "?";
    }
    if (!is_function_kind(k))
        return "?"; /* through a pointer, or an object with operator() */
    if (is_lambda_call(c, callee))
        return "?";
    if (!is_system(c, callee))
        return decl_key(c, callee);
    static const char *const calls_back[] = {"operator()", "invoke",    "apply",
                                             "visit",      "call_once", "invoke_r"};
    char *name = spelling(c, callee);
    for (size_t i = 0; i < sizeof calls_back / sizeof *calls_back; i++)
        if (!strcmp(name, calls_back[i]))
            return "?";
    return "";
}

/* Calls whose value is this expression's, or is made of theirs. */
static void value_calls(struct tails *t, CXCursor e, int depth)
{
    if (depth > 128)
        return;
    depth++;
    switch ((int)clang_getCursorKind(e)) {
    case CXCursor_CallExpr: {
        if (clang_getCursorKind(clang_getCursorReferenced(e)) == CXCursor_Constructor) {
            value_calls_below(t, e, 0, depth);
            return;
        }
        const char *key = callee_key(t, e);
        if (*key && (!t->self_only || !strcmp(key, t->self)))
            strings_add_unique(t->calls, key);
        return;
    }
    case CXCursor_BinaryOperator:
        if (clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Assign) {
            /* A store to memory comes after the call. */
            if (clang_getCursorKind(skip_wrappers(first_expression(e))) == CXCursor_DeclRefExpr)
                value_calls_below(t, e, 1, depth);
            return;
        }
        value_calls_below(t, e, 0, depth);
        return;
    case CXCursor_ConditionalOperator:
        value_calls_below(t, e, 1, depth);
        return;
    case CXCursor_StmtExpr:
    case CXCursor_UnaryOperator:
    case CXCursor_CompoundAssignOperator:
        value_calls_below(t, e, 0, depth);
        return;
    default:
        if (passes_value_on(clang_getCursorKind(e)))
            value_calls_below(t, e, 0, depth);
        return;
    }
}

static bool ends_block(CXCursor statement)
{
    enum CXCursorKind k = clang_getCursorKind(statement);
    return k == CXCursor_ReturnStmt || k == CXCursor_BreakStmt || k == CXCursor_GotoStmt ||
           k == CXCursor_ContinueStmt;
}

/* `f(); return 0;`: the 0 has to be set after the call, unless f is the function itself and its
 * other ways return the same. */
static bool returns_constant(CXCursor statement)
{
    CXCursor value = first_expression(statement);
    if (clang_getCursorKind(statement) != CXCursor_ReturnStmt || clang_Cursor_isNull(value))
        return false;
    CXEvalResult result = clang_Cursor_Evaluate(value);
    bool constant = result && clang_EvalResult_getKind(result) != CXEval_UnExposed;
    if (result)
        clang_EvalResult_dispose(result);
    return constant;
}

static void walk_block(struct tails *t, CXCursor block, bool last, int depth)
{
    CXCursor *kids;
    size_t n = all_children(block, &kids);
    for (size_t i = 0; i < n; i++) {
        bool outer = t->self_only;
        t->self_only |= i + 1 < n && returns_constant(kids[i + 1]);
        walk(t, kids[i], i + 1 == n ? last : ends_block(kids[i + 1]), depth);
        t->self_only = outer;
    }
    free(kids);
}

/* Conditions come first and are no tails; what follows them is, if the whole is. */
static void walk_control(struct tails *t, CXCursor s, bool last, int depth)
{
    CXCursor *kids;
    size_t n = all_children(s, &kids);
    for (size_t i = 0; i < n; i++)
        if (!clang_isExpression(clang_getCursorKind(kids[i])) || i > 0)
            walk(t, kids[i], last, depth);
    free(kids);
}

static void walk_declarations(struct tails *t, CXCursor s, int depth)
{
    CXCursor *kids;
    size_t n = all_children(s, &kids);
    for (size_t i = 0; i < n; i++)
        if (clang_getCursorKind(kids[i]) == CXCursor_VarDecl)
            value_calls_below(t, kids[i], 0, depth);
    free(kids);
}

/* `last`: nothing but the end of the function comes after the statement. */
static void walk(struct tails *t, CXCursor s, bool last, int depth)
{
    if (depth > 256)
        return;
    depth++;
    enum CXCursorKind k = clang_getCursorKind(s);
    switch ((int)k) {
    case CXCursor_CompoundStmt:
        walk_block(t, s, last, depth);
        return;
    case CXCursor_ReturnStmt:
        value_calls_below(t, s, 0, depth);
        return;
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_CXXTryStmt:
    case CXCursor_CXXCatchStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
    case CXCursor_UnexposedStmt:
        walk_control(t, s, last, depth);
        return;
    case CXCursor_DeclStmt:
        if (last)
            walk_declarations(t, s, depth);
        return;
    default:
        if (last && clang_isExpression(k))
            value_calls(t, s, depth);
        return;
    }
}

static struct fact_tail *tail_entry(struct collector *c, const char *key)
{
    size_t i = strmap_find(&c->tails, key);
    if (i != STRMAP_NONE)
        return &c->u->tails.items[i];
    strmap_put(&c->tails, key, c->u->tails.count);
    struct fact_tail *t = vec_add(&c->u->tails);
    t->key = key;
    return t;
}

static void add_edge(struct collector *c, const char *from, const char *to)
{
    strings_add_unique(&tail_entry(c, from)->calls, to);
}

/* The innermost function with a name among the first frames; a null cursor if there is none. */
static CXCursor named_function(const struct collector *c, size_t frames)
{
    for (size_t i = frames; i-- > 0;)
        if (is_function_kind(c->frames.items[i].kind) &&
            c->frames.items[i].kind != CXCursor_LambdaExpr)
            return c->frames.items[i].cursor;
    return clang_getNullCursor();
}

const char *function_key(struct collector *c, const struct function *f)
{
    size_t i = 0;
    while (i < c->frames.count && c->frames.items[i].function != f)
        i++;
    CXCursor named = f->lambda ? named_function(c, i) : f->cursor;
    return decl_key(c, clang_Cursor_isNull(named) ? f->cursor : named);
}

void collect_tails(struct collector *c, CXCursor function)
{
    CXCursor *kids, named = named_function(c, c->frames.count);
    strings calls = {0};
    bool lambda = clang_getCursorKind(function) == CXCursor_LambdaExpr;
    if (clang_Cursor_isNull(named))
        return;
    struct tails t = {c, &calls, decl_key(c, named), false};
    size_t n = all_children(function, &kids);
    if (n && clang_isStatement(clang_getCursorKind(kids[n - 1])))
        walk(&t, kids[n - 1], true, 0);
    free(kids);
    if (calls.count) {
        for (size_t i = 0; i < calls.count; i++)
            add_edge(c, t.self, calls.items[i]);
        add_edge(c, arena_printf(c->a, "N:%s", spelling(c, named)), t.self);
        if (lambda)
            add_edge(c, "?", t.self);
    }
    vec_release(&calls);
}

void collect_taken(struct collector *c, CXCursor name)
{
    CXCursor decl = clang_getCursorReferenced(name);
    enum CXCursorKind k = clang_getCursorKind(decl);
    if ((k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_FunctionTemplate) &&
        !is_system(c, decl) && !is_callee(c))
        add_edge(c, "?", decl_key(c, decl));
}
