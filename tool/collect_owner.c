/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guesses whose node an allocation should be on, in order: the base of its destination, this, the
 * parameters. Each guess is source text plus the class it names, or a reason why it must not be
 * used. A wrong guess costs locality; an unsafe text would cost correctness, so a path is used only
 * if every part of it was recognised.
 */
#include "collect_p.h"

#include <strings.h>

static bool is_volatile(CXType t)
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
    if (depth > 64 || is_volatile(clang_getCursorType(e)))
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

/* Functions around the site */

bool is_function_kind(enum CXCursorKind k)
{
    return k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_Constructor ||
           k == CXCursor_Destructor || k == CXCursor_ConversionFunction ||
           k == CXCursor_FunctionTemplate || k == CXCursor_LambdaExpr;
}

/* `this` written or implied by a member's name. */
static bool names_this(CXCursor e)
{
    enum CXCursorKind k = clang_getCursorKind(e);
    if (k == CXCursor_CXXThisExpr)
        return true;
    if (k != CXCursor_MemberRefExpr || !clang_Cursor_isNull(first_expression(e)))
        return false;
    CXCursor member = clang_getCursorReferenced(e);
    enum CXCursorKind m = clang_getCursorKind(member);
    return m == CXCursor_FieldDecl ||
           (m == CXCursor_CXXMethod && !clang_CXXMethod_isStatic(member));
}

static enum CXChildVisitResult find_this(CXCursor child, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (names_this(child)) {
        *(bool *)data = true;
        return CXChildVisit_Break;
    }
    return CXChildVisit_Recurse;
}

/* Reads the introducer [..] and what follows up to the body. Capturing `this` anew would change
 * the closure, and is deprecated with [=]: only what is captured already counts. */
static int lambda_this(struct collector *c, CXCursor lambda, bool *is_constexpr)
{
    struct source *src;
    unsigned start, end;
    if (!cursor_range(c, lambda, &src, &start, &end))
        return NF_NO_THIS;
    struct lex *l = source_lex(src);
    size_t open = lex_at(l, start), close = lex_match(l, open);
    bool defaulted = false, named = false, copied = false, used = false;
    for (size_t i = open + 1; i < close && i < l->count; i++) {
        if (lex_is(l, i, "this")) {
            copied = lex_is(l, i - 1, "*");
            named = !copied;
        }
        bool first = i == open + 1 && (i + 1 == close || lex_is(l, i + 1, ","));
        defaulted |= first && (lex_is(l, i, "=") || lex_is(l, i, "&"));
    }
    for (size_t i = close; i < l->count && l->tokens[i].offset < end && !lex_is(l, i, "{"); i++)
        *is_constexpr |= lex_is(l, i, "constexpr") || lex_is(l, i, "consteval");
    clang_visitChildren(lambda, find_this, &used);
    if (named || (defaulted && used && !copied))
        return 0;
    return NF_NO_THIS;
}

struct function_scan {
    struct collector *c;
    struct function *f;
    int inner; /* lambdas and local classes around the statement: their returns are not f's */
};

static enum CXChildVisitResult add_param(CXCursor child, CXCursor parent, CXClientData data)
{
    struct function_scan *s = data;
    (void)parent;
    if (clang_getCursorKind(child) == CXCursor_ParmDecl) {
        struct param p = {child, spelling(s->c, child)};
        vec_push(&s->f->params, p);
    }
    return CXChildVisit_Continue;
}

/* The head of the declaration as clang prints it says constexpr also where a macro spelled it. */
bool prints_constexpr(struct collector *c, CXCursor function)
{
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(function);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    char *text = cx_take(c->a, clang_getCursorPrettyPrinted(function, policy));
    clang_PrintingPolicy_dispose(policy);
    struct lex l;
    lex_init(&l, text, strlen(text));
    bool found = false;
    for (size_t i = 0;
         i < l.count && !lex_is(&l, i, "(") && !lex_is(&l, i, "=") && !lex_is(&l, i, "{"); i++)
        found |=
            lex_is(&l, i, "constexpr") || lex_is(&l, i, "consteval") || lex_is(&l, i, "constinit");
    lex_release(&l);
    return found;
}

/* C++23 `this auto &self`: such a method has no `this`. */
static bool has_object_parameter(struct collector *c, const struct function *f)
{
    struct source *src;
    unsigned start, end;
    if (!f->params.count || !cursor_range(c, f->params.items[0].cursor, &src, &start, &end))
        return false;
    struct lex *l = source_lex(src);
    size_t i = lex_from(l, start);
    return lex_is(l, i, "this") || (i > 0 && lex_is(l, i - 1, "this"));
}

/* `member_of` is the class whose default member initialiser a lambda without an outer function is
 * in, or "". */
static struct function *make_function(struct collector *c, CXCursor cursor, struct function *outer,
                                      const char *member_of)
{
    struct function *f = arena_alloc(c->a, sizeof *f);
    vec_push(&c->functions, f);
    f->cursor = cursor;
    f->lambda = clang_getCursorKind(cursor) == CXCursor_LambdaExpr;
    f->cls = arena_strdup(c->a, "");
    struct function_scan scan = {c, f, 0};
    clang_visitChildren(cursor, add_param, &scan);
    if (f->lambda) {
        int reject = lambda_this(c, cursor, &f->is_constexpr);
        f->has_this = outer && outer->has_this;
        f->this_reject = f->has_this ? reject : 0;
        if (outer) {
            f->cls = outer->cls;
            f->is_constexpr |= outer->is_constexpr;
            if (outer->this_reject)
                f->this_reject = outer->this_reject;
        } else if (*member_of) {
            f->cls = member_of;
            f->has_this = true;
            f->this_reject = reject;
        }
        return f;
    }
    CXCursor parent = clang_getCursorSemanticParent(cursor);
    f->is_constexpr = prints_constexpr(c, cursor) || (outer && outer->is_constexpr);
    if (is_record_kind(clang_getCursorKind(parent))) {
        f->cls = record_key(c, parent);
        f->has_this = true;
        if (clang_CXXMethod_isStatic(cursor) || has_object_parameter(c, f))
            f->this_reject = NF_NO_THIS;
    }
    return f;
}

static void add_text(struct collector *c, texts_at *texts, CXCursor what)
{
    char *text = cursor_text(c, skip_wrappers(what));
    struct place p = place_of(c, clang_getCursorLocation(what));
    if (text) {
        struct text_at t = {text, p.offset};
        vec_push(texts, t);
    }
}

/* By name: what looks like a release of its pointer arguments. realloc moves the block. */
static bool is_release_name(const char *name)
{
    static const char *const parts[] = {"free",    "delete",  "destroy",
                                        "dispose", "release", "realloc"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i]))
            return true;
    return false;
}

static void scan_release(struct function_scan *s, CXCursor call)
{
    char *name = spelling(s->c, call);
    if (!is_release_name(name))
        return;
    int n = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < n; i++) {
        CXCursor arg = clang_Cursor_getArgument(call, (unsigned)i);
        add_text(s->c, &s->f->freed, arg);
    }
    CXCursor callee = first_expression(call);
    if (clang_getCursorKind(callee) == CXCursor_MemberRefExpr) {
        CXCursor object = first_expression(callee);
        if (!clang_Cursor_isNull(object))
            add_text(s->c, &s->f->freed, object);
    }
}

static enum CXChildVisitResult keep_last(CXCursor child, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = child;
    return CXChildVisit_Continue;
}

/* Something else than the last statement goes on behind the range. */
static bool leaves_early(const struct lex *l, const struct fact_range *r, unsigned last)
{
    static const char *const words[] = {"goto", "break", "continue"};
    for (size_t i = lex_from(l, r->start); i < l->count && l->tokens[i].offset < last; i++)
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (lex_is(l, i, words[w]))
                return true;
    return false;
}

/* A block that ends with return or goto, or a return itself: what is released inside does not reach
 * what stands behind it, but the label. */
static void add_dead_end(struct function_scan *s, CXCursor statement)
{
    struct source *src;
    struct dead_end e = {{0, 0}, 0};
    CXCursor last = statement;
    if (clang_getCursorKind(statement) == CXCursor_CompoundStmt)
        clang_visitChildren(statement, keep_last, &last);
    enum CXCursorKind k = clang_getCursorKind(last);
    if ((k != CXCursor_ReturnStmt && k != CXCursor_GotoStmt) ||
        !cursor_range(s->c, statement, &src, &e.range.start, &e.range.end))
        return;
    if (k == CXCursor_GotoStmt) {
        CXCursor label = clang_getNullCursor();
        clang_visitChildren(last, keep_last, &label);
        e.label = place_of(s->c, clang_getCursorLocation(clang_getCursorReferenced(label))).offset;
        if (!e.label)
            return;
    }
    unsigned end = place_of(s->c, clang_getCursorLocation(last)).offset;
    if (!leaves_early(source_lex(src), &e.range, end))
        vec_push(&s->f->dead_ends, e);
}

/* q = p, Node *q = p, Node &r = *p: what is released through one name is gone under the other. */
static void add_alias(struct function_scan *s, CXCursor name, bool declares, CXCursor value)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(name));
    if (t.kind != CXType_Pointer && t.kind != CXType_LValueReference)
        return;
    value = skip_wrappers(value);
    while (clang_getCursorKind(value) == CXCursor_CStyleCastExpr ||
           clang_getCursorKind(value) == CXCursor_CXXStaticCastExpr ||
           clang_getCursorKind(value) == CXCursor_UnaryOperator)
        value = skip_wrappers(first_expression(value));
    enum CXCursorKind k = clang_getCursorKind(value);
    if (k != CXCursor_DeclRefExpr && k != CXCursor_MemberRefExpr &&
        k != CXCursor_ArraySubscriptExpr && k != CXCursor_CXXThisExpr)
        return;
    struct same_block alias = {declares ? spelling(s->c, name)
                                        : cursor_text(s->c, skip_wrappers(name)),
                               cursor_text(s->c, value)};
    if (alias.a && alias.b)
        vec_push(&s->f->aliases, alias);
}

static enum CXChildVisitResult scan_statement(CXCursor child, CXCursor parent, CXClientData data)
{
    struct function_scan *s = data;
    (void)parent;
    if (is_function_kind(clang_getCursorKind(child))) {
        s->inner++;
        clang_visitChildren(child, scan_statement, s);
        s->inner--;
        return CXChildVisit_Continue;
    }
    switch ((int)clang_getCursorKind(child)) {
    case CXCursor_CXXDeleteExpr:
        add_text(s->c, &s->f->freed, first_expression(child));
        break;
    case CXCursor_CompoundStmt:
    case CXCursor_ReturnStmt:
        if (!s->inner)
            add_dead_end(s, child);
        break;
    case CXCursor_CallExpr:
        scan_release(s, child);
        break;
    case CXCursor_VarDecl:
    case CXCursor_ParmDecl: {
        struct place p = place_of(s->c, clang_getCursorLocation(child));
        struct text_at t = {spelling(s->c, child), p.offset};
        vec_push(&s->f->locals, t);
        CXCursor value = first_expression(child);
        if (!clang_Cursor_isNull(value))
            add_alias(s, child, true, value);
        break;
    }
    case CXCursor_BinaryOperator: {
        CXCursor kids[2];
        if (clang_getCursorBinaryOperatorKind(child) == CXBinaryOperator_Assign &&
            children_of(child, kids, 2) == 2)
            add_alias(s, kids[0], false, kids[1]);
        break;
    }
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt: {
        struct source *src;
        struct fact_range r;
        if (cursor_range(s->c, child, &src, &r.start, &r.end))
            vec_push(&s->f->loops, r);
        break;
    }
    default:
        break;
    }
    return CXChildVisit_Recurse;
}

static const char *without_this(const char *text)
{
    return strncmp(text, "this->", 6) ? text : text + 6;
}

static bool same_name(const char *a, const char *b)
{
    return !strcmp(without_this(a), without_this(b));
}

static void add_freed(struct function *f, const char *text, unsigned offset)
{
    for (size_t i = 0; i < f->freed.count; i++)
        if (f->freed.items[i].offset == offset && same_name(f->freed.items[i].text, text))
            return;
    struct text_at t = {text, offset};
    vec_push(&f->freed, t);
}

/* A release goes for all names of the block, in whatever order they were given. */
static void spread_freed(struct function *f)
{
    enum { LIMIT = 4096 };
    for (size_t i = 0; i < f->freed.count && i < LIMIT; i++)
        for (size_t k = 0; k < f->aliases.count; k++) {
            struct text_at t = f->freed.items[i];
            if (same_name(f->aliases.items[k].a, t.text))
                add_freed(f, f->aliases.items[k].b, t.offset);
            else if (same_name(f->aliases.items[k].b, t.text))
                add_freed(f, f->aliases.items[k].a, t.offset);
        }
}

static void scan_function(struct collector *c, struct function *f)
{
    if (f->scanned)
        return;
    f->scanned = true;
    struct function_scan s = {c, f, 0};
    clang_visitChildren(f->cursor, scan_statement, &s);
    spread_freed(f);
}

/* The function around the top frame; NULL at file or class scope. Makes those on the way. */
struct function *function_of(struct collector *c)
{
    struct function *outer = NULL;
    const char *member_of = "";
    for (size_t i = 0; i < c->frames.count; i++) {
        struct frame *f = &c->frames.items[i];
        if (f->kind == CXCursor_FieldDecl && i > 0 && is_record_kind(f[-1].kind))
            member_of = record_key(c, f[-1].cursor);
        if (is_record_kind(f->kind)) {
            member_of = "";
            outer = NULL; /* a local class starts anew */
        } else if (is_function_kind(f->kind)) {
            if (!f->function)
                f->function = make_function(c, f->cursor, outer, member_of);
            outer = f->function;
        }
    }
    return outer;
}

/* Checks that go by text */

static bool in_texts(const strings *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (same_name(list->items[i], text))
            return true;
    return false;
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

static void reads_of(struct collector *c, CXCursor owner, bool itself, strings *out)
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

/* What the full expression around the top frame writes. */
static void writes_of(struct collector *c, strings *out)
{
    size_t i = c->frames.count - 1;
    while (i > 0 && clang_isExpression(c->frames.items[i - 1].kind) &&
           c->frames.items[i - 1].kind != CXCursor_LambdaExpr)
        i--;
    struct gather g = {c, out, c->frames.items + i, c->frames.count - i};
    add_write(c->frames.items[i].cursor, c->frames.items[i].cursor, &g);
    clang_visitChildren(c->frames.items[i].cursor, add_write, &g);
}

static bool is_inside(const struct fact_range *r, unsigned offset)
{
    return offset >= r->start && offset < r->end;
}

/* Where what happens at `offset` goes on, if the site is not in the same dead end: a label, or 0.
 */
static unsigned leads_to(const struct function *f, unsigned offset, unsigned site)
{
    enum { LIMIT = 64 };
    for (size_t i = 0, n = 0; i < f->dead_ends.count && n < LIMIT; i++) {
        const struct dead_end *e = &f->dead_ends.items[i];
        if (!is_inside(&e->range, offset) || is_inside(&e->range, site))
            continue;
        if (!e->label)
            return 0;
        offset = e->label;
        i = (size_t)-1;
        n++;
    }
    return offset;
}

/* A loop brings a later release before the site. */
static bool freed_before(const struct function *f, unsigned freed, unsigned site)
{
    freed = leads_to(f, freed, site);
    if (!freed)
        return false;
    if (freed < site)
        return true;
    for (size_t i = 0; i < f->loops.count; i++) {
        const struct fact_range *r = &f->loops.items[i];
        if (is_inside(r, site) && is_inside(r, freed))
            return true;
    }
    return false;
}

static bool is_freed(struct function *f, const strings *reads, unsigned site)
{
    for (size_t i = 0; f && i < f->freed.count; i++)
        if (freed_before(f, f->freed.items[i].offset, site) &&
            in_texts(reads, f->freed.items[i].text))
            return true;
    return false;
}

/* An owner being built from an lvalue. `expr` is the cursor whose text it names. */
struct path {
    CXCursor expr;
    bool is_this, get, take_address, slot, local;
    const char *cls, *pointee;
    int reject;
};

static bool is_raw_pointer(CXType t)
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

static const char *class_of_member(struct collector *c, CXCursor member, CXCursor base)
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

static void object_path(struct collector *c, CXCursor object, struct path *p);

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
    if (t.kind != CXType_Pointer && !is_raw_pointer(clang_getPointeeType(t)))
        p->pointee = type_key(c, t);
    if (!*p->cls)
        p->cls = type_key(c, t);
}

/* The object that an lvalue of class type is part of. */
static void object_path(struct collector *c, CXCursor object, struct path *p)
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
static bool slot_path(struct collector *c, CXCursor lvalue, struct path *p)
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
static bool container_path(struct collector *c, CXCursor callee, struct path *p)
{
    CXCursor base = first_expression(callee);
    if (member_is_arrow(c, callee, base))
        member_path(c, callee, p);
    else
        object_path(c, base, p);
    p->slot = !*p->cls || !strncmp(p->cls, "lib:", 4);
    return !(p->local && !p->reject);
}

static struct fact_owner *add_owner(struct collector *c, struct fact_site *site,
                                    enum owner_kind kind, const char *expr, const char *cls)
{
    struct fact_owner *o = vec_add(&site->owners);
    o->kind = kind;
    o->expr = expr;
    o->cls = cls;
    o->pointee = o->via = arena_strdup(c->a, "");
    return o;
}

static int this_reject(struct collector *c, struct function *f, unsigned offset)
{
    if (!f)
        return 0; /* a default member initialiser */
    if (!f->has_this)
        return NF_NO_THIS;
    if (f->this_reject)
        return f->this_reject;
    strings reads = {0};
    vec_push(&reads, arena_strdup(c->a, "this"));
    bool freed = is_freed(f, &reads, offset);
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

/* What is read has been released, or is written in the same expression. */
static int reads_reject(struct collector *c, struct function *f, const strings *reads,
                        unsigned offset)
{
    strings writes = {0};
    writes_of(c, &writes);
    int reject = is_freed(f, reads, offset) ? NF_FREED_OWNER : 0;
    for (size_t i = 0; !reject && i < writes.count; i++)
        if (in_texts(reads, writes.items[i]))
            reject = NF_IMPURE_OWNER;
    vec_release(&writes);
    return reject;
}

static int path_reject(struct collector *c, struct function *f, const struct path *p,
                       const char *text, unsigned offset)
{
    if (p->reject)
        return p->reject;
    if (!text || !is_pure(p->expr, 0) || (p->take_address && is_in_register(p->expr)))
        return NF_IMPURE_OWNER;
    strings reads = {0};
    reads_of(c, p->expr, !p->take_address, &reads);
    int reject = reads_reject(c, f, &reads, offset);
    vec_release(&reads);
    return reject;
}

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

/* The lvalue of a destination that cannot be named twice, or null. */
static CXCursor add_destination(struct collector *c, struct fact_site *site, struct function *f,
                                struct destination d)
{
    site->dest_var = destination_variable(c, &d);
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
        return clang_getNullCursor();
    }
    if (p.is_this) {
        struct fact_owner *o =
            add_owner(c, site, OWNER_DESTINATION, arena_strdup(c->a, "this"), p.cls);
        o->reject = p.reject ? p.reject : this_reject(c, f, site->offset);
        o->via = d.via;
        return clang_getNullCursor();
    }
    char *text = clang_Cursor_isNull(p.expr) ? NULL : cursor_text(c, p.expr);
    int reject = path_reject(c, f, &p, text, site->offset);
    if (text && p.get)
        text = arena_printf(c->a, "%s.get()", text);
    struct fact_owner *o =
        add_owner(c, site, OWNER_DESTINATION, text ? text : arena_strdup(c->a, ""), p.cls);
    o->take_address = p.take_address;
    o->pointee = p.pointee;
    o->slot = p.slot || !*p.cls || !strncmp(p.cls, "lib:", 4) || !strncmp(p.cls, "T:", 2);
    o->reject = reject;
    o->via = d.via;
    return reject == NF_IMPURE_OWNER && !d.container && !*d.via ? d.lvalue : clang_getNullCursor();
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
        if (!text || !is_pointer_or_array(clang_getCursorType(lvalue)) || !is_pure(lvalue, 0))
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
    if (!*o->cls || is_volatile(t))
        return false;
    if (type_is_smart_pointer(c, t)) {
        o->expr = arena_printf(c->a, "%s.get()", name);
        o->cls = type_key(c, clang_Type_getTemplateArgumentAsType(t, 0));
        return *o->cls != '\0';
    }
    if (t.kind == CXType_Pointer) {
        o->slot =
            reference || clang_getCanonicalType(clang_getPointeeType(t)).kind == CXType_Pointer;
        o->take_address = reference;
        return true;
    }
    o->take_address = true;
    o->pointee = o->cls;
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
    else if (is_freed(f, &reads, site->offset))
        o.reject = NF_FREED_OWNER;
    else if (!o.take_address && in_texts(&writes, p->name))
        o.reject = NF_IMPURE_OWNER;
    vec_push(&site->owners, o);
    vec_release(&reads);
    vec_release(&writes);
}

static void add_holder(struct collector *c, struct fact_site *site, struct function *f, bool local)
{
    CXCursor holder = flow_holder(c, site->offset, local);
    if (clang_Cursor_isNull(holder))
        return;
    struct param p = {holder, spelling(c, holder)};
    enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(holder));
    struct place at = place_of(c, clang_getCursorLocation(holder));
    if (at.src && !strcmp(at.src->path, site->file) && at.offset > site->offset)
        return; /* extern, inside the block */
    bool parameter = clang_getCursorKind(holder) == CXCursor_ParmDecl;
    /* Other globals may need a qualified name, statics of functions may be declared below. */
    if (local || parameter || parent == CXCursor_TranslationUnit)
        add_variable(c, site, f, &p, OWNER_LATER);
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

void owners_of(struct collector *c, struct fact_site *site)
{
    struct function *f = function_of(c);
    struct destination d = find_destination(c);
    if (f)
        scan_function(c, f);
    CXCursor unnamed = add_destination(c, site, f, d);
    if (f && f->has_this) {
        struct fact_owner *o = add_owner(c, site, OWNER_THIS, arena_strdup(c->a, "this"), f->cls);
        o->reject = this_reject(c, f, site->offset);
    }
    if (!clang_Cursor_isNull(unnamed))
        add_on_the_way(c, site, f, unnamed);
    if (f)
        add_holder(c, site, f, false);
    if (f)
        add_parameters(c, site, f, &d);
    if (f)
        add_holder(c, site, f, true);
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
    if (name && p.local && is_local_object(decl))
        return OBJECT_LOCAL;
    if (!f || clang_Cursor_isNull(p.expr))
        return OBJECT_UNKNOWN;
    scan_function(c, f);
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
        is_volatile(to) || !type_is_storage(c, to))
        return false;
    owner->take_address = owner->slot = true;
    if (pointer)
        owner->take_address = false;
    return true;
}
