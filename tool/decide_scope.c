/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which function gets NUMAFY_SCOPE(owner), which statement an enter(owner), and which sites that no
 * edit can reach are covered by them. A scope's owner is `this`, or the first parameter, that owns
 * what the body needs; a statement whose own owner is another one, or whose function may have no
 * scope, is entered by itself.
 */
#include "decide_p.h"

#include "roots.h"

#include <stdlib.h>
#include <string.h>

/* Needs and owners */

/* The sites that a scope covers, if all places that make the allocation have one. */
struct cover {
    const char *site, *owner;
    size_t needs, covered;
};

struct scoper {
    struct decider *d;
    struct strmap left_sites; /* "file:offset" -> index in the program's sites */
    struct strmap cover_index;
    VEC(struct cover) covers;
    struct strmap entered; /* "file:offset" -> index in the program's scopes */
    size_t first;          /* of the program's scopes, in the body at hand */
    bool holds;            /* a class that a root reaches holds library objects */
};

/* Left for a reason that does not forbid another way. What a placement new constructs may allocate,
 * although it does not. */
static bool may_be_covered(const struct decider *d, const struct site *s)
{
    if (s->action != ACTION_LEFT)
        return false;
    if (s->id == NF_PLACEMENT)
        return decide_constructs(d, s->votes.items[0]);
    return s->id == NF_MACRO_BODY || s->id == NF_MACRO_NAME || s->id == NF_PASTED ||
           s->id == NF_LIBRARY_FACTORY;
}

static void scoper_init(struct scoper *s, struct decider *d)
{
    memset(s, 0, sizeof *s);
    s->d = d;
    for (size_t i = 0; i < d->p->sites.count; i++) {
        const struct site *site = &d->p->sites.items[i];
        if (may_be_covered(d, site))
            strmap_put(&s->left_sites,
                       arena_printf(&d->p->arena, "%s:%u", site->file, site->offset), i);
    }
    for (size_t i = 0; i < d->p->types.count && !s->holds; i++) {
        const struct fact_type *t = &d->p->types.items[i];
        s->holds = (t->flags & TYPE_HOLDS_ALLOC) && reach_in_closure(&d->reach, t->key);
    }
}

static void scoper_release(struct scoper *s)
{
    strmap_release(&s->left_sites);
    strmap_release(&s->cover_index);
    strmap_release(&s->entered);
    vec_release(&s->covers);
}

/* The object is a local variable: it matters only if that is a root, and only to it. */
static bool is_locals(const struct fact_need *n)
{
    return n->owners.count && n->owners.items[0].kind == OWNER_LOCAL;
}

static bool need_counts(const struct scoper *s, const struct fact_need *n)
{
    if (is_locals(n) && !roots_find(s->d->p, n->owners.items[0].var))
        return false;
    if (*n->site)
        return strmap_find(&s->left_sites, n->site) != STRMAP_NONE;
    return !*n->assigned || decide_may_allocate(s->d, n->assigned);
}

/* An owner of a library's class is reached if what it holds is; of one that mentions no class of
 * the tree nobody can tell whose part it is. */
static bool owner_reached(const struct scoper *s, const struct fact_owner *o)
{
    const struct reach *r = &s->d->reach;
    if (s->d->o->all || o->kind == OWNER_LOCAL || (*o->cls && reach_in_closure(r, o->cls)))
        return true;
    const struct fact_type *t = program_type(s->d->p, o->cls);
    for (size_t i = 0; t && !strncmp(o->cls, "lib:", 4) && i < t->edges.count; i++)
        if (reach_in_closure(r, t->edges.items[i]))
            return true;
    return !*o->cls && s->holds;
}

static const char *owner_text(const struct scoper *s, const struct fact_owner *o)
{
    static const struct fact_site cxx = {.flags = SITE_CXX};
    return decide_owner_text(s->d, &cxx, o);
}

static bool same_owner(const struct fact_owner *a, const struct fact_owner *b)
{
    return !strcmp(a->expr, b->expr) && a->take_address == b->take_address;
}

/* The object that the need is for is part of what the owner names. */
static bool is_direct(const struct fact_need *n, const struct fact_owner *o)
{
    if (o->kind == OWNER_THIS)
        return n->this_object;
    return *n->parameter && n->owners.count && same_owner(&n->owners.items[0], o);
}

static bool covers(struct scoper *s, const struct fact_need *n, const struct fact_owner *o)
{
    if (is_direct(n, o))
        return true;
    if (*n->parameter || is_locals(n))
        return false;
    return *n->key ? reach_reaches(&s->d->reach, o->cls, n->key)
                   : o->kind == OWNER_THIS && !*n->site;
}

static const struct fact_owner *scope_owner(struct scoper *s, const struct fact_scope *f)
{
    for (int direct = 1; direct >= 0; direct--)
        for (size_t i = 0; i < f->owners.count; i++) {
            const struct fact_owner *o = &f->owners.items[i];
            for (size_t k = 0; owner_reached(s, o) && k < f->needs.count; k++) {
                const struct fact_need *n = &f->needs.items[k];
                if ((direct ? is_direct(n, o) : covers(s, n, o)) && need_counts(s, n))
                    return o;
            }
        }
    return NULL;
}

/* One body, all units' views of it */

struct body {
    const struct fact_scope *const *views;
    size_t count;
    const struct fact_owner *owner; /* of a scope that is there or will be */
    int left;
};

/* What forbids a statement's enter, and a scope as well. */
static int body_file(const struct scoper *s, const struct body *b)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->views[i]->replaced && !s->d->o->force_alloc)
            return NF_REPLACED;
    return decide_file(s->d, b->views[0]->file);
}

static int body_left(const struct scoper *s, const struct body *b)
{
    int left = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->views[i]->left && (!left || b->views[i]->left < left))
            left = b->views[i]->left;
    return left ? left : body_file(s, b);
}

/* The owner that all views with needs agree on. */
static void body_owner(struct scoper *s, struct body *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct fact_owner *o = scope_owner(s, b->views[i]);
        if (o && b->owner && !same_owner(o, b->owner))
            b->left = NF_CONFLICT;
        b->owner = b->owner ? b->owner : o;
    }
    bool enter = b->left != NF_CONSTEXPR && b->left != NF_TAG_MACRO && !body_file(s, b);
    if (enter && tails_recursive(&s->d->tails, b->views[0]->key))
        b->left = NF_SCOPE_RECURSION;
}

static void count_cover(struct scoper *s, const struct fact_need *n, const char *owner)
{
    size_t i = strmap_find(&s->cover_index, n->site);
    if (i == STRMAP_NONE) {
        i = s->covers.count;
        strmap_put(&s->cover_index, n->site, i);
        struct cover *c = vec_add(&s->covers);
        c->site = n->site;
    }
    struct cover *c = &s->covers.items[i];
    c->needs++;
    c->covered += owner != NULL;
    c->owner = c->owner ? c->owner : owner;
}

/* An enter in front of the statement; false: it cannot be there. */
static bool enter_statement(struct scoper *s, const struct body *b, const struct fact_scope *f,
                            const struct fact_need *n)
{
    struct program *p = s->d->p;
    const struct fact_owner *o = n->owners.count ? &n->owners.items[0] : NULL;
    if (!o || o->reject || !owner_reached(s, o))
        return !b->owner || !covers(s, n, b->owner); /* nothing that a root reaches */
    if (!n->end)
        return false;
    const char *text = owner_text(s, o);
    const char *id = arena_printf(&p->arena, "%s:%u", f->file, n->start);
    size_t known = strmap_find(&s->entered, id);
    if (known != STRMAP_NONE) {
        struct scope *other = &p->scopes.items[known];
        if (strcmp(other->owner, text) != 0) {
            other->action = ACTION_LEFT;
            other->id = NF_CONFLICT;
            other->edited = false;
        }
        return true;
    }
    strmap_put(&s->entered, id, p->scopes.count);
    struct scope *e = vec_add(&p->scopes);
    *e = (struct scope){.file = f->file, .offset = n->start, .line = n->line, .column = n->column};
    e->function = f->function;
    e->kind = "enter";
    e->action = ACTION_SCOPE;
    e->edited = !n->tagged;
    e->owner = text;
    /* An object whose address is known elsewhere would keep the frame of a function that calls
     * itself in tail position: there the C form, which has none. */
    bool object = b->left != NF_SCOPE_RECURSION;
    e->head = arena_printf(&p->arena, "((void)%s(%s), ",
                           object ? "::numafy::enter" : "numafy_enter", text);
    e->tail = object ? ")" : ", (void)numafy_leave(0))";
    e->end = n->end;
    e->needs = 1;
    return true;
}

/* Part of a statement that is entered for another need. */
static bool is_inside_entered(const struct scoper *s, const struct fact_scope *f,
                              const struct fact_need *n)
{
    const struct program *p = s->d->p;
    for (size_t i = p->scopes.count; i-- > s->first;) {
        const struct scope *e = &p->scopes.items[i];
        if (e->tail && !strcmp(e->file, f->file) && e->offset <= n->offset && n->offset < e->end)
            return true;
    }
    return false;
}

typedef VEC(const struct fact_need *) needs;

/* What all needs that a scope covers depend on: one template parameter, or "". */
static const char *scope_depends(struct scoper *s, const struct body *b)
{
    const char *one = NULL;
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->views[i]->needs.count; k++) {
            const struct fact_need *n = &b->views[i]->needs.items[k];
            if (!need_counts(s, n) || !covers(s, n, b->owner))
                continue;
            if (one && strcmp(one, n->dependent) != 0)
                return "";
            one = n->dependent;
        }
    return one ? one : "";
}

/* Looks at each need with the scope that its function has, or has not. Returns how many the scope
 * covers; *missed those that nothing does. */
static size_t look_at_needs(struct scoper *s, const struct body *b, bool scope, size_t *missed)
{
    size_t covered = 0;
    needs rest = {0};
    bool no_enter = b->left == NF_CONSTEXPR || b->left == NF_TAG_MACRO || body_file(s, b);
    s->first = s->d->p->scopes.count;
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < b->views[i]->needs.count; k++) {
            const struct fact_need *n = &b->views[i]->needs.items[k];
            if (!need_counts(s, n))
                continue;
            bool by_scope = scope && covers(s, n, b->owner);
            covered += by_scope;
            if (*n->site)
                count_cover(s, n, by_scope ? owner_text(s, b->owner) : NULL);
            else if (!by_scope && (no_enter || !enter_statement(s, b, b->views[i], n)))
                vec_push(&rest, n);
        }
    *missed = 0;
    for (size_t i = 0; i < rest.count; i++)
        *missed += !is_inside_entered(s, b->views[0], rest.items[i]);
    vec_release(&rest);
    return covered;
}

static void decide_body(struct scoper *s, struct body *b)
{
    struct program *p = s->d->p;
    const struct fact_scope *f = b->views[0];
    size_t missed;
    bool tagged = false;
    for (size_t i = 0; i < b->count; i++)
        tagged |= b->views[i]->tagged;
    b->left = body_left(s, b);
    body_owner(s, b);
    bool scope = b->owner && (tagged || !b->left);
    size_t covered = look_at_needs(s, b, scope, &missed);
    if (!b->owner || (!scope && !missed))
        return;
    struct scope *e = vec_add(&p->scopes);
    *e = (struct scope){.file = f->file, .offset = f->offset, .line = f->line, .column = f->column};
    e->function = f->function;
    e->kind = "scope";
    e->action = scope ? ACTION_SCOPE : ACTION_LEFT;
    e->id = scope ? 0 : b->left;
    e->edited = scope && !tagged;
    e->owner = owner_text(s, b->owner);
    const char *depends = scope ? scope_depends(s, b) : "";
    e->head = *depends ? arena_printf(&p->arena, " NUMAFY_SCOPE_OF(%s, %s);", depends, e->owner)
                       : arena_printf(&p->arena, " NUMAFY_SCOPE(%s);", e->owner);
    e->end = f->offset;
    e->needs = scope ? covered : missed;
}

static int compare_views(const void *a, const void *b)
{
    const struct fact_scope *x = *(const struct fact_scope *const *)a;
    const struct fact_scope *y = *(const struct fact_scope *const *)b;
    int c = strcmp(x->file, y->file);
    return c ? c : x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int compare_scopes(const void *a, const void *b)
{
    const struct scope *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    if (!c && x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return c ? c : x->column < y->column ? -1 : x->column > y->column;
}

static void cover_sites(struct scoper *s)
{
    struct program *p = s->d->p;
    for (size_t i = 0; i < s->covers.count; i++) {
        const struct cover *c = &s->covers.items[i];
        size_t at = strmap_find(&s->left_sites, c->site);
        if (at == STRMAP_NONE || c->covered < c->needs)
            continue;
        p->sites.items[at].action = ACTION_SCOPE;
        p->sites.items[at].id = 0;
        p->sites.items[at].owner = c->owner;
    }
}

void decide_scopes(struct decider *d)
{
    struct scoper s;
    VEC(const struct fact_scope *) views = {0};
    scoper_init(&s, d);
    for (size_t i = 0; i < d->p->units.count; i++) {
        const struct fact_unit *u = d->p->units.items[i];
        for (size_t k = 0; !u->failed && k < u->scopes.count; k++)
            vec_push(&views, &u->scopes.items[k]);
    }
    vec_sort(&views, compare_views);
    for (size_t i = 0, n; i < views.count; i += n) {
        for (n = 1; i + n < views.count && !compare_views(&views.items[i], &views.items[i + n]);)
            n++;
        struct body b = {views.items + i, n, NULL, 0};
        decide_body(&s, &b);
    }
    cover_sites(&s);
    vec_sort(&d->p->scopes, compare_scopes);
    vec_release(&views);
    scoper_release(&s);
}
