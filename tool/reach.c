/* SPDX-License-Identifier: Apache-2.0 */
#include "reach.h"

#include <stdlib.h>
#include <string.h>

static void add_edge(struct reach *r, const char *from, const char *to)
{
    size_t i = strmap_find(&r->p->type_index, from);
    if (i != STRMAP_NONE)
        vec_push(&r->next.items[i], to);
}

/* Members and template arguments, bases, and from a base to what derives from it. */
void reach_init(struct reach *r, struct program *p)
{
    size_t n = p->types.count;
    memset(r, 0, sizeof *r);
    r->p = p;
    for (size_t i = 0; i < n; i++)
        (void)vec_add(&r->next);
    for (size_t i = 0; i < n; i++) {
        struct fact_type *t = &p->types.items[i];
        for (size_t k = 0; k < t->edges.count; k++)
            add_edge(r, t->key, t->edges.items[k]);
        for (size_t k = 0; k < t->bases.count; k++) {
            add_edge(r, t->key, t->bases.items[k]);
            add_edge(r, t->bases.items[k], t->key);
        }
    }
    r->closure = mem_alloc(n);
    r->known = mem_alloc(n * sizeof *r->known);
    r->queue = mem_alloc(n * sizeof *r->queue);
    memset(r->closure, 0, n);
    memset(r->known, 0, n * sizeof *r->known);
}

void reach_release(struct reach *r)
{
    for (size_t i = 0; i < r->next.count; i++) {
        vec_release(&r->next.items[i]);
        free(r->known[i]);
    }
    vec_release(&r->next);
    free(r->closure);
    free(r->known);
    free(r->queue);
}

/* Marks type i and everything it reaches in `seen`. */
static void mark(const struct reach *r, size_t i, unsigned char *seen)
{
    size_t head = 0, tail = 0;
    if (seen[i])
        return;
    seen[i] = 1;
    r->queue[tail++] = i;
    while (head < tail) {
        const strings *next = &r->next.items[r->queue[head++]];
        for (size_t k = 0; k < next->count; k++) {
            i = strmap_find(&r->p->type_index, next->items[k]);
            if (i != STRMAP_NONE && !seen[i]) {
                seen[i] = 1;
                r->queue[tail++] = i;
            }
        }
    }
}

void reach_add_root(struct reach *r, const char *key)
{
    size_t i = strmap_find(&r->p->type_index, key);
    if (i != STRMAP_NONE)
        mark(r, i, r->closure);
}

bool reach_in_closure(const struct reach *r, const char *key)
{
    size_t i = strmap_find(&r->p->type_index, key);
    return i != STRMAP_NONE && r->closure[i];
}

/* Template parameters are no types of the graph; a class reaches one if a member names it. */
static bool mentions_parameter(const struct reach *r, const unsigned char *seen, const char *key)
{
    for (size_t i = 0; i < r->p->types.count; i++) {
        const strings *next = &r->next.items[i];
        for (size_t k = 0; seen[i] && k < next->count; k++)
            if (!strcmp(next->items[k], key))
                return true;
    }
    return false;
}

bool reach_reaches(struct reach *r, const char *from, const char *to)
{
    if (!*from || !*to)
        return false;
    if (!strcmp(from, to))
        return true;
    size_t i = strmap_find(&r->p->type_index, from);
    if (i == STRMAP_NONE)
        return false;
    if (!r->known[i]) {
        r->known[i] = mem_alloc(r->p->types.count);
        memset(r->known[i], 0, r->p->types.count);
        mark(r, i, r->known[i]);
    }
    if (!strncmp(to, "T:", 2))
        return mentions_parameter(r, r->known[i], to);
    size_t k = strmap_find(&r->p->type_index, to);
    return k != STRMAP_NONE && r->known[i][k];
}
