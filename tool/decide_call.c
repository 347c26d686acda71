/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of allocators. A function whose fresh blocks leave it, returned or stored through a
 * parameter, without an owner of their own is an allocator: its callers know the owner, so the edit
 * is made there and its mallocs follow the ambient node. Wrappers of wrappers need a fixpoint over
 * all units.
 */
#include "decide_p.h"

#include "planted.h"
#include "roots.h"

#include <stdlib.h>
#include <string.h>

static bool has(const struct strmap *keys, const char *key)
{
    return *key && strmap_find(keys, key) != STRMAP_NONE;
}

/* A function that stores a fresh block through an argument, as a key beside that of one which
 * returns it. */
static const char *storing(const struct decider *d, const char *key)
{
    return *key ? arena_printf(&d->p->arena, "*%s", key) : "";
}

/* The block of a call is the one that the callee stores through an argument. */
static bool is_stored(const struct decider *d, const struct fact_site *f)
{
    return (f->flags & SITE_CALL) && !has(&d->allocators, f->callee) &&
           has(&d->allocators, storing(d, f->callee));
}

/* The site as that block's. */
static const struct fact_site *stored_view(struct decider *d, const struct fact_site *f)
{
    const unsigned type = SITE_POINTER | SITE_CLASS | SITE_FUNDAMENTAL;
    struct fact_site *view = arena_alloc(&d->p->arena, sizeof *view);
    *view = *f;
    view->flags = (f->flags & ~type) | f->out_flags;
    view->type = f->out_type;
    view->type_key = f->out_key;
    view->flow = f->out_flow;
    return view;
}

/* The site has a node whoever calls the function around it. A parameter, and what a call gets, may
 * be NULL, or a local object, and then the caller's scope is what counts. */
static bool is_owned(struct decider *d, const struct fact_site *f)
{
    int id, node;
    if (f->left)
        return false;
    if ((f->flags & SITE_TAGGED_ON) || decide_node(d, f, &node))
        return true;
    if (f->flow == FLOW_OUT)
        return false; /* the address given may be that of a variable on the stack */
    const struct fact_owner *o = decide_owner(d, f, &id);
    if (o && o->kind == OWNER_DESTINATION && (f->flags & SITE_ON_STACK))
        return false; /* of a list's first element it is the head on the stack */
    return o && o->kind != OWNER_PARAMETER && o->kind != OWNER_TAKER &&
           (o->kind != OWNER_LOCAL || roots_find(d->p, o->var));
}

/* Adds what follows from what is known, until nothing does. */
static void close_passes(struct decider *d)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < d->p->units.count; i++)
            for (size_t k = 0; k < d->p->units.items[i]->passes.count; k++) {
                const struct fact_pass *p = &d->p->units.items[i]->passes.items[k];
                bool holds = strmap_find(&d->passes, p->argument) == STRMAP_NONE;
                for (size_t n = 0; holds && n < p->conditions.count; n++)
                    holds = strmap_find(&d->passes, p->conditions.items[n]) != STRMAP_NONE;
                if (holds)
                    more |= strmap_put(&d->passes, p->argument, 0);
            }
    }
}

bool decide_passes(const struct decider *d, const char *via)
{
    return !*via || strmap_find(&d->passes, via) != STRMAP_NONE;
}

static bool flows_out(const struct decider *d, const struct fact_site *f)
{
    return f->flow != FLOW_NONE && *f->in && decide_passes(d, f->via);
}

static bool leaves_function(struct decider *d, const struct fact_site *f)
{
    if (f->left == NF_PLACEMENT && !*f->room)
        return false; /* in memory that was there before */
    return flows_out(d, f) && f->left != NF_UNEVALUATED && !is_owned(d, f);
}

/* `to` is of the kind that `from` is. */
struct implication {
    const char *from, *to;
};

/* What follows from what, and the keys that hold but were not followed yet. */
struct spread {
    VEC(struct implication) rules;
    strings queue;
};

static void add_rule(struct spread *s, const char *from, const char *to)
{
    struct implication rule = {from, to};
    if (*from && *to)
        vec_push(&s->rules, rule);
}

static void add_known(struct spread *s, struct strmap *known, const char *key)
{
    if (*key && strmap_put(known, key, 0))
        vec_push(&s->queue, key);
}

static int compare_rules(const void *a, const void *b)
{
    const struct implication *x = a, *y = b;
    return strcmp(x->from, y->from);
}

/* Follows every key of the queue until nothing new comes. */
static void spread_all(struct spread *s, struct strmap *known)
{
    vec_sort(&s->rules, compare_rules);
    for (size_t i = 0; i < s->queue.count; i++) {
        const char *key = s->queue.items[i];
        size_t low = 0, high = s->rules.count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (strcmp(s->rules.items[middle].from, key) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < s->rules.count && !strcmp(s->rules.items[low].from, key); low++)
            add_known(s, known, s->rules.items[low].to);
    }
    vec_release(&s->rules);
    vec_release(&s->queue);
}

/* A call is a site if any unit's view of it calls an allocator. */
static void drop_other_calls(struct decider *d)
{
    struct program *p = d->p;
    size_t kept = 0;
    for (size_t i = 0; i < p->sites.count; i++) {
        struct site *s = &p->sites.items[i];
        bool site = false;
        for (size_t k = 0; k < s->votes.count; k++) {
            const struct fact_site *f = s->votes.items[k];
            bool stored = is_stored(d, f);
            site |= !(f->flags & SITE_CALL) || stored || has(&d->allocators, f->callee);
            if (stored)
                s->votes.items[k] = stored_view(d, f);
        }
        if (site)
            p->sites.items[kept++] = *s;
        else
            vec_release(&s->votes);
    }
    p->sites.count = kept;
}

/* One block of the site: the value, or what an argument gets. In a template a call is one of any
 * function of that name. */
static void add_leaving(struct decider *d, struct spread *s, const struct fact_site *f, bool stored)
{
    if (!leaves_function(d, f))
        return;
    const char *in = f->flow == FLOW_OUT ? storing(d, f->in) : f->in;
    const char *name = arena_printf(&d->p->arena, "N:%s", f->function);
    add_rule(s, in, f->flow == FLOW_OUT ? storing(d, name) : name);
    if (f->flags & SITE_CALL)
        add_rule(s, stored ? storing(d, f->callee) : f->callee, in);
    else
        add_known(s, &d->allocators, in);
}

/* A site whose block leaves a function makes that an allocator; if it is a call, once the function
 * that it calls is one. What overrides may be what is called. */
void decide_allocators(struct decider *d)
{
    struct spread spread = {0};
    close_passes(d);
    for (size_t i = 0; i < d->p->units.count; i++) {
        const struct fact_unit *u = d->p->units.items[i];
        for (size_t k = 0; k < u->overrides.count; k++) {
            const struct fact_override *o = &u->overrides.items[k];
            add_rule(&spread, o->key, o->overridden);
            add_rule(&spread, storing(d, o->key), storing(d, o->overridden));
        }
    }
    for (size_t i = 0; i < d->p->sites.count; i++) {
        const struct site *s = &d->p->sites.items[i];
        for (size_t k = 0; k < s->votes.count; k++) {
            const struct fact_site *f = s->votes.items[k];
            add_leaving(d, &spread, f, false);
            if (f->out_flow != FLOW_NONE)
                add_leaving(d, &spread, stored_view(d, f), true);
        }
    }
    spread_all(&spread, &d->allocators);
    drop_other_calls(d);
}

/* Texts */

/* What forbids anything around the call. A call in tail position that leads back here must stay
 * one, or a recursion that ran in one frame needs one for each step. */
static int not_to_wrap(struct decider *d, const struct fact_site *f)
{
    if (f->result == RESULT_NONE || (f->flags & SITE_NO_SCOPE))
        return NF_NO_WRAP;
    bool object = f->result == RESULT_VALUE || f->result == RESULT_DEPENDENT;
    if (object && tails_recursive(&d->tails, f->in))
        return NF_SCOPE_RECURSION;
    bool last =
        (f->flags & SITE_TAIL) || f->result == RESULT_VOID || (!object && !strcmp(f->cast, "void"));
    bool back = last && (f->flags & SITE_CALL) && *f->in &&
                tails_calls(&d->tails, f->in, f->callee) &&
                (!strcmp(f->callee, f->in) || tails_lead(&d->tails, f->callee, f->in));
    return back && !NUMAFY_PLANTED_TOOL(9) ? NF_TAIL_CALL : 0;
}

/* A header that C and C++ units read gets what both understand. */
static bool is_shared_with_c(const struct decider *d, const struct fact_site *f)
{
    const struct program_file *file = program_file(d->p, f->file);
    for (size_t i = 0; file && i < file->views.count; i++)
        if (!file->views.items[i]->cxx)
            return true;
    return false;
}

/* Puts `enter` before the call and what ends it after. The C form makes no object: one whose
 * address is known elsewhere would keep the frame of a function that calls itself in tail position.
 */
static void wrap(struct decider *d, const struct fact_site *f, const char *enter, struct verdict *v)
{
    struct arena *a = &d->p->arena;
    bool cxx =
        (f->flags & SITE_CXX) && !is_shared_with_c(d, f) && !tails_recursive(&d->tails, f->in);
    v->tail = arena_strdup(a, "))");
    if (f->result == RESULT_DEPENDENT) {
        v->head = arena_printf(a, "((void)::numafy::%s, ", enter);
        v->tail = arena_strdup(a, ")");
        v->edited = true;
        return;
    }
    switch (cxx && f->result != RESULT_VOID ? RESULT_VALUE : f->result) {
    case RESULT_VALUE:
        v->head = arena_printf(a, "((void)::numafy::%s, ::numafy::leave(", enter);
        break;
    case RESULT_POINTER:
        v->head = arena_printf(a, "((void)numafy_%s, (%s)%s(", enter, f->cast,
                               NUMAFY_PLANTED_TOOL(8) ? "" : "numafy_leave");
        break;
    case RESULT_INTEGER:
        v->head = arena_printf(a, "((void)numafy_%s, (%s)numafy_leave_int(", enter, f->cast);
        break;
    case RESULT_STATEMENT:
        v->head = arena_printf(a, "{ (void)numafy_%s; ", enter);
        v->tail = arena_strdup(a, " (void)numafy_leave(0); }");
        break;
    default:
        v->head = cxx ? arena_printf(a, "((void)::numafy::%s, ", enter)
                      : arena_printf(a, "((void)numafy_%s, (void)", enter);
        v->tail = arena_strdup(a, cxx ? ")" : ", (void)numafy_leave(0))");
        break;
    }
    v->edited = true;
}

static void around(struct decider *d, const struct fact_site *f, enum site_action action,
                   const char *enter, struct verdict *v)
{
    v->id = not_to_wrap(d, f);
    if (v->id)
        return;
    v->action = action;
    wrap(d, f, enter, v);
}

void decide_call_on(struct decider *d, const struct fact_site *f, const char *node,
                    struct verdict *v)
{
    struct arena *a = &d->p->arena;
    v->owner = arena_printf(a, "on(%s)", node);
    if (!(f->flags & SITE_DIRECT) || !strcmp(f->kind, "realloc")) {
        around(d, f, ACTION_ON, arena_printf(a, "enter_on(%s)", node), v);
        if (v->edited && (f->flags & SITE_DIRECT) &&
            !NUMAFY_PLANTED_TOOL(17)) /* the head replaces the word */
            v->head = arena_printf(a, "%s%s", v->head, f->kind);
        return;
    }
    v->action = ACTION_ON;
    v->edited = true;
    if ((f->flags & SITE_SIZEOF_TYPE) && !(f->flags & SITE_CXX)) {
        v->head = arena_printf(a, "NUMAFY_NEW(" DECIDE_TYPE_HOLE ", %s)", node);
        v->whole = true;
    } else {
        v->head = arena_printf(a, "numafy_%s", f->kind);
        v->inside = arena_printf(a, "%s, ", node);
    }
}

void decide_call_near(struct decider *d, const struct fact_site *f, const char *owner,
                      struct verdict *v)
{
    struct arena *a = &d->p->arena;
    if (!(f->flags & SITE_DIRECT)) {
        around(d, f, ACTION_NEAR, arena_printf(a, "enter(%s)", owner), v);
        return;
    }
    v->action = ACTION_NEAR;
    v->edited = true;
    v->head = arena_printf(a, "numafy_%s_near", f->kind);
    v->inside = arena_printf(a, "%s, ", owner);
}

/* Covered by callers */

static bool is_covering(const struct site *s)
{
    return s->action == ACTION_NEAR || s->action == ACTION_ON || s->action == ACTION_SCOPE;
}

/* Left for want of an owner, or because nothing may surround it: its function's callers decide. */
static bool depends_on_caller(const struct decider *d, const struct site *s)
{
    const struct fact_site *f = s->votes.items[0];
    bool reason = s->id == NF_NO_OWNER || s->id == NF_FUNDAMENTAL || s->id == NF_TAIL_CALL ||
                  s->id == NF_NO_WRAP || s->id == NF_MACRO_BODY || s->id == NF_LIBRARY_FACTORY ||
                  s->id == NF_NO_THIS;
    return s->action == ACTION_LEFT && reason && flows_out(d, f);
}

/* What is constructed in a block that has a node is there with it. */
static void cover_rooms(struct decider *d)
{
    struct program *p = d->p;
    struct strmap placed = {0};
    for (size_t i = 0; i < p->sites.count; i++)
        if (p->sites.items[i].action != ACTION_LEFT)
            strmap_put(
                &placed,
                arena_printf(&p->arena, "%s:%u", p->sites.items[i].file, p->sites.items[i].offset),
                i);
    for (size_t i = 0; i < p->sites.count; i++) {
        struct site *s = &p->sites.items[i];
        if (s->action != ACTION_LEFT || s->id != NF_PLACEMENT ||
            strmap_find(&placed, s->votes.items[0]->room) == STRMAP_NONE)
            continue;
        s->action = ACTION_SCOPE;
        s->id = 0;
        s->owner = arena_strdup(&p->arena, "its room's");
    }
    strmap_release(&placed);
}

void decide_covered(struct decider *d)
{
    struct program *p = d->p;
    struct spread spread = {0};
    for (size_t i = 0; i < p->units.count; i++)
        for (size_t k = 0; k < p->units.items[i]->overrides.count; k++)
            add_rule(&spread, p->units.items[i]->overrides.items[k].overridden,
                     p->units.items[i]->overrides.items[k].key);
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct site *s = &p->sites.items[i];
        const struct fact_site *f = s->votes.items[0];
        add_rule(&spread, arena_printf(&p->arena, "N:%s", f->function), f->in);
        if (!(f->flags & SITE_CALL))
            continue;
        if (is_covering(s))
            add_known(&spread, &d->covered, f->callee);
        else
            add_rule(&spread, f->in, f->callee);
    }
    spread_all(&spread, &d->covered);
    for (size_t i = 0; i < p->sites.count; i++) {
        struct site *s = &p->sites.items[i];
        const struct fact_site *f = s->votes.items[0];
        if (!depends_on_caller(d, s) || strmap_find(&d->covered, f->in) == STRMAP_NONE)
            continue;
        s->action = ACTION_SCOPE;
        s->id = 0;
        s->owner = arena_strdup(&p->arena, "the caller's");
    }
    cover_rooms(d);
}
