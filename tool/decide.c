/* SPDX-License-Identifier: Apache-2.0 */
#include "decide.h"

#include "path.h"
#include "places.h"

#include <stdlib.h>
#include <string.h>

/* Reach */

struct graph {
    struct program *p;
    VEC(strings) next;      /* by type index: what it reaches in one step */
    unsigned char *closure; /* by type index: reached from a root or placed type */
    unsigned char *seen;    /* scratch */
    size_t *queue;
};

static void graph_edge(struct graph *g, const char *from, const char *to)
{
    size_t i = strmap_find(&g->p->type_index, from);
    if (i != STRMAP_NONE)
        vec_push(&g->next.items[i], to);
}

/* Members and template arguments, bases, and from a base to what derives from it. */
static void graph_init(struct graph *g, struct program *p)
{
    memset(g, 0, sizeof *g);
    g->p = p;
    for (size_t i = 0; i < p->types.count; i++)
        (void)vec_add(&g->next);
    for (size_t i = 0; i < p->types.count; i++) {
        struct fact_type *t = &p->types.items[i];
        for (size_t k = 0; k < t->edges.count; k++)
            graph_edge(g, t->key, t->edges.items[k]);
        for (size_t k = 0; k < t->bases.count; k++) {
            graph_edge(g, t->key, t->bases.items[k]);
            graph_edge(g, t->bases.items[k], t->key);
        }
    }
    g->closure = mem_alloc(p->types.count);
    g->seen = mem_alloc(p->types.count);
    g->queue = mem_alloc(p->types.count * sizeof *g->queue);
    memset(g->closure, 0, p->types.count);
}

static void graph_release(struct graph *g)
{
    for (size_t i = 0; i < g->next.count; i++)
        vec_release(&g->next.items[i]);
    vec_release(&g->next);
    free(g->closure);
    free(g->seen);
    free(g->queue);
}

/* Marks everything that `key` reaches, itself included. */
static void graph_mark(struct graph *g, const char *key, unsigned char *seen)
{
    size_t head = 0, tail = 0, i = strmap_find(&g->p->type_index, key);
    if (i == STRMAP_NONE || seen[i])
        return;
    seen[i] = 1;
    g->queue[tail++] = i;
    while (head < tail) {
        const strings *next = &g->next.items[g->queue[head++]];
        for (size_t k = 0; k < next->count; k++) {
            i = strmap_find(&g->p->type_index, next->items[k]);
            if (i != STRMAP_NONE && !seen[i]) {
                seen[i] = 1;
                g->queue[tail++] = i;
            }
        }
    }
}

static bool has_key(const struct graph *g, const unsigned char *seen, const char *key)
{
    size_t i = strmap_find(&g->p->type_index, key);
    return i != STRMAP_NONE && seen[i];
}

static bool parameter_in(const struct graph *g, const char *cls, const char *key)
{
    /* Template parameters are no types of the graph; a class reaches one if a member names it. */
    for (size_t i = 0; i < g->p->types.count; i++)
        if (g->seen[i]) {
            const strings *next = &g->next.items[i];
            for (size_t k = 0; k < next->count; k++)
                if (!strcmp(next->items[k], key))
                    return true;
        }
    return !strcmp(cls, key);
}

static bool reaches(struct graph *g, const char *from, const char *to)
{
    if (!*from || !*to)
        return false;
    if (!strcmp(from, to))
        return true;
    memset(g->seen, 0, g->p->types.count);
    graph_mark(g, from, g->seen);
    return !strncmp(to, "T:", 2) ? parameter_in(g, from, to) : has_key(g, g->seen, to);
}

/* Classes */

static bool any_base(const struct program *p, const char *key, unsigned flag, int depth)
{
    const struct fact_type *t = program_type(p, key);
    if (!t || depth > 64)
        return false;
    if (t->flags & flag)
        return true;
    for (size_t i = 0; i < t->bases.count; i++)
        if (any_base(p, t->bases.items[i], flag, depth + 1))
            return true;
    return false;
}

static bool ctors_allocate(const struct fact_type *t, const char *ctor)
{
    bool known = false, any = false;
    for (size_t i = 0; i < t->ctors.count; i++) {
        bool allocates = t->ctors.items[i].status != CTOR_FREE;
        any |= allocates;
        if (*ctor && !strcmp(t->ctors.items[i].usr, ctor)) {
            known = true;
            if (allocates)
                return true;
        }
    }
    return !known && any;
}

/* May constructing an object of this class allocate? Unknown counts as yes. */
static bool may_allocate(const struct program *p, const char *key, const char *ctor, int depth)
{
    const struct fact_type *t = program_type(p, key);
    if (!t || !(t->flags & TYPE_DEFINED) || depth > 64)
        return true;
    if (t->flags & (TYPE_INIT_ALLOC | TYPE_HOLDS_ALLOC | TYPE_HOLDS_PARAM))
        return true;
    if (ctors_allocate(t, ctor))
        return true;
    for (size_t i = 0; i < t->holds.count; i++)
        if (strcmp(t->holds.items[i], key) && may_allocate(p, t->holds.items[i], "", depth + 1))
            return true;
    return false;
}

static bool site_may_allocate(const struct program *p, const struct fact_site *f)
{
    if (f->flags & (SITE_POINTER | SITE_FUNDAMENTAL))
        return (f->flags & SITE_LIBRARY_ALLOC) != 0;
    return (f->flags & SITE_DEPENDENT) || may_allocate(p, f->type_key, f->ctor, 0);
}

/* One vote */

struct verdict {
    enum site_action action;
    int id;
    bool edited;
    const char *owner, *head, *inside, *tail, *detail;
};

struct decider {
    struct program *p;
    const struct options *o;
    struct graph graph;
};

static const struct placement *request_of(const struct decider *d, const struct fact_site *f)
{
    if (f->flags & (SITE_POINTER | SITE_FUNDAMENTAL))
        return NULL;
    for (size_t i = 0; i < d->o->placements.count; i++)
        if (!strcmp(d->o->placements.items[i].key, f->type_key))
            return &d->o->placements.items[i];
    return NULL;
}

static const struct placement *placement_of(const struct decider *d, const struct fact_site *f)
{
    const struct placement *pl = request_of(d, f);
    return pl && pl->node != NODE_OWNER ? pl : NULL;
}

/* --place T=owner: a T follows its owner as if a root reached it. */
static bool follows_owner(const struct decider *d, const struct fact_site *f)
{
    const struct placement *pl = request_of(d, f);
    return d->o->all || (pl && pl->node == NODE_OWNER);
}

static bool in_closure(const struct decider *d, const char *key)
{
    return d->o->all || has_key(&d->graph, d->graph.closure, key);
}

/* Whether a root reaches the site at all, whoever its owner turns out to be. */
static bool is_reachable(const struct decider *d, const struct fact_site *f)
{
    if (request_of(d, f) || (*f->type_key && in_closure(d, f->type_key)))
        return true;
    for (size_t i = 0; i < f->owners.count; i++)
        if (f->owners.items[i].kind == OWNER_DESTINATION && *f->owners.items[i].cls &&
            in_closure(d, f->owners.items[i].cls))
            return true;
    return false;
}

/* What forbids any edit, whoever the owner. 0 if nothing does. */
static int forbidden(const struct decider *d, const struct fact_site *f)
{
    const struct program_file *file = program_file(d->p, f->file);
    if (f->left)
        return f->left;
    if (!(f->flags & SITE_FUNDAMENTAL) && *f->type_key && !(f->flags & SITE_POINTER) &&
        any_base(d->p, f->type_key, TYPE_OWN_NEW, 0))
        return NF_OWN_NEW;
    if ((f->flags & SITE_DEPENDENT) && d->p->own_new)
        return NF_DEPENDENT_OWN_NEW;
    if (d->p->replaces && !d->o->force_alloc)
        return NF_REPLACED;
    if (file && file->main_of_failed)
        return NF_FAILED_FILE;
    if (file && !file->prelude_in.count)
        return NF_NO_PRELUDE;
    return 0;
}

/* The first guess that holds; *id says why there is none. The most telling reason wins: an owner
 * that may not be named tells more than a missing one. */
static const struct fact_owner *choose_owner(struct decider *d, const struct fact_site *f, int *id)
{
    bool plain = (f->flags & SITE_FUNDAMENTAL) && !(f->flags & SITE_LIBRARY);
    *id = plain ? NF_FUNDAMENTAL : NF_NO_OWNER;
    int rejected = 0;
    for (size_t i = 0; i < f->owners.count; i++) {
        const struct fact_owner *o = &f->owners.items[i];
        bool destination = o->kind == OWNER_DESTINATION;
        if (!destination && !(*f->type_key && reaches(&d->graph, o->cls, f->type_key)))
            continue;
        if (o->reject) {
            if (!rejected)
                rejected = o->reject;
            continue;
        }
        bool reached = (*o->cls && in_closure(d, o->cls)) ||
                       (o->slot && *f->type_key && in_closure(d, f->type_key)) ||
                       follows_owner(d, f);
        *id = NF_NOT_REACHED;
        return reached ? o : NULL;
    }
    if (rejected)
        *id = rejected;
    return NULL;
}

static const char *owner_text(const struct decider *d, const struct fact_owner *o)
{
    struct arena *a = &d->p->arena;
    if (!o->take_address)
        return o->expr;
    const struct fact_type *t = program_type(d->p, o->pointee);
    bool plain = !*o->pointee || !strncmp(o->pointee, "lib:", 4) ||
                 (t && (t->flags & TYPE_DEFINED) && !any_base(d->p, o->pointee, TYPE_ADDRESSOF, 0));
    return plain ? arena_printf(a, "&%s", o->expr)
                 : arena_printf(a, "__builtin_addressof(%s)", o->expr);
}

/* Turns the tag (`::numafy::near(p)`, `::numafy::on(1)`) into edits. */
static void make_texts(const struct decider *d, const struct fact_site *f, const char *tag,
                       struct verdict *v)
{
    struct arena *a = &d->p->arena;
    bool scope = f->end && !(f->flags & SITE_NO_SCOPE) && site_may_allocate(d->p, f);
    char *argument = arena_printf(a, "%s%s", tag, scope ? ".ctor()" : "");
    const char *open = scope ? " ::numafy::done(" : "";
    if (f->place_open) {
        v->head = arena_printf(a, "%s ::new", open);
        v->inside = arena_printf(a, "%s, ", argument);
    } else {
        v->head = arena_printf(a, "%s ::new (%s)", open, argument);
    }
    v->tail = scope ? arena_strdup(a, ")") : NULL;
    v->edited = true;
}

/* T of numa<T,k>::at is the source's spelling; it stands in the text as {type} until the bytes of
 * the file are at hand. */
#define TYPE_HOLE "\001"

static void place_site(const struct decider *d, const struct fact_site *f,
                       const struct placement *pl, struct verdict *v)
{
    struct arena *a = &d->p->arena;
    bool derive = (f->flags & SITE_CLASS) && f->type_end > f->type_start &&
                  !(f->flags & SITE_NO_TYPE_TEXT) && !any_base(d->p, f->type_key, TYPE_NO_TAG, 0);
    const char *node = places_node_text(a, pl->node);
    char *tag = derive ? arena_printf(a, "::numafy::numa<" TYPE_HOLE ",%s>::at", node)
                       : arena_printf(a, "::numafy::on(%s)", node);
    v->action = ACTION_ON;
    v->owner = arena_printf(a, "on(%s)", node);
    make_texts(d, f, tag, v);
}

static struct verdict decide_vote(struct decider *d, const struct fact_site *f)
{
    struct arena *a = &d->p->arena;
    struct verdict v = {0};
    v.owner = v.detail = arena_strdup(a, "");
    if (!f->left && (f->flags & (SITE_TAGGED_NEAR | SITE_TAGGED_ON))) {
        v.action = f->flags & SITE_TAGGED_NEAR ? ACTION_NEAR : ACTION_ON;
        return v;
    }
    v.id = forbidden(d, f);
    if (v.id)
        return v;
    const struct placement *pl = placement_of(d, f);
    if (pl) {
        place_site(d, f, pl, &v);
        return v;
    }
    const struct fact_owner *o = choose_owner(d, f, &v.id);
    if (!o)
        return v;
    v.action = ACTION_NEAR;
    v.id = 0;
    v.owner = owner_text(d, o);
    make_texts(d, f, arena_printf(a, "::numafy::near(%s)", v.owner), &v);
    return v;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* Any left beats an edit; different texts are a conflict. */
static struct verdict combine(struct verdict a, struct verdict b)
{
    if (a.action == ACTION_LEFT)
        return a;
    if (b.action == ACTION_LEFT) {
        return b;
    }
    if (a.action == b.action && same_text(a.head, b.head) && same_text(a.inside, b.inside) &&
        same_text(a.tail, b.tail))
        return a;
    struct verdict v = {.id = NF_CONFLICT, .owner = a.owner, .detail = a.detail};
    return v;
}

static void decide_site(struct decider *d, struct site *s)
{
    struct verdict v = decide_vote(d, s->votes.items[0]);
    s->reachable = is_reachable(d, s->votes.items[0]);
    for (size_t i = 1; i < s->votes.count; i++) {
        v = combine(v, decide_vote(d, s->votes.items[i]));
        s->reachable |= is_reachable(d, s->votes.items[i]);
    }
    s->action = v.action;
    s->id = v.id;
    s->edited = v.edited && v.action != ACTION_LEFT;
    s->owner = v.owner;
    s->detail = v.detail;
    s->head = v.head;
    s->inside = v.inside;
    s->tail = v.tail;
}

/* Where the include of a file's edits goes. A file that is included inside a function, namespace or
 * class gets it in its includers. Empty: nowhere in the tree. */
static void find_prelude(struct program *p, struct program_file *f, strings *out, int depth)
{
    bool nested = false;
    for (size_t i = 0; i < f->views.count; i++)
        for (size_t k = 0; k < f->views.items[i]->includes.count; k++)
            nested |= f->views.items[i]->includes.items[k].nested;
    if (!nested) {
        strings_add_unique(out, f->path);
        return;
    }
    for (size_t i = 0; i < f->views.count && depth < 64; i++)
        for (size_t k = 0; k < f->views.items[i]->includes.count; k++) {
            struct program_file *by = program_file(p, f->views.items[i]->includes.items[k].by);
            if (by && !by->main_of_failed)
                find_prelude(p, by, out, depth + 1);
        }
}

void decide_sites(struct program *p, const struct options *o)
{
    struct decider d = {.p = p, .o = o};
    graph_init(&d.graph, p);
    for (size_t i = 0; i < p->roots.count; i++)
        graph_mark(&d.graph, p->roots.items[i], d.graph.closure);
    for (size_t i = 0; i < o->placements.count; i++)
        if (o->placements.items[i].node != NODE_OWNER)
            graph_mark(&d.graph, o->placements.items[i].key, d.graph.closure);
    for (size_t i = 0; i < p->files.count; i++)
        find_prelude(p, &p->files.items[i], &p->files.items[i].prelude_in, 0);
    for (size_t i = 0; i < p->sites.count; i++)
        decide_site(&d, &p->sites.items[i]);
    graph_release(&d.graph);
}
