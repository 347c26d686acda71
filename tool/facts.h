/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one translation unit says, as plain data: the seam between the scanner processes and the
 * rest. No libclang type appears here or after here. All strings live in the unit's arena; paths
 * are real paths; a type's key is its USR (plus the file for what has no linkage), the same in
 * every unit, and one key stands for all specialisations of a template.
 */
#ifndef NUMAFY_TOOL_FACTS_H
#define NUMAFY_TOOL_FACTS_H

#include "mem.h"
#include "strbuf.h"
#include "vec.h"

#include <stdbool.h>

typedef VEC(const char *) strings;

enum type_flags {
    TYPE_DEFINED = 1 << 0,
    TYPE_TEMPLATE = 1 << 1,
    TYPE_OWN_NEW = 1 << 2,     /* declares operator new or delete itself */
    TYPE_NO_TAG = 1 << 3,      /* no numa<T,k>::at: not to derive from, or has its own `at` */
    TYPE_ADDRESSOF = 1 << 4,   /* declares operator& itself */
    TYPE_INIT_ALLOC = 1 << 5,  /* a default member initialiser calls or allocates */
    TYPE_HOLDS_ALLOC = 1 << 6, /* a library member or base whose construction may allocate */
    TYPE_HOLDS_PARAM = 1 << 7, /* a member of a template parameter's type */
    TYPE_PROJECT = 1 << 8,     /* defined in a file of the tree */
    TYPE_ALIAS = 1 << 9,       /* a typedef or using; edges has its one target */
    TYPE_ARGUMENT = 1 << 10,   /* a template of the program may have it as an argument */
    TYPE_OPEN = 1 << 11        /* a specialisation for a class that is not defined yet somewhere */
};

/* What constructing through this constructor does, as far as one unit can see. */
enum ctor_status { CTOR_UNSEEN, CTOR_FREE, CTOR_ALLOCATES };

struct fact_ctor {
    const char *usr;
    enum ctor_status status;
};

struct fact_type {
    const char *key;
    const char *name; /* qualified */
    unsigned flags;   /* enum type_flags */
    strings edges;    /* types that fields, bases and their template arguments mention */
    strings bases;    /* own bases: lookup of operator new, and the reverse edge to derived */
    strings holds;    /* types of members and bases by value: constructed with it */
    VEC(struct fact_ctor) ctors; /* user-provided ones */
};

enum owner_kind {
    OWNER_DESTINATION,
    OWNER_TAKER, /* an object that the call around it gets as well, or is called for */
    OWNER_THIS,
    OWNER_LATER, /* what the variable that takes the block is stored in afterwards */
    OWNER_PARAMETER,
    OWNER_LOCAL, /* a variable's own object that gets the block: on its root's node, or ambient */
    OWNER_GLOBAL /* the same, lasting: counts only as a root, else it would be the plain heap's */
};

/* One guess whose node an allocation should have, in order of preference. */
struct fact_owner {
    enum owner_kind kind;
    const char *expr;    /* source text; an lvalue if take_address */
    const char *cls;     /* key of the owner's class, "" if unknown */
    const char *pointee; /* key whose operator& decides how the address is taken, "" if none */
    bool take_address;
    bool slot;  /* the place that will hold the pointer, rather than an object */
    bool keeps; /* OWNER_TAKER: where `via` holds it gets the block, whatever the classes say */
    int reject; /* enum nf_id, or 0 */
    const char *var; /* OWNER_LOCAL, OWNER_GLOBAL: key of the variable */
    const char *via; /* it counts only if this holds: see fact_pass; "" always */
};

enum site_flags {
    SITE_DEPENDENT = 1 << 0,   /* the type is, or contains as element, a template parameter */
    SITE_POINTER = 1 << 1,     /* elements are pointers */
    SITE_FUNDAMENTAL = 1 << 2, /* elements have no class */
    SITE_NO_SCOPE = 1 << 3,    /* no enter/leave may surround it: co_await, goto out of ({}) */
    SITE_TAGGED_NEAR = 1 << 4, /* already in the edited form, or written so by hand */
    SITE_TAGGED_ON = 1 << 5,
    SITE_NO_TYPE_TEXT = 1 << 6,  /* the type's spelling cannot be a template argument */
    SITE_CLASS = 1 << 7,         /* the element is a class (or a known template of classes) */
    SITE_LIBRARY = 1 << 8,       /* a library class that mentions none of the tree: std::string */
    SITE_LIBRARY_ALLOC = 1 << 9, /* ... whose construction may allocate */
    SITE_CXX = 1 << 10,          /* the unit is C++ */
    SITE_ALLOCATOR = 1 << 11,    /* a call of the C library's: an allocation whoever calls */
    SITE_CALL = 1 << 12,     /* a call of a function that returns or stores a pointer: a site only
                                if that function turns out to allocate */
    SITE_DIRECT = 1 << 13,   /* numafy_X(node, ...) and numafy_X_near(owner, ...) can replace it */
    SITE_ALIGNED = 1 << 18,  /* new (std::align_val_t(64)) T */
    SITE_TAIL = 1 << 19,     /* the call is all of a return: nothing may come after it */
    SITE_FACTORY = 1 << 17,  /* make_unique and its like */
    SITE_REPLACED = 1 << 16, /* a program of this unit replaces operator new or malloc */
    SITE_OPEN_PARAM = 1 << 15, /* SITE_DEPENDENT: what the parameter may be is not all in sight */
    SITE_ON_STACK = 1 << 20,   /* the destination may be an object of the function's own frame */
    SITE_GIVEN = 1 << 21,      /* dest_var gets the block by its address */
    SITE_SIZEOF_TYPE = 1 << 14 /* malloc(sizeof(type)); the type's bytes are type_start..type_end */
};

/* Where the block goes besides a destination in an object. */
enum site_flow {
    FLOW_NONE,
    FLOW_RETURN, /* returned by the function around it */
    FLOW_OUT     /* stored through a parameter of the function around it */
};

/* What becomes of a call's value: what may surround it. */
enum call_result {
    RESULT_NONE,    /* no call, or nothing may surround it */
    RESULT_POINTER, /* an object pointer; `cast` is its type, or void where the value is unused */
    RESULT_INTEGER,
    RESULT_VALUE, /* C++: anything that can be moved or bound */
    RESULT_VOID,
    RESULT_DEPENDENT, /* a template's: perhaps void */
    RESULT_STATEMENT  /* no expression: a macro that is a statement of C */
};

struct fact_site {
    const char *file;
    unsigned offset, line, column; /* of the word: `new` or the function's name */
    const char *kind;              /* "new", "new[]", or a function's name */
    const char *type, *type_key;   /* element type as spelled; "" if it has no declaration */
    const char *ctor;              /* USR of the constructor called, or "" */
    const char *function;          /* name of the function around it, or "" */
    const char *callee, *in;       /* keys of the function called and of the one around it, or "" */
    const char *cast;              /* type of the call's value, "" if it cannot be named */
    const char *dest_var;          /* key of the variable that the block is assigned to, or "" */
    const char *via;               /* the flow goes through this argument: see fact_pass, or "" */
    const char *out_type,
        *out_key;              /* as type and type_key, of what is stored through an argument */
    const char *room;          /* "file:offset" of the call that gave a placement new its room */
    int flow, out_flow;        /* enum site_flow, of the value and of what an argument gets */
    int result;                /* enum call_result */
    unsigned flags, out_flags; /* enum site_flags; what the stored block's type says */
    int left;                  /* enum nf_id, or 0 if it may be edited */
    unsigned start, word_end;  /* bytes that the edit replaces start with `new` or `::` */
    unsigned place_at;         /* offset in the arguments where the node goes: in front of the
                                  first, or behind it if SITE_ALIGNED; 0 if there are none */
    unsigned end;              /* end of the expression, 0 if unknown */
    unsigned type_start, type_end;
    VEC(struct fact_owner) owners;
};

/* One call, or one site that cannot be edited, that may allocate for an owner. */
struct fact_need {
    unsigned offset, line, column;
    unsigned start, end;   /* the statement that it is all of, or 0: what an enter may precede */
    bool tagged;           /* an enter precedes it */
    bool this_object;      /* the object is part of *this */
    const char *parameter; /* the object is part of what this parameter names, or "" */
    const char *key;       /* class that the object is part of, or of a site; "" if unknown */
    const char *assigned;  /* its made assignment is called: allocates if a member may, or "" */
    const char *dependent; /* template parameter whose object is assigned: a trivial one allocates
                              nothing; or "" */
    const char *site;      /* "file:offset" of a site, or "" */
    VEC(struct fact_owner) owners; /* names the object's owner where the call is; one or none */
};

/* The body of a function with needs. */
struct fact_scope {
    const char *file;
    unsigned offset, line, column; /* of what follows its { */
    const char *key, *function;    /* key: as struct fact_tail's */
    bool tagged;                   /* begins with a scope */
    bool replaced;                 /* as SITE_REPLACED */
    int left;                      /* enum nf_id, or 0 if a scope may be put there */
    VEC(struct fact_owner) owners; /* this, then parameters */
    VEC(struct fact_need) needs;
};

/* Functions that `key` may call in tail position. Also keys of functions: `N:name` is any function
 * of that name, `?` any whose address is taken. */
struct fact_tail {
    const char *key;
    strings calls;
};

/* A word that the tree accounts for without being a site: declaration, name. */
struct fact_mark {
    const char *file;
    unsigned offset;
};

struct fact_range {
    unsigned start, end;
};

struct fact_include {
    const char *by; /* the including file */
    bool nested;    /* the directive stands inside a function, namespace or class */
};

/* One file of the tree that the unit reads. */
struct fact_file {
    const char *path;
    bool cxx;                        /* read as C++ */
    VEC(struct fact_range) inactive; /* skipped by #if */
    VEC(struct fact_range) macros;   /* uses of macros */
    VEC(struct fact_include) includes;
};

struct fact_root {
    const char *key;
    int node; /* -1 if it is dependent */
};

enum var_flags {
    VAR_POINTER = 1 << 0,    /* raw or smart: what it is assigned is on the node */
    VAR_LOCAL = 1 << 1,      /* declared in a function, statics too */
    VAR_DEFINITION = 1 << 2, /* no extern declaration */
    VAR_ROOTED = 1 << 3,     /* NUMAFY_ROOT_GLOBAL or NUMAFY_ROOT_OBJECT registers it already */
    VAR_REPLACED = 1 << 4    /* as SITE_REPLACED */
};

/* A variable that is a root, or that the command line may make one. */
struct fact_var {
    const char *key;
    const char *name; /* qualified, by namespaces, classes and functions */
    const char *file;
    unsigned line, column;
    const char *text; /* the name as it is written behind the declaration */
    const char *node; /* of NUMA(k) or of the macro that is there: k as written, or "" */
    const char *why;  /* why nothing can be put behind the declaration, or "" */
    unsigned at;      /* offset behind the declaration's semicolon */
    unsigned from;    /* offset of a local declaration whose initialiser may allocate, or 0 */
    unsigned flags;   /* enum var_flags */
    strings types;    /* what its type mentions */
};

/* A virtual function and one that it overrides: a call of the latter may be one of the former. */
struct fact_override {
    const char *key, *overridden;
};

/* What a function does with an argument, counting from 0: `KEY#i` is returned, `KEY#j>i` is stored
 * in what argument i leads to; `KEY#R>i` is the result that is found there, `KEY#j>R` is stored in
 * the result. It holds if all the others that it names do. A site's own, `file:offset>name`, says
 * that its block is given to such functions later. */
struct fact_pass {
    const char *argument;
    strings conditions;
};

struct fact_note {
    int id; /* enum nf_id */
    const char *file;
    unsigned line, column;
    const char *text;
};

/* A header that the preprocessor looked up. */
struct fact_lookup {
    const char *beside; /* directory of the file that asks */
    const char *name;   /* as written */
};

struct fact_unit {
    struct arena arena;
    const char *main_file;
    bool failed;
    VEC(struct fact_note) notes;
    VEC(struct fact_type) types;
    VEC(struct fact_site) sites;
    VEC(struct fact_mark) marks;
    VEC(struct fact_scope) scopes;
    VEC(struct fact_tail) tails;
    VEC(struct fact_file) files;
    VEC(struct fact_root) roots;
    VEC(struct fact_var) vars;
    VEC(struct fact_override) overrides;
    VEC(struct fact_pass) passes;
    /* what the parse depended on, for the cache: */
    strings inputs; /* absolute paths of all files read, as the parser named them */
    strings search; /* directories of the search path, a superset */
    VEC(struct fact_lookup) lookups;
    bool opaque; /* it may have looked up more than that */
};

/* Adds a string to the list unless it is there. */
void strings_add_unique(strings *list, const char *s);

/* Writes the unit as one string of bytes; the table in facts.c names every member. */
void facts_write(const struct fact_unit *u, struct strbuf *out);
/* Reads it back into a zeroed unit. Returns 0, or -1 if the bytes are not what facts_write makes;
 * the unit is to be released either way. */
int facts_read(struct fact_unit *u, const char *text, size_t length);
void facts_release(struct fact_unit *u);

#endif
