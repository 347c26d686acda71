/* SPDX-License-Identifier: Apache-2.0 */
/* Small programs made by hand: units with types and sites, without a parser. */
#ifndef NUMAFY_TOOL_PROGRAM_TEST_H
#define NUMAFY_TOOL_PROGRAM_TEST_H

#include "decide.h"
#include "program.h"

static inline struct fact_unit *make_unit(const char *main_file)
{
    struct fact_unit *u = calloc(1, sizeof *u);
    u->main_file = arena_strdup(&u->arena, main_file);
    struct fact_file *f = vec_add(&u->files);
    f->path = u->main_file;
    f->cxx = true;
    return u;
}

/* A class of the tree; edges is a list of keys parted by spaces. Its key is its name. */
static inline struct fact_type *make_type(struct fact_unit *u, const char *name, const char *edges)
{
    struct fact_type *t = vec_add(&u->types);
    t->key = arena_strdup(&u->arena, name);
    t->name = t->key;
    t->flags = TYPE_DEFINED | TYPE_PROJECT;
    char *copy = arena_strdup(&u->arena, edges);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        vec_push(&t->edges, word);
    return t;
}

/* `new type` at the offset of the unit's main file, 8 bytes long. */
static inline struct fact_site *make_site(struct fact_unit *u, unsigned offset, const char *type)
{
    struct fact_site *s = vec_add(&u->sites);
    s->file = u->main_file;
    s->offset = s->start = offset;
    s->word_end = offset + 3;
    s->type_start = offset + 4;
    s->type_end = s->end = offset + 8;
    s->line = s->column = 1;
    s->kind = "new";
    s->type = s->type_key = arena_strdup(&u->arena, type);
    s->ctor = s->function = s->dest_var = s->callee = s->in = s->cast = s->via = "";
    s->out_type = s->out_key = s->room = "";
    s->flags = SITE_CLASS | SITE_CXX;
    return s;
}

static inline struct fact_owner *make_owner(struct fact_site *s, enum owner_kind kind, const char *expr,
                                            const char *cls)
{
    struct fact_owner *o = vec_add(&s->owners);
    o->kind = kind;
    o->expr = expr;
    o->cls = cls;
    o->pointee = o->via = o->var = "";
    return o;
}

static inline void make_root(struct fact_unit *u, const char *key)
{
    struct fact_root r = {key, 0};
    vec_push(&u->roots, r);
}

#endif
