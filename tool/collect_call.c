/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that allocate, or may turn out to: the C library's allocators, functions of the tree that
 * return or store a pointer, and calls through a pointer that are given a class's size. For each:
 * its bytes, the type of its block, what becomes of its value. Where the block goes from here is
 * collect_flow.c's; whether a function of the tree is an allocator is decided over all units.
 */
#include "collect_p.h"

/* What the C library and POSIX allocate with; numafy_X and numafy_X_near exist for the direct ones.
 */
static const struct allocator {
    const char *name;
    bool direct;
    int type_argument; /* whose pointee's pointee is the block's type, -1: the result's */
} allocators[] = {
    {"malloc", true, -1},         {"calloc", true, -1},        {"realloc", true, -1},
    {"aligned_alloc", true, -1},  {"reallocarray", false, -1}, {"memalign", false, -1},
    {"posix_memalign", false, 0}, {"valloc", false, -1},       {"pvalloc", false, -1},
    {"strdup", false, -1},        {"strndup", false, -1},      {"wcsdup", false, -1},
    {"asprintf", false, 0},       {"vasprintf", false, 0},     {"getline", false, 0},
    {"getdelim", false, 0},       {"getwd", false, -1}};

static const struct allocator *allocator_find(const char *name)
{
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
        if (!strcmp(allocators[i].name, name))
            return &allocators[i];
    return NULL;
}

bool is_alloc_word(const char *s)
{
    return allocator_find(s) != NULL;
}

/* Types */

static CXType pointee_of(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Pointer ? clang_getCanonicalType(clang_getPointeeType(t)) : (CXType){0};
}

static bool is_object(CXType t)
{
    return t.kind != CXType_Invalid && t.kind != CXType_FunctionProto &&
           t.kind != CXType_FunctionNoProto;
}

/* void and character blocks say nothing about what they hold. */
static bool is_untyped(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Invalid || t.kind == CXType_Void || t.kind == CXType_Char_S ||
           t.kind == CXType_Char_U || t.kind == CXType_SChar || t.kind == CXType_UChar;
}

struct sizeof_search {
    CXType found;
    int depth;
};

static CXType sizeof_operand(CXCursor e)
{
    CXCursor kids[4];
    size_t n = children_of(e, kids, 4);
    for (size_t i = 0; i < n; i++)
        if (clang_isExpression(clang_getCursorKind(kids[i])))
            return clang_getCursorType(kids[i]);
    for (size_t i = 0; i < n; i++)
        if (clang_getCursorKind(kids[i]) == CXCursor_TypeRef)
            return clang_getCursorType(kids[i]);
    return (CXType){0};
}

/* sizeof(T), sizeof *p, n * sizeof(T), sizeof(T) + extra: the first operand that is a record. A
 * reference to a type inside sizeof(T *) misleads: the sizes tell. */
static enum CXChildVisitResult find_sizeof(CXCursor child, CXCursor parent, CXClientData data)
{
    struct sizeof_search *s = data;
    (void)parent;
    if (clang_getCursorKind(child) != CXCursor_UnaryExpr)
        return CXChildVisit_Recurse;
    CXType t = clang_getCanonicalType(sizeof_operand(child));
    if (t.kind != CXType_Record)
        return CXChildVisit_Continue;
    long long size = clang_Type_getSizeOf(t);
    CXEvalResult value = size < 0 ? NULL : clang_Cursor_Evaluate(child);
    bool same = size == CXTypeLayoutError_Dependent ||
                (value && clang_EvalResult_getAsLongLong(value) == size);
    if (value)
        clang_EvalResult_dispose(value);
    if (!same)
        return CXChildVisit_Continue;
    s->found = t;
    return CXChildVisit_Break;
}

static CXType size_type(CXCursor call)
{
    struct sizeof_search s = {0};
    int n = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < n && !s.found.kind; i++) {
        CXCursor arg = clang_Cursor_getArgument(call, (unsigned)i);
        if (find_sizeof(arg, call, &s) == CXChildVisit_Recurse)
            clang_visitChildren(arg, find_sizeof, &s);
    }
    return s.found;
}

/* The pointer type that the call's value is converted to next, by a cast or implicitly. */
static CXType converted_type(struct collector *c, CXCursor call)
{
    CXType t = pointee_of(clang_getCursorType(call));
    for (size_t i = c->frames.count - 1; i > 0 && is_untyped(t); i--) {
        const struct frame *up = &c->frames.items[i - 1];
        if (!passes_value_on(up->kind) && up->kind != CXCursor_ConditionalOperator)
            return t;
        CXType p = pointee_of(clang_getCursorType(up->cursor));
        if (is_object(p) && p.kind != CXType_Void)
            return p;
    }
    return t;
}

/* What may surround the call */

enum usage {
    USED,
    UNUSED,
    UNUSED_ARM, /* of ?:, whose other arm has a type too: no cast to void */
    UNKNOWN
};

static bool is_statement(enum CXCursorKind k)
{
    return k == CXCursor_CompoundStmt || k == CXCursor_CaseStmt || k == CXCursor_DefaultStmt ||
           k == CXCursor_LabelStmt;
}

/* The last statement of ({ }) is its value. */
static bool is_last_of_expression(const struct collector *c, size_t compound, CXCursor self)
{
    enum { MANY = 256 };
    if (compound == 0 || c->frames.items[compound - 1].kind != CXCursor_StmtExpr)
        return false;
    CXCursor kids[MANY];
    size_t n = children_of(c->frames.items[compound].cursor, kids, MANY);
    return n == MANY || (n && same_cursor(kids[n - 1], self));
}

/* In if, while, do, switch the condition uses the value and the body does not; in `for`, where
 * libclang leaves out empty clauses, nobody can tell. */
static enum usage usage_in_control(const struct frame *up, CXCursor self)
{
    CXCursor kids[4];
    size_t n = children_of(up->cursor, kids, 4);
    bool first = n && same_cursor(kids[0], self), last = n && same_cursor(kids[n - 1], self);
    switch ((int)up->kind) {
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt:
        return first ? USED : UNUSED;
    case CXCursor_DoStmt:
        return last ? USED : UNUSED;
    case CXCursor_ForStmt:
        return last ? UNUSED : UNKNOWN;
    default:
        return USED;
    }
}

/* The value of `self` is the value of what stands above it: parentheses, the right side of a comma
 * and the arms of ?:. */
static bool hands_up(const struct frame *up, CXCursor self, bool *arm)
{
    if (up->kind == CXCursor_ParenExpr || up->kind == CXCursor_UnexposedExpr)
        return true;
    bool first = same_cursor(first_expression(up->cursor), self);
    if (up->kind == CXCursor_ConditionalOperator && !first)
        return *arm = true;
    return up->kind == CXCursor_BinaryOperator && !first &&
           clang_getCursorBinaryOperatorKind(up->cursor) == CXBinaryOperator_Comma;
}

static enum usage usage_of(struct collector *c)
{
    size_t i = c->frames.count - 1;
    CXCursor self = c->frames.items[i].cursor;
    bool arm = false;
    for (; i > 0; i--) {
        const struct frame *up = &c->frames.items[i - 1];
        enum usage unused = arm ? UNUSED_ARM : UNUSED;
        if (hands_up(up, self, &arm)) {
            self = up->cursor;
            continue;
        }
        if (up->kind == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(up->cursor) == CXBinaryOperator_Comma)
            return unused;
        if (is_statement(up->kind))
            return is_last_of_expression(c, i - 1, self) ? USED : unused;
        enum usage used = usage_in_control(up, self);
        return used == UNUSED ? unused : used;
    }
    return USED;
}

/* Text of a type that a cast can name. */
static const char *cast_text(struct collector *c, CXType t)
{
    char *text = cx_take(c->a, clang_getTypeSpelling(t));
    bool odd = strchr(text, '(') || strchr(text, '<') || strstr(text, "auto");
    return odd ? arena_strdup(c->a, "") : text;
}

static enum call_result result_of(struct collector *c, struct fact_site *s, CXCursor call)
{
    CXType shown = clang_getCursorType(call), t = clang_getCanonicalType(shown);
    enum usage used = usage_of(c);
    if (t.kind == CXType_Dependent || t.kind == CXType_Unexposed)
        return used == UNKNOWN ? RESULT_NONE : RESULT_DEPENDENT;
    if (t.kind == CXType_Void)
        return used == UNKNOWN ? RESULT_NONE : RESULT_VOID;
    enum call_result otherwise = c->cxx ? RESULT_VALUE : RESULT_NONE;
    s->cast = used == UNUSED ? arena_strdup(c->a, "void") : cast_text(c, shown);
    if (!*s->cast || used == UNKNOWN || used == UNUSED_ARM)
        return otherwise;
    if (t.kind == CXType_Pointer)
        return is_object(pointee_of(t)) ? RESULT_POINTER : otherwise;
    bool integer = (t.kind >= CXType_Bool && t.kind <= CXType_LongLong &&
                    clang_Type_getSizeOf(t) <= (long long)sizeof(long)) ||
                   t.kind == CXType_Enum;
    return integer ? RESULT_INTEGER : otherwise;
}

/* Which calls */

/* A pointer to a pointer among the arguments: the function may store a fresh block there. */
static CXType out_type(CXCursor call)
{
    int n = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < n; i++) {
        CXType to = pointee_of(clang_getCursorType(clang_Cursor_getArgument(call, (unsigned)i)));
        CXType block = pointee_of(to);
        if (to.kind == CXType_Pointer && is_object(block) && !clang_isConstQualifiedType(to))
            return block;
    }
    return (CXType){0};
}

/* Other libraries' allocators go by their names: their mallocs read the ambient node. */
static bool is_library_allocator(const char *name, CXType result)
{
    return result.kind == CXType_Pointer && is_untyped(clang_getPointeeType(result)) &&
           (strstr(name, "alloc") || strstr(name, "strdup") || strstr(name, "memdup")) &&
           !strstr(name, "alloca");
}

/* What a pointer to an allocator looks like: `void *` of a size, of a count and a size, of these
 * and a context or the old block. One int alone is more often the index of something that exists.
 */
static bool is_allocator_shaped(CXCursor call)
{
    CXType f = clang_getCanonicalType(clang_getCursorType(skip_wrappers(first_expression(call))));
    if (f.kind == CXType_Pointer) /* (*allocate)(size) has none any more */
        f = pointee_of(f);
    int n = clang_getNumArgTypes(f), sizes = 0, counts = 0;
    if (f.kind != CXType_FunctionProto || pointee_of(clang_getResultType(f)).kind != CXType_Void)
        return false;
    for (int i = 0; i < n; i++) {
        CXType t = clang_getCanonicalType(clang_getArgType(f, (unsigned)i));
        sizes += t.kind == CXType_ULong || t.kind == CXType_ULongLong;
        counts += t.kind == CXType_Int || t.kind == CXType_UInt;
        if (t.kind != CXType_Pointer && !(t.kind >= CXType_Bool && t.kind <= CXType_LongLong) &&
            t.kind != CXType_Enum)
            return false;
    }
    return sizes > 0 || counts == 2;
}

/* numafy_malloc(node, ...), numafy_malloc_near(owner, ...) and the like, by hand or of an earlier
 * run. 0: something else of ours. */
static unsigned our_allocator(const char *name)
{
    static const char *const bases[] = {"malloc", "calloc", "aligned_alloc", "realloc"};
    name += strlen("numafy_");
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        size_t n = strlen(bases[i]);
        if (strncmp(name, bases[i], n) != 0)
            continue;
        if (!strcmp(name + n, "_near"))
            return SITE_TAGGED_NEAR;
        if (!name[n] && strcmp(bases[i], "realloc") != 0)
            return SITE_TAGGED_ON;
    }
    return 0;
}

struct call {
    CXCursor cursor, callee, decl;
    const struct allocator *allocator;
    bool indirect, library, dependent;
    bool record;          /* C: it returns a struct, which may hold blocks */
    unsigned tagged;      /* SITE_TAGGED_NEAR or _ON: a call of our own */
    CXType out;           /* of the block that an argument may get */
    enum macro_form form; /* MACRO_OTHER: the call is written in the file */
    struct macro_use use;
    size_t top; /* the outermost frame that the use stands for */
};

/* In a template nobody knows yet which function is meant: it counts as any of that name. A call
 * begins with its callee, what only looks like one with its type. */
static bool is_unresolved(struct collector *c, const struct call *k)
{
    CXCursor callee = first_expression(k->cursor);
    enum CXTypeKind result = clang_getCanonicalType(clang_getCursorType(k->cursor)).kind;
    bool unknown =
        clang_Cursor_isNull(k->decl) || clang_getCursorKind(k->decl) == CXCursor_OverloadedDeclRef;
    if (!c->cxx || !unknown || clang_Cursor_isNull(callee) ||
        (result != CXType_Dependent && result != CXType_Unexposed))
        return false;
    return clang_equalLocations(clang_getRangeStart(clang_getCursorExtent(k->cursor)),
                                clang_getRangeStart(clang_getCursorExtent(callee))) &&
           strncmp(callee_name(c, k->cursor), "operator", 8) != 0;
}

static bool call_counts(struct collector *c, struct call *k)
{
    enum CXCursorKind kind = clang_getCursorKind(k->decl);
    CXType result = clang_getCanonicalType(clang_getCursorType(k->cursor));
    bool pointer = result.kind == CXType_Pointer && is_object(pointee_of(result));
    char *name = spelling(c, k->decl);
    if (is_unresolved(c, k))
        return k->dependent = true;
    k->indirect = kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl ||
                  kind == CXCursor_FieldDecl || clang_Cursor_isNull(k->decl);
    if (k->indirect)
        return pointer && (size_type(k->cursor).kind || is_allocator_shaped(k->cursor));
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod &&
        kind != CXCursor_FunctionTemplate)
        return false;
    if (!strncmp(name, "operator", 8))
        return false;
    if (!strncmp(name, "numafy_", 7))
        return (k->tagged = our_allocator(name)) != 0;
    enum CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(k->decl));
    bool global = kind == CXCursor_FunctionDecl && !is_record_kind(parent) &&
                  parent != CXCursor_Namespace; /* std::getline is another function */
    k->allocator = global ? allocator_find(name) : NULL;
    if (k->allocator && k->allocator->type_argument >= 0)
        k->out =
            pointee_of(pointee_of(clang_getCursorType(clang_Cursor_getArgument(k->cursor, 0))));
    if (k->allocator)
        return true;
    if (is_system(c, k->decl)) {
        k->library = kind == CXCursor_FunctionDecl && is_library_allocator(name, result);
        return k->library;
    }
    if (!c->cxx && result.kind == CXType_Record)
        return k->record = true;
    if (result.kind <= CXType_LongLong || result.kind == CXType_Enum || pointer)
        k->out = out_type(k->cursor);
    return pointer || type_is_smart_pointer(c, result) || k->out.kind != CXType_Invalid;
}

static unsigned block_type(struct collector *c, CXType t, const char **shown, const char **key)
{
    CXType element = strip_arrays(t);
    *key = type_key(c, element);
    *shown = type_shown(c, t);
    bool pointer = clang_getCanonicalType(element).kind == CXType_Pointer;
    return pointer ? SITE_POINTER : **key ? SITE_CLASS : SITE_FUNDAMENTAL;
}

/* f<T>(...): T, where nothing else tells what the call makes. */
static CXType written_argument(struct collector *c, CXCursor call)
{
    CXCursor kids[8], callee = skip_wrappers(first_expression(call));
    size_t n = children_of(callee, kids, 8);
    CXType found = {0};
    unsigned name = place_of(c, clang_getCursorLocation(callee)).offset;
    for (size_t i = 0; i < n && !found.kind; i++)
        if (clang_getCursorKind(kids[i]) == CXCursor_TypeRef &&
            place_of(c, clang_getCursorLocation(kids[i])).offset > name)
            found = clang_getCursorType(kids[i]);
    return found;
}

/* The block that the call's value is, or points to, and the one that an argument gets. */
static void site_block_type(struct collector *c, struct fact_site *s, const struct call *k)
{
    CXCursor call = k->cursor;
    CXType result = clang_getCanonicalType(clang_getCursorType(call)), t = k->out, size = {0};
    if (k->record)
        t = result;
    else if (type_is_smart_pointer(c, result))
        t = clang_Type_getTemplateArgumentAsType(result, 0);
    else if (result.kind == CXType_Pointer || !t.kind)
        t = converted_type(c, call);
    if (is_untyped(t)) {
        size = size_type(call);
        if (!size.kind && k->dependent)
            size = written_argument(c, call);
        t = size.kind ? size : t;
    }
    s->flags |= block_type(c, is_object(t) ? t : size, &s->type, &s->type_key);
    if (k->dependent && !*s->type_key)
        s->flags |= SITE_DEPENDENT;
    if (is_object(k->out))
        s->out_flags = block_type(c, k->out, &s->out_type, &s->out_key);
}

/* `malloc(` in the file: the name can be replaced and an argument put first. */
static bool is_direct(const struct call *k, const struct lex *l, unsigned name, unsigned end)
{
    size_t i = lex_at(l, name), close = lex_match(l, i + 1);
    bool named = k->form == MACRO_NAME || lex_is(l, i, k->allocator ? k->allocator->name : "");
    return named && k->allocator && k->allocator->direct && lex_is(l, i + 1, "(") &&
           close < l->count && l->tokens[close].offset + 1 == end;
}

/* Only blanks stand between the tokens: no comment and no line's end is lost with them. */
static bool only_blanks(const struct lex *l, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        unsigned end = l->tokens[i].offset + l->tokens[i].length;
        for (unsigned at = end; at < l->tokens[i + 1].offset; at++)
            if (l->text[at] != ' ' && l->text[at] != '\t')
                return false;
    }
    return true;
}

/* malloc(sizeof(T)), T spelled out: NUMAFY_NEW(T, node) says the same. */
static void sizeof_type(struct fact_site *s, const struct lex *l, CXCursor call)
{
    size_t i = lex_at(l, s->offset) + 1, open = i + 2, close = lex_match(l, open);
    CXCursor arg = clang_Cursor_getArgument(call, 0), kid;
    if (!lex_is(l, i + 1, "sizeof") || !lex_is(l, open, "(") || close >= l->count ||
        !lex_is(l, close + 1, ")") || clang_getCursorKind(arg) != CXCursor_UnaryExpr)
        return;
    if (!children_of(arg, &kid, 1) || clang_getCursorKind(kid) != CXCursor_TypeRef)
        return;
    for (size_t k = open + 1; k < close; k++)
        if (l->tokens[k].kind != LEX_WORD || l->tokens[k].spliced)
            return;
    if (!only_blanks(l, i - 1, close + 1))
        return;
    s->flags |= SITE_SIZEOF_TYPE;
    s->type_start = l->tokens[open + 1].offset;
    s->type_end = l->tokens[close - 1].offset + l->tokens[close - 1].length;
}

static bool has_jump(const struct lex *l, unsigned start, unsigned end)
{
    bool statement = false, jump = false;
    for (size_t i = lex_from(l, start); i < l->count && l->tokens[i].offset < end; i++) {
        if (lex_is(l, i, "co_await") || lex_is(l, i, "co_yield"))
            return true;
        statement |= lex_is(l, i, "(") && lex_is(l, i + 1, "{");
        jump |= lex_is(l, i, "return") || lex_is(l, i, "goto") || lex_is(l, i, "break") ||
                lex_is(l, i, "continue");
    }
    return statement && jump;
}

/* The call begins with a macro's name and goes on in the file. */
static bool name_range(struct collector *c, const struct call *k, struct source **src,
                       unsigned *start, unsigned *end)
{
    struct place p = place_of(c, clang_getRangeEnd(clang_getCursorExtent(k->cursor)));
    *src = k->use.src;
    *start = k->use.start;
    *end = p.offset;
    return p.src == k->use.src && *end > k->use.end;
}

/* P(f)(3), P being a macro: bytes from f on would end a parenthesis that they did not begin. */
static bool is_balanced(const struct lex *l, unsigned start, unsigned end)
{
    int depth = 0;
    for (size_t i = lex_from(l, start); i < l->count && l->tokens[i].offset < end; i++) {
        depth += lex_is(l, i, "(") - lex_is(l, i, ")");
        if (depth < 0)
            return false;
    }
    return depth == 0;
}

/* Bytes of a call that stands in the file. */
static void call_bytes(struct collector *c, struct fact_site *s, const struct call *k)
{
    struct source *src;
    unsigned start, end;
    bool whole = k->form == MACRO_NAME ? name_range(c, k, &src, &start, &end)
                                       : cursor_range(c, k->cursor, &src, &start, &end);
    if (!whole || strcmp(src->path, s->file) || s->offset < start || s->offset >= end) {
        s->left = s->left ? s->left : NF_MACRO_BODY;
        return;
    }
    const struct lex *l = source_lex(src);
    size_t last = lex_from(l, end - 1);
    if (!lex_is(l, last, ")") || !is_balanced(l, start, end)) {
        s->left = NF_MACRO_BODY;
        return;
    }
    s->start = s->word_end = start;
    s->end = end;
    if (has_jump(l, start, end))
        s->flags |= SITE_NO_SCOPE;
    if (lex_unevaluated(l, lex_from(l, start)))
        s->left = NF_UNEVALUATED;
    if (is_direct(k, l, s->offset, end)) {
        size_t i = lex_at(l, s->offset);
        s->flags |= SITE_DIRECT;
        s->word_end = l->tokens[i].offset + l->tokens[i].length;
        s->place_at = l->tokens[i + 2].offset;
        if (!strcmp(k->allocator->name, "malloc"))
            sizeof_type(s, l, k->cursor);
    }
}

static bool has_directive(const struct lex *l, unsigned start, unsigned end)
{
    for (size_t i = lex_from(l, start); i < l->count && l->tokens[i].offset < end; i++)
        if (l->tokens[i].directive)
            return true;
    return false;
}

/* No cast can name a struct's value in C: `pair = pair_of(a, b);` is surrounded as a statement. */
static void statement_bytes(struct collector *c, struct fact_site *s)
{
    size_t count = c->frames.count, i = count - 1;
    while (i > 0 && passes_value_on(c->frames.items[i - 1].kind))
        i--;
    struct source *src;
    unsigned start, end;
    CXCursor whole = i > 1 ? c->frames.items[i - 1].cursor : clang_getNullCursor();
    if (s->left || i < 2 || c->frames.items[i - 1].kind != CXCursor_BinaryOperator ||
        clang_getCursorBinaryOperatorKind(whole) != CXBinaryOperator_Assign ||
        same_cursor(first_expression(whole), c->frames.items[i].cursor) ||
        clang_isExpression(c->frames.items[i - 2].kind))
        return;
    c->frames.count = i;
    enum usage used = usage_of(c);
    c->frames.count = count;
    if (used != UNUSED || !cursor_range(c, whole, &src, &start, &end) || strcmp(src->path, s->file))
        return;
    const struct lex *l = source_lex(src);
    size_t semicolon = lex_from(l, end);
    if (start > s->start || end != s->end || !lex_is(l, semicolon, ";") ||
        has_directive(l, start, l->tokens[semicolon].offset))
        return;
    s->start = s->word_end = start;
    s->end = l->tokens[semicolon].offset + 1;
    s->result = RESULT_STATEMENT;
}

static bool is_enter(const struct lex *l, size_t i)
{
    return lex_is(l, i, "numafy_enter") || lex_is(l, i, "numafy_enter_on") ||
           ((lex_is(l, i, "enter") || lex_is(l, i, "enter_on")) && i > 1 &&
            lex_is(l, i - 2, "numafy"));
}

static bool is_leave(const struct lex *l, size_t i)
{
    return lex_is(l, i, "numafy_leave") || lex_is(l, i, "numafy_leave_int") ||
           (lex_is(l, i, "leave") && i > 1 && lex_is(l, i - 2, "numafy"));
}

/* Edited already: leave( stands before the call, or enter(...), where it has no value. */
static bool is_wrapped(const struct lex *l, unsigned start)
{
    size_t i = lex_at(l, start);
    if (i < 2 || i >= l->count)
        return false;
    if (lex_is(l, i - 1, "("))
        return is_leave(l, i - 2);
    if (i > 4 && lex_is(l, i - 3, "(") && lex_is(l, i - 2, "void") && lex_is(l, i - 1, ")"))
        i -= 3;
    if ((!lex_is(l, i - 1, ",") && !lex_is(l, i - 1, ";")) || !lex_is(l, i - 2, ")"))
        return false;
    int depth = 0;
    for (size_t k = i - 1; k-- > 0;) {
        depth += lex_is(l, k, ")") - lex_is(l, k, "(");
        if (!depth)
            return k > 0 && is_enter(l, k - 1);
    }
    return false;
}

/* Bytes of a macro's use that stands for the call. */
static void use_bytes(struct fact_site *s, const struct call *k)
{
    const struct lex *l = source_lex(k->use.src);
    s->start = s->word_end = k->use.start;
    s->end = k->use.end;
    if (has_jump(l, s->start, s->end))
        s->flags |= SITE_NO_SCOPE;
    if (lex_unevaluated(l, lex_from(l, s->start)))
        s->left = NF_UNEVALUATED;
}

/* What the use's value is: the frames below the use are the macro's own. */
static void use_result(struct collector *c, struct fact_site *s, const struct call *k)
{
    if (k->form == MACRO_STATEMENT) {
        s->result = RESULT_STATEMENT;
        return;
    }
    size_t count = c->frames.count;
    c->frames.count = k->top + 1;
    s->result = (int)result_of(c, s, c->frames.items[k->top].cursor);
    c->frames.count = count;
}

/* The site stands where the macro is used, not in its body. */
static struct fact_site *add_use(struct collector *c, const struct place *p, struct call *k,
                                 const char *name)
{
    struct place use = *p;
    use.how = SPELLED_FILE;
    if (p->body->project)
        mark_word(c, p->body->path, p->body_offset);
    return add_site(c, &use, k->use.start, name);
}

static void fill_site(struct collector *c, struct fact_site *s, const struct call *k)
{
    if (k->form == MACRO_EXPRESSION || k->form == MACRO_STATEMENT) {
        use_bytes(s, k);
        use_result(c, s, k);
    } else {
        call_bytes(c, s, k);
        s->result = (int)result_of(c, s, k->cursor);
        if (k->record)
            statement_bytes(c, s);
    }
    site_context(c, s);
    if (!s->left && c->tag_macro)
        s->left = NF_TAG_MACRO;
    struct place p = place_of(c, clang_getCursorLocation(k->callee));
    if (!s->left && is_wrapped(source_lex(p.src), s->start))
        s->flags |= SITE_TAGGED_NEAR;
}

/* make_unique and its like: their new is inside the library, so it is the call that gets a node. */
void collect_factory(struct collector *c, CXCursor cursor)
{
    static const char *const names[] = {"make_unique", "make_shared", "allocate_shared",
                                        "make_unique_for_overwrite", "make_shared_for_overwrite"};
    char *name = spelling(c, cursor);
    bool factory = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        factory |= !strcmp(name, names[i]);
    if (!factory || !type_is_smart_pointer(c, clang_getCursorType(cursor)))
        return;
    struct call k = {.cursor = cursor, .decl = clang_getCursorReferenced(cursor)};
    k.callee = skip_wrappers(first_expression(cursor));
    struct place p = place_of(c, clang_getCursorLocation(k.callee));
    if (!p.src || !p.src->project)
        return;
    CXType t = clang_Type_getTemplateArgumentAsType(
        clang_getCanonicalType(clang_getCursorType(cursor)), 0);
    const char *key = type_key(c, t);
    size_t at = c->u->sites.count;
    if (!*key || !add_site(c, &p, p.offset, name))
        return;
    struct fact_site *s = &c->u->sites.items[at];
    s->type_key = key;
    s->type = type_shown(c, t);
    s->flags |= SITE_CLASS | SITE_ALLOCATOR | SITE_FACTORY;
    flow_of(c, s);
    collect_site_need(c, s->file, s->offset, key, cursor);
    if (s->left)
        return;
    fill_site(c, s, &k);
    owners_of(c, s);
}

void collect_override(struct collector *c, CXCursor method)
{
    CXCursor *bases = NULL;
    unsigned n = 0;
    if (!clang_CXXMethod_isVirtual(method))
        return;
    clang_getOverriddenCursors(method, &bases, &n);
    for (unsigned i = 0; i < n; i++) {
        struct fact_override o = {decl_key(c, method), decl_key(c, bases[i])};
        vec_push(&c->u->overrides, o);
    }
    clang_disposeOverriddenCursors(bases);
}

void collect_call(struct collector *c, CXCursor cursor)
{
    struct call k = {.cursor = cursor, .decl = clang_getCursorReferenced(cursor)};
    if (!call_counts(c, &k))
        return;
    k.callee = skip_wrappers(first_expression(cursor));
    struct place p = place_of(c, clang_getCursorLocation(k.callee));
    if (!p.src || !p.src->project)
        return;
    if (p.how == SPELLED_BODY)
        k.form = macro_form(c, &p, &k.use, &k.top);
    char *name = k.dependent  ? callee_name(c, cursor)
                 : k.indirect ? arena_strdup(c->a, "indirect call")
                              : spelling(c, k.decl);
    size_t at = c->u->sites.count;
    if (!(k.form ? add_use(c, &p, &k, name) : add_site(c, &p, p.offset, name)))
        return;
    struct fact_site *s = &c->u->sites.items[at];
    site_block_type(c, s, &k);
    s->flags |= k.allocator || k.library || k.indirect || k.tagged ? SITE_ALLOCATOR : SITE_CALL;
    s->flags |= k.tagged;
    if (s->flags & SITE_CALL)
        s->callee = k.dependent ? arena_printf(c->a, "N:%s", name) : decl_key(c, k.decl);
    s->result = RESULT_NONE;
    if (!s->left || s->left == NF_MACRO_BODY) {
        flow_of(c, s);
        s->out_flow = (int)flow_of_out(c, cursor);
    }
    if (s->left)
        return;
    fill_site(c, s, &k);
    owners_of(c, s);
}
