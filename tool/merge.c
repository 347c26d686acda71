/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge: units to program. The order of units does not matter: lists are sets, sites and files are
 * sorted by path and offset.
 */
#include "program.h"

void program_add(struct program *p, struct fact_unit *u)
{
    vec_push(&p->units, u);
}

struct fact_type *program_type(const struct program *p, const char *key)
{
    size_t i = strmap_find(&p->type_index, key);
    return i == STRMAP_NONE ? NULL : &p->types.items[i];
}

struct program_file *program_file(const struct program *p, const char *path)
{
    size_t i = strmap_find(&p->file_index, path);
    return i == STRMAP_NONE ? NULL : &p->files.items[i];
}

static void merge_strings(strings *into, const strings *from)
{
    for (size_t i = 0; i < from->count; i++)
        strings_add_unique(into, from->items[i]);
}

/* A unit that saw the body knows more than one that saw the declaration. */
static void merge_ctor(struct fact_type *t, const struct fact_ctor *c)
{
    for (size_t i = 0; i < t->ctors.count; i++)
        if (!strcmp(t->ctors.items[i].usr, c->usr)) {
            if (c->status > t->ctors.items[i].status)
                t->ctors.items[i].status = c->status;
            return;
        }
    vec_push(&t->ctors, *c);
}

static void merge_type(struct program *p, const struct fact_type *from)
{
    size_t i = strmap_find(&p->type_index, from->key);
    if (i == STRMAP_NONE) {
        i = p->types.count;
        struct fact_type *fresh = vec_add(&p->types);
        fresh->key = from->key;
        fresh->name = from->name;
        strmap_put(&p->type_index, from->key, i);
    }
    struct fact_type *t = &p->types.items[i];
    t->flags |= from->flags;
    merge_strings(&t->edges, &from->edges);
    merge_strings(&t->bases, &from->bases);
    merge_strings(&t->holds, &from->holds);
    for (size_t k = 0; k < from->ctors.count; k++)
        merge_ctor(t, &from->ctors.items[k]);
}

static int compare_types(const void *a, const void *b)
{
    const struct fact_type *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static void merge_types(struct program *p)
{
    for (size_t i = 0; i < p->units.count; i++)
        for (size_t k = 0; k < p->units.items[i]->types.count; k++)
            merge_type(p, &p->units.items[i]->types.items[k]);
    vec_sort(&p->types, compare_types);
    strmap_release(&p->type_index);
    for (size_t i = 0; i < p->types.count; i++) {
        const struct fact_type *t = &p->types.items[i];
        strmap_put(&p->type_index, t->key, i);
        p->own_new |= (t->flags & TYPE_OWN_NEW) != 0;
    }
}

static int compare_facts(const void *a, const void *b)
{
    const struct fact_site *x = *(const struct fact_site *const *)a;
    const struct fact_site *y = *(const struct fact_site *const *)b;
    int c = strcmp(x->file, y->file);
    return c ? c : x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void merge_sites(struct program *p)
{
    VEC(const struct fact_site *) all = {0};
    for (size_t i = 0; i < p->units.count; i++)
        for (size_t k = 0; !p->units.items[i]->failed && k < p->units.items[i]->sites.count; k++)
            vec_push(&all, &p->units.items[i]->sites.items[k]);
    vec_sort(&all, compare_facts);
    for (size_t i = 0; i < all.count; i++) {
        const struct fact_site *f = all.items[i];
        struct site *s = p->sites.count ? &p->sites.items[p->sites.count - 1] : NULL;
        if (!s || strcmp(s->file, f->file) || s->offset != f->offset) {
            s = vec_add(&p->sites);
            s->file = f->file;
            s->offset = f->offset;
            s->line = f->line;
            s->column = f->column;
        }
        vec_push(&s->votes, f);
    }
    vec_release(&all);
}

static struct program_file *file_entry(struct program *p, const char *path)
{
    size_t i = strmap_find(&p->file_index, path);
    if (i == STRMAP_NONE) {
        i = p->files.count;
        struct program_file *f = vec_add(&p->files);
        f->path = path;
        f->status = FILE_UNCHANGED;
        strmap_put(&p->file_index, path, i);
    }
    return &p->files.items[i];
}

static int compare_files(const void *a, const void *b)
{
    const struct program_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static void merge_unit_files(struct program *p, struct fact_unit *u)
{
    for (size_t k = 0; k < u->files.count; k++) {
        const struct fact_file *view = &u->files.items[k];
        struct program_file *f = file_entry(p, view->path);
        f->seen = true;
        f->cxx |= view->cxx;
        if (!u->failed) {
            f->read_ok = true;
            vec_push(&f->views, view);
        }
    }
}

void program_sort_files(struct program *p)
{
    vec_sort(&p->files, compare_files);
    strmap_release(&p->file_index);
    for (size_t i = 0; i < p->files.count; i++)
        strmap_put(&p->file_index, p->files.items[i].path, i);
}

static void merge_files(struct program *p)
{
    for (size_t i = 0; i < p->units.count; i++) {
        struct fact_unit *u = p->units.items[i];
        merge_unit_files(p, u);
        if (!u->failed)
            continue;
        p->failed_units++;
        struct program_file *f = file_entry(p, u->main_file);
        f->seen = f->main_of_failed = true;
        f->status = FILE_FAILED;
        if (!f->reason)
            f->reason = u->notes.count ? u->notes.items[u->notes.count - 1].text : u->main_file;
    }
    program_sort_files(p);
    for (size_t i = 0; i < p->units.count; i++) {
        struct program_file *f = program_file(p, p->units.items[i]->main_file);
        if (f)
            f->unit = true;
    }
}

static int compare_notes(const void *a, const void *b)
{
    const struct fact_note *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    if (!c)
        c = x->line != y->line ? (x->line < y->line ? -1 : 1) : 0;
    if (!c)
        c = x->column != y->column ? (x->column < y->column ? -1 : 1) : x->id - y->id;
    return c ? c : strcmp(x->text, y->text);
}

static void merge_notes(struct program *p)
{
    for (size_t i = 0; i < p->units.count; i++)
        for (size_t k = 0; k < p->units.items[i]->notes.count; k++)
            vec_push(&p->notes, p->units.items[i]->notes.items[k]);
    vec_sort(&p->notes, compare_notes);
    size_t kept = 0;
    for (size_t i = 0; i < p->notes.count; i++)
        if (!kept || compare_notes(&p->notes.items[kept - 1], &p->notes.items[i]))
            p->notes.items[kept++] = p->notes.items[i];
    p->notes.count = kept;
}

void program_note(struct program *p, int id, const char *file, unsigned line, unsigned column,
                  const char *text)
{
    struct fact_note n = {id, file, line, column, text};
    vec_push(&p->notes, n);
    vec_sort(&p->notes, compare_notes);
}

static int compare_vars(const void *a, const void *b)
{
    const struct fact_var *x = a, *y = b;
    int c = strcmp(x->key, y->key);
    if (!c) /* definitions first */
        c = (int)(y->flags & VAR_DEFINITION) - (int)(x->flags & VAR_DEFINITION);
    if (!c)
        c = strcmp(x->file, y->file);
    return c ? c : x->at < y->at ? -1 : x->at > y->at;
}

static void merge_vars(struct program *p)
{
    for (size_t i = 0; i < p->units.count; i++)
        for (size_t k = 0; !p->units.items[i]->failed && k < p->units.items[i]->vars.count; k++)
            vec_push(&p->vars, p->units.items[i]->vars.items[k]);
    vec_sort(&p->vars, compare_vars);
    size_t kept = 0;
    for (size_t i = 0; i < p->vars.count; i++) {
        const struct fact_var *from = &p->vars.items[i];
        struct fact_var *into = kept ? &p->vars.items[kept - 1] : NULL;
        if (!into || strcmp(into->key, from->key) != 0) {
            into = &p->vars.items[kept++];
            strings types = {0};
            merge_strings(&types, &from->types);
            *into = *from;
            into->types = types;
            continue;
        }
        /* An extern declaration in a header may carry the mark. */
        if (!*into->node)
            into->node = from->node;
        into->flags |= from->flags & VAR_ROOTED;
        merge_strings(&into->types, &from->types);
    }
    p->vars.count = kept;
}

void program_merge(struct program *p)
{
    merge_types(p);
    merge_sites(p);
    merge_files(p);
    merge_notes(p);
    merge_vars(p);
    for (size_t i = 0; i < p->units.count; i++)
        for (size_t k = 0; k < p->units.items[i]->roots.count; k++)
            strings_add_unique(&p->roots, p->units.items[i]->roots.items[k].key);
}

void program_release(struct program *p)
{
    for (size_t i = 0; i < p->types.count; i++) {
        vec_release(&p->types.items[i].edges);
        vec_release(&p->types.items[i].bases);
        vec_release(&p->types.items[i].holds);
        vec_release(&p->types.items[i].ctors);
    }
    for (size_t i = 0; i < p->sites.count; i++)
        vec_release(&p->sites.items[i].votes);
    for (size_t i = 0; i < p->files.count; i++) {
        vec_release(&p->files.items[i].views);
        vec_release(&p->files.items[i].prelude_in);
    }
    for (size_t i = 0; i < p->units.count; i++) {
        facts_release(p->units.items[i]);
        free(p->units.items[i]);
    }
    vec_release(&p->types);
    vec_release(&p->sites);
    vec_release(&p->scopes);
    vec_release(&p->files);
    vec_release(&p->notes);
    for (size_t i = 0; i < p->vars.count; i++)
        vec_release(&p->vars.items[i].types);
    vec_release(&p->vars);
    vec_release(&p->rooted);
    vec_release(&p->inserts);
    vec_release(&p->roots);
    vec_release(&p->units);
    strmap_release(&p->type_index);
    strmap_release(&p->file_index);
    arena_release(&p->arena);
}
