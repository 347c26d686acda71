/* SPDX-License-Identifier: Apache-2.0 */
#include "types.h"

#include "path.h"
#include "places.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

/* Allocations of one type by one owner, alike in what became of them. */
struct edge {
    const char *owner; /* key, "" if none is known */
    const char *type;  /* key, or the spelling of what has none */
    const char *name, *node;
    int id;
    bool reachable;
    strings sites; /* file:line */
};

struct view {
    const struct program *p;
    const struct options *o;
    struct arena arena;
    VEC(struct edge) edges;
    strings shown; /* keys whose owned allocations were listed */
    struct strbuf *out;
};

static const char *name_of(const struct program *p, const char *key, const char *spelled)
{
    const struct fact_type *t = *key ? program_type(p, key) : NULL;
    return t && *t->name && !(t->flags & TYPE_ALIAS) ? t->name : *spelled ? spelled : "bytes";
}

/* "on(1)" says 1. */
static const char *node_of(struct view *v, const struct site *s)
{
    if (s->action == ACTION_LEFT)
        return "";
    size_t n = strlen(s->owner);
    bool on = s->action == ACTION_ON && n > 4 && !strncmp(s->owner, "on(", 3);
    return on                       ? arena_strndup(&v->arena, s->owner + 3, n - 4)
           : s->action == ACTION_ON ? "k"
                                    : "owner";
}

static char *place_text(struct view *v, const struct site *s)
{
    const char *file = path_within(s->file, v->o->tree) ? path_below(s->file, v->o->tree) : s->file;
    return arena_printf(&v->arena, "%s:%u", file, s->line);
}

static void add_site(struct view *v, const struct site *s)
{
    const struct fact_site *f = s->votes.items[0];
    struct edge e = {.owner = s->action == ACTION_ON || !s->owner_key ? "" : s->owner_key,
                     .type = *f->type_key ? f->type_key : f->type,
                     .name = name_of(v->p, f->type_key, f->type),
                     .node = node_of(v, s),
                     .id = s->action == ACTION_LEFT ? s->id : 0,
                     .reachable = s->reachable};
    for (size_t i = 0; i < v->edges.count; i++) {
        struct edge *x = &v->edges.items[i];
        if (x->id == e.id && !strcmp(x->owner, e.owner) && !strcmp(x->type, e.type) &&
            !strcmp(x->node, e.node)) {
            x->reachable |= e.reachable;
            vec_push(&x->sites, place_text(v, s));
            return;
        }
    }
    vec_push(&e.sites, place_text(v, s));
    vec_push(&v->edges, e);
}

/* By names, so that the order says nothing about keys, which hold paths. */
static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    if (!c)
        c = x->id - y->id;
    if (!c)
        c = strcmp(x->node, y->node);
    return c ? c : strcmp(x->sites.items[0], y->sites.items[0]);
}

static void view_init(struct view *v, const struct program *p, const struct options *o)
{
    memset(v, 0, sizeof *v);
    v->p = p;
    v->o = o;
    for (size_t i = 0; i < p->sites.count; i++)
        add_site(v, &p->sites.items[i]);
    vec_sort(&v->edges, compare_edges);
}

static void view_release(struct view *v)
{
    for (size_t i = 0; i < v->edges.count; i++)
        vec_release(&v->edges.items[i].sites);
    vec_release(&v->edges);
    vec_release(&v->shown);
    arena_release(&v->arena);
}

/* Text */

static void indent(struct view *v, int depth)
{
    for (int i = 0; i < depth; i++)
        strbuf_puts(v->out, "  ");
}

static void write_sites(struct view *v, const strings *sites)
{
    enum { SHOWN = 4 };
    for (size_t i = 0; i < sites->count && i < SHOWN; i++)
        strbuf_printf(v->out, "%s%s", i ? ", " : "  ", sites->items[i]);
    if (sites->count > SHOWN)
        strbuf_printf(v->out, ", %zu more", sites->count - SHOWN);
}

static void write_left(struct view *v, const struct edge *e, int depth)
{
    indent(v, depth);
    strbuf_printf(v->out, "stops at %s", e->name);
    write_sites(v, &e->sites);
    strbuf_printf(v->out, ": NF%d: %s\n", e->id, nf_text((enum nf_id)e->id));
}

static bool was_shown(const struct view *v, const char *key)
{
    for (size_t i = 0; i < v->shown.count; i++)
        if (!strcmp(v->shown.items[i], key))
            return true;
    return false;
}

static bool owns(const struct view *v, const char *key)
{
    for (size_t i = 0; i < v->edges.count; i++)
        if (*key && !strcmp(v->edges.items[i].owner, key))
            return true;
    return false;
}

static void write_owned(struct view *v, const char *key, int depth);

/* Ends the line, and goes on below unless that was written before. */
static void write_below(struct view *v, const char *key, int depth)
{
    bool again = was_shown(v, key) && owns(v, key);
    strbuf_puts(v->out, again ? "  (see above)\n" : "\n");
    if (!again)
        write_owned(v, key, depth + 1);
}

/* A member or base that is no allocation of its own is walked for what it owns. */
static bool leads_anywhere(const struct view *v, const char *key, int depth)
{
    const struct fact_type *t = program_type(v->p, key);
    if (owns(v, key))
        return true;
    for (size_t i = 0; t && depth < 16 && i < t->holds.count; i++)
        if (leads_anywhere(v, t->holds.items[i], depth + 1))
            return true;
    return false;
}

static void write_owned(struct view *v, const char *key, int depth)
{
    const struct fact_type *t = program_type(v->p, key);
    if (!*key || was_shown(v, key))
        return;
    vec_push(&v->shown, key);
    for (size_t i = 0; t && i < t->holds.count; i++) {
        const char *part = t->holds.items[i];
        if (!strcmp(part, key) || !leads_anywhere(v, part, 0))
            continue;
        indent(v, depth);
        strbuf_printf(v->out, "holds %s", name_of(v->p, part, ""));
        write_below(v, part, depth);
    }
    for (size_t i = 0; i < v->edges.count; i++) {
        const struct edge *e = &v->edges.items[i];
        if (strcmp(e->owner, key) != 0)
            continue;
        if (e->id) {
            write_left(v, e, depth);
            continue;
        }
        indent(v, depth);
        strbuf_printf(v->out, "numa<%s,%s>", e->name, e->node);
        write_sites(v, &e->sites);
        write_below(v, e->type, depth);
    }
}

/* One line for the root, its statically typed allocations behind it, what it owns below. */
static void write_root(struct view *v, const char *key, const char *node, const char *why)
{
    strbuf_printf(v->out, "  numa<%s,%s>  %s", name_of(v->p, key, ""), node, why);
    for (size_t i = 0; i < v->edges.count; i++)
        if (!*v->edges.items[i].owner && !strcmp(v->edges.items[i].type, key) &&
            !strcmp(v->edges.items[i].node, node))
            write_sites(v, &v->edges.items[i].sites);
    write_below(v, key, 1);
}

static void write_roots(struct view *v)
{
    const struct program *p = v->p;
    strbuf_puts(v->out, "roots:\n");
    for (size_t i = 0; i < v->o->placements.count; i++) {
        const struct placement *pl = &v->o->placements.items[i];
        bool owner = pl->node == NODE_OWNER;
        write_root(v, pl->key, owner ? "owner" : places_node_text(&v->arena, pl->node), "placed");
    }
    for (size_t i = 0; i < p->rooted.count; i++) {
        const struct program_root *r = &p->rooted.items[i];
        const char *why = arena_printf(&v->arena, "variable %s", r->var->name);
        for (size_t k = 0; k < r->var->types.count; k++)
            write_root(v, r->var->types.items[k], places_node_text(&v->arena, r->node), why);
    }
    strings seen = {0};
    for (size_t u = 0; u < p->units.count; u++)
        for (size_t i = 0; i < p->units.items[u]->roots.count; i++) {
            const struct fact_root *r = &p->units.items[u]->roots.items[i];
            const char *node = r->node == -1 ? "k" : places_node_text(&v->arena, r->node);
            const char *id = arena_printf(&v->arena, "%s %s", r->key, node);
            size_t before = seen.count;
            strings_add_unique(&seen, id);
            if (seen.count != before)
                write_root(v, r->key, node, "in the source");
        }
    vec_release(&seen);
}

/* Owners that no root leads to: their allocations follow them wherever they are. */
static void write_others(struct view *v)
{
    bool title = false;
    for (size_t i = 0; i < v->p->types.count; i++) {
        const char *key = v->p->types.items[i].key;
        if (!owns(v, key) || was_shown(v, key))
            continue;
        if (!title)
            strbuf_puts(v->out, "\nno root leads to:\n");
        title = true;
        strbuf_printf(v->out, "  %s\n", name_of(v->p, key, ""));
        write_owned(v, key, 2);
    }
}

static void write_ownerless(struct view *v)
{
    bool title = false;
    for (size_t i = 0; i < v->edges.count; i++) {
        const struct edge *e = &v->edges.items[i];
        if (*e->owner || (!e->id && strcmp(e->node, "owner") != 0))
            continue; /* listed with its owner, or with the root that it is */
        if (!title)
            strbuf_puts(v->out, "\nno owner is known:\n");
        title = true;
        if (e->id) {
            write_left(v, e, 1);
        } else {
            strbuf_printf(v->out, "  numa<%s,%s>", e->name, e->node);
            write_sites(v, &e->sites);
            strbuf_puts(v->out, "\n");
        }
    }
}

static bool is_allocated(const struct view *v, const char *key)
{
    for (size_t i = 0; i < v->edges.count; i++)
        if (!strcmp(v->edges.items[i].type, key))
            return true;
    return false;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_unallocated(struct view *v)
{
    strings names = {0};
    for (size_t i = 0; i < v->p->types.count; i++) {
        const struct fact_type *t = &v->p->types.items[i];
        if ((t->flags & TYPE_PROJECT) && !(t->flags & TYPE_ALIAS) && *t->name &&
            !strchr(t->name, '(') && !is_allocated(v, t->key))
            vec_push(&names, t->name);
    }
    vec_sort(&names, compare_names);
    if (names.count)
        strbuf_puts(v->out, "\nnothing allocates:\n");
    for (size_t i = 0; i < names.count; i++)
        if (!i || strcmp(names.items[i], names.items[i - 1]) != 0)
            strbuf_printf(v->out, "  %s\n", names.items[i]);
    vec_release(&names);
}

void types_text(const struct program *p, const struct options *o, struct strbuf *out)
{
    struct view v;
    view_init(&v, p, o);
    v.out = out;
    write_roots(&v);
    write_others(&v);
    write_ownerless(&v);
    write_unallocated(&v);
    view_release(&v);
}

struct json_object *types_json(const struct program *p, const struct options *o)
{
    struct view v;
    json_object *list = json_object_new_array();
    view_init(&v, p, o);
    for (size_t i = 0; i < v.edges.count; i++) {
        const struct edge *e = &v.edges.items[i];
        json_object *j = json_object_new_object(), *sites = json_object_new_array();
        for (size_t k = 0; k < e->sites.count; k++)
            json_object_array_add(sites, json_object_new_string(e->sites.items[k]));
        char id[16] = "";
        if (e->id)
            snprintf(id, sizeof id, "NF%d", e->id);
        const char *owner = *e->owner ? name_of(p, e->owner, "") : "";
        json_object_object_add(j, "type", json_object_new_string(e->name));
        json_object_object_add(j, "node", json_object_new_string(e->node));
        json_object_object_add(j, "owner", json_object_new_string(owner));
        json_object_object_add(j, "sites", sites);
        json_object_object_add(j, "id", json_object_new_string(id));
        json_object_object_add(j, "reason",
                               json_object_new_string(e->id ? nf_text((enum nf_id)e->id) : ""));
        json_object_array_add(list, j);
    }
    view_release(&v);
    return list;
}
