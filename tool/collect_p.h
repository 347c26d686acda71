/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by collect*.c only: the walk's state. libclang values are named cx_* or are cursors. */
#ifndef NUMAFY_TOOL_COLLECT_P_H
#define NUMAFY_TOOL_COLLECT_P_H

#include "collect.h"
#include "diag.h"
#include "lex.h"
#include "strmap.h"

/* A file that the unit reads. */
struct source {
    CXFile cx_file;
    const char *path;
    bool project;
    const char *text;
    size_t length;
    bool lexed;
    bool scanned_macros, root_macros; /* whether it has macros that register roots */
    struct lex lex;
};

/* Where a token is: written in the file, in a macro's argument (both can be edited), in a macro's
 * body, or nowhere (pasted). */
enum spelled { SPELLED_FILE, SPELLED_ARGUMENT, SPELLED_BODY, SPELLED_NOWHERE };

struct place {
    struct source *src; /* NULL: no file */
    unsigned offset, line, column;
    enum spelled how;
    struct source *body; /* SPELLED_BODY: the macro's definition */
    unsigned body_offset;
};

struct param {
    CXCursor cursor;
    const char *name;
};

struct text_at {
    const char *text;
    unsigned offset;
};

typedef VEC(struct text_at) texts_at;

typedef VEC(CXCursor) cursors;

/* A local gets a value that it has until the next one; `sure`: on every way to what follows. */
struct value_change {
    CXCursor local;
    unsigned offset;
    bool sure;
};

/* What `from` points to lives in what `to` leads to, where all conditions hold; both are indices of
 * keep_nodes. */
enum { KEEP_CONDITIONS = 3 };

struct keep_edge {
    unsigned from, to, offset;
    bool alias; /* two names of one thing */
    bool taken; /* `from` is assigned there: nothing that it held before */
    const char *conditions[KEEP_CONDITIONS];
};

/* The pointer may be the address of an object in the function's frame. */
struct own_address {
    CXCursor pointer, object;
};

/* Two names of one block. */
struct same_block {
    const char *a, *b;
};

/* A function or lambda around the site being looked at; `scanned` part is filled on first need. */
/* Statements behind which nothing goes on, but at the label, if there is one. */
struct dead_end {
    struct fact_range range;
    unsigned label;
};

struct function {
    CXCursor cursor;
    bool lambda;
    bool scanned;
    bool has_this;
    int this_reject; /* enum nf_id: why `this` cannot be used although there is one outside */
    const char *cls; /* key of this's class */
    bool is_constexpr;
    VEC(struct param) params;
    texts_at freed;
    VEC(struct same_block) aliases;
    texts_at locals;
    VEC(struct fact_range) loops;
    VEC(struct dead_end) dead_ends;
    bool flow_scanned;
    VEC(struct value_change) changes;
    bool jumps;            /* it has labels */
    cursors returned, out; /* variables whose value is returned, or stored through a parameter */
    cursors keep_nodes;    /* variables, and the function itself for its result */
    VEC(struct keep_edge) keep_edges;
    VEC(struct own_address) own_addresses;
    size_t scope; /* 1 + its index in the unit's scopes, 0 if it has none */
};

struct frame {
    CXCursor cursor;
    enum CXCursorKind kind;
    struct function *function; /* of a function or lambda frame */
};

/* A macro with parameters, from its name to the end of its body. */
struct macro_text {
    const char *name, *text;
    size_t length;
};

/* One use of a macro in a file of the tree. */
struct macro_use {
    struct source *src;
    unsigned start, end;
    size_t order; /* of expansion */
    CXCursor definition;
};

/* What a use stands for. */
enum macro_form {
    MACRO_OTHER,
    MACRO_NAME,       /* one name that stands for another: #define my_malloc malloc */
    MACRO_EXPRESSION, /* a whole expression */
    MACRO_STATEMENT   /* a whole statement, with its semicolon in the file */
};

struct collector {
    CXTranslationUnit tu;
    struct fact_unit *u;
    struct arena *a;
    const struct collect_options *opt;
    bool cxx;
    bool tag_macro; /* the unit defines a macro with the name of a word that edits insert */
    VEC(struct source *) sources;
    struct source *last_source;
    VEC(struct frame) frames;
    VEC(struct function *) functions; /* all that were made, for release */
    struct strmap types;              /* key -> index in u->types */
    struct strmap seen_records;       /* USRs whose members were collected */
    struct strmap defined;            /* keys of classes whose definition stands before here */
    VEC(CXCursor) pending;            /* records to collect */
    VEC(const char *) pending_keys;
    struct strmap tails;           /* key -> index in u->tails */
    struct strmap seen_sites;      /* file:offset of sites already added */
    VEC(struct macro_text) macros; /* collected on first need */
    VEC(struct macro_use) uses;
    bool uses_sorted;
    const char *folder; /* where relative names of files start */
    struct strmap seen_inputs, seen_lookups;
};

/* collect_cx.c: strings, places, children */
char *cx_take(struct arena *a, CXString s);
struct source *source_of(struct collector *c, CXFile file);
struct lex *source_lex(struct source *s);
struct place place_of(struct collector *c, CXSourceLocation loc);
/* The place can be edited: its bytes are the token's. */
bool place_is_plain(const struct place *p);
/* Bytes of the cursor in its file, words joined as written; NULL if a macro's body is involved. */
char *cursor_text(struct collector *c, CXCursor cursor);
bool cursor_range(struct collector *c, CXCursor cursor, struct source **src, unsigned *start,
                  unsigned *end);
CXCursor first_expression(CXCursor cursor);
CXCursor skip_wrappers(CXCursor cursor);
/* A written cast; and, with the implicit ones, parentheses and braces: its value is its operand's.
 */
bool is_cast_kind(enum CXCursorKind k);
bool passes_value_on(enum CXCursorKind k);
/* What is under wrappers and casts. */
CXCursor skip_casts(CXCursor cursor);
bool same_cursor(CXCursor a, CXCursor b);
size_t children_of(CXCursor cursor, CXCursor *out, size_t max);
/* In a header that only the compiler or a library owns; a file of the tree never is, even where the
 * build names its directory with -isystem. */
bool is_system(struct collector *c, CXCursor decl);
char *spelling(struct collector *c, CXCursor cursor);
/* Kinds of record declarations, templates included. */
bool is_record_kind(enum CXCursorKind k);

/* collect_type.c: the graph of classes */
/* Type without pointers, references and arrays (strip_all) or without arrays only. */
CXType strip_all(CXType t);
CXType strip_arrays(CXType t);
/* Key of the class that the type (stripped of everything) names; "" if it names none. Library
 * classes get a key of their own with their arguments as edges. */
const char *type_key(struct collector *c, CXType t);
/* Key of a function, class or variable: one for all units, and for a template and what is made
 * from it. */
const char *decl_key(struct collector *c, CXCursor decl);
/* The type's name for people: a class of the tree with its namespaces, wherever it is spelled
 * without them; everything else as it is spelled. */
const char *type_shown(struct collector *c, CXType t);
/* Key of a class that is at hand as a declaration (a class template has no type). */
const char *record_key(struct collector *c, CXCursor record);
/* Keys of all classes that the type mentions, template arguments included; notes roots. */
void type_mentions(struct collector *c, CXType t, strings *out);
void type_collect_record(struct collector *c, CXCursor record);
void type_collect_alias(struct collector *c, CXCursor alias);
void type_drain(struct collector *c);
/* An object of t, whose key is given, is an owner here: is `&` safe to write? */
void type_note_address(struct collector *c, CXType t, const char *key);
/* If t is numa<T,k>: true. */
bool type_is_numa(struct collector *c, CXType t);
/* Constructing a value of this library class may allocate; unknown counts as yes. */
bool type_may_allocate(struct collector *c, CXType t);
bool type_is_smart_pointer(struct collector *c, CXType t);
/* Adds to a class that is in the graph already; nothing happens for a key that is not. */
void type_add_edge(struct collector *c, const char *from, const char *to);
void type_add_flag(struct collector *c, const char *key, unsigned flag);

/* collect_hidden.c: declarations that libclang does not walk */
void collect_hidden(struct collector *c, enum CXCursorKind k);
/* collect.c: walks what is below the declaration as if it stood on top of the stack. */
void collect_below(struct collector *c, CXCursor declaration);

/* collect_macro.c */
/* A macro turns the argument at this place into text; unknown counts as yes. */
bool macro_makes_text(struct collector *c, const struct place *p);

/* collect_edge.c: casts and template arguments */
void collect_cast(struct collector *c, CXCursor cursor, enum CXCursorKind k);
void collect_type_name(struct collector *c, CXCursor reference);
void collect_template_call(struct collector *c, CXCursor call);

/* collect_dest.c */
struct destination {
    bool found;
    bool member_init; /* a member's initialiser: the owner is this */
    bool container;   /* lvalue is the callee of object.insert(..) */
    CXCursor lvalue;
    CXCursor declared;       /* the variable that is initialised: no owner, but perhaps a root */
    CXCursor call, argument; /* a call that takes the block and is no destination, and as what */
    const char *via;         /* see fact_owner */
};
struct destination find_destination(struct collector *c);

/* collect_function.c: the functions around a site */
/* The function around the top frame; NULL at file or class scope. */
struct function *function_of(struct collector *c);
/* Fills the part of f that needs its body; again and again is once. */
void function_scan(struct collector *c, struct function *f);
/* Something in `reads` has been released on a way to the offset `site`; f may be NULL. */
bool function_has_freed(const struct function *f, const strings *reads, unsigned site);
bool is_function_kind(enum CXCursorKind k);
/* The declaration says constexpr, consteval or constinit. */
bool prints_constexpr(struct collector *c, CXCursor declaration);
/* The same lvalue, with or without `this->`. */
bool same_name(const char *a, const char *b);
bool in_texts(const strings *list, const char *text);

/* collect_safe.c: what may be evaluated once more */
bool type_is_volatile(CXType t);
bool expression_is_pure(CXCursor e);
/* Texts that evaluating the owner reads, its own among them where `itself`. */
void reads_of(struct collector *c, CXCursor owner, bool itself, strings *out);
/* Texts that the full expression around the top frame writes. */
void writes_of(struct collector *c, strings *out);
/* An nf_id: what is read has been released, or is written in the same expression; or 0. */
int reads_reject(struct collector *c, struct function *f, const strings *reads, unsigned offset);

/* collect_path.c: how objects and pointers are named */
/* An owner being built from an lvalue. `expr` is the cursor whose text it names, null: none. */
struct path {
    CXCursor expr;
    bool is_this, get, take_address;
    bool slot;  /* a pointer, or a library's object: its class says little */
    bool local; /* a variable's own object, behind no pointer or reference */
    const char *cls, *pointee;
    int reject;
};
bool is_raw_pointer(CXType t);
/* Key of the class that a member expression takes a part of. */
const char *class_of_member(struct collector *c, CXCursor member, CXCursor base);
/* The object that an lvalue of class type is part of. */
void object_path(struct collector *c, CXCursor object, struct path *p);
/* The pointer lvalue that receives the block. */
bool slot_path(struct collector *c, CXCursor lvalue, struct path *p);
/* The object whose member function is called. Both say false of a variable's own object. */
bool container_path(struct collector *c, CXCursor callee, struct path *p);
/* Why `this`, or the path's text, may not be used at the offset; 0 if it may. */
int this_reject(struct collector *c, struct function *f, unsigned offset);
int path_reject(struct collector *c, struct function *f, const struct path *p, const char *text,
                unsigned offset);
struct fact_owner *add_owner(struct collector *c, struct fact_site *site, enum owner_kind kind,
                             const char *expr, const char *cls);
struct fact_owner *add_path(struct collector *c, struct fact_site *site, struct function *f,
                            const struct path *p, enum owner_kind kind);

/* collect_owner.c: guesses */
void owners_of(struct collector *c, struct fact_site *site);

/* collect_var.c */
/* The variable of the top frame, if roots may be named on the command line or it is one already. */
void collect_variable(struct collector *c, CXCursor var);
/* The variable may turn out to be a root. */
bool may_be_root(struct collector *c, const char *key);
/* An annotate attribute, the top frame; NUMA(k) if it says so. */
void collect_annotation(struct collector *c, CXCursor attribute);
/* collect_inputs.c: what the parse depended on */
void inputs_start(struct collector *c);
void inputs_file(struct collector *c, CXFile file);
void inputs_directive(struct collector *c, CXCursor directive);
/* How an object that may get blocks hangs together with the function around it. */
enum object_kind {
    OBJECT_THIS,     /* part of *this */
    OBJECT_VARIABLE, /* part of what a variable points or refers to, or is */
    OBJECT_LOCAL,    /* a variable of the function, by value */
    OBJECT_UNKNOWN   /* cannot be named twice */
};

/* Fills owner; its expr is "" unless OBJECT_VARIABLE or OBJECT_LOCAL, *root is then the variable if
 * it alone is the owner. */
enum object_kind owner_of_object(struct collector *c, CXCursor object, unsigned offset,
                                 struct fact_owner *owner, CXCursor *root);
/* What the parameter stands for as owner; false if it cannot be one. */
bool owner_of_parameter(struct collector *c, const struct param *p, struct fact_owner *owner);

/* collect_scope.c */
/* Its block, or what stands around that; null for a declaration. */
CXCursor function_body(CXCursor function);
/* An object of this type, or what it refers to, may get blocks after it was made. */
bool type_is_storage(struct collector *c, CXType t);
void collect_need(struct collector *c, CXCursor cursor, enum CXCursorKind k);
/* Name of what is called; in a template libclang has none, the text does. */
char *callee_name(struct collector *c, CXCursor call);
/* A site that may turn out to have no edit of its own. NULL: no scope could cover it. */
struct fact_need *collect_site_need(struct collector *c, const char *file, unsigned offset,
                                    const char *type_key, CXCursor cursor);
/* collect_tail.c */
/* Key of the function; a lambda, which may be inlined, has that of the function around it. */
const char *function_key(struct collector *c, const struct function *f);
void collect_tails(struct collector *c, CXCursor function);
/* A function's name that is no callee: its address is taken. */
void collect_taken(struct collector *c, CXCursor name);

/* collect_site.c */
void collect_new(struct collector *c, CXCursor cursor);
void collect_alloc_name(struct collector *c, CXCursor cursor);
void collect_factory(struct collector *c, CXCursor cursor);
/* The top frame's expression is what a call calls. */
bool is_callee(struct collector *c);
/* A site once, although a macro may expand to it many times; NULL if it is known or hidden. */
struct fact_site *add_site(struct collector *c, const struct place *p, unsigned offset,
                           const char *kind);
/* A word that is accounted for without being a site. */
void mark_word(struct collector *c, const char *file, unsigned offset);
/* The function around the top frame is a coroutine. */
bool in_coroutine(struct collector *c);
/* Leaves what no context allows: default arguments, constant expressions. */
void site_context(struct collector *c, struct fact_site *s);

/* collect_call.c */
void collect_call(struct collector *c, CXCursor cursor);
void collect_override(struct collector *c, CXCursor method);
/* The name of an allocator of the C library. */
bool is_alloc_word(const char *s);

/* collect_use.c */
void macro_note_use(struct collector *c, CXCursor expansion, struct source *src,
                    const struct fact_range *range);
/* How the macro use that the body's place p belongs to can be treated. MACRO_STATEMENT: use->end is
 * after the semicolon. *top: index of the outermost frame that lies in the use. */
enum macro_form macro_form(struct collector *c, const struct place *p, struct macro_use *use,
                           size_t *top);

/* collect_flow.c: fills flow and in */
void flow_of(struct collector *c, struct fact_site *s);
/* "file:offset" of the call that the place of a placement new comes from, or "". */
const char *room_of(struct collector *c, CXCursor room);
/* Where a block goes that the call stores through one of its arguments. */
enum site_flow flow_of_out(struct collector *c, CXCursor call);
/* Declared in a function, and not lasting. */
bool is_local_variable(CXCursor decl);
/* A function of the C library that returns its first argument. */
bool flow_returns_first(const char *name);
/* Arithmetic and tag bits: a pointer that goes in comes out. */
bool flow_through(enum CXBinaryOperatorKind op);
/* The call returns the argument that `self` is. False: it does not; else *via says what must hold
 * for that, or is "". */
bool flow_passes(struct collector *c, CXCursor call, CXCursor self, const char **via);
/* Notes the parameters that the function of the top frame returns. */
void collect_passes(struct collector *c, CXCursor function);
/* The function's flow has been read; again and again is once. */
void flow_scan_function(struct collector *c, struct function *f);
/* The variable may be named at `offset`, and has the value that it has at `later`. */
bool flow_is_set(const struct function *f, CXCursor variable, unsigned offset, unsigned later);
/* The object of the function's own frame that the lvalue may be a part of, or null. */
CXCursor flow_own_object(struct collector *c, CXCursor lvalue);
/* read_name(&name): the pointer whose address a call gets that has no pointer for a value, or null.
 */
CXCursor flow_given_variable(CXCursor call);
/* The variable that the block of the top frame's expression is assigned to, or null. */
CXCursor flow_variable(struct collector *c);

/* collect_keep.c: what lives in what */
void keep_assignment(struct collector *c, struct function *f, CXCursor lvalue, CXCursor value);
void keep_initialiser(struct collector *c, struct function *f, CXCursor var, CXCursor value);
void keep_call(struct collector *c, struct function *f, CXCursor call);
void keep_return(struct collector *c, struct function *f, CXCursor statement);
/* Notes which arguments the function keeps. */
void collect_keeps(struct collector *c, struct function *f);
/* Key of: the call's argument j is stored in what its argument i leads to; "" if nobody can say. */
const char *keep_argument(struct collector *c, CXCursor call, unsigned j, unsigned i);
/* The object of the function's own frame that the lvalue may be a part of, or null. */
CXCursor keep_own_object(struct collector *c, struct function *f, CXCursor lvalue);
/* What the variable points to is stored in what the function returns. */
bool keep_reaches_result(struct function *f, CXCursor var);
/* A key of the site's that holds if both do. */
const char *keep_both(struct collector *c, const struct fact_site *s, const char *a, const char *b);
/* A variable that leads to where the block of a site is stored later, and the fact_pass that it
 * takes or "". */
struct keep_holder {
    CXCursor holder;
    const char *via;
};
/* Those of a site whose block `variable` takes, nearest first: locals, or all others. */
size_t keep_holders(struct collector *c, const struct fact_site *s, CXCursor variable, bool local,
                    struct keep_holder *out, size_t max);

#endif
