/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over one unit: keeps the parent stack that libclang does not have, and hands each cursor
 * to the part that knows it. Declarations of files outside the tree are not entered.
 */
#include "collect_p.h"

static struct fact_file *file_fact(struct collector *c, struct source *s)
{
    for (size_t i = 0; i < c->u->files.count; i++)
        if (!strcmp(c->u->files.items[i].path, s->path))
            return &c->u->files.items[i];
    struct fact_file *f = vec_add(&c->u->files);
    f->path = s->path;
    return f;
}

/* Definitions of replaceable functions make every tagged allocation of the program suspect. */
static void check_replacement(struct collector *c, CXCursor function)
{
    static const char *const names[] = {
        "operator new", "operator new[]", "operator delete", "operator delete[]",
        "malloc",       "free",           "calloc",          "realloc"};
    if (!clang_isCursorDefinition(function) ||
        clang_getCursorLinkage(function) != CXLinkage_External)
        return;
    CXCursor parent = clang_getCursorSemanticParent(function);
    if (clang_getCursorKind(parent) != CXCursor_TranslationUnit)
        return;
    char *name = spelling(c, function);
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(name, names[i]) != 0)
        i++;
    if (i == sizeof names / sizeof *names)
        return;
    /* Placement forms (a second parameter of the user's own) replace nothing. */
    int n = clang_Cursor_getNumArguments(function);
    for (int k = 1; i < 4 && k < n; k++) {
        CXType t = clang_getCanonicalType(
            clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)k)));
        char *type = cx_take(c->a, clang_getTypeSpelling(t));
        if (!strstr(type, "nothrow_t") && !strstr(type, "align_val_t") &&
            strcmp(type, "unsigned long"))
            return;
    }
    struct place p = place_of(c, clang_getCursorLocation(function));
    if (!p.src || !p.src->project)
        return;
    struct fact_note *note = vec_add(&c->u->notes);
    *note = (struct fact_note){NF_REPLACES, p.src->path, p.line, p.column, name};
}

static bool mentions_type(enum CXCursorKind k)
{
    return k == CXCursor_VarDecl || k == CXCursor_FieldDecl || k == CXCursor_ParmDecl;
}

static bool is_cast(const struct collector *c, enum CXCursorKind k)
{
    return is_cast_kind(k) || k == CXCursor_BinaryOperator ||
           (!c->cxx && k == CXCursor_UnexposedExpr);
}

static void look_at(struct collector *c, CXCursor cursor, enum CXCursorKind k)
{
    if (k == CXCursor_CXXNewExpr) {
        collect_new(c, cursor);
    } else if (k == CXCursor_CallExpr) {
        collect_factory(c, cursor);
        collect_call(c, cursor);
        collect_template_call(c, cursor);
        collect_need(c, cursor, k);
    } else if (k == CXCursor_TypeRef) {
        collect_type_name(c, cursor);
    } else if (is_cast(c, k)) {
        collect_cast(c, cursor, k);
    } else if (k == CXCursor_TypedefDecl || k == CXCursor_TypeAliasDecl) {
        type_collect_alias(c, cursor);
    } else if (is_record_kind(k)) {
        type_collect_record(c, cursor);
    } else if (k == CXCursor_FunctionDecl) {
        check_replacement(c, cursor);
        collect_passes(c, cursor);
    } else if (k == CXCursor_CXXMethod) {
        collect_override(c, cursor);
        collect_passes(c, cursor);
    } else if (mentions_type(k)) {
        strings found = {0};
        type_mentions(c, clang_getCursorType(cursor), &found);
        vec_release(&found);
    }
    if (k == CXCursor_VarDecl)
        collect_variable(c, cursor);
    else if (k == CXCursor_AnnotateAttr)
        collect_annotation(c, cursor);
    if (k == CXCursor_ArraySubscriptExpr || k == CXCursor_BinaryOperator ||
        k == CXCursor_CompoundAssignOperator)
        collect_need(c, cursor, k);
    if (is_function_kind(k))
        collect_tails(c, cursor);
    else if (k == CXCursor_DeclRefExpr || k == CXCursor_MemberRefExpr)
        collect_taken(c, cursor);
    if (k == CXCursor_DeclRefExpr || k == CXCursor_FunctionDecl || k == CXCursor_MemberRefExpr ||
        k == CXCursor_CXXMethod || k == CXCursor_FieldDecl || k == CXCursor_VarDecl ||
        k == CXCursor_ParmDecl || k == CXCursor_OverloadedDeclRef || k == CXCursor_MemberRef ||
        k == CXCursor_FunctionTemplate || k == CXCursor_UsingDeclaration) {
        CXString name = clang_getCursorSpelling(cursor);
        const char *s = clang_getCString(name);
        if (s && is_alloc_word(s))
            collect_alloc_name(c, cursor);
        clang_disposeString(name);
    }
}

static bool contains(CXCursor outer, CXCursor inner)
{
    CXFile a, b;
    unsigned start, end, at;
    CXSourceRange range = clang_getCursorExtent(outer);
    clang_getFileLocation(clang_getRangeStart(range), &a, NULL, NULL, &start);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    clang_getFileLocation(clang_getCursorLocation(inner), &b, NULL, NULL, &at);
    return a == b && start <= at && at < end;
}

/* Brings the parent to the top of the stack. A parent that is not on it (never seen) must not empty
 * the stack: the function around a site would be forgotten, and with it what forbids an edit. */
static void pop_to(struct collector *c, CXCursor cursor, CXCursor parent)
{
    size_t n = c->frames.count;
    if (clang_getCursorKind(parent) == CXCursor_TranslationUnit)
        n = 0;
    while (n && !same_cursor(c->frames.items[n - 1].cursor, parent))
        n--;
    if (!n && clang_getCursorKind(parent) != CXCursor_TranslationUnit) {
        n = c->frames.count;
        while (n && !contains(c->frames.items[n - 1].cursor, cursor))
            n--;
    }
    c->frames.count = n;
}

/* The body that clang writes for a function that says `= default`: no token of it is in the file. */
static bool is_made_body(CXCursor cursor, CXCursor parent)
{
    return clang_getCursorKind(cursor) == CXCursor_CompoundStmt &&
           is_function_kind(clang_getCursorKind(parent)) && clang_CXXMethod_isDefaulted(parent);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct collector *c = data;
    if (is_made_body(cursor, parent))
        return CXChildVisit_Continue;
    pop_to(c, cursor, parent);
    if (!c->frames.count) {
        CXFile file;
        clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
        struct source *s = source_of(c, file);
        if (!s || !s->project)
            return CXChildVisit_Continue;
    }
    struct frame *f = vec_add(&c->frames);
    f->cursor = cursor;
    f->kind = clang_getCursorKind(cursor);
    look_at(c, cursor, f->kind);
    collect_hidden(c, clang_getCursorKind(cursor));
    return CXChildVisit_Recurse;
}

void collect_below(struct collector *c, CXCursor declaration)
{
    struct frame *f = vec_add(&c->frames);
    f->cursor = declaration;
    f->kind = clang_getCursorKind(declaration);
    clang_visitChildren(declaration, visit, c);
}

/* A macro of one of these names would rewrite the inserted text, or near.h itself. */
static bool is_tag_word(CXCursor macro)
{
    static const char *const words[] = {"numafy", "near", "on", "at", "ctor", "done", "numa"};
    CXString name = clang_getCursorSpelling(macro);
    const char *s = clang_getCString(name);
    bool found = false;
    for (size_t i = 0; s && !found && i < sizeof words / sizeof *words; i++)
        found = !strcmp(s, words[i]);
    clang_disposeString(name);
    return found;
}

/* Preprocessing entities are children of the unit, not seen by clang_visitChildren's recursion. */
static enum CXChildVisitResult visit_macro(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct collector *c = data;
    (void)parent;
    if (clang_getCursorKind(cursor) == CXCursor_InclusionDirective)
        inputs_directive(c, cursor);
    if (c->cxx && clang_getCursorKind(cursor) == CXCursor_MacroDefinition && is_tag_word(cursor))
        c->tag_macro = true;
    if (clang_getCursorKind(cursor) != CXCursor_MacroExpansion)
        return CXChildVisit_Continue;
    CXFile file;
    struct fact_range r;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &r.start);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &r.end);
    struct source *s = source_of(c, file);
    if (s && s->project && r.end > r.start) {
        vec_push(&file_fact(c, s)->macros, r);
        macro_note_use(c, cursor, s, &r);
    }
    return CXChildVisit_Continue;
}

/* Scopes of one file, to tell whether an #include stands inside one. */
struct scopes {
    struct collector *c;
    VEC(struct fact_range) ranges;
    VEC(struct source *) sources;
};

static enum CXChildVisitResult add_scope(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct scopes *s = data;
    (void)parent;
    if (!clang_isDeclaration(clang_getCursorKind(cursor)))
        return CXChildVisit_Continue;
    CXFile a, b;
    struct fact_range r;
    CXSourceRange range = clang_getCursorExtent(cursor);
    clang_getFileLocation(clang_getRangeStart(range), &a, NULL, NULL, &r.start);
    clang_getFileLocation(clang_getRangeEnd(range), &b, NULL, NULL, &r.end);
    struct source *src = source_of(s->c, a);
    if (src && a == b) {
        vec_push(&s->ranges, r);
        vec_push(&s->sources, src);
    }
    return CXChildVisit_Continue;
}

struct inclusions {
    struct collector *c;
    struct scopes *scopes;
};

static void visit_inclusion(CXFile file, CXSourceLocation *stack, unsigned n, CXClientData data)
{
    struct inclusions *in = data;
    struct collector *c = in->c;
    struct source *s = source_of(c, file);
    inputs_file(c, file);
    if (!s || !s->project)
        return;
    place_of(c, clang_getLocationForOffset(c->tu, file, 0)); /* reads and lexes the file */
    struct fact_file *f = file_fact(c, s);
    if (!n)
        return;
    CXFile by;
    unsigned offset;
    clang_getFileLocation(stack[0], &by, NULL, NULL, &offset);
    struct source *from = source_of(c, by);
    if (!from)
        return;
    struct fact_include *inc = vec_add(&f->includes);
    inc->by = from->path;
    for (size_t i = 0; i < in->scopes->ranges.count; i++)
        inc->nested |= in->scopes->sources.items[i] == from &&
                       in->scopes->ranges.items[i].start < offset &&
                       offset < in->scopes->ranges.items[i].end;
}

static void collect_files(struct collector *c)
{
    CXCursor root = clang_getTranslationUnitCursor(c->tu);
    struct scopes scopes = {.c = c};
    struct inclusions in = {c, &scopes};
    clang_visitChildren(root, add_scope, &scopes);
    clang_getInclusions(c->tu, visit_inclusion, &in);
    clang_visitChildren(root, visit_macro, c);
    for (size_t i = 0; i < c->sources.count; i++) {
        struct source *s = c->sources.items[i];
        if (!s->project)
            continue;
        CXSourceRangeList *list = clang_getSkippedRanges(c->tu, s->cx_file);
        for (unsigned k = 0; list && k < list->count; k++) {
            struct fact_range r;
            clang_getFileLocation(clang_getRangeStart(list->ranges[k]), NULL, NULL, NULL, &r.start);
            clang_getFileLocation(clang_getRangeEnd(list->ranges[k]), NULL, NULL, NULL, &r.end);
            vec_push(&file_fact(c, s)->inactive, r);
        }
        if (list)
            clang_disposeSourceRangeList(list);
    }
    vec_release(&scopes.ranges);
    vec_release(&scopes.sources);
}

static void collector_release(struct collector *c)
{
    for (size_t i = 0; i < c->sources.count; i++)
        lex_release(&c->sources.items[i]->lex);
    for (size_t i = 0; i < c->functions.count; i++) {
        struct function *f = c->functions.items[i];
        vec_release(&f->params);
        vec_release(&f->freed);
        vec_release(&f->dead_ends);
        vec_release(&f->aliases);
        vec_release(&f->locals);
        vec_release(&f->loops);
        vec_release(&f->changes);
        vec_release(&f->keep_nodes);
        vec_release(&f->keep_edges);
        vec_release(&f->own_addresses);
        vec_release(&f->returned);
        vec_release(&f->out);
    }
    vec_release(&c->sources);
    vec_release(&c->functions);
    vec_release(&c->frames);
    vec_release(&c->pending);
    vec_release(&c->pending_keys);
    vec_release(&c->macros);
    strmap_release(&c->types);
    strmap_release(&c->seen_records);
    strmap_release(&c->defined);
    vec_release(&c->uses);
    strmap_release(&c->seen_sites);
    strmap_release(&c->seen_inputs);
    strmap_release(&c->seen_lookups);
    strmap_release(&c->tails);
}

void collect_unit(CXTranslationUnit tu, bool cxx, const struct collect_options *opt,
                  struct fact_unit *u)
{
    struct collector c = {.tu = tu, .u = u, .a = &u->arena, .opt = opt, .cxx = cxx};
    inputs_start(&c);
    collect_files(&c);
    for (size_t i = 0; i < u->files.count; i++)
        u->files.items[i].cxx = cxx;
    clang_visitChildren(clang_getTranslationUnitCursor(tu), visit, &c);
    type_drain(&c);
    collector_release(&c);
}
