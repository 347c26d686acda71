/* SPDX-License-Identifier: Apache-2.0 */
#include "decide_p.h"

#include "path.h"
#include "places.h"
#include "planted.h"
#include "roots.h"

#include <stdlib.h>
#include <string.h>

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

bool decide_may_allocate(const struct decider *d, const char *key)
{
    return may_allocate(d->p, key, "", 0);
}

bool decide_constructs(const struct decider *d, const struct fact_site *f)
{
    if (f->flags & (SITE_POINTER | SITE_FUNDAMENTAL))
        return (f->flags & SITE_LIBRARY_ALLOC) != 0;
    return (f->flags & SITE_DEPENDENT) || may_allocate(d->p, f->type_key, f->ctor, 0);
}

/* One vote */

static const struct placement *request_of(const struct decider *d, const struct fact_site *f)
{
    if (f->flags & (SITE_POINTER | SITE_FUNDAMENTAL))
        return NULL;
    for (size_t i = 0; i < d->o->placements.count; i++)
        if (!strcmp(d->o->placements.items[i].key, f->type_key))
            return &d->o->placements.items[i];
    return NULL;
}

bool decide_node(const struct decider *d, const struct fact_site *f, int *node)
{
    const struct program_root *root = roots_find(d->p, f->dest_var);
    const struct placement *pl = request_of(d, f);
    if (root)
        *node = root->node;
    else if (pl && pl->node != NODE_OWNER)
        *node = pl->node;
    else
        return false;
    return true;
}

/* --place T=owner: a T follows its owner as if a root reached it. */
static bool follows_owner(const struct decider *d, const struct fact_site *f)
{
    const struct placement *pl = request_of(d, f);
    return d->o->all || (pl && pl->node == NODE_OWNER);
}

static bool in_closure(const struct decider *d, const char *key)
{
    /* A template's parameter is reached if some class is that may be its argument. */
    return d->o->all ||
           (!strncmp(key, "T:", 2) ? d->reached_argument : reach_in_closure(&d->reach, key));
}

/* Whether a root reaches the site at all, whoever its owner turns out to be. */
static bool is_reachable(const struct decider *d, const struct fact_site *f)
{
    if (request_of(d, f) || roots_find(d->p, f->dest_var) ||
        (*f->type_key && in_closure(d, f->type_key)))
        return true;
    for (size_t i = 0; i < f->owners.count; i++)
        if (f->owners.items[i].kind == OWNER_DESTINATION && *f->owners.items[i].cls &&
            in_closure(d, f->owners.items[i].cls))
            return true;
    return false;
}

/* A class whose base is a template's parameter may have what an argument brings. */
static bool has_own_new(const struct decider *d, const char *key, int depth)
{
    const struct fact_type *t = program_type(d->p, key);
    if (!strncmp(key, "T:", 2))
        return depth > 0 && d->own_argument;
    if (!t || depth > 64)
        return false;
    if (t->flags & TYPE_OWN_NEW)
        return true;
    for (size_t i = 0; i < t->bases.count; i++)
        if (has_own_new(d, t->bases.items[i], depth + 1))
            return true;
    return false;
}

/* Can the parameter stand for a class with its own operator new? */
static bool may_be_own_new(const struct decider *d, const struct fact_site *f)
{
    bool plain = !strncmp(f->type_key, "T:", 2) && !(f->flags & SITE_OPEN_PARAM);
    return plain ? d->own_argument : d->p->own_new;
}

int decide_file(const struct decider *d, const char *path)
{
    const struct program_file *file = program_file(d->p, path);
    if (file && file->main_of_failed && !NUMAFY_PLANTED_TOOL(11))
        return NF_FAILED_FILE;
    if (file && !file->prelude_in.count)
        return NF_NO_PRELUDE;
    return 0;
}

/* What forbids any edit, whoever the owner. 0 if nothing does. */
static int forbidden(const struct decider *d, const struct fact_site *f)
{
    if (f->left)
        return f->left;
    bool call = (f->flags & (SITE_CALL | SITE_ALLOCATOR)) != 0;
    /* Where `::new` is written no class's operator is meant. */
    bool bypass = call || f->start < f->offset || NUMAFY_PLANTED_TOOL(12);
    if (!bypass && !(f->flags & SITE_FUNDAMENTAL) && *f->type_key && !(f->flags & SITE_POINTER) &&
        has_own_new(d, f->type_key, 0))
        return NF_OWN_NEW;
    if (!bypass && (f->flags & SITE_DEPENDENT) && may_be_own_new(d, f))
        return NF_DEPENDENT_OWN_NEW;
    if ((f->flags & SITE_REPLACED) && !d->o->force_alloc && !NUMAFY_PLANTED_TOOL(13))
        return NF_REPLACED;
    return decide_file(d, f->file);
}

/* A variable's own object among the guesses that is a root. */
static const struct fact_owner *rooted_owner(const struct decider *d, const struct fact_site *f)
{
    for (size_t i = 0; i < f->owners.count; i++)
        if (roots_find(d->p, f->owners.items[i].var) && decide_passes(d, f->owners.items[i].via))
            return &f->owners.items[i];
    return NULL;
}

const struct fact_owner *decide_owner(struct decider *d, const struct fact_site *f, int *id)
{
    const struct fact_owner *rooted = rooted_owner(d, f);
    if (rooted)
        return rooted;
    bool plain = (f->flags & SITE_FUNDAMENTAL) && !(f->flags & SITE_LIBRARY);
    *id = plain ? NF_FUNDAMENTAL : NF_NO_OWNER;
    int rejected = 0;
    /* Where it is stored later, if no root reaches that: another guess may be reached. */
    const struct fact_owner *later = NULL;
    for (size_t i = 0; i < f->owners.count; i++) {
        size_t at = NUMAFY_PLANTED_TOOL(3) ? f->owners.count - 1 - i : i;
        const struct fact_owner *o = &f->owners.items[at];
        if (!decide_passes(d, o->via) || o->kind == OWNER_GLOBAL)
            continue;
        bool destination = o->kind == OWNER_DESTINATION || o->kind == OWNER_LATER || o->keeps;
        /* A call that nothing says the type of, in a template: as good a guess as any. */
        bool unknown = o->kind == OWNER_THIS && (f->flags & SITE_CALL) &&
                       (f->flags & SITE_DEPENDENT) && !*f->type_key;
        if (!destination && !unknown &&
            !(*f->type_key && reach_reaches(&d->reach, o->cls, f->type_key)))
            continue;
        if (!o->reject || (NUMAFY_PLANTED_TOOL(10) && o->reject == NF_FREED_OWNER)) {
            if (decide_is_reached(d, f, o))
                return o;
            if (!later && o->kind != OWNER_LATER)
                return o;
            later = later ? later : o;
        } else if (!rejected) {
            rejected = o->reject;
        }
    }
    if (!later && rejected)
        *id = rejected;
    return later;
}

bool decide_is_reached(const struct decider *d, const struct fact_site *f,
                       const struct fact_owner *o)
{
    return follows_owner(d, f) || (*o->cls && in_closure(d, o->cls)) ||
           (o->slot && *f->type_key && in_closure(d, f->type_key));
}

const char *decide_owner_text(const struct decider *d, const struct fact_site *f,
                              const struct fact_owner *o)
{
    struct arena *a = &d->p->arena;
    bool cxx = (f->flags & SITE_CXX) != 0, open = false;
    if (cxx && o->kind != OWNER_THIS)
        open = any_base(d->p, o->take_address ? o->pointee : o->cls, TYPE_OPEN, 0);
    /* No pointer to it either: a call that is not qualified would look for functions in it. */
    if (open)
        return arena_printf(a,
                            o->take_address ? "static_cast<const void *>(__builtin_addressof(%s))"
                                            : "static_cast<const void *>(%s)",
                            o->expr);
    if (!o->take_address || NUMAFY_PLANTED_TOOL(14))
        return o->expr;
    const struct fact_type *t = program_type(d->p, o->pointee);
    bool known = !strncmp(o->pointee, "lib:", 4) || (t && (t->flags & TYPE_DEFINED));
    bool plain = !cxx || !*o->pointee || (known && !any_base(d->p, o->pointee, TYPE_ADDRESSOF, 0));
    return plain ? arena_printf(a, "&%s", o->expr)
                 : arena_printf(a, "__builtin_addressof(%s)", o->expr);
}

/* Turns the tag (`::numafy::near(p)`, `::numafy::on(1)`) into edits. */
static void make_texts(struct decider *d, const struct fact_site *f, const char *tag,
                       struct verdict *v)
{
    struct arena *a = &d->p->arena;
    /* ctor()'s temporary would keep every frame of a recursion in tail position. */
    bool scope = f->end && !(f->flags & SITE_NO_SCOPE) && decide_constructs(d, f) &&
                 !tails_recursive(&d->tails, f->in);
    char *argument = arena_printf(a, "%s%s", tag, scope ? ".ctor()" : "");
    const char *open = scope ? " ::numafy::done(" : "";
    if (f->place_at) {
        v->head = arena_printf(a, "%s ::new", open);
        v->inside = arena_printf(a, f->flags & SITE_ALIGNED ? ", %s" : "%s, ", argument);
    } else {
        v->head = arena_printf(a, "%s ::new (%s)", open, argument);
    }
    v->tail = scope && !NUMAFY_PLANTED_TOOL(2) ? arena_strdup(a, ")") : NULL;
    v->edited = true;
}

static void place_site(struct decider *d, const struct fact_site *f, int on, struct verdict *v)
{
    struct arena *a = &d->p->arena;
    bool derive = (f->flags & SITE_CLASS) && f->type_end > f->type_start &&
                  !(f->flags & SITE_NO_TYPE_TEXT) && !any_base(d->p, f->type_key, TYPE_NO_TAG, 0);
    const char *node = places_node_text(a, on);
    char *tag = derive ? arena_printf(a, "::numafy::numa<" DECIDE_TYPE_HOLE ",%s>::at", node)
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
    bool call = (f->flags & (SITE_CALL | SITE_ALLOCATOR)) != 0;
    int node;
    if (decide_node(d, f, &node) && !NUMAFY_PLANTED_TOOL(7)) {
        if (call)
            decide_call_on(d, f, places_node_text(a, node), &v);
        else
            place_site(d, f, node, &v);
        return v;
    }
    const struct fact_owner *o = decide_owner(d, f, &v.id);
    if (o && !decide_is_reached(d, f, o)) {
        v.id = NF_NOT_REACHED;
        o = NULL;
    }
    /* Without a destination a scope of the whole function does as well, and once. */
    if ((f->flags & SITE_FACTORY) &&
        (!o || (o->kind != OWNER_DESTINATION && o->kind != OWNER_TAKER))) {
        v.id = v.id == NF_NOT_REACHED ? v.id : NF_LIBRARY_FACTORY;
        return v;
    }
    if (!o)
        return v;
    v.id = 0;
    v.owner = decide_owner_text(d, f, o);
    if (call) {
        decide_call_near(d, f, v.owner, &v);
        return v;
    }
    v.action = ACTION_NEAR;
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
        return NUMAFY_PLANTED_TOOL(1) ? b : a;
    if (b.action == ACTION_LEFT)
        return NUMAFY_PLANTED_TOOL(1) ? a : b;
    if (NUMAFY_PLANTED_TOOL(6))
        return a;
    if (a.action == b.action && same_text(a.head, b.head) && same_text(a.inside, b.inside) &&
        same_text(a.tail, b.tail))
        return a;
    struct verdict v = {.id = NF_CONFLICT, .owner = a.owner, .detail = a.detail};
    return v;
}

/* The class that owns the block, or would if it could be named. */
static const char *owner_class(struct decider *d, const struct fact_site *f)
{
    for (size_t i = 0; i < f->owners.count; i++) {
        const struct fact_owner *o = &f->owners.items[i];
        bool fits = o->kind == OWNER_DESTINATION || reach_reaches(&d->reach, o->cls, f->type_key);
        if (fits && *o->cls)
            return o->cls;
    }
    return "";
}

static void decide_site(struct decider *d, struct site *s)
{
    struct verdict v = decide_vote(d, s->votes.items[0]);
    s->reachable = is_reachable(d, s->votes.items[0]);
    for (size_t i = 1; i < s->votes.count; i++) {
        v = combine(v, decide_vote(d, s->votes.items[i]));
        s->reachable |= is_reachable(d, s->votes.items[i]);
    }
    s->owner_key = owner_class(d, s->votes.items[0]);
    s->action = v.action;
    s->id = v.id;
    s->edited = v.edited && v.action != ACTION_LEFT;
    s->owner = v.owner;
    s->detail = v.detail;
    s->head = v.head;
    s->inside = v.inside;
    s->tail = v.tail;
    s->whole = v.whole;
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

/* The controls of the evidence run: one edit, or all of them, taken back. */
static void leave_for_test(struct program *p, const char *leave)
{
    const char *colon = strrchr(leave, ':');
    bool all = *leave == '*';
    size_t length = colon ? (size_t)(colon - leave) : 0;
    unsigned line = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
    for (size_t i = 0; i < p->sites.count; i++) {
        struct site *s = &p->sites.items[i];
        if (!all && (s->line != line || strncmp(s->file, leave, length) || s->file[length]))
            continue;
        s->edited = false;
        s->id = s->action == ACTION_LEFT ? s->id : NF_NOT_REACHED;
        s->action = ACTION_LEFT;
    }
    for (size_t i = 0; all && i < p->scopes.count; i++) {
        p->scopes.items[i].edited = false;
        p->scopes.items[i].action = ACTION_LEFT;
        p->scopes.items[i].id = NF_NOT_REACHED;
    }
}

void decide_sites(struct program *p, const struct options *o)
{
    struct decider d = {.p = p, .o = o};
    reach_init(&d.reach, p);
    tails_init(&d.tails, p);
    for (size_t i = 0; i < p->roots.count; i++)
        reach_add_root(&d.reach, p->roots.items[i]);
    for (size_t i = 0; i < p->rooted.count; i++)
        for (size_t k = 0; k < p->rooted.items[i].var->types.count; k++)
            reach_add_root(&d.reach, p->rooted.items[i].var->types.items[k]);
    for (size_t i = 0; i < o->placements.count; i++)
        if (o->placements.items[i].node != NODE_OWNER)
            reach_add_root(&d.reach, o->placements.items[i].key);
    for (size_t i = 0; i < p->types.count; i++)
        if (p->types.items[i].flags & TYPE_ARGUMENT) {
            d.own_argument |= has_own_new(&d, p->types.items[i].key, 0);
            d.reached_argument |= reach_in_closure(&d.reach, p->types.items[i].key);
        }
    for (size_t i = 0; i < p->files.count; i++)
        find_prelude(p, &p->files.items[i], &p->files.items[i].prelude_in, 0);
    roots_insert(p, o);
    decide_allocators(&d);
    for (size_t i = 0; i < p->sites.count; i++)
        decide_site(&d, &p->sites.items[i]);
    decide_scopes(&d);
    decide_covered(&d);
    if (*o->leave)
        leave_for_test(p, o->leave);
    strmap_release(&d.allocators);
    strmap_release(&d.covered);
    strmap_release(&d.passes);
    tails_release(&d.tails);
    reach_release(&d.reach);
}
