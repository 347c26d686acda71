/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

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

static void unknown_name(const struct program *p, const char *name, struct strbuf *err)
{
    enum { OFFERED = 3 };
    VEC(struct near_name) names = {0};
    size_t limit = strlen(name) / 2 + 2;
    for (size_t i = 0; i < p->types.count; i++) {
        const struct fact_type *t = &p->types.items[i];
        if (!can_place(t))
            continue;
        size_t whole = places_distance(name, t->name, limit + 1);
        size_t last = places_distance(last_part(name), last_part(t->name), limit + 1);
        struct near_name n = {t->name, whole < last ? whole : last};
        if (n.distance <= limit)
            vec_push(&names, n);
    }
    vec_sort(&names, compare_near);
    strbuf_printf(err, "--place %s: no such type in the tree", name);
    size_t shown = 0;
    for (size_t i = 0; i < names.count && shown < OFFERED; i++) {
        if (i && !strcmp(names.items[i].name, names.items[i - 1].name))
            continue;
        strbuf_printf(err, "%s%s", shown ? ", " : "; nearest: ", names.items[i].name);
        shown++;
    }
    vec_release(&names);
}

int places_resolve(const struct program *p, struct options *o, struct strbuf *err)
{
    for (size_t i = 0; i < o->placements.count; i++) {
        struct placement *pl = &o->placements.items[i];
        const char *name = !strncmp(pl->name, "::", 2) ? pl->name + 2 : pl->name;
        strings also = {0};
        pl->key = find_name(p, name, true, &also);
        if (!pl->key) {
            also.count = 0;
            pl->key = find_name(p, name, false, &also);
            if (also.count > 1) {
                strbuf_printf(err, "--place %s: more than one type has this name:", pl->name);
                for (size_t k = 0; k < also.count; k++)
                    strbuf_printf(err, "%s %s", k ? "," : "", also.items[k]);
                pl->key = NULL;
            } else if (!pl->key) {
                unknown_name(p, name, err);
            }
        }
        vec_release(&also);
        if (!pl->key)
            return -1;
    }
    return 0;
}
