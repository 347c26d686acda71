/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All units together: one graph of classes, one entry per site with every unit's vote, and the
 * account of every allocation word in the tree's files. Plain data in, plain data out; reads source
 * files, writes none.
 */
#ifndef NUMAFY_TOOL_PROGRAM_H
#define NUMAFY_TOOL_PROGRAM_H

#include "diag.h"
#include "facts.h"
#include "strmap.h"

enum site_action { ACTION_LEFT, ACTION_NEAR, ACTION_ON, ACTION_SCOPE };

/* One place in one file, all units' views of it. `votes` are borrowed from the units. */
struct site {
    const char *file;
    unsigned offset, line, column;
    VEC(const struct fact_site *) votes;
    /* filled by decide */
    enum site_action action;
    int id;                /* enum nf_id when left */
    bool reachable;        /* from a root or a placed type */
    bool edited;           /* the text below replaces bytes; false for what is tagged already */
    bool whole;            /* head replaces the expression up to its end */
    const char *owner_key; /* class of the guess that would own it, rejected ones too, or "" */
    const char *owner;     /* the text that names the owner, or "on(k)" */
    const char *detail;
    const char *head;   /* replaces `new` or `::new` (bytes start..word_end) */
    const char *inside; /* put at place_at, or NULL */
    const char *tail;   /* put at the end of the expression, or NULL */
};

/* A scope at the start of a body, or an enter before a statement. */
struct scope {
    const char *file;
    unsigned offset, line, column;
    const char *function;
    const char *kind; /* "scope" or "enter" */
    enum site_action action;
    int id; /* enum nf_id when left */
    bool edited;
    const char *owner;
    const char *head, *tail; /* put at offset, at end; tail may be NULL */
    unsigned end;
    size_t needs; /* calls of libraries and sites that it is there for */
};

enum file_status { FILE_COPIED, FILE_UNCHANGED, FILE_EDITED, FILE_FAILED, FILE_NOT_IN_DATABASE };

struct program_file {
    const char *path;
    bool cxx;
    bool read_ok;        /* a unit that parses reads it */
    bool unit;           /* it is the main file of a unit */
    bool main_of_failed; /* ... that failed */
    bool seen;           /* any unit reads it */
    enum file_status status;
    const char *reason;
    VEC(const struct fact_file *) views; /* of units that parse */
    strings prelude_in;                  /* where its include goes: itself, or its includers */
};

/* A variable that is a root. `var` is borrowed from the program. */
struct program_root {
    const struct fact_var *var;
    int node;
};

/* Text between two bytes of a file that is no part of a site. */
struct program_insert {
    const char *file, *text;
    unsigned offset;
};

struct program {
    struct arena arena;
    VEC(struct fact_unit *) units; /* owned */
    VEC(struct fact_type) types;   /* merged; lists owned */
    struct strmap type_index;
    VEC(struct site) sites;         /* sorted by file and offset */
    VEC(struct scope) scopes;       /* sorted by file and offset; filled by decide */
    VEC(struct program_file) files; /* sorted by path */
    struct strmap file_index;
    VEC(struct fact_note) notes; /* sorted, without repeats */
    strings roots;               /* keys of numa<T,k> in the source */
    VEC(struct fact_var) vars;   /* sorted by key; one entry for each, its definition's */
    VEC(struct program_root) rooted;
    VEC(struct program_insert) inserts;
    bool own_new; /* some class of the project has its own operator new */
    size_t failed_units, lost, inactive;
};

/* Takes ownership of the unit. */
void program_add(struct program *p, struct fact_unit *u);
/* Merges everything that was added. Call once. */
void program_merge(struct program *p);
/* Reads every file that a unit saw and turns words that nobody accounts for into LOST sites. */
int program_account(struct program *p, struct strbuf *err);
struct fact_type *program_type(const struct program *p, const char *key);
struct program_file *program_file(const struct program *p, const char *path);
/* Sorts p->files by path again after something was added to it. */
void program_sort_files(struct program *p);
/* Adds a note where the order of notes wants it. */
void program_note(struct program *p, int id, const char *file, unsigned line, unsigned column,
                  const char *text);
void program_release(struct program *p);

#endif
