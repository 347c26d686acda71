/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of allocators. A function whose fresh blocks leave it, returned or stored through a
 * parameter, without an owner of their own is an allocator: its callers know the owner, so the edit
 * is made there and its mallocs follow the ambient node. Wrappers of wrappers need a fixpoint over
 * all units.
 */
#include "decide_p.h"

#include "planted.h"

#include <stdlib.h>
#include <string.h>

static bool is_allocator(const struct decider *d, const char *key)
{
    return *key && strmap_find(&d->allocators, key) != STRMAP_NONE;
}

/* The site has a node whoever calls the function around it. A parameter may be NULL, and then the
 * caller's scope is what counts. */
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
    return o && o->kind != OWNER_PARAMETER;
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
            site |= !(f->flags & SITE_CALL) || is_allocator(d, f->callee);
        }
        if (site)
            p->sites.items[kept++] = *s;
        else
            vec_release(&s->votes);
    }
    p->sites.count = kept;
}

/* A site whose block leaves a function makes that an allocator; if it is a call, once the function
 * that it calls is one. What overrides may be what is called. */
void decide_allocators(struct decider *d)
{
    struct spread spread = {0};
    for (size_t i = 0; i < d->p->units.count; i++) {
        const struct fact_unit *u = d->p->units.items[i];
        for (size_t k = 0; k < u->passes.count; k++)
            strmap_put(&d->passes, u->passes.items[k].argument, 0);
        for (size_t k = 0; k < u->overrides.count; k++)
            add_rule(&spread, u->overrides.items[k].key, u->overrides.items[k].overridden);
    }
    for (size_t i = 0; i < d->p->sites.count; i++) {
        const struct site *s = &d->p->sites.items[i];
        for (size_t k = 0; k < s->votes.count; k++) {
            const struct fact_site *f = s->votes.items[k];
            if (!leaves_function(d, f))
                continue;
            if (f->flags & SITE_CALL)
                add_rule(&spread, f->callee, f->in);
            else
                add_known(&spread, &d->allocators, f->in);
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
    if (f->result == RESULT_VALUE && tails_recursive(&d->tails, f->in))
        return NF_SCOPE_RECURSION;
    bool last = f->flow == FLOW_TAIL || f->result == RESULT_VOID ||
                (f->result != RESULT_VALUE && !strcmp(f->cast, "void"));
    bool back = last && (f->flags & SITE_CALL) && *f->in &&
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

void decide_covered(struct decider *d)
{
    struct program *p = d->p;
    struct spread spread = {0};
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct site *s = &p->sites.items[i];
        const struct fact_site *f = s->votes.items[0];
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
}
