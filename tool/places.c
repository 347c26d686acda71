/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

size_t places_distance(const char *a, const char *b, size_t limit)
{
    size_t n = strlen(a), m = strlen(b);
    size_t *row = mem_alloc((m + 1) * sizeof *row);
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t up = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
            if (up + 1 < best)
                best = up + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = up;
            row[j] = best;
        }
    }
    size_t d = row[m];
    free(row);
    return d < limit ? d : limit;
}

static const char *last_part(const char *name)
{
    const char *p = name, *last = name;
    while ((p = strstr(p, "::")) != NULL)
        last = p += 2;
    return last;
}

/* Only classes that the tree defines can be placed; libraries' names would not be edited. */
static bool can_place(const struct fact_type *t)
{
    return (t->flags & (TYPE_PROJECT | TYPE_ALIAS)) != 0 && *last_part(t->name) &&
           !strchr(t->name, '(');
}

/* The key that a type stands for: itself, or its alias's target. */
static const char *target_key(const struct fact_type *t)
{
    return (t->flags & TYPE_ALIAS) && t->edges.count == 1 ? t->edges.items[0] : t->key;
}

/* Exact qualified name, or the last part if that is unique. */
static const char *find_name(const struct program *p, const char *name, bool qualified,
                             strings *also)
{
    const char *key = NULL;
    for (size_t i = 0; i < p->types.count; i++) {
        const struct fact_type *t = &p->types.items[i];
        if (!can_place(t) || strcmp(qualified ? t->name : last_part(t->name), name) != 0)
            continue;
        if (key && strcmp(key, target_key(t)) != 0)
            strings_add_unique(also, t->name);
        else if (!key)
            strings_add_unique(also, t->name);
        key = key ? key : target_key(t);
    }
    return key;
}

struct near_name {
    const char *name;
    size_t distance;
};

static int compare_near(const void *a, const void *b)
{
    const struct near_name *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return strcmp(x->name, y->name);
}

void places_offer(const strings *names, const char *name, struct strbuf *out)
{
    enum { OFFERED = 3 };
    VEC(struct near_name) near = {0};
    size_t limit = strlen(name) / 2 + 2, shown = 0;
    for (size_t i = 0; i < names->count; i++) {
        size_t whole = places_distance(name, names->items[i], limit + 1);
        size_t last = places_distance(last_part(name), last_part(names->items[i]), limit + 1);
        struct near_name n = {names->items[i], whole < last ? whole : last};
        if (n.distance <= limit)
            vec_push(&near, n);
    }
    vec_sort(&near, compare_near);
    for (size_t i = 0; i < near.count && shown < OFFERED; i++) {
        if (i && !strcmp(near.items[i].name, near.items[i - 1].name))
            continue;
        strbuf_printf(out, "%s%s", shown ? ", " : "; nearest: ", near.items[i].name);
        shown++;
    }
    vec_release(&near);
}

static void unknown_type(const struct program *p, const char *name, struct strbuf *err)
{
    strings names = {0};
    for (size_t i = 0; i < p->types.count; i++) {
        const struct fact_type *t = &p->types.items[i], *target = program_type(p, target_key(t));
        bool same = t != target && target && !strcmp(last_part(t->name), last_part(target->name));
        if (can_place(t) && !same)
            vec_push(&names, t->name);
    }
    places_offer(&names, name, err);
    vec_release(&names);
}

/* Patterns */

static bool is_pattern(const char *name)
{
    return strpbrk(name, "*?") != NULL;
}

static bool fits(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

/* What is written out counts: `ns::*Node` says more than `ns::*`. */
static size_t literals(const char *pattern)
{
    size_t n = 0;
    for (; *pattern; pattern++)
        n += *pattern != '*' && *pattern != '?';
    return n;
}

/* Of two requests for one type: 1 if `a` is to be heard, -1 if `b`, 0 if neither says more. The
 * command line is heard before numafy.json, a name before a pattern. */
static int stronger(const struct request *a, const struct request *b)
{
    if (!*a->where != !*b->where)
        return *a->where ? -1 : 1;
    bool pa = is_pattern(a->name), pb = is_pattern(b->name);
    if (pa != pb)
        return pa ? -1 : 1;
    size_t la = literals(a->name), lb = literals(b->name);
    return la != lb ? (la > lb ? 1 : -1) : 0;
}

/* Requests by type: one key, and the request that is heard for it. */
struct chosen {
    const char *key, *name;
    const struct request *request;
};
typedef VEC(struct chosen) choices;

static int choose(struct options *o, choices *all, const char *key, const char *name,
                  const struct request *r, struct strbuf *err)
{
    for (size_t i = 0; i < all->count; i++) {
        struct chosen *c = &all->items[i];
        if (strcmp(c->key, key) != 0)
            continue;
        int s = stronger(r, c->request);
        if (s > 0)
            c->request = r;
        if (s || c->request->node == r->node)
            return 0;
        strbuf_printf(err, "%s: %s has already another node by %s",
                      options_request_name(&o->arena, "--place", r), name, c->request->name);
        return -1;
    }
    struct chosen c = {key, name, r};
    vec_push(all, c);
    return 0;
}

static int place_pattern(const struct program *p, struct options *o, choices *all,
                         const struct request *r, const char *pattern, struct strbuf *err)
{
    bool any = false;
    for (size_t i = 0; i < p->types.count; i++) {
        const struct fact_type *t = &p->types.items[i];
        if (!can_place(t) || (t->flags & TYPE_ALIAS) || !fits(pattern, t->name))
            continue;
        any = true;
        if (choose(o, all, t->key, t->name, r, err))
            return -1;
    }
    if (any)
        return 0;
    strbuf_printf(err, "%s: no type of the tree fits",
                  options_request_name(&o->arena, "--place", r));
    unknown_type(p, pattern, err);
    return -1;
}

static int place_name(const struct program *p, struct options *o, choices *all,
                      const struct request *r, const char *name, struct strbuf *err)
{
    strings also = {0};
    const char *key = find_name(p, name, true, &also);
    if (!key) {
        also.count = 0;
        key = find_name(p, name, false, &also);
    }
    int result = -1;
    if (key && also.count == 1) {
        result = choose(o, all, key, also.items[0], r, err);
    } else {
        strbuf_puts(err, options_request_name(&o->arena, "--place", r));
        strbuf_puts(err,
                    key ? ": more than one type has this name:" : ": no such type in the tree");
        for (size_t k = 0; k < also.count; k++)
            strbuf_printf(err, "%s %s", k ? "," : "", also.items[k]);
        if (!key)
            unknown_type(p, name, err);
    }
    vec_release(&also);
    return result;
}

int places_resolve(const struct program *p, struct options *o, struct strbuf *err)
{
    choices all = {0};
    int result = 0;
    for (size_t i = 0; i < o->places.count && !result; i++) {
        const struct request *r = &o->places.items[i];
        const char *name = !strncmp(r->name, "::", 2) ? r->name + 2 : r->name;
        result = is_pattern(name) ? place_pattern(p, o, &all, r, name, err)
                                  : place_name(p, o, &all, r, name, err);
    }
    for (size_t i = 0; i < all.count && !result; i++) {
        struct placement pl = {all.items[i].name, all.items[i].key, all.items[i].request->node};
        vec_push(&o->placements, pl);
    }
    vec_release(&all);
    return result;
}

const char *places_node_text(struct arena *a, int node)
{
    return node == NODE_LOCAL        ? "NUMAFY_LOCAL"
           : node == NODE_INTERLEAVE ? "NUMAFY_INTERLEAVE"
                                     : arena_printf(a, "%d", node);
}
