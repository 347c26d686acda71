/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions around a site: what `this` is in them, their parameters, and which blocks they have
 * released by the site. Knows nothing of owners.
 */
#include "collect_p.h"

#include <strings.h>

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

struct scan {
    struct collector *c;
    struct function *f;
    int inner; /* lambdas and local classes around the statement: their returns are not f's */
};

static enum CXChildVisitResult add_param(CXCursor child, CXCursor parent, CXClientData data)
{
    struct scan *s = data;
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
    struct scan scan = {c, f, 0};
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

static void scan_release(struct scan *s, CXCursor call)
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
static void add_dead_end(struct scan *s, CXCursor statement)
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
static void add_alias(struct scan *s, CXCursor name, bool declares, CXCursor value)
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
    struct scan *s = data;
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

bool same_name(const char *a, const char *b)
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

void function_scan(struct collector *c, struct function *f)
{
    if (f->scanned)
        return;
    f->scanned = true;
    struct scan s = {c, f, 0};
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

bool in_texts(const strings *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (same_name(list->items[i], text))
            return true;
    return false;
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

bool function_has_freed(const struct function *f, const strings *reads, unsigned site)
{
    for (size_t i = 0; f && i < f->freed.count; i++)
        if (freed_before(f, f->freed.items[i].offset, site) &&
            in_texts(reads, f->freed.items[i].text))
            return true;
    return false;
}
