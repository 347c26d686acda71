/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of classes: what a class's members, bases and template arguments mention, whether
 * constructing it may allocate, whether it brings its own operator new. One key stands for a
 * template and all its specialisations: reach over-matches rather than misses.
 */
#include "collect_p.h"

/* Nested template arguments deeper than this mention nothing new in practice; bounds recursion. */
enum { ARGUMENT_DEPTH = 24 };

CXType strip_arrays(CXType t)
{
    t = clang_getCanonicalType(t);
    while (t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray ||
           t.kind == CXType_VariableArray || t.kind == CXType_DependentSizedArray)
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    return t;
}

CXType strip_all(CXType t)
{
    for (;;) {
        t = strip_arrays(t);
        if (t.kind != CXType_Pointer && t.kind != CXType_LValueReference &&
            t.kind != CXType_RValueReference)
            return t;
        t = clang_getPointeeType(t);
    }
}

/* The template for a specialisation, itself otherwise. */
static CXCursor primary_of(CXCursor decl)
{
    for (int i = 0; i < 4; i++) {
        CXCursor primary = clang_getSpecializedCursorTemplate(decl);
        if (clang_Cursor_isNull(primary))
            break;
        decl = primary;
    }
    return decl;
}

static CXCursor decl_of(CXType t)
{
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(t));
    if (!is_record_kind(clang_getCursorKind(decl)))
        return clang_getNullCursor();
    return primary_of(decl);
}

static bool in_namespace(struct collector *c, CXCursor decl, const char *name)
{
    CXCursor parent = clang_getCursorSemanticParent(decl);
    while (clang_getCursorKind(parent) == CXCursor_Namespace) {
        if (!strcmp(spelling(c, parent), name))
            return true;
        parent = clang_getCursorSemanticParent(parent);
    }
    return false;
}

static bool is_numa_decl(struct collector *c, CXCursor decl)
{
    if (clang_Cursor_isNull(decl) || strcmp(spelling(c, decl), "numa") != 0)
        return false;
    CXCursor parent = clang_getCursorSemanticParent(decl);
    return clang_getCursorKind(parent) == CXCursor_TranslationUnit ||
           in_namespace(c, decl, "numafy");
}

bool type_is_numa(struct collector *c, CXType t)
{
    return is_numa_decl(c, decl_of(t));
}

bool type_is_smart_pointer(struct collector *c, CXType t)
{
    CXCursor decl = decl_of(t);
    if (clang_Cursor_isNull(decl) || !in_namespace(c, decl, "std"))
        return false;
    char *name = spelling(c, decl);
    return !strcmp(name, "unique_ptr") || !strcmp(name, "shared_ptr");
}

/* A USR is unique in its program only for what has linkage; the rest gets its file's path. */
static const char *key_of(struct collector *c, CXCursor decl)
{
    const char *usr = cx_take(c->a, clang_getCursorUSR(decl));
    bool no_linkage = strstr(usr, "@aN") || (!strncmp(usr, "c:", 2) && usr[2] != '@');
    if (!*usr || !no_linkage)
        return usr;
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(decl), &file, NULL, NULL, NULL);
    struct source *s = source_of(c, file);
    return s ? arena_printf(c->a, "%s|%s", usr, s->path) : usr;
}

const char *decl_key(struct collector *c, CXCursor decl)
{
    return key_of(c, clang_getCanonicalCursor(primary_of(decl)));
}

static char *qualified_name(struct collector *c, CXCursor decl)
{
    char *name = spelling(c, decl);
    CXCursor p = clang_getCursorSemanticParent(decl);
    for (;;) {
        enum CXCursorKind k = clang_getCursorKind(p);
        if (k != CXCursor_Namespace && !is_record_kind(k))
            return name;
        char *outer = spelling(c, p);
        if (*outer && outer[0] != '(')
            name = arena_printf(c->a, "%s::%s", outer, name);
        p = clang_getCursorSemanticParent(p);
    }
}

/* Index of the type with this key; made on first sight. */
static size_t type_index(struct collector *c, const char *key, const char *name)
{
    size_t i = strmap_find(&c->types, key);
    if (i != STRMAP_NONE)
        return i;
    struct fact_type *t = vec_add(&c->u->types);
    t->key = key;
    t->name = arena_strdup(c->a, name);
    i = c->u->types.count - 1;
    strmap_put(&c->types, key, i);
    return i;
}

void type_add_edge(struct collector *c, const char *from, const char *to)
{
    size_t i = strmap_find(&c->types, from);
    if (i != STRMAP_NONE && *to && strcmp(from, to) != 0)
        strings_add_unique(&c->u->types.items[i].edges, to);
}

void type_add_flag(struct collector *c, const char *key, unsigned flag)
{
    size_t i = strmap_find(&c->types, key);
    if (i != STRMAP_NONE)
        c->u->types.items[i].flags |= flag;
}

static void enqueue(struct collector *c, CXCursor decl, const char *key)
{
    CXCursor def = clang_getCursorDefinition(decl);
    if (clang_Cursor_isNull(def) || is_system(c, def))
        return;
    char *usr = arena_printf(c->a, "%s#%u", key, clang_hashCursor(def));
    if (!strmap_put(&c->seen_records, usr, 0))
        return;
    vec_push(&c->pending, def);
    vec_push(&c->pending_keys, key);
}

static const char *note_decl(struct collector *c, CXCursor decl)
{
    const char *key = key_of(c, decl);
    if (!*key)
        return key;
    type_index(c, key, strmap_find(&c->types, key) == STRMAP_NONE ? qualified_name(c, decl) : "");
    enqueue(c, decl, key);
    return key;
}

const char *record_key(struct collector *c, CXCursor record)
{
    return note_decl(c, primary_of(record));
}

static void note_root(struct collector *c, CXType numa, CXCursor decl, CXType argument)
{
    (void)decl;
    strings inside = {0};
    type_mentions(c, argument, &inside);
    CXCursor spec = clang_getTypeDeclaration(clang_getCanonicalType(numa));
    bool constant =
        clang_Cursor_getTemplateArgumentKind(spec, 1) == CXTemplateArgumentKind_Integral;
    int node = constant ? (int)clang_Cursor_getTemplateArgumentValue(spec, 1) : -1;
    for (size_t i = 0; i < inside.count; i++) {
        size_t k = 0;
        while (k < c->u->roots.count && strcmp(c->u->roots.items[k].key, inside.items[i]) != 0)
            k++;
        if (k == c->u->roots.count) {
            struct fact_root *r = vec_add(&c->u->roots);
            r->key = inside.items[i];
            r->node = node;
        }
    }
    vec_release(&inside);
}

/* `own`: inside the arguments of a template of the program. */
static void mentions(struct collector *c, CXType t, strings *out, int depth, bool own)
{
    t = strip_all(t);
    CXCursor decl = decl_of(t);
    if (clang_Cursor_isNull(decl)) {
        char *name = cx_take(c->a, clang_getTypeSpelling(t));
        char *param = strstr(name, "type-parameter-");
        /* The canonical spelling: a template's parameters are one key for all templates. */
        if (param == name || (param && !strncmp(name, "const ", 6)))
            strings_add_unique(out, arena_printf(c->a, "T:%s", param));
    }
    if (depth > ARGUMENT_DEPTH)
        return;
    int n = clang_Type_getNumTemplateArguments(t);
    if (is_numa_decl(c, decl)) {
        if (n > 0)
            note_root(c, t, decl, clang_Type_getTemplateArgumentAsType(t, 0));
    } else if (!clang_Cursor_isNull(decl) && !is_system(c, decl)) {
        const char *key = note_decl(c, decl);
        if (*key)
            strings_add_unique(out, key);
        if (own)
            type_add_flag(c, key, TYPE_ARGUMENT);
        own = true;
    }
    for (int i = 0; i < n; i++) {
        CXType arg = clang_Type_getTemplateArgumentAsType(t, (unsigned)i);
        if (arg.kind != CXType_Invalid)
            mentions(c, arg, out, depth + 1, own);
    }
}

void type_mentions(struct collector *c, CXType t, strings *out)
{
    mentions(c, t, out, 0, false);
}

const char *type_key(struct collector *c, CXType t)
{
    t = strip_all(t);
    strings found = {0};
    type_mentions(c, t, &found);
    CXCursor decl = decl_of(t);
    const char *key = arena_strdup(c->a, "");
    if (!clang_Cursor_isNull(decl) && !is_system(c, decl) && !is_numa_decl(c, decl)) {
        key = note_decl(c, decl);
    } else if (clang_Cursor_isNull(decl)) {
        if (found.count)
            key = found.items[0];
    } else if (found.count) {
        char *name = cx_take(c->a, clang_getTypeSpelling(t));
        key = arena_printf(c->a, "lib:%s", name);
        size_t i = type_index(c, key, name);
        for (size_t k = 0; k < found.count; k++)
            strings_add_unique(&c->u->types.items[i].edges, found.items[k]);
        /* A marked type used directly (numa<T,k> *p) stands for T. */
        if (is_numa_decl(c, decl))
            key = found.items[0];
    }
    vec_release(&found);
    return key;
}

const char *type_shown(struct collector *c, CXType t)
{
    char *spelled = cx_take(c->a, clang_getTypeSpelling(t));
    CXType canonical = clang_getCanonicalType(t);
    CXCursor decl = decl_of(canonical);
    if (clang_Cursor_isNull(decl) || is_system(c, decl) || is_numa_decl(c, decl) ||
        !*spelling(c, decl) || clang_Cursor_isAnonymous(decl))
        return spelled;
    char *full = cx_take(c->a, clang_getTypeSpelling(canonical));
    return !strncmp(full, "const ", 6) ? full + 6 : full;
}

/* Library classes whose construction never allocates by itself; their arguments may. */
static bool is_plain_library_name(const char *name)
{
    static const char *const names[] = {"atomic",
                                        "atomic_flag",
                                        "mutex",
                                        "recursive_mutex",
                                        "shared_mutex",
                                        "timed_mutex",
                                        "condition_variable",
                                        "once_flag",
                                        "duration",
                                        "time_point",
                                        "pair",
                                        "tuple",
                                        "array",
                                        "optional",
                                        "variant",
                                        "basic_string_view",
                                        "span",
                                        "bitset",
                                        "initializer_list",
                                        "reference_wrapper",
                                        "hash",
                                        "less",
                                        "greater",
                                        "equal_to",
                                        "allocator",
                                        "complex",
                                        "type_index",
                                        "integral_constant",
                                        "numeric_limits",
                                        "default_delete"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* Flags and holds that a member or base of this type (by value) adds to its class. */
static unsigned held(struct collector *c, CXType t, strings *holds, int depth)
{
    t = strip_arrays(t);
    if (t.kind == CXType_Pointer || t.kind == CXType_LValueReference ||
        t.kind == CXType_RValueReference)
        return 0;
    CXCursor decl = decl_of(t);
    if (clang_Cursor_isNull(decl))
        return t.kind == CXType_Unexposed ? TYPE_HOLDS_PARAM : 0;
    if (!is_system(c, decl)) {
        strings_add_unique(holds, note_decl(c, decl));
        return 0;
    }
    if (clang_isPODType(t))
        return 0;
    if (!is_plain_library_name(spelling(c, decl)) || depth > ARGUMENT_DEPTH)
        return TYPE_HOLDS_ALLOC;
    unsigned flags = 0;
    int n = clang_Type_getNumTemplateArguments(t);
    for (int i = 0; i < n; i++) {
        CXType arg = clang_Type_getTemplateArgumentAsType(t, (unsigned)i);
        if (arg.kind != CXType_Invalid)
            flags |= held(c, arg, holds, depth + 1);
    }
    return flags;
}

/* Functions of the library that a constructor may call without allocating. */
static bool is_harmless_call(const char *name)
{
    static const char *const names[] = {"move",     "forward",       "swap",   "min",    "max",
                                        "exchange", "addressof",     "memset", "memcpy", "strlen",
                                        "assert",   "__assert_fail", "abs",    "begin",  "end"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

bool type_may_allocate(struct collector *c, CXType t)
{
    strings holds = {0};
    unsigned flags = held(c, t, &holds, 0);
    bool may = flags != 0 || holds.count > 0;
    vec_release(&holds);
    return may;
}

struct body_scan {
    struct collector *c;
    strings *holds;
    bool allocates;
};

static enum CXChildVisitResult scan_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct body_scan *s = data;
    (void)parent;
    enum CXCursorKind k = clang_getCursorKind(cursor);
    if (k == CXCursor_CXXNewExpr) {
        s->allocates = true;
    } else if (k == CXCursor_CallExpr) {
        CXCursor callee = clang_getCursorReferenced(cursor);
        if (clang_getCursorKind(callee) == CXCursor_Constructor) {
            unsigned flags = held(s->c, clang_getCursorType(cursor), s->holds, 0);
            s->allocates |= (flags & (TYPE_HOLDS_ALLOC | TYPE_HOLDS_PARAM)) != 0;
        } else if (!is_harmless_call(spelling(s->c, cursor))) {
            s->allocates = true;
        }
    }
    return s->allocates ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static bool body_allocates(struct collector *c, CXCursor cursor, strings *holds)
{
    struct body_scan s = {c, holds, false};
    clang_visitChildren(cursor, scan_body, &s);
    return s.allocates;
}

/* Members of one record go into local lists first: noting types may move u->types. */
struct record_scan {
    struct collector *c;
    struct fact_type t;
};

static void scan_constructor(struct record_scan *r, CXCursor ctor)
{
    if (clang_CXXMethod_isDefaulted(ctor) || clang_CXXMethod_isDeleted(ctor))
        return;
    CXCursor def = clang_getCursorDefinition(ctor);
    struct fact_ctor entry = {cx_take(r->c->a, clang_getCursorUSR(ctor)), CTOR_UNSEEN};
    if (!clang_Cursor_isNull(def))
        entry.status = clang_CXXMethod_isDefaulted(def)         ? CTOR_FREE
                       : body_allocates(r->c, def, &r->t.holds) ? CTOR_ALLOCATES
                                                                : CTOR_FREE;
    vec_push(&r->t.ctors, entry);
}

/* With one of them alone, new and delete of the class are not both the global ones. */
static bool is_own_operator(const char *name)
{
    return !strncmp(name, "operator new", 12) || !strncmp(name, "operator delete", 15);
}

static void scan_method(struct record_scan *r, CXCursor method)
{
    char *name = spelling(r->c, method);
    if (is_own_operator(name))
        r->t.flags |= TYPE_OWN_NEW;
    else if (!strcmp(name, "operator&") && clang_Cursor_getNumArguments(method) == 0)
        r->t.flags |= TYPE_ADDRESSOF;
}

static enum CXChildVisitResult find_final(CXCursor child, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(child) == CXCursor_CXXFinalAttr)
        *(bool *)data = true;
    return CXChildVisit_Continue;
}

static void scan_destructor(struct record_scan *r, CXCursor dtor)
{
    bool final = false;
    clang_visitChildren(dtor, find_final, &final);
    if (clang_CXXMethod_isVirtual(dtor) && (final || clang_CXXMethod_isDeleted(dtor) ||
                                            clang_getCXXAccessSpecifier(dtor) == CX_CXXPrivate))
        r->t.flags |= TYPE_NO_TAG;
}

/* A member called `at`, inherited ones too: numa<T,k> leaves the name to T. */
struct at_search {
    struct collector *c;
    int depth;
    bool found;
};

static enum CXChildVisitResult find_at(CXCursor child, CXCursor parent, CXClientData data)
{
    struct at_search *s = data;
    (void)parent;
    if (clang_getCursorKind(child) == CXCursor_CXXBaseSpecifier) {
        CXCursor base = decl_of(clang_getCursorType(child));
        struct at_search up = {s->c, s->depth + 1, false};
        if (!clang_Cursor_isNull(base) && up.depth < 16)
            clang_visitChildren(base, find_at, &up);
        s->found |= up.found;
    } else {
        s->found |= !strcmp(spelling(s->c, child), "at");
    }
    return s->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

static enum CXChildVisitResult find_own_new(CXCursor child, CXCursor parent, CXClientData data)
{
    bool *found = data;
    (void)parent;
    if (clang_getCursorKind(child) == CXCursor_CXXBaseSpecifier) {
        CXCursor base = decl_of(clang_getCursorType(child));
        if (!clang_Cursor_isNull(base))
            clang_visitChildren(base, find_own_new, found);
    } else if (clang_getCursorKind(child) == CXCursor_CXXMethod) {
        CXString name = clang_getCursorSpelling(child);
        *found |= is_own_operator(clang_getCString(name));
        clang_disposeString(name);
    }
    return *found ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* A library's class is no node of the graph, but what it inherits to ours counts. */
static bool library_has_own_new(CXCursor decl)
{
    bool found = false;
    clang_visitChildren(decl, find_own_new, &found);
    return found;
}

static void scan_base(struct record_scan *r, CXCursor base)
{
    CXType t = clang_getCursorType(base);
    type_mentions(r->c, t, &r->t.edges);
    r->t.flags |= held(r->c, t, &r->t.holds, 0);
    CXCursor decl = decl_of(t);
    if (is_numa_decl(r->c, decl) && clang_Type_getNumTemplateArguments(t) > 0)
        decl = decl_of(clang_Type_getTemplateArgumentAsType(t, 0));
    if (clang_Cursor_isNull(decl)) { /* a template's parameter */
        strings inside = {0};
        type_mentions(r->c, t, &inside);
        if (inside.count && !strncmp(inside.items[0], "T:", 2))
            strings_add_unique(&r->t.bases, inside.items[0]);
        vec_release(&inside);
    } else if (!is_system(r->c, decl)) {
        strings_add_unique(&r->t.bases, note_decl(r->c, decl));
    } else if (library_has_own_new(decl)) {
        r->t.flags |= TYPE_OWN_NEW;
    }
}

static void scan_field(struct record_scan *r, CXCursor field)
{
    CXType t = clang_getCursorType(field);
    type_mentions(r->c, t, &r->t.edges);
    r->t.flags |= held(r->c, t, &r->t.holds, 0);
    if (body_allocates(r->c, field, &r->t.holds))
        r->t.flags |= TYPE_INIT_ALLOC;
}

static enum CXChildVisitResult scan_member(CXCursor child, CXCursor parent, CXClientData data)
{
    struct record_scan *r = data;
    (void)parent;
    enum CXCursorKind k = clang_getCursorKind(child);
    if (k == CXCursor_FunctionTemplate)
        k = clang_getTemplateCursorKind(child);
    if (k == CXCursor_FieldDecl)
        scan_field(r, child);
    else if (k == CXCursor_CXXBaseSpecifier)
        scan_base(r, child);
    else if (k == CXCursor_Constructor)
        scan_constructor(r, child);
    else if (k == CXCursor_Destructor)
        scan_destructor(r, child);
    else if (k == CXCursor_CXXMethod)
        scan_method(r, child);
    else if (k == CXCursor_CXXFinalAttr)
        r->t.flags |= TYPE_NO_TAG;
    else if (is_record_kind(k) && clang_Cursor_isAnonymousRecordDecl(child))
        clang_visitChildren(child, scan_member, r);
    return CXChildVisit_Continue;
}

static void merge_lists(strings *into, strings *from)
{
    for (size_t i = 0; i < from->count; i++)
        strings_add_unique(into, from->items[i]);
    vec_release(from);
}

/* A class's own class, or one of its method's, is reached from it: its objects are made there. */
static void reach_local_class(struct collector *c, CXCursor def, const char *key)
{
    CXCursor outer = clang_getCursorSemanticParent(def);
    if (is_function_kind(clang_getCursorKind(outer)))
        outer = clang_getCursorSemanticParent(outer);
    if (is_record_kind(clang_getCursorKind(outer)))
        type_add_edge(c, record_key(c, outer), key);
}

static void collect_members(struct collector *c, CXCursor def, const char *key)
{
    struct record_scan r = {c, {0}};
    CXFile file;
    clang_getFileLocation(clang_getCursorLocation(def), &file, NULL, NULL, NULL);
    struct source *src = source_of(c, file);
    enum CXCursorKind k = clang_getCursorKind(def);
    bool member = is_record_kind(clang_getCursorKind(clang_getCursorSemanticParent(def)));
    r.t.flags = TYPE_DEFINED | (src && src->project ? TYPE_PROJECT : 0u) |
                (member ? TYPE_ARGUMENT : 0u) | /* typename T::name may find it */
                (k == CXCursor_ClassTemplate ? TYPE_TEMPLATE : 0u) |
                (k == CXCursor_UnionDecl ? TYPE_NO_TAG : 0u);
    clang_visitChildren(def, scan_member, &r);
    reach_local_class(c, def, key);
    struct at_search at = {c, 0, false};
    clang_visitChildren(def, find_at, &at);
    if (at.found)
        r.t.flags |= TYPE_NO_TAG;
    struct fact_type *t = &c->u->types.items[type_index(c, key, "")];
    t->flags |= r.t.flags;
    merge_lists(&t->edges, &r.t.edges);
    merge_lists(&t->bases, &r.t.bases);
    merge_lists(&t->holds, &r.t.holds);
    for (size_t i = 0; i < r.t.ctors.count; i++)
        vec_push(&t->ctors, r.t.ctors.items[i]);
    vec_release(&r.t.ctors);
}

void type_drain(struct collector *c)
{
    while (c->pending.count) {
        c->pending.count--;
        CXCursor def = c->pending.items[c->pending.count];
        const char *key = c->pending_keys.items[--c->pending_keys.count];
        collect_members(c, def, key);
    }
}

void type_collect_record(struct collector *c, CXCursor record)
{
    const char *key = key_of(c, primary_of(record));
    if (!*key)
        return;
    type_index(c, key,
               strmap_find(&c->types, key) == STRMAP_NONE ? qualified_name(c, primary_of(record))
                                                          : "");
    if (!clang_isCursorDefinition(record))
        return;
    strmap_put(&c->defined, key, 0);
    enqueue(c, record, key);
}

static bool is_defined_here(struct collector *c, CXType t)
{
    t = clang_getCanonicalType(t);
    CXCursor decl = decl_of(t);
    if (clang_Cursor_isNull(decl))
        return true;
    for (int i = 0; i < clang_Type_getNumTemplateArguments(t); i++)
        if (!is_defined_here(c, clang_Type_getTemplateArgumentAsType(t, (unsigned)i)))
            return false;
    return is_system(c, decl) || !is_record_kind(clang_getCursorKind(decl)) ||
           strmap_find(&c->defined, key_of(c, decl)) != STRMAP_NONE;
}

/* Looking for an operator& completes a specialisation, and with it what it has by value: of a class
 * that is only declared so far that is an error. The flag is the type's, so that a header gets one
 * text in all units, in whatever order they include. */
void type_note_address(struct collector *c, CXType t, const char *key)
{
    if (clang_Type_getNumTemplateArguments(clang_getCanonicalType(t)) > 0 && !is_defined_here(c, t))
        type_add_flag(c, key, TYPE_OPEN);
}

void type_collect_alias(struct collector *c, CXCursor alias)
{
    CXType target = clang_getTypedefDeclUnderlyingType(alias);
    strings found = {0};
    type_mentions(c, target, &found);
    CXCursor decl = decl_of(target);
    char *name = qualified_name(c, alias);
    if (!clang_Cursor_isNull(decl) && !is_system(c, decl) &&
        clang_getCanonicalType(target).kind != CXType_Pointer) {
        const char *key = note_decl(c, decl);
        size_t i = type_index(c, arena_printf(c->a, "alias:%s", name), name);
        struct fact_type *t = &c->u->types.items[i];
        t->flags |= TYPE_ALIAS;
        strings_add_unique(&t->edges, key);
    }
    vec_release(&found);
}
