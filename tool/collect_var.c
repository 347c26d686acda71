/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables as roots: those that NUMA(k) marks, those that a root macro follows already, and, if
 * the command line names roots, every variable of the tree. It says where the macro that registers
 * an object may stand, or why it may not; who is a root is decided over all units.
 */
#include "collect_p.h"

#define MARK "numafy:node="

/* The kind of thing that NUMA(k) was put on, for the message; NULL if it is a variable. */
static const char *marked_thing(enum CXCursorKind k)
{
    switch ((int)k) {
    case CXCursor_VarDecl:
        return NULL;
    case CXCursor_FieldDecl:
        return "a member";
    case CXCursor_ParmDecl:
        return "a parameter";
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl:
        return "a typedef";
    default:
        return is_function_kind(k) ? "a function" : is_record_kind(k) ? "a type" : "no variable";
    }
}

/* ns::Class::function::name. Names of what has none are left out. */
static char *variable_name(struct collector *c, CXCursor var)
{
    char *name = spelling(c, var);
    CXCursor p = clang_getCursorSemanticParent(var);
    for (int depth = 0; depth < 64; depth++) {
        enum CXCursorKind k = clang_getCursorKind(p);
        if (clang_Cursor_isNull(p) || k == CXCursor_TranslationUnit)
            break;
        char *outer = spelling(c, p);
        bool named = k == CXCursor_Namespace || is_record_kind(k) || is_function_kind(k);
        if (named && *outer && *outer != '(')
            name = arena_printf(c->a, "%s::%s", outer, name);
        p = clang_getCursorSemanticParent(p);
    }
    return name;
}

static bool is_pointer(struct collector *c, CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Pointer || type_is_smart_pointer(c, t);
}

/* Token index of the semicolon that ends the declaration which token `i` is in, or l->count. */
static size_t declaration_end(const struct lex *l, size_t i)
{
    int depth = 0;
    for (; i < l->count && depth >= 0 && !l->tokens[i].directive; i++) {
        if (!depth && lex_is(l, i, ";"))
            return i;
        depth += lex_is(l, i, "(") || lex_is(l, i, "[") || lex_is(l, i, "{");
        depth -= lex_is(l, i, ")") || lex_is(l, i, "]") || lex_is(l, i, "}");
    }
    return l->count;
}

/* The macros that follow the declaration: one for each of its variables that is registered. Fills
 * node if one of them names this variable. */
static void read_macros(struct collector *c, const struct lex *l, size_t semicolon,
                        struct fact_var *v)
{
    size_t i = semicolon + 1;
    while (lex_is(l, i, "NUMAFY_ROOT_GLOBAL") || lex_is(l, i, "NUMAFY_ROOT_OBJECT")) {
        size_t close = lex_match(l, i + 1), comma = close, n = strlen(v->text);
        if (close >= l->count)
            return;
        while (comma > i + 1 && !lex_is(l, comma, ","))
            comma--;
        const struct lex_token *first = &l->tokens[i + 2], *last = &l->tokens[comma - 1];
        size_t length = last->offset + last->length - first->offset;
        if (comma > i + 2 && length == n && !memcmp(l->text + first->offset, v->text, n)) {
            unsigned from = l->tokens[comma].offset + 1, to = l->tokens[close].offset;
            v->flags |= VAR_ROOTED;
            v->node = arena_strndup(c->a, l->text + from, to - from);
        }
        i = close + (lex_is(l, close + 1, ";") ? 2 : 1);
        if (lex_is(l, i, "NUMAFY_ROOT_MADE"))
            i = lex_match(l, i + 1) + 2;
    }
}

/* A jump that begins before the macro and ends behind it passes the initialisation of what the
 * macro declares. */
static bool jump_passes(const struct lex *l, unsigned start, unsigned at, unsigned end)
{
    for (size_t i = lex_from(l, start); i < l->count && l->tokens[i].offset < at; i++) {
        if (!lex_is(l, i, "goto") || i + 1 >= l->count)
            continue;
        char *label = mem_alloc(l->tokens[i + 1].length + 1);
        memcpy(label, l->text + l->tokens[i + 1].offset, l->tokens[i + 1].length);
        label[l->tokens[i + 1].length] = '\0';
        bool passes = !strcmp(label, "*");
        for (size_t k = lex_from(l, at); k + 1 < l->count && l->tokens[k].offset < end; k++)
            passes |= lex_is(l, k, label) && lex_is(l, k + 1, ":") && !lex_is(l, k - 1, "?");
        free(label);
        if (passes)
            return true;
    }
    return false;
}

/* Why no statement may be put behind the local declaration of the top frame, or NULL. */
static const char *local_obstacle(struct collector *c, const struct lex *l, unsigned at)
{
    size_t n = c->frames.count;
    if (n < 3 || c->frames.items[n - 2].kind != CXCursor_DeclStmt)
        return "it is declared in a condition or a catch";
    enum CXCursorKind in = c->frames.items[n - 3].kind;
    bool labelled =
        in == CXCursor_LabelStmt || in == CXCursor_CaseStmt || in == CXCursor_DefaultStmt;
    if (in != CXCursor_CompoundStmt && !labelled)
        return "it is declared in the head of a statement";
    if (labelled || (n > 3 && c->frames.items[n - 4].kind == CXCursor_SwitchStmt))
        return "a jump to a label passes its declaration";
    struct function *f = function_of(c);
    if (f && f->is_constexpr)
        return "its function is constexpr";
    struct source *src;
    unsigned start, end;
    if (f && cursor_range(c, f->cursor, &src, &start, &end) && jump_passes(l, start, at, end))
        return "a goto passes its declaration";
    return NULL;
}

static const char *obstacle(struct collector *c, CXCursor var, const struct lex *l, unsigned at)
{
    enum CXTypeKind t = clang_getCanonicalType(clang_getCursorType(var)).kind;
    if (t == CXType_LValueReference || t == CXType_RValueReference)
        return "it is a reference: mark what it refers to";
    if (clang_Cursor_getStorageClass(var) == CX_SC_Register)
        return "it is a register variable";
    size_t n = c->frames.count;
    for (size_t i = 0; i + 1 < n; i++)
        if (is_function_kind(c->frames.items[i].kind))
            return local_obstacle(c, l, at);
    enum CXCursorKind up = n > 1 ? c->frames.items[n - 2].kind : CXCursor_TranslationUnit;
    if (is_record_kind(up))
        return "it is declared in a class: only a definition outside can be registered";
    if (up != CXCursor_TranslationUnit && up != CXCursor_Namespace && up != CXCursor_LinkageSpec)
        return "it is a template";
    if (is_record_kind(clang_getCursorKind(clang_getCursorSemanticParent(var))) &&
        clang_getCXXAccessSpecifier(var) != CX_CXXPublic)
        return "it is a static member that is not public";
    return NULL;
}

/* Where the declaration of a local object begins, if its initialiser may allocate and a statement
 * may stand in front of it; else 0. */
static unsigned initialised_from(struct collector *c, CXCursor var, const struct lex *l)
{
    struct source *src;
    unsigned start, end;
    CXType t = strip_arrays(clang_getCanonicalType(clang_getCursorType(var)));
    if (!c->cxx || clang_Cursor_getStorageClass(var) == CX_SC_Static ||
        clang_getCursorTLSKind(var) != CXTLS_None || clang_isPODType(t) ||
        !type_may_allocate(c, t) || in_coroutine(c) ||
        !cursor_range(c, c->frames.items[c->frames.count - 2].cursor, &src, &start, &end))
        return 0;
    size_t i = lex_at(l, start);
    bool first = i > 0 && i < l->count &&
                 (lex_is(l, i - 1, ";") || lex_is(l, i - 1, "{") || lex_is(l, i - 1, "}"));
    return first && !l->tokens[i - 1].directive ? start : 0;
}

static struct fact_var *find_var(struct collector *c, const char *key, const char *file,
                                 unsigned line, unsigned column)
{
    for (size_t i = c->u->vars.count; i-- > 0;) {
        struct fact_var *v = &c->u->vars.items[i];
        if (v->line == line && v->column == column && !strcmp(v->key, key) &&
            !strcmp(v->file, file))
            return v;
    }
    return NULL;
}

/* The variable of the top frame as a fact. */
static struct fact_var *make_var(struct collector *c, CXCursor var, const struct place *p,
                                 const char *key)
{
    struct fact_var v = {.key = key, .file = p->src->path, .line = p->line, .column = p->column};
    struct lex *l = source_lex(p->src);
    bool member =
        !clang_equalCursors(clang_getCursorSemanticParent(var), clang_getCursorLexicalParent(var));
    bool local = false;
    for (size_t i = 0; i + 1 < c->frames.count; i++)
        local |= is_function_kind(c->frames.items[i].kind);
    v.name = variable_name(c, var);
    v.text = member && !local ? v.name : spelling(c, var);
    v.node = v.why = arena_strdup(c->a, "");
    bool in_class = is_record_kind(clang_getCursorKind(clang_getCursorLexicalParent(var)));
    bool own = in_class ? clang_isCursorDefinition(var) != 0
                        : clang_Cursor_getStorageClass(var) != CX_SC_Extern ||
                              !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(var));
    v.flags = (is_pointer(c, clang_getCursorType(var)) ? VAR_POINTER : 0u) |
              (local ? VAR_LOCAL : 0u) | (own ? VAR_DEFINITION : 0u);
    size_t semicolon = place_is_plain(p) ? declaration_end(l, lex_at(l, p->offset)) : l->count;
    if (semicolon < l->count) {
        v.at = l->tokens[semicolon].offset + 1;
        const char *why = obstacle(c, var, l, v.at);
        v.why = why ? why : v.why;
        v.from = local && !why ? initialised_from(c, var, l) : 0;
        read_macros(c, l, semicolon, &v);
    } else {
        v.why = "the end of its declaration is in a macro";
    }
    /* Noting types may move no variable: the list is filled first. */
    type_mentions(c, clang_getCursorType(var), &v.types);
    vec_push(&c->u->vars, v);
    return &c->u->vars.items[c->u->vars.count - 1];
}

static struct fact_var *add_var(struct collector *c, CXCursor var)
{
    struct place p = place_of(c, clang_getCursorLocation(var));
    if (!p.src || !p.src->project)
        return NULL;
    if (p.how == SPELLED_BODY && p.body && !p.body->project)
        return NULL; /* what a root macro, or a library's, declares */
    const char *key = decl_key(c, var);
    struct fact_var *v = find_var(c, key, p.src->path, p.line, p.column);
    return v || !*key ? v : make_var(c, var, &p, key);
}

void collect_variable(struct collector *c, CXCursor var)
{
    struct place p = place_of(c, clang_getCursorLocation(var));
    if (!p.src || !p.src->project)
        return;
    if (!p.src->scanned_macros) {
        p.src->scanned_macros = true;
        struct lex *l = source_lex(p.src);
        for (size_t i = 0; i < l->count && !p.src->root_macros; i++)
            p.src->root_macros =
                lex_is(l, i, "NUMAFY_ROOT_GLOBAL") || lex_is(l, i, "NUMAFY_ROOT_OBJECT");
    }
    if (c->opt->all_variables || p.src->root_macros)
        add_var(c, var);
}

bool may_be_root(struct collector *c, const char *key)
{
    for (size_t i = c->u->vars.count; i-- > 0;)
        if (!strcmp(c->u->vars.items[i].key, key))
            return true;
    return false;
}

void collect_annotation(struct collector *c, CXCursor attribute)
{
    char *text = spelling(c, attribute);
    size_t n = strlen(MARK);
    if (strncmp(text, MARK, n) != 0 || c->frames.count < 2)
        return;
    struct frame *decl = &c->frames.items[c->frames.count - 2];
    const char *thing = marked_thing(decl->kind);
    if (thing) {
        struct place p = place_of(c, clang_getCursorLocation(decl->cursor));
        if (!p.src || !p.src->project)
            return;
        struct fact_note *note = vec_add(&c->u->notes);
        char *name = spelling(c, decl->cursor);
        *note = (struct fact_note){NF_ROOT_NO_EFFECT, p.src->path, p.line, p.column,
                                   arena_printf(c->a, "%s is %s", name, thing)};
        return;
    }
    /* What stands around the variable is judged from its own frame. */
    c->frames.count--;
    struct fact_var *v = add_var(c, decl->cursor);
    c->frames.count++;
    if (v && !*v->node)
        v->node = text + n;
}
