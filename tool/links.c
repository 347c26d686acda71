/* SPDX-License-Identifier: Apache-2.0 */
#include "links.h"

#include "path.h"
#include "strmap.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <string.h>

static const char *absolute(struct arena *a, const char *dir, const char *name)
{
    char *joined = path_join(a, dir, name);
    char *path = path_future(a, joined);
    return path ? path : joined;
}

static const char *text_at(json_object *entry, const char *name)
{
    json_object *v;
    if (!json_object_object_get_ex(entry, name, &v) || !json_object_is_type(v, json_type_string))
        return NULL;
    return json_object_get_string(v);
}

static int read_link(struct links *l, json_object *entry)
{
    const char *dir = text_at(entry, "directory"), *kind = text_at(entry, "kind");
    const char *output = text_at(entry, "output");
    json_object *inputs;
    if (!dir || !kind || !output || !json_object_object_get_ex(entry, "inputs", &inputs) ||
        !json_object_is_type(inputs, json_type_array))
        return -1;
    struct link *link = vec_add(&l->items);
    link->kind = !strcmp(kind, "program")  ? LINK_PROGRAM
                 : !strcmp(kind, "shared") ? LINK_SHARED
                                           : LINK_PART;
    link->output = absolute(&l->arena, dir, output);
    for (size_t i = 0; i < json_object_array_length(inputs); i++) {
        const char *name = json_object_get_string(json_object_array_get_idx(inputs, i));
        if (name)
            vec_push(&link->inputs, absolute(&l->arena, dir, name));
    }
    return 0;
}

int links_read(struct links *l, const char *path, struct strbuf *err)
{
    struct strbuf text = {0};
    if (path_read(path, &text)) {
        strbuf_printf(err, "--links: cannot read %s: %s", path, strerror(errno));
        strbuf_release(&text);
        return -1;
    }
    struct json_tokener *tok = json_tokener_new();
    json_object *root =
        text.len > INT_MAX ? NULL : json_tokener_parse_ex(tok, strbuf_str(&text), (int)text.len);
    json_tokener_free(tok);
    strbuf_release(&text);
    int result = root && json_object_is_type(root, json_type_array) ? 0 : -1;
    if (result)
        strbuf_printf(err, "--links: %s is not a list of link commands", path);
    for (size_t i = 0; !result && i < json_object_array_length(root); i++)
        if (read_link(l, json_object_array_get_idx(root, i))) {
            strbuf_printf(err,
                          "--links: %s: entry %zu lacks \"directory\", \"kind\", \"output\" or "
                          "\"inputs\"",
                          path, i);
            result = -1;
        }
    json_object_put(root);
    return result;
}

/* What stands behind a file name: units and links. Several may write the same file. */
struct named {
    bool is_unit;
    size_t index;
    size_t next; /* of the same name, or STRMAP_NONE */
};

struct graph {
    const struct links *links;
    struct arena arena;
    struct strmap first;
    VEC(struct named) named;
    bool *consumed;            /* by link */
    bool *linked;              /* by unit */
    bool *in_links, *in_units; /* the closure at hand */
};

static void add_name(struct graph *g, const char *name, bool is_unit, size_t index)
{
    struct named n = {is_unit, index, STRMAP_NONE};
    size_t at = strmap_find(&g->first, name);
    if (at == STRMAP_NONE) {
        strmap_put(&g->first, name, g->named.count);
    } else {
        n.next = g->named.items[at].next;
        g->named.items[at].next = g->named.count;
    }
    vec_push(&g->named, n);
}

static void visit(struct graph *g, size_t link)
{
    if (g->in_links[link])
        return;
    g->in_links[link] = true;
    const struct link *l = &g->links->items.items[link];
    for (size_t i = 0; i < l->inputs.count; i++) {
        size_t at = strmap_find(&g->first, l->inputs.items[i]);
        for (; at != STRMAP_NONE; at = g->named.items[at].next) {
            const struct named *n = &g->named.items[at];
            if (n->is_unit)
                g->in_units[n->index] = g->linked[n->index] = true;
            else
                visit(g, n->index);
        }
    }
}

static void graph_init(struct graph *g, const struct links *l, const struct compdb *db)
{
    size_t units = db->units.count, links = l->items.count;
    g->links = l;
    g->consumed = arena_alloc(&g->arena, links + 1);
    g->in_links = arena_alloc(&g->arena, links + 1);
    g->linked = arena_alloc(&g->arena, units + 1);
    g->in_units = arena_alloc(&g->arena, units + 1);
    memset(g->consumed, 0, links);
    memset(g->linked, 0, units);
    for (size_t i = 0; i < units; i++) {
        const struct compdb_unit *u = &db->units.items[i];
        if (u->output)
            add_name(g, u->output, true, i);
        add_name(g, u->file, true, i);
    }
    for (size_t i = 0; i < links; i++)
        add_name(g, l->items.items[i].output, false, i);
    for (size_t i = 0; i < links; i++)
        for (size_t k = 0; k < l->items.items[i].inputs.count; k++) {
            size_t at = strmap_find(&g->first, l->items.items[i].inputs.items[k]);
            for (; at != STRMAP_NONE; at = g->named.items[at].next)
                if (!g->named.items[at].is_unit)
                    g->consumed[g->named.items[at].index] = true;
        }
}

static void close_over(struct graph *g, size_t link, size_t units)
{
    memset(g->in_links, 0, g->links->items.count);
    memset(g->in_units, 0, units);
    visit(g, link);
}

static void raise_closure(const struct graph *g, size_t units, bool *affected)
{
    for (size_t u = 0; u < units; u++)
        affected[u] |= g->in_units[u];
}

static bool closure_replaces(const struct graph *g, size_t units, const bool *replaces)
{
    for (size_t u = 0; u < units; u++)
        if (g->in_units[u] && replaces[u])
            return true;
    return false;
}

void links_affected(const struct links *l, const struct compdb *db, const bool *replaces,
                    bool *affected)
{
    struct graph g = {0};
    size_t units = db->units.count;
    bool any_program = false;
    graph_init(&g, l, db);
    for (size_t i = 0; i < l->items.count; i++) {
        bool program = l->items.items[i].kind == LINK_PROGRAM;
        if (!program && g.consumed[i])
            continue;
        close_over(&g, i, units);
        if (closure_replaces(&g, units, replaces)) {
            raise_closure(&g, units, affected);
            any_program |= program;
        }
    }
    bool unlinked_replaces = false;
    for (size_t u = 0; u < units; u++)
        unlinked_replaces |= !g.linked[u] && replaces[u];
    for (size_t i = 0; i < l->items.count && any_program; i++)
        if (l->items.items[i].kind == LINK_SHARED && !g.consumed[i]) {
            close_over(&g, i, units);
            raise_closure(&g, units, affected);
        }
    for (size_t u = 0; u < units; u++)
        affected[u] |= unlinked_replaces || (any_program && !g.linked[u]);
    strmap_release(&g.first);
    vec_release(&g.named);
    arena_release(&g.arena);
}

void links_release(struct links *l)
{
    for (size_t i = 0; i < l->items.count; i++)
        vec_release(&l->items.items[i].inputs);
    vec_release(&l->items);
    arena_release(&l->arena);
}
