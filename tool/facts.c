/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <json-c/json.h>
#include <limits.h>

void strings_add_unique(strings *list, const char *s)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], s))
            return;
    vec_push(list, s);
}

/* Writing. Records are arrays, not objects: half the size, and the reader below is the only one. */

static json_object *js(const char *s)
{
    return json_object_new_string(s ? s : "");
}

static json_object *jn(long long n)
{
    return json_object_new_int64(n);
}

static void put(json_object *array, json_object *item)
{
    json_object_array_add(array, item);
}

static json_object *write_strings(const strings *list)
{
    json_object *a = json_object_new_array();
    for (size_t i = 0; i < list->count; i++)
        put(a, js(list->items[i]));
    return a;
}

static json_object *write_type(const struct fact_type *t)
{
    json_object *a = json_object_new_array(), *ctors = json_object_new_array();
    put(a, js(t->key));
    put(a, js(t->name));
    put(a, jn(t->flags));
    put(a, write_strings(&t->edges));
    put(a, write_strings(&t->bases));
    put(a, write_strings(&t->holds));
    for (size_t i = 0; i < t->ctors.count; i++) {
        put(ctors, js(t->ctors.items[i].usr));
        put(ctors, jn(t->ctors.items[i].status));
    }
    put(a, ctors);
    return a;
}

static json_object *write_owner(const struct fact_owner *o)
{
    json_object *a = json_object_new_array();
    put(a, jn(o->kind));
    put(a, js(o->expr));
    put(a, js(o->cls));
    put(a, js(o->pointee));
    put(a, jn(o->take_address));
    put(a, jn(o->slot));
    put(a, jn(o->reject));
    return a;
}

static json_object *write_site(const struct fact_site *s)
{
    json_object *a = json_object_new_array(), *owners = json_object_new_array();
    const char *texts[] = {s->file,     s->kind,   s->type, s->type_key, s->ctor,
                           s->function, s->callee, s->in,   s->cast};
    const unsigned numbers[] = {
        s->offset,   s->line,           s->column,          s->flags, (unsigned)s->left,
        s->start,    s->word_end,       s->place_open,      s->end,   s->type_start,
        s->type_end, (unsigned)s->flow, (unsigned)s->result};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put(a, js(texts[i]));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put(a, jn(numbers[i]));
    for (size_t i = 0; i < s->owners.count; i++)
        put(owners, write_owner(&s->owners.items[i]));
    put(a, owners);
    return a;
}

#define WRITE_RANGES(ranges, array)               \
    for (size_t r = 0; r < (ranges).count; r++) { \
        put(array, jn((ranges).items[r].start));  \
        put(array, jn((ranges).items[r].end));    \
    }

static json_object *write_file(const struct fact_file *f)
{
    json_object *a = json_object_new_array(), *inactive = json_object_new_array();
    json_object *macros = json_object_new_array(), *includes = json_object_new_array();
    WRITE_RANGES(f->inactive, inactive)
    WRITE_RANGES(f->macros, macros)
    for (size_t i = 0; i < f->includes.count; i++) {
        put(includes, js(f->includes.items[i].by));
        put(includes, jn(f->includes.items[i].nested));
    }
    put(a, js(f->path));
    put(a, inactive);
    put(a, macros);
    put(a, includes);
    put(a, jn(f->cxx));
    return a;
}

static json_object *write_note(const struct fact_note *n)
{
    json_object *a = json_object_new_array();
    put(a, jn(n->id));
    put(a, js(n->file));
    put(a, jn(n->line));
    put(a, jn(n->column));
    put(a, js(n->text));
    return a;
}

#define WRITE_ALL(field, writer)                     \
    do {                                             \
        json_object *list = json_object_new_array(); \
        for (size_t i = 0; i < u->field.count; i++)  \
            put(list, writer(&u->field.items[i]));   \
        json_object_object_add(root, #field, list);  \
    } while (0)

static json_object *write_mark(const struct fact_mark *m)
{
    json_object *a = json_object_new_array();
    put(a, js(m->file));
    put(a, jn(m->offset));
    return a;
}

static json_object *write_root(const struct fact_root *r)
{
    json_object *a = json_object_new_array();
    put(a, js(r->key));
    put(a, jn(r->node));
    return a;
}

void facts_write(const struct fact_unit *u, struct strbuf *out)
{
    json_object *root = json_object_new_object();
    json_object_object_add(root, "main_file", js(u->main_file));
    json_object_object_add(root, "failed", json_object_new_boolean(u->failed));
    WRITE_ALL(notes, write_note);
    WRITE_ALL(types, write_type);
    WRITE_ALL(sites, write_site);
    WRITE_ALL(marks, write_mark);
    WRITE_ALL(files, write_file);
    WRITE_ALL(roots, write_root);
    strbuf_puts(out, json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN));
    json_object_put(root);
}

/* Reading. A wrong shape yields "" and 0 and raises `bad`. */

struct reader {
    struct arena *arena;
    bool bad;
};

static char *rs(struct reader *r, json_object *a, size_t i)
{
    json_object *o = json_object_array_get_idx(a, i);
    if (!o || !json_object_is_type(o, json_type_string)) {
        r->bad = true;
        return arena_strdup(r->arena, "");
    }
    return arena_strndup(r->arena, json_object_get_string(o),
                         (size_t)json_object_get_string_len(o));
}

static long long rn(struct reader *r, json_object *a, size_t i)
{
    json_object *o = json_object_array_get_idx(a, i);
    if (!o || !json_object_is_type(o, json_type_int)) {
        r->bad = true;
        return 0;
    }
    return json_object_get_int64(o);
}

static unsigned ru(struct reader *r, json_object *a, size_t i)
{
    long long n = rn(r, a, i);
    if (n < 0 || n > UINT_MAX)
        r->bad = true;
    return (unsigned)n;
}

/* Length of the array at index i of a, the array itself in *item. */
static size_t ra(struct reader *r, json_object *a, size_t i, json_object **item)
{
    *item = json_object_array_get_idx(a, i);
    if (!*item || !json_object_is_type(*item, json_type_array)) {
        r->bad = true;
        return 0;
    }
    return json_object_array_length(*item);
}

static void read_strings(struct reader *r, json_object *a, size_t i, strings *out)
{
    json_object *list;
    size_t n = ra(r, a, i, &list);
    for (size_t k = 0; k < n; k++)
        vec_push(out, rs(r, list, k));
}

static void read_type(struct reader *r, json_object *a, struct fact_type *t)
{
    json_object *ctors;
    t->key = rs(r, a, 0);
    t->name = rs(r, a, 1);
    t->flags = ru(r, a, 2);
    read_strings(r, a, 3, &t->edges);
    read_strings(r, a, 4, &t->bases);
    read_strings(r, a, 5, &t->holds);
    size_t n = ra(r, a, 6, &ctors);
    for (size_t i = 0; i + 1 < n; i += 2) {
        struct fact_ctor *c = vec_add(&t->ctors);
        c->usr = rs(r, ctors, i);
        c->status = (enum ctor_status)rn(r, ctors, i + 1);
    }
}

static void read_owner(struct reader *r, json_object *a, struct fact_owner *o)
{
    o->kind = (enum owner_kind)rn(r, a, 0);
    o->expr = rs(r, a, 1);
    o->cls = rs(r, a, 2);
    o->pointee = rs(r, a, 3);
    o->take_address = rn(r, a, 4) != 0;
    o->slot = rn(r, a, 5) != 0;
    o->reject = (int)rn(r, a, 6);
}

static void read_site(struct reader *r, json_object *a, struct fact_site *s)
{
    const char **texts[] = {&s->file,     &s->kind,   &s->type, &s->type_key, &s->ctor,
                            &s->function, &s->callee, &s->in,   &s->cast};
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (size_t i = 0; i < TEXTS; i++)
        *texts[i] = rs(r, a, i);
    unsigned left = 0, flow = 0, result = 0;
    unsigned *numbers[] = {&s->offset,   &s->line,     &s->column,     &s->flags, &left,
                           &s->start,    &s->word_end, &s->place_open, &s->end,   &s->type_start,
                           &s->type_end, &flow,        &result};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    for (size_t i = 0; i < NUMBERS; i++)
        *numbers[i] = ru(r, a, TEXTS + i);
    s->left = (int)left;
    s->flow = (int)flow;
    s->result = (int)result;
    json_object *owners, *one;
    size_t n = ra(r, a, TEXTS + NUMBERS, &owners);
    for (size_t i = 0; i < n; i++) {
        ra(r, owners, i, &one);
        read_owner(r, one, vec_add(&s->owners));
    }
}

#define READ_RANGES(index, ranges)                                          \
    do {                                                                    \
        json_object *list;                                                  \
        size_t n = ra(r, a, index, &list);                                  \
        for (size_t k = 0; k + 1 < n; k += 2) {                             \
            struct fact_range range = {ru(r, list, k), ru(r, list, k + 1)}; \
            vec_push(&f->ranges, range);                                    \
        }                                                                   \
    } while (0)

static void read_file(struct reader *r, json_object *a, struct fact_file *f)
{
    f->path = rs(r, a, 0);
    READ_RANGES(1, inactive);
    READ_RANGES(2, macros);
    json_object *list;
    size_t n = ra(r, a, 3, &list);
    for (size_t k = 0; k + 1 < n; k += 2) {
        struct fact_include *inc = vec_add(&f->includes);
        inc->by = rs(r, list, k);
        inc->nested = rn(r, list, k + 1) != 0;
    }
    f->cxx = rn(r, a, 4) != 0;
}

static void read_note(struct reader *r, json_object *a, struct fact_note *n)
{
    n->id = (int)rn(r, a, 0);
    n->file = rs(r, a, 1);
    n->line = ru(r, a, 2);
    n->column = ru(r, a, 3);
    n->text = rs(r, a, 4);
}

static void read_mark(struct reader *r, json_object *a, struct fact_mark *m)
{
    m->file = rs(r, a, 0);
    m->offset = ru(r, a, 1);
}

static void read_root(struct reader *r, json_object *a, struct fact_root *root)
{
    root->key = rs(r, a, 0);
    root->node = (int)rn(r, a, 1);
}

#define READ_ALL(field, reader)                                       \
    do {                                                              \
        json_object *list, *one;                                      \
        if (!json_object_object_get_ex(root, #field, &list) ||        \
            !json_object_is_type(list, json_type_array)) {            \
            r.bad = true;                                             \
            break;                                                    \
        }                                                             \
        for (size_t i = 0; i < json_object_array_length(list); i++) { \
            ra(&r, list, i, &one);                                    \
            reader(&r, one, vec_add(&u->field));                      \
        }                                                             \
    } while (0)

int facts_read(struct fact_unit *u, const char *text, size_t length)
{
    struct json_tokener *tok = json_tokener_new();
    json_object *root = length > INT_MAX ? NULL : json_tokener_parse_ex(tok, text, (int)length);
    json_tokener_free(tok);
    if (!root)
        return -1;
    struct reader r = {&u->arena, !json_object_is_type(root, json_type_object)};
    json_object *v;
    if (!r.bad && json_object_object_get_ex(root, "main_file", &v))
        u->main_file = arena_strdup(&u->arena, json_object_get_string(v));
    if (!r.bad && json_object_object_get_ex(root, "failed", &v))
        u->failed = json_object_get_boolean(v);
    if (!r.bad) {
        READ_ALL(notes, read_note);
        READ_ALL(types, read_type);
        READ_ALL(sites, read_site);
        READ_ALL(marks, read_mark);
        READ_ALL(files, read_file);
        READ_ALL(roots, read_root);
    }
    json_object_put(root);
    return r.bad || !u->main_file ? -1 : 0;
}

void facts_release(struct fact_unit *u)
{
    for (size_t i = 0; i < u->types.count; i++) {
        struct fact_type *t = &u->types.items[i];
        vec_release(&t->edges);
        vec_release(&t->bases);
        vec_release(&t->holds);
        vec_release(&t->ctors);
    }
    for (size_t i = 0; i < u->sites.count; i++)
        vec_release(&u->sites.items[i].owners);
    for (size_t i = 0; i < u->files.count; i++) {
        vec_release(&u->files.items[i].inactive);
        vec_release(&u->files.items[i].macros);
        vec_release(&u->files.items[i].includes);
    }
    vec_release(&u->notes);
    vec_release(&u->types);
    vec_release(&u->sites);
    vec_release(&u->marks);
    vec_release(&u->files);
    vec_release(&u->roots);
    arena_release(&u->arena);
}
