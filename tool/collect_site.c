/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One allocation site: its bytes, its type, and what forbids an edit whatever the program around it
 * looks like. Sites of C functions and library factories are recorded as left.
 */
#include "collect_p.h"

void mark_word(struct collector *c, const char *file, unsigned offset)
{
    struct fact_mark *m = vec_add(&c->u->marks);
    m->file = file;
    m->offset = offset;
}

/* The test control of the token check: pretends that libclang did not report this site. */
static bool is_hidden(struct collector *c, const struct place *p)
{
    return *c->opt->hide && !strcmp(p->src->path, c->u->main_file) &&
           p->line == (unsigned)strtoul(c->opt->hide, NULL, 10);
}

/* In a macro's noexcept(e) or sizeof(e). What libclang shows of noexcept is a bool that is wider
 * than its operand; a conversion is not. */
static bool is_operand(struct collector *c)
{
    for (size_t i = c->frames.count - 1; i > 0; i--) {
        const struct frame *up = &c->frames.items[i - 1];
        if (!clang_isExpression(up->kind))
            return false;
        bool wider = !clang_equalRanges(clang_getCursorExtent(up->cursor),
                                        clang_getCursorExtent(c->frames.items[i].cursor));
        if (up->kind == CXCursor_UnaryExpr || (up->kind == CXCursor_UnexposedExpr && wider &&
                                               clang_getCursorType(up->cursor).kind == CXType_Bool))
            return true;
    }
    return false;
}

struct fact_site *add_site(struct collector *c, const struct place *p, unsigned offset,
                           const char *kind)
{
    struct source *src = p->src;
    unsigned line = p->line, column = p->column;
    if (p->how == SPELLED_BODY) {
        /* The word where the macro is used may itself be `new`: accounted for there too. */
        mark_word(c, p->src->path, p->offset);
        /* A library's macro (every TEST of googletest) allocates for the library: no site of ours.
         */
        if (!p->body->project)
            return NULL;
        src = p->body;
        offset = p->body_offset;
    }
    if (!src->project || is_hidden(c, p))
        return NULL;
    char *id = arena_printf(c->a, "%s:%u", src->path, offset);
    if (!strmap_put(&c->seen_sites, id, 0))
        return NULL;
    if (src->lexed && (src != p->src || offset != p->offset))
        lex_position(&src->lex, offset, &line, &column);
    struct fact_site *s = vec_add(&c->u->sites);
    s->file = src->path;
    s->offset = s->start = offset;
    s->line = line;
    s->column = column;
    s->kind = arena_strdup(c->a, kind);
    s->type = s->type_key = s->ctor = s->function = arena_strdup(c->a, "");
    s->callee = s->in = s->cast = s->dest_var = s->via = s->type;
    s->out_type = s->out_key = s->room = s->type;
    s->flags = c->cxx ? SITE_CXX : 0;
    struct function *f = function_of(c);
    if (f)
        s->function = spelling(c, f->cursor);
    if (p->how == SPELLED_BODY)
        s->left = NF_MACRO_BODY;
    else if (p->how == SPELLED_NOWHERE)
        s->left = NF_PASTED;
    else if (p->how == SPELLED_ARGUMENT && is_operand(c))
        s->left = NF_UNEVALUATED;
    else if (p->how == SPELLED_ARGUMENT && macro_makes_text(c, p))
        s->left = NF_STRINGIFIED;
    return s;
}

static bool inside_default_argument(struct collector *c)
{
    for (size_t i = c->frames.count; i-- > 0;) {
        enum CXCursorKind k = c->frames.items[i].kind;
        if (k == CXCursor_ParmDecl || k == CXCursor_TemplateTemplateParameter ||
            k == CXCursor_NonTypeTemplateParameter)
            return true;
        if (is_function_kind(k))
            return false;
    }
    return false;
}

static bool is_suspension(const struct lex *l, size_t i)
{
    return lex_is(l, i, "co_await") || lex_is(l, i, "co_yield") || lex_is(l, i, "co_return");
}

bool in_coroutine(struct collector *c)
{
    struct function *f = function_of(c);
    struct source *src;
    unsigned start, end;
    if (!f || !cursor_range(c, f->cursor, &src, &start, &end))
        return false;
    const struct lex *l = source_lex(src);
    for (size_t i = lex_from(l, start); i < l->count && l->tokens[i].offset < end; i++)
        if (is_suspension(l, i))
            return true;
    return false;
}

/* A jump out of a statement expression would skip the matching leave. */
static bool forbids_scope(const struct lex *l, const struct lex_new *n)
{
    bool statement = false, jump = false;
    for (size_t i = n->first; i < n->end && i < l->count; i++) {
        statement |= lex_is(l, i, "(") && lex_is(l, i + 1, "{");
        jump |= lex_is(l, i, "return") || lex_is(l, i, "goto") || lex_is(l, i, "break") ||
                lex_is(l, i, "continue");
    }
    return statement && jump;
}

/* A macro used in the type cannot be told from a type: no template argument is made of it. */
static bool type_text_usable(const struct lex *l, const struct lex_new *n)
{
    if (!n->complete || n->paren_type || n->type_end <= n->type)
        return false;
    for (size_t i = n->type; i < n->type_end; i++)
        if (lex_is(l, i, "auto") || lex_is(l, i, "decltype") || lex_is(l, i, "*") ||
            lex_is(l, i, "&") || lex_is(l, i, "const") || lex_is(l, i, "volatile") ||
            l->tokens[i].directive)
            return false;
    return true;
}

/* The flag of the tag that begins at token i: numafy::near(p), numafy::on(k), numa<T,k>::at, with
 * or without the namespace; 0 if it is none. By its words, for in a template it may have no type.
 */
static int tag_written(const struct lex *l, size_t i)
{
    if (lex_is(l, i, "::"))
        i++;
    bool qualified = lex_is(l, i, "numafy") && lex_is(l, i + 1, "::");
    if (qualified)
        i += 2;
    if (qualified && lex_is(l, i, "near"))
        return SITE_TAGGED_NEAR;
    if (qualified && lex_is(l, i, "on"))
        return SITE_TAGGED_ON;
    if (!lex_is(l, i, "numa") || !lex_is(l, i + 1, "<"))
        return 0;
    size_t close = lex_match(l, i + 1);
    return lex_is(l, close + 1, "::") && lex_is(l, close + 2, "at") ? SITE_TAGGED_ON : 0;
}

/* Tokens that the placement's arguments begin with, at most max of them; returns how many there
 * are. */
static size_t placement_arguments(const struct lex *l, const struct lex_new *n, size_t *starts,
                                  size_t max)
{
    size_t count = 0;
    int depth = 0;
    for (size_t i = n->place_open; i < n->place_close; i++) {
        depth += lex_is(l, i, "(") + lex_is(l, i, "{") - lex_is(l, i, ")") - lex_is(l, i, "}");
        bool before = i == n->place_open || (depth == 1 && lex_is(l, i, ","));
        if (before && count++ < max)
            starts[count - 1] = i + 1;
    }
    return count;
}

static bool has_type(struct collector *c, CXCursor e, const char *name)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(skip_wrappers(e)));
    return strstr(cx_take(c->a, clang_getTypeSpelling(t)), name) != NULL;
}

/* The library's own arguments, an alignment, nothrow or both in this order, stay around the tag. */
static void site_placement(struct collector *c, struct fact_site *s, const struct lex *l,
                           const struct lex_new *n, CXCursor cursor)
{
    size_t starts[3] = {0};
    CXCursor kids[3] = {clang_getNullCursor(), clang_getNullCursor(), clang_getNullCursor()};
    if (!n->place_open)
        return;
    size_t count = placement_arguments(l, n, starts, 3);
    (void)children_of(cursor, kids, 3);
    size_t at = has_type(c, kids[0], "std::align_val_t"); /* where a tag is, or would be */
    int tag = at < count ? tag_written(l, starts[at]) : 0;
    if (!tag && at < count && has_type(c, kids[at], "numafy::numafy_") &&
        has_type(c, kids[at], "place_"))
        tag = SITE_TAGGED_ON;
    bool rest = at == count || (at + 1 == count && has_type(c, kids[at], "std::nothrow_t"));
    if (tag) {
        s->flags |= (unsigned)tag;
    } else if (rest && at) {
        const struct lex_token *last =
            &l->tokens[(count > at ? starts[at] - 1 : n->place_close) - 1];
        s->flags |= SITE_ALIGNED;
        s->place_at = last->offset + last->length;
    } else if (rest) {
        s->place_at = l->tokens[starts[0]].offset;
    } else if (!s->left) {
        s->left = NF_PLACEMENT;
    }
}

/* [p = new N] of the type: the declared type of a typedef'd array hides the []. */
static bool type_is_array_name(CXCursor cursor)
{
    CXCursor kids[8];
    size_t n = children_of(cursor, kids, 8);
    for (size_t i = 0; i < n; i++)
        if (clang_getCursorKind(kids[i]) == CXCursor_TypeRef)
            return clang_getCanonicalType(clang_getCursorType(kids[i])).kind ==
                   CXType_ConstantArray;
    return false;
}

/* In a generic lambda or a template operator(): the library may be who calls it. */
static bool bound_out_of_sight(struct collector *c)
{
    for (size_t i = c->frames.count; i-- > 0;) {
        CXCursor f = c->frames.items[i].cursor;
        if (c->frames.items[i].kind == CXCursor_LambdaExpr ||
            (c->frames.items[i].kind == CXCursor_FunctionTemplate &&
             !strncmp(spelling(c, f), "operator", 8)))
            return true;
    }
    return false;
}

/* libclang shows no pattern of a variable template but its instances, one text for all. */
static bool in_variable_instance(struct collector *c)
{
    for (size_t i = c->frames.count; i-- > 0;) {
        CXCursor v = c->frames.items[i].cursor;
        if (c->frames.items[i].kind == CXCursor_UnexposedDecl &&
            strstr(cx_take(c->a, clang_getCursorUSR(v)),
                   arena_printf(c->a, "@%s>#", spelling(c, v))))
            return true;
    }
    return false;
}

static void site_type(struct collector *c, struct fact_site *s, CXCursor cursor, bool *is_numa)
{
    CXType pointer = clang_getCursorType(cursor);
    CXType shown = clang_getPointeeType(pointer);
    CXType element = clang_getPointeeType(clang_getCanonicalType(pointer));
    while (clang_getArrayElementType(shown).kind != CXType_Invalid)
        shown = clang_getArrayElementType(shown);
    element = strip_arrays(element);
    *is_numa = type_is_numa(c, element);
    s->type = type_shown(c, shown.kind ? shown : element);
    if (in_variable_instance(c)) {
        s->flags |= SITE_DEPENDENT | SITE_OPEN_PARAM;
        return;
    }
    s->type_key = type_key(c, element);
    bool parameter = !strncmp(s->type_key, "T:", 2);
    if (element.kind == CXType_Pointer)
        s->flags |= SITE_POINTER;
    else if (parameter || (!*s->type_key && element.kind == CXType_Unexposed) ||
             element.kind == CXType_Dependent)
        s->flags |= SITE_DEPENDENT | (bound_out_of_sight(c) ? SITE_OPEN_PARAM : 0);
    else if (*s->type_key)
        s->flags |= SITE_CLASS;
    if (!*s->type_key && !(s->flags & SITE_DEPENDENT))
        s->flags |= SITE_FUNDAMENTAL;
    if ((s->flags & SITE_FUNDAMENTAL) && element.kind == CXType_Record) {
        s->flags |= SITE_LIBRARY;
        s->flags |= type_may_allocate(c, element) ? SITE_LIBRARY_ALLOC : 0;
    }
}

static char *constructor_of(struct collector *c, CXCursor cursor)
{
    CXCursor kids[16];
    size_t n = children_of(cursor, kids, 16);
    for (size_t i = n; i-- > 0;) {
        if (clang_getCursorKind(kids[i]) != CXCursor_CallExpr)
            continue;
        CXCursor callee = clang_getCursorReferenced(kids[i]);
        if (clang_getCursorKind(callee) != CXCursor_Constructor)
            continue;
        CXCursor pattern = clang_getSpecializedCursorTemplate(callee);
        return cx_take(c->a, clang_getCursorUSR(clang_Cursor_isNull(pattern) ? callee : pattern));
    }
    return arena_strdup(c->a, "");
}

/* new (a)(b): a is a placement argument if the first child is an expression in there. A type's
 * name is a reference; the constructor's call claims to start at the type. */
static bool argument_in_parens(struct collector *c, struct source *src, size_t word,
                               CXCursor cursor)
{
    struct lex *l = source_lex(src);
    CXCursor first;
    if (!lex_is(l, word + 1, "(") || !children_of(cursor, &first, 1) ||
        !clang_isExpression(clang_getCursorKind(first)) ||
        clang_getCursorKind(clang_getCursorReferenced(first)) == CXCursor_Constructor)
        return false;
    struct place p = place_of(c, clang_getRangeStart(clang_getCursorExtent(first)));
    size_t close = lex_match(l, word + 1);
    return close < l->count && p.src == src && p.offset > l->tokens[word + 1].offset &&
           p.offset < l->tokens[close].offset;
}

/* A place of `new` that can be edited: its parts as bytes. */
static void site_bytes(struct collector *c, struct fact_site *s, struct source *src, size_t word,
                       CXCursor cursor)
{
    struct lex *l = source_lex(src);
    struct lex_new n;
    lex_split_new(l, word, argument_in_parens(c, src, word, cursor), &n);
    s->start = l->tokens[n.first].offset;
    s->word_end = l->tokens[word].offset + l->tokens[word].length;
    s->end =
        n.complete && n.end > 0 ? l->tokens[n.end - 1].offset + l->tokens[n.end - 1].length : 0;
    if (n.array || type_is_array_name(cursor))
        s->kind = arena_strdup(c->a, "new[]");
    if (type_text_usable(l, &n)) {
        s->type_start = l->tokens[n.type].offset;
        s->type_end = l->tokens[n.type_end - 1].offset + l->tokens[n.type_end - 1].length;
    } else {
        s->flags |= SITE_NO_TYPE_TEXT;
    }
    /* Where libclang's end and ours differ, something was not understood (a macro in the type or
     * the initialiser): nothing is put after it. `new (T[n])` is the known exception: short by 1.
     */
    struct source *range_src;
    unsigned start, end;
    bool known = cursor_range(c, cursor, &range_src, &start, &end);
    if (!known || range_src != src || !(end == s->end || (n.paren_type && end < s->end))) {
        s->end = 0;
        s->flags |= SITE_NO_TYPE_TEXT;
    }
    for (size_t i = n.first; i < n.end && !s->left; i++)
        s->left = is_suspension(l, i) ? NF_SUSPENDS : 0;
    /* g++ 12 fails on the temporary of ctor() anywhere in a coroutine. */
    if (forbids_scope(l, &n) || in_coroutine(c))
        s->flags |= SITE_NO_SCOPE;
    if (!s->left && lex_unevaluated(l, n.first))
        s->left = NF_UNEVALUATED;
    if (!s->left && l->tokens[word].spliced)
        s->left = NF_PASTED;
    site_placement(c, s, l, &n, cursor);
}

static enum CXChildVisitResult find_constexpr(CXCursor child, CXCursor parent, CXClientData data)
{
    struct collector *c = data;
    enum CXCursorKind k = clang_getCursorKind(child);
    (void)parent;
    bool special = k == CXCursor_Constructor || k == CXCursor_Destructor;
    return special && prints_constexpr(c, child) ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* A lambda in the initialiser of a constant, or a default member initialiser of a class that is
 * meant for constants (its implicit constructor is constexpr too). */
static bool in_constant(struct collector *c, const struct function *f)
{
    for (size_t i = c->frames.count; i-- > 0;) {
        const struct frame *frame = &c->frames.items[i];
        if (frame->kind == CXCursor_StaticAssert || frame->kind == CXCursor_EnumConstantDecl)
            return true;
        if (frame->kind == CXCursor_VarDecl && prints_constexpr(c, frame->cursor))
            return true;
        if (is_record_kind(frame->kind))
            return !f && clang_visitChildren(frame->cursor, find_constexpr, c) != 0;
    }
    return false;
}

void site_context(struct collector *c, struct fact_site *s)
{
    struct function *f = function_of(c);
    if (s->left)
        return;
    if (inside_default_argument(c))
        s->left = NF_DEFAULT_ARGUMENT;
    else if ((f && f->is_constexpr) || in_constant(c, f))
        s->left = NF_CONSTEXPR;
}

static bool same_owners(const struct fact_site *a, const struct fact_site *b)
{
    bool same = a->owners.count == b->owners.count;
    for (size_t i = 0; same && i < a->owners.count; i++) {
        const struct fact_owner *x = &a->owners.items[i], *y = &b->owners.items[i];
        same = x->kind == y->kind && x->reject == y->reject && !strcmp(x->expr, y->expr) &&
               !strcmp(x->cls, y->cls) && !strcmp(x->pointee, y->pointee) &&
               x->take_address == y->take_address;
    }
    return same;
}

/* A macro that uses its argument more than once: one text has to be right at each place. */
static void site_again(struct collector *c, CXCursor cursor, const char *path, unsigned offset)
{
    struct fact_site *s = NULL;
    for (size_t i = c->u->sites.count; i-- > 0 && !s;)
        if (c->u->sites.items[i].offset == offset && !strcmp(c->u->sites.items[i].file, path))
            s = &c->u->sites.items[i];
    if (!s || s->left)
        return;
    struct fact_site other = *s;
    bool is_numa;
    memset(&other.owners, 0, sizeof other.owners);
    site_type(c, &other, cursor, &is_numa);
    site_context(c, &other);
    owners_of(c, &other);
    if (other.left || strcmp(other.type_key, s->type_key) || !same_owners(s, &other))
        s->left = NF_REPEATED;
    vec_release(&other.owners);
}

void collect_new(struct collector *c, CXCursor cursor)
{
    struct place p = place_of(c, clang_getRangeStart(clang_getCursorExtent(cursor)));
    if (!p.src || !p.src->project)
        return;
    struct lex *l = source_lex(p.src);
    size_t word = lex_at(l, p.offset);
    if (lex_is(l, word, "::"))
        word++;
    bool spelled = word < l->count && lex_is(l, word, "new");
    if (!spelled && place_is_plain(&p) && word < l->count && l->tokens[word].spliced)
        spelled = true;
    unsigned offset = spelled && place_is_plain(&p) ? l->tokens[word].offset : p.offset;
    size_t at = c->u->sites.count;
    if (p.how == SPELLED_BODY && p.body->project)
        collect_site_need(c, p.body->path, p.body_offset,
                          type_key(c, clang_getPointeeType(clang_getCursorType(cursor))), cursor);
    if (!add_site(c, &p, offset, "new")) {
        if (p.how == SPELLED_ARGUMENT)
            site_again(c, cursor, p.src->path, offset);
        return;
    }
    bool is_numa = false;
    /* Noting types may grow other lists, never the sites: the address holds. */
    struct fact_site *s = &c->u->sites.items[at];
    site_type(c, s, cursor, &is_numa);
    s->ctor = constructor_of(c, cursor);
    flow_of(c, s);
    if (p.how == SPELLED_BODY && spelled)
        s->left = NF_MACRO_NAME;
    if (s->left)
        return;
    if (!spelled) {
        s->left = NF_MACRO_BODY;
        return;
    }
    site_bytes(c, s, p.src, word, cursor);
    site_context(c, s);
    if (s->left == NF_PLACEMENT) {
        s->room = room_of(c, first_expression(cursor));
        struct fact_need *need = collect_site_need(c, s->file, s->offset, s->type_key, cursor);
        /* A template's values in its raw memory: no member may name their type. */
        if (need)
            need->this_object = (s->flags & SITE_DEPENDENT) != 0;
    }
    if (is_numa && !s->left)
        s->flags |= SITE_TAGGED_ON;
    if (c->tag_macro && !s->left && !(s->flags & (SITE_TAGGED_NEAR | SITE_TAGGED_ON)))
        s->left = NF_TAG_MACRO;
    owners_of(c, s);
}

bool is_callee(struct collector *c)
{
    size_t i = c->frames.count - 1;
    CXCursor self = c->frames.items[i].cursor;
    while (i > 0 && (c->frames.items[i - 1].kind == CXCursor_UnexposedExpr ||
                     c->frames.items[i - 1].kind == CXCursor_ParenExpr))
        self = c->frames.items[--i].cursor;
    return i > 0 && c->frames.items[i - 1].kind == CXCursor_CallExpr &&
           same_cursor(first_expression(c->frames.items[i - 1].cursor), self);
}

void collect_alloc_name(struct collector *c, CXCursor cursor)
{
    struct place p = place_of(c, clang_getCursorLocation(cursor));
    if (!p.src || !p.src->project)
        return;
    char *name = spelling(c, cursor);
    enum CXCursorKind k = clang_getCursorKind(cursor);
    CXCursor decl = clang_getCursorReferenced(cursor);
    CXCursor parent = clang_getCursorSemanticParent(decl);
    bool global = clang_getCursorKind(decl) == CXCursor_FunctionDecl &&
                  !is_record_kind(clang_getCursorKind(parent));
    if (k != CXCursor_DeclRefExpr || !global) {
        mark_word(c, p.src->path, p.offset);
        return;
    }
    if (is_callee(c))
        return; /* collect_call saw it */
    struct fact_site *s = add_site(c, &p, p.offset, name);
    if (!s)
        return;
    s->flags |= SITE_FUNDAMENTAL;
    if (!s->left)
        s->left = NF_INDIRECT;
}
