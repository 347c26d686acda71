/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no edit of a site can reach: calls of a library's functions on an object that may allocate
 * for it (std containers and strings), and sites that cannot be edited. Each is a need of the
 * function around it; whether that function gets a scope, or the statement an enter, is decided
 * over all units. Which functions must keep their calls in tail position is collect_tail.c's.
 */
#include "collect_p.h"

/* Types */

static bool in_list(const char *const *names, const char *name)
{
    for (size_t i = 0; names[i]; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static bool in_std(CXCursor decl)
{
    CXCursor p = clang_getCursorSemanticParent(decl);
    bool found = false;
    while (clang_getCursorKind(p) == CXCursor_Namespace && !found) {
        CXString s = clang_getCursorSpelling(p);
        const char *name = clang_getCString(s);
        found = name && (!strcmp(name, "std") || !strcmp(name, "__gnu_cxx"));
        clang_disposeString(s);
        p = clang_getCursorSemanticParent(p);
    }
    return found;
}

/* Classes of the standard library that own blocks; another library's own them unless plain. */
static const char *const storage_names[] = {"basic_string",
                                            "vector",
                                            "deque",
                                            "list",
                                            "forward_list",
                                            "map",
                                            "multimap",
                                            "set",
                                            "multiset",
                                            "unordered_map",
                                            "unordered_multimap",
                                            "unordered_set",
                                            "unordered_multiset",
                                            "flat_map",
                                            "flat_set",
                                            "queue",
                                            "priority_queue",
                                            "stack",
                                            "function",
                                            "move_only_function",
                                            "any",
                                            "shared_ptr",
                                            "basic_stringbuf",
                                            "basic_stringstream",
                                            "basic_ostringstream",
                                            "basic_istringstream",
                                            "basic_fstream",
                                            "basic_ifstream",
                                            "basic_ofstream",
                                            "valarray",
                                            "basic_regex",
                                            "path",
                                            "promise",
                                            "packaged_task",
                                            NULL};

/* Those that own what their arguments own. */
static const char *const wrapper_names[] = {"optional", "variant", "pair", "tuple", "array", NULL};

static bool record_is_storage(struct collector *c, CXCursor decl)
{
    if (!is_record_kind(clang_getCursorKind(decl)) || !is_system(c, decl))
        return false;
    return !in_std(decl) || in_list(storage_names, spelling(c, decl));
}

/* An object of this type may get blocks after it was made. A template parameter may be anything. */
static bool storage_in(struct collector *c, CXType t, int depth)
{
    t = strip_arrays(t);
    if (t.kind == CXType_LValueReference || t.kind == CXType_RValueReference)
        t = strip_arrays(clang_getPointeeType(t));
    if (t.kind == CXType_Pointer || depth > 8 ||
        (t.kind <= CXType_NullPtr && t.kind != CXType_Unexposed))
        return false;
    CXCursor decl = clang_getTypeDeclaration(t);
    if (!is_record_kind(clang_getCursorKind(decl)))
        return t.kind == CXType_Unexposed || t.kind == CXType_Dependent;
    if (!is_system(c, decl))
        return false;
    if (!in_std(decl))
        return !clang_isPODType(t);
    char *name = spelling(c, decl);
    if (in_list(storage_names, name))
        return true;
    int n = in_list(wrapper_names, name) ? clang_Type_getNumTemplateArguments(t) : 0;
    for (int i = 0; i < n; i++) {
        CXType arg = clang_Type_getTemplateArgumentAsType(t, (unsigned)i);
        if (arg.kind != CXType_Invalid && storage_in(c, arg, depth + 1))
            return true;
    }
    return false;
}

bool type_is_storage(struct collector *c, CXType t)
{
    return storage_in(c, t, 0);
}

static bool is_shared(struct collector *c, CXType t)
{
    CXCursor decl = clang_getTypeDeclaration(strip_all(t));
    return in_std(decl) && !strcmp(spelling(c, decl), "shared_ptr");
}

/* A shared_ptr takes over the block of another, whoever made that: it gets one of its own only from
 * a bare or a unique pointer. */
static bool shares_afresh(struct collector *c, CXCursor value)
{
    value = skip_casts(value);
    while (clang_getCursorKind(value) == CXCursor_CallExpr) {
        CXCursor callee = clang_getCursorReferenced(value), first = first_expression(value);
        /* In a template a construction refers to nothing yet. */
        if (!clang_Cursor_isNull(callee) && clang_getCursorKind(callee) != CXCursor_Constructor)
            break;
        if (clang_Cursor_isNull(first))
            return false;
        value = skip_casts(first);
    }
    CXCursor arms[3];
    if (clang_getCursorKind(value) == CXCursor_ConditionalOperator &&
        children_of(value, arms, 3) == 3)
        return shares_afresh(c, arms[1]) || shares_afresh(c, arms[2]);
    CXType t = clang_getCanonicalType(clang_getCursorType(value));
    return t.kind != CXType_NullPtr && !is_shared(c, t);
}

static bool is_map(struct collector *c, CXType t)
{
    CXCursor decl = clang_getTypeDeclaration(strip_all(t));
    return !in_std(decl) || strstr(spelling(c, decl), "map");
}

/* Calls */

/* Members that never allocate for the object, whatever its class. */
static bool is_harmless_member(const char *name)
{
    static const char *const names[] = {
        "begin",      "end",        "rbegin",       "rend",        "cbegin",
        "cend",       "size",       "length",       "empty",       "clear",
        "front",      "back",       "data",         "c_str",       "at",
        "find",       "count",      "lower_bound",  "upper_bound", "pop_back",
        "pop_front",  "pop",        "top",          "erase",       "swap",
        "get",        "release",    "splice",       "capacity",    "max_size",
        "value",      "has_value",  "equal_range",  "contains",    "str",
        "rdbuf",      "flush",      "good",         "eof",         "fail",
        "unique",     "use_count",  "before_begin", "operator*",   "operator->",
        "operator()", "operator++", "operator--",   "operator<<",  "sort",
        "reverse",    "remove",     "remove_if",    "extract",     NULL};
    return in_list(names, name);
}

static bool is_harmless_function(const char *name)
{
    static const char *const names[] = {"move",
                                        "forward",
                                        "swap",
                                        "min",
                                        "max",
                                        "exchange",
                                        "addressof",
                                        "begin",
                                        "end",
                                        "size",
                                        "data",
                                        "empty",
                                        "get",
                                        "get_if",
                                        "holds_alternative",
                                        "distance",
                                        "advance",
                                        "next",
                                        "prev",
                                        "find",
                                        "find_if",
                                        "count",
                                        "count_if",
                                        "sort",
                                        "to_string",
                                        "make_unique",
                                        "make_shared",
                                        "allocate_shared",
                                        "make_pair",
                                        "tie",
                                        "make_tuple",
                                        "ref",
                                        "cref",
                                        "as_const",
                                        "launder",
                                        "declval",
                                        "erase_if",
                                        "erase",
                                        "reverse",
                                        "all_of",
                                        "any_of",
                                        "none_of",
                                        "accumulate",
                                        "for_each",
                                        "unique",
                                        "remove",
                                        "remove_if",
                                        "lower_bound",
                                        "printf",
                                        "fprintf",
                                        "snprintf",
                                        "assert",
                                        "__assert_fail",
                                        "make_unique_for_overwrite",
                                        "make_shared_for_overwrite",
                                        "operator==",
                                        "operator!=",
                                        "operator<",
                                        "operator>",
                                        "operator<=",
                                        "operator>=",
                                        "operator<=>",
                                        "operator+",
                                        "operator-",
                                        NULL};
    return in_list(names, name) || !strncmp(name, "numafy_", 7) || !strncmp(name, "__builtin_", 10);
}

/* A defaulted or implicit assignment copies every member: it allocates if they do. */
static bool is_made_assignment(CXCursor method)
{
    if (clang_CXXMethod_isDefaulted(method))
        return true;
    CXFile a, b;
    unsigned x, y;
    clang_getFileLocation(clang_getCursorLocation(method), &a, NULL, NULL, &x);
    clang_getFileLocation(clang_getCursorLocation(clang_getCursorSemanticParent(method)), &b, NULL,
                          NULL, &y);
    return a == b && x == y;
}

/* The object that a member function or operator is called on; a null cursor: this. */
static CXCursor object_of(CXCursor call, bool member)
{
    CXCursor callee = first_expression(call);
    if (!member)
        return callee;
    if (clang_Cursor_isNull(callee))
        return callee;
    callee = skip_wrappers(callee);
    return clang_getCursorKind(callee) == CXCursor_MemberRefExpr ? first_expression(callee)
                                                                 : callee;
}

static bool is_operator(const char *name)
{
    return !strncmp(name, "operator", 8) && name[8] && !strchr("_ ", name[8]) &&
           !(name[8] >= 'a' && name[8] <= 'z');
}

struct need {
    CXCursor object; /* null: this */
    bool implied_this;
    const char *assigned, *dependent; /* as in struct fact_need */
};

/* operator=, +=, [] and others: the first operand is the object. */
static bool operator_needs(struct collector *c, CXCursor call, CXCursor callee, const char *name,
                           struct need *n)
{
    n->object = object_of(call, false);
    if (clang_Cursor_isNull(n->object))
        return false;
    CXCursor inner = skip_wrappers(n->object);
    if (clang_getCursorKind(inner) == CXCursor_MemberRefExpr &&
        !strncmp(spelling(c, inner), "operator", 8)) { /* x.operator=(y) */
        n->object = first_expression(inner);
        n->implied_this = clang_Cursor_isNull(n->object);
        inner = n->implied_this ? inner : skip_wrappers(n->object);
    }
    CXType t = clang_getCursorType(inner);
    CXCursor record = clang_getCursorSemanticParent(callee);
    if (!is_system(c, callee)) {
        bool made = !strcmp(name, "operator=") && is_record_kind(clang_getCursorKind(record)) &&
                    is_made_assignment(callee);
        n->assigned = made ? record_key(c, record) : n->assigned;
        return made;
    }
    if (is_harmless_member(name) && strcmp(name, "operator<<") != 0)
        return false;
    if (is_harmless_function(name))
        return false;
    if (!strcmp(name, "operator>>")) {
        /* What is read goes to the second operand. */
        CXCursor kids[3];
        size_t k = children_of(call, kids, 3);
        if (k < 3)
            return false;
        n->object = kids[2];
        t = clang_getCursorType(skip_wrappers(kids[2]));
    }
    if (!strcmp(name, "operator[]") && !is_map(c, t))
        return false;
    if (is_shared(c, t))
        return shares_afresh(c, clang_Cursor_getArgument(call, 1));
    return type_is_storage(c, t) || record_is_storage(c, record);
}

static bool member_needs(struct collector *c, CXCursor call, CXCursor callee, const char *name,
                         struct need *n)
{
    bool dependent = clang_Cursor_isNull(callee);
    if (!dependent && (!is_system(c, callee) || clang_CXXMethod_isConst(callee) ||
                       clang_CXXMethod_isStatic(callee)))
        return false;
    if (is_harmless_member(name))
        return false;
    n->object = object_of(call, true);
    n->implied_this = clang_Cursor_isNull(n->object);
    if (n->implied_this)
        return !dependent && record_is_storage(c, clang_getCursorSemanticParent(callee));
    CXType t = clang_getCursorType(skip_wrappers(n->object));
    if (dependent &&
        clang_getCursorKind(clang_getTypeDeclaration(strip_all(t))) == CXCursor_NoDeclFound)
        return false; /* T's own function has its own scope */
    if (clang_getCanonicalType(t).kind == CXType_Pointer)
        t = clang_getPointeeType(clang_getCanonicalType(t));
    if (is_shared(c, t) && !clang_Cursor_getNumArguments(call))
        return false; /* reset() */
    return type_is_storage(c, t) ||
           (!dependent && record_is_storage(c, clang_getCursorSemanticParent(callee)) &&
            !in_std(clang_getCursorSemanticParent(callee)));
}

/* std::getline(in, s), std::back_inserter(v): what they get by reference and may fill. */
static bool function_needs(struct collector *c, CXCursor call, CXCursor callee, const char *name,
                           struct need *n)
{
    if (!is_system(c, callee) || is_harmless_function(name))
        return false;
    int count = clang_Cursor_getNumArguments(callee);
    for (int i = 0; i < count; i++) {
        CXType want = clang_getCanonicalType(
            clang_getCursorType(clang_Cursor_getArgument(callee, (unsigned)i)));
        if (want.kind != CXType_LValueReference ||
            clang_isConstQualifiedType(clang_getPointeeType(want)))
            continue;
        CXCursor arg = clang_Cursor_getArgument(call, (unsigned)i);
        if (clang_Cursor_isNull(arg))
            break;
        if (type_is_storage(c, clang_getCursorType(skip_wrappers(arg)))) {
            n->object = arg;
            return true;
        }
    }
    return false;
}

char *callee_name(struct collector *c, CXCursor call)
{
    char *name = spelling(c, call);
    CXCursor callee = first_expression(call);
    CXCursor decl = clang_getCursorReferenced(call);
    struct source *src;
    unsigned start, end;
    if (!*name && clang_getCursorKind(decl) == CXCursor_OverloadedDeclRef)
        name = spelling(c, decl);
    if (*name || clang_Cursor_isNull(callee) || !cursor_range(c, callee, &src, &start, &end))
        return name;
    const struct lex *l = source_lex(src);
    int depth = 0;
    for (size_t i = lex_from(l, end); i-- > 0 && l->tokens[i].offset >= start;) {
        const struct lex_token *t = &l->tokens[i];
        depth += lex_is(l, i, ">") - lex_is(l, i, "<");
        if (!depth && t->kind == LEX_WORD)
            return arena_strndup(c->a, l->text + t->offset, t->length);
    }
    return name;
}

static bool call_needs(struct collector *c, CXCursor call, struct need *n)
{
    CXCursor callee = clang_getCursorReferenced(call);
    enum CXCursorKind k = clang_getCursorKind(callee);
    if (clang_Cursor_isNull(callee)) {
        CXCursor first = first_expression(call);
        if (clang_Cursor_isNull(first) ||
            clang_getCursorKind(skip_wrappers(first)) != CXCursor_MemberRefExpr)
            return false;
        return member_needs(c, call, callee, callee_name(c, call), n);
    }
    if (k == CXCursor_FunctionTemplate)
        k = clang_getTemplateCursorKind(callee);
    if (k != CXCursor_CXXMethod && k != CXCursor_FunctionDecl)
        return false;
    CXString s = clang_getCursorSpelling(callee);
    const char *text = clang_getCString(s);
    bool op = text && is_operator(text);
    bool seen = op || is_system(c, callee);
    char *name = seen ? arena_strdup(c->a, text ? text : "") : NULL;
    clang_disposeString(s);
    if (!seen)
        return false;
    if (op)
        return operator_needs(c, call, callee, name, n);
    return k == CXCursor_CXXMethod ? member_needs(c, call, callee, name, n)
                                   : function_needs(c, call, callee, name, n);
}

/* The name if the type is a parameter of a template around, "" for any other. */
static const char *template_parameter(struct collector *c, CXType t)
{
    char *canonical = cx_take(c->a, clang_getTypeSpelling(clang_getCanonicalType(t)));
    char *name = cx_take(c->a, clang_getTypeSpelling(t));
    static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    bool parameter =
        !strncmp(canonical, "type-parameter-", 15) && *name && !name[strspn(name, word)];
    return parameter ? name : "";
}

/* In a template an operator of a dependent object is no call yet. */
static bool operand_needs(struct collector *c, CXCursor e, enum CXCursorKind k, struct need *n)
{
    if (k == CXCursor_BinaryOperator &&
        clang_getCursorBinaryOperatorKind(e) != CXBinaryOperator_Assign)
        return false;
    CXCursor kids[2];
    size_t count = children_of(e, kids, 2);
    if (!count)
        return false;
    n->object = kids[0];
    CXType t = clang_getCanonicalType(clang_getCursorType(skip_wrappers(n->object)));
    if (t.kind != CXType_Unexposed && t.kind != CXType_Record)
        return false;
    if (k == CXCursor_ArraySubscriptExpr && !is_map(c, t))
        return false;
    if (is_shared(c, t))
        return count == 2 && shares_afresh(c, kids[1]);
    if (k == CXCursor_BinaryOperator)
        n->dependent = template_parameter(c, clang_getCursorType(skip_wrappers(n->object)));
    return type_is_storage(c, t);
}

/* The function around */

static bool body_has_word(const struct lex *l, unsigned start, unsigned end,
                          const char *const *words)
{
    for (size_t i = lex_from(l, start); i < l->count && l->tokens[i].offset < end; i++)
        for (size_t k = 0; words[k]; k++)
            if (lex_is(l, i, words[k]))
                return true;
    return false;
}

/* The last child: a block, a function-try-block, or what a coroutine has around its block. */
static bool is_body(enum CXCursorKind k)
{
    return k == CXCursor_CompoundStmt || k == CXCursor_CXXTryStmt || k == CXCursor_UnexposedStmt;
}

static enum CXChildVisitResult find_body(CXCursor child, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (is_body(clang_getCursorKind(child)))
        *(CXCursor *)data = child;
    return CXChildVisit_Continue;
}

CXCursor function_body(CXCursor function)
{
    CXCursor body = clang_getNullCursor();
    clang_visitChildren(function, find_body, &body);
    return body;
}

/* What forbids a scope in this body whatever it needs. */
static int scope_reject(struct collector *c, struct function *f, const struct lex *l, unsigned head,
                        unsigned open, unsigned end)
{
    static const char *const coroutine[] = {"co_await", "co_yield", "co_return", NULL};
    static const char *const jumps[] = {"setjmp",      "_setjmp",    "sigsetjmp",
                                        "__sigsetjmp", "getcontext", "__builtin_setjmp",
                                        "vfork",       NULL};
    static const char *const naked[] = {"naked", "__naked__", NULL};
    if (f->is_constexpr)
        return NF_CONSTEXPR;
    if (clang_getCursorKind(f->cursor) == CXCursor_Destructor)
        return NF_SCOPE_BODY;
    if (body_has_word(l, open, end, coroutine))
        return NF_SCOPE_COROUTINE;
    if (body_has_word(l, open, end, jumps))
        return NF_SCOPE_SETJMP;
    size_t first = lex_at(l, open) + 1;
    if (lex_is(l, first, "__label__") || body_has_word(l, head, open, naked))
        return NF_SCOPE_BODY;
    return c->tag_macro ? NF_TAG_MACRO : 0;
}

static void add_scope_owners(struct collector *c, struct fact_scope *s, struct function *f)
{
    if (f->has_this && !f->this_reject) {
        struct fact_owner *o = vec_add(&s->owners);
        o->kind = OWNER_THIS;
        o->expr = arena_strdup(c->a, "this");
        o->cls = f->cls;
        o->pointee = arena_strdup(c->a, "");
    }
    for (size_t i = 0; i < f->params.count; i++) {
        struct fact_owner o = {.kind = OWNER_PARAMETER};
        if (owner_of_parameter(c, &f->params.items[i], &o))
            vec_push(&s->owners, o);
    }
}

/* Where a scope would stand; s->left says why none may. */
static void scope_place(struct collector *c, struct function *f, CXCursor body,
                        struct fact_scope *s)
{
    struct source *src, *head_src;
    unsigned start, end, head, ignored;
    struct place p = place_of(c, clang_getRangeStart(clang_getCursorExtent(body)));
    s->file = p.src ? p.src->path : "";
    s->offset = p.offset;
    s->line = p.line;
    s->column = p.column;
    s->left = f->is_constexpr ? NF_CONSTEXPR : NF_SCOPE_BODY;
    if (!cursor_range(c, body, &src, &start, &end))
        return;
    const struct lex *l = source_lex(src);
    size_t open = lex_at(l, start);
    if (p.how != SPELLED_FILE || !lex_is(l, open, "{") || l->tokens[open].directive)
        return;
    if (!cursor_range(c, f->cursor, &head_src, &head, &ignored) || head_src != src)
        head = start;
    s->offset = start + 1;
    s->left = scope_reject(c, f, l, head, start, end);
    s->tagged = lex_is(l, open + 1, "NUMAFY_SCOPE") || lex_is(l, open + 1, "NUMAFY_SCOPE_NODE") ||
                lex_is(l, open + 1, "NUMAFY_SCOPE_OF");
}

/* The scope of a function, made on first need; NULL if it has no body in the tree. */
static struct fact_scope *scope_of(struct collector *c, struct function *f)
{
    if (f->scope)
        return &c->u->scopes.items[f->scope - 1];
    struct fact_scope s = {.key = ""};
    CXCursor body = function_body(f->cursor);
    if (clang_Cursor_isNull(body))
        return NULL;
    scope_place(c, f, body, &s);
    s.key = function_key(c, f);
    s.function = spelling(c, f->cursor);
    add_scope_owners(c, &s, f);
    vec_push(&c->u->scopes, s);
    f->scope = c->u->scopes.count;
    return &c->u->scopes.items[f->scope - 1];
}

/* The innermost function around the top frame whose body the frame is in and that can name an
 * owner; a lambda that cannot runs in the scope of the function that it is written in. */
static struct fact_scope *scope_around(struct collector *c, struct function **found)
{
    struct fact_scope *s = NULL;
    (void)function_of(c);
    for (size_t i = c->frames.count; i-- > 0 && (!s || !s->owners.count);) {
        const struct frame *f = &c->frames.items[i];
        if (is_record_kind(f->kind))
            break;
        if (!f->function)
            continue;
        if (i + 1 >= c->frames.count || !is_body(f[1].kind))
            break;
        struct fact_scope *around = scope_of(c, f->function);
        if (!around)
            break;
        if (!s || around->owners.count) {
            s = around;
            *found = f->function;
        }
    }
    return s;
}

/* The statement */

static bool is_statement_parent(struct collector *c, size_t self)
{
    const struct frame *up = &c->frames.items[self - 1];
    CXCursor kids[8];
    size_t n;
    switch ((int)up->kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
        return true;
    case CXCursor_IfStmt:
        n = children_of(up->cursor, kids, 8);
        return n && !same_cursor(kids[0], c->frames.items[self].cursor);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_CXXForRangeStmt:
        n = children_of(up->cursor, kids, 8);
        return n && n < 8 && same_cursor(kids[n - 1], c->frames.items[self].cursor);
    default:
        return false;
    }
}

static bool begins_statement(const struct lex *l, size_t i)
{
    static const char *const before[] = {"{", "}", ";", ")", ":", "else", "do", NULL};
    for (size_t k = 0; before[k]; k++)
        if (i > 0 && lex_is(l, i - 1, before[k]))
            return true;
    return false;
}

/* ((void)::numafy::enter(o), call): written already. */
static bool is_entered(const struct lex *l, size_t i)
{
    int depth = 0;
    if (i < 2 || !lex_is(l, i - 1, ","))
        return false;
    for (size_t k = i - 1; k-- > 0;) {
        depth += lex_is(l, k, ")") - lex_is(l, k, "(");
        if (!depth)
            return (k > 0 && lex_is(l, k - 1, "numafy_enter")) ||
                   (k > 2 && lex_is(l, k - 1, "enter") && lex_is(l, k - 3, "numafy"));
    }
    return false;
}

/* `x = y` and `x += y` store to what the frame below names. */
static bool is_assignment_to(const struct frame *up, CXCursor self)
{
    if (up->kind == CXCursor_BinaryOperator &&
        clang_getCursorBinaryOperatorKind(up->cursor) != CXBinaryOperator_Assign)
        return false;
    return (up->kind == CXCursor_BinaryOperator || up->kind == CXCursor_CompoundAssignOperator) &&
           same_cursor(first_expression(up->cursor), self);
}

/* Bytes of the statement if the top frame is all of it, or what all of it assigns to: no call of
 * the tree's is then in tail position. */
static void statement_bytes(struct collector *c, struct fact_need *n)
{
    static const char *const odd[] = {"co_await", "co_yield", "goto", "return",
                                      "break",    "continue", NULL};
    size_t i = c->frames.count - 1, whole = i;
    struct source *src;
    unsigned start, end;
    while (i > 1) {
        const struct frame *up = &c->frames.items[i - 1];
        if (is_assignment_to(up, c->frames.items[i].cursor))
            whole = i - 1;
        else if (up->kind != CXCursor_UnexposedExpr && up->kind != CXCursor_ParenExpr)
            break;
        i--;
    }
    if (!cursor_range(c, c->frames.items[whole].cursor, &src, &start, &end))
        return;
    const struct lex *l = source_lex(src);
    size_t first = lex_at(l, start), after = lex_from(l, end);
    n->tagged = is_entered(l, first);
    if (n->tagged || (i && is_statement_parent(c, i) && lex_is(l, after, ";") &&
                      begins_statement(l, first) && !body_has_word(l, start, end, odd))) {
        n->start = start;
        n->end = end;
    }
}

static void add_need(struct collector *c, CXCursor at, const struct need *n)
{
    struct function *f = NULL;
    struct fact_need need = {
        .key = arena_strdup(c->a, ""), .assigned = n->assigned, .dependent = n->dependent};
    struct place p = place_of(c, clang_getCursorLocation(at));
    struct fact_scope *s = scope_around(c, &f);
    if (!s || !p.src || p.src->path != s->file)
        return;
    need.offset = p.offset;
    need.line = p.line;
    need.column = p.column;
    need.site = need.parameter = arena_strdup(c->a, "");
    enum object_kind kind = OBJECT_THIS;
    struct fact_owner owner = {0};
    CXCursor root = clang_getNullCursor();
    if (!n->implied_this)
        kind = owner_of_object(c, n->object, p.offset, &owner, &root);
    if (kind == OBJECT_LOCAL) {
        owner.var = decl_key(c, root);
        if (!may_be_root(c, owner.var))
            return;
        need.key = owner.cls;
        vec_push(&need.owners, owner);
    } else if (kind == OBJECT_VARIABLE) {
        for (size_t i = 0; i < f->params.count; i++)
            if (clang_equalCursors(f->params.items[i].cursor, root))
                need.parameter = f->params.items[i].name;
        need.key = owner.cls;
        vec_push(&need.owners, owner);
    } else if (kind == OBJECT_THIS) {
        need.this_object = true;
        need.key = f->cls;
        if (s->owners.count && s->owners.items[0].kind == OWNER_THIS)
            vec_push(&need.owners, s->owners.items[0]);
    } else {
        need.key = owner.cls;
    }
    statement_bytes(c, &need);
    vec_push(&s->needs, need);
}

void collect_need(struct collector *c, CXCursor cursor, enum CXCursorKind k)
{
    struct need n = {clang_getNullCursor(), false, "", ""};
    if (!c->cxx || c->frames.count < 2)
        return;
    bool needs =
        k == CXCursor_CallExpr ? call_needs(c, cursor, &n) : operand_needs(c, cursor, k, &n);
    if (needs)
        add_need(c, cursor, &n);
}

struct fact_need *collect_site_need(struct collector *c, const char *file, unsigned offset,
                                    const char *type_key, CXCursor cursor)
{
    struct function *f = NULL;
    if (!c->cxx)
        return NULL;
    struct fact_scope *s = scope_around(c, &f);
    if (!s || !s->owners.count)
        return NULL;
    struct place p = place_of(c, clang_getCursorLocation(cursor));
    struct fact_need need = {.offset = p.offset, .line = p.line, .column = p.column};
    need.site = arena_printf(c->a, "%s:%u", file, offset);
    need.key = type_key;
    need.assigned = need.dependent = need.parameter = arena_strdup(c->a, "");
    vec_push(&s->needs, need);
    return &s->needs.items[s->needs.count - 1];
}
