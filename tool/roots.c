/* SPDX-License-Identifier: Apache-2.0 */
#include "roots.h"

#include "places.h"

#include <errno.h>
#include <string.h>

/* k as NUMA(k) or a macro has it: a number in any parentheses, or one of the runtime's names. */
static int parse_mark(struct arena *a, const char *text, int *node)
{
    char *plain = arena_alloc(a, strlen(text) + 1), *to = plain, *end;
    for (; *text; text++)
        if (!strchr("() \t", *text))
            *to++ = *text;
    *to = '\0';
    errno = 0;
    long n = strtol(plain, &end, 10);
    if (!strcmp(plain, "NUMAFY_LOCAL"))
        n = NODE_LOCAL;
    else if (!strcmp(plain, "NUMAFY_INTERLEAVE"))
        n = NODE_INTERLEAVE;
    else if (errno || end == plain || *end || n > NODE_MAX ||
             (n < 0 && n != NODE_LOCAL && n != NODE_INTERLEAVE))
        return -1;
    *node = (int)n;
    return 0;
}

/* The command line is heard before the mark in the source: roots are added in that order. */
static void add_root(struct program *p, const struct fact_var *v, int node)
{
    for (size_t i = 0; i < p->rooted.count; i++)
        if (p->rooted.items[i].var == v)
            return;
    struct program_root r = {v, node};
    vec_push(&p->rooted, r);
}

/* `name` is the whole of `full`, or what follows one of its ::. */
static bool ends_with_name(const char *full, const char *name)
{
    size_t n = strlen(full), m = strlen(name);
    return m <= n && !strcmp(full + n - m, name) &&
           (m == n || (n - m >= 2 && full[n - m - 1] == ':' && full[n - m - 2] == ':'));
}

/* `name` without FILE: in front, which several programs of a tree need: *file, of *length. */
static const char *split_file(const char *name, const char **file, size_t *length)
{
    const char *colon = strchr(name, ':');
    while (colon && colon[1] == ':')
        colon = strchr(colon + 2, ':');
    *file = name;
    *length = colon ? (size_t)(colon - name) : 0;
    return colon ? colon + 1 : name;
}

/* The path ends in these whole parts. */
static bool is_file(const char *path, const char *file, size_t length)
{
    size_t n = strlen(path);
    return !length || (n >= length && (n == length || path[n - length - 1] == '/') &&
                       !strncmp(path + n - length, file, length));
}

/* All variables of that name, which may begin with FILE: */
static void find_vars(const struct program *p, const char *name, bool whole, strings *found,
                      const struct fact_var **last)
{
    const char *file;
    size_t length;
    name = split_file(name, &file, &length);
    for (size_t i = 0; i < p->vars.count; i++) {
        const struct fact_var *v = &p->vars.items[i];
        if (!is_file(v->file, file, length))
            continue;
        if (whole ? strcmp(v->name, name) != 0 : !ends_with_name(v->name, name))
            continue;
        vec_push(found, v->key);
        *last = v;
    }
}

static void list_vars(struct program *p, const strings *keys, struct strbuf *err)
{
    for (size_t k = 0; k < keys->count; k++)
        for (size_t i = 0; i < p->vars.count; i++) {
            const struct fact_var *v = &p->vars.items[i];
            if (!strcmp(v->key, keys->items[k]))
                strbuf_printf(err, "%s %s (%s:%u)", k ? "," : "", v->name, v->file, v->line);
        }
}

/* Blocks of one function may have a variable of that name each: the name means all of them. */
static bool are_namesakes(const struct program *p, const strings *keys)
{
    const struct fact_var *first = NULL;
    for (size_t k = 0; k < keys->count; k++)
        for (size_t i = 0; i < p->vars.count; i++) {
            const struct fact_var *v = &p->vars.items[i];
            if (strcmp(v->key, keys->items[k]) != 0)
                continue;
            first = first ? first : v;
            if (!(v->flags & VAR_LOCAL) || strcmp(v->name, first->name) ||
                strcmp(v->file, first->file))
                return false;
        }
    return first != NULL;
}

static void add_all(struct program *p, const strings *keys, int node)
{
    for (size_t k = 0; k < keys->count; k++)
        for (size_t i = 0; i < p->vars.count; i++)
            if (!strcmp(p->vars.items[i].key, keys->items[k]))
                add_root(p, &p->vars.items[i], node);
}

static int resolve_request(struct program *p, const struct request *r, struct strbuf *err)
{
    strings found = {0}, names = {0};
    const struct fact_var *v = NULL;
    const char *name = !strncmp(r->name, "::", 2) ? r->name + 2 : r->name;
    find_vars(p, name, true, &found, &v);
    if (!found.count)
        find_vars(p, name, false, &found, &v);
    bool known = found.count == 1 || are_namesakes(p, &found);
    if (found.count == 1) {
        add_root(p, v, r->node);
    } else if (known) {
        add_all(p, &found, r->node);
    } else {
        strbuf_printf(err, "%s: %s", options_request_name(&p->arena, "--root", r),
                      found.count ? "more than one variable has this name:"
                                  : "no such variable in the tree");
        list_vars(p, &found, err);
        for (size_t i = 0; i < p->vars.count && !found.count; i++)
            vec_push(&names, p->vars.items[i].name);
        places_offer(&names, name, err);
    }
    int result = known ? 0 : -1;
    vec_release(&found);
    vec_release(&names);
    return result;
}

int roots_resolve(struct program *p, const struct options *o, struct strbuf *err)
{
    for (size_t i = 0; i < o->roots.count; i++)
        if (resolve_request(p, &o->roots.items[i], err))
            return -1;
    for (size_t i = 0; i < p->vars.count; i++) {
        const struct fact_var *v = &p->vars.items[i];
        int node;
        if (!*v->node)
            continue;
        if (parse_mark(&p->arena, v->node, &node))
            program_note(p, NF_ROOT_NODE, v->file, v->line, v->column,
                         arena_printf(&p->arena, "%s: %s", v->name, v->node));
        else
            add_root(p, v, node);
    }
    return 0;
}

const struct program_root *roots_find(const struct program *p, const char *key)
{
    for (size_t i = 0; *key && i < p->rooted.count; i++)
        if (!strcmp(p->rooted.items[i].var->key, key))
            return &p->rooted.items[i];
    return NULL;
}

/* Why nothing is inserted behind the declaration, or NULL. */
static const char *why_not(const struct program *p, const struct options *o,
                           const struct fact_var *v)
{
    const struct program_file *f = program_file(p, v->file);
    if (!(v->flags & VAR_DEFINITION))
        return "the tree only declares it";
    if (*v->why)
        return v->why;
    if ((v->flags & VAR_REPLACED) && !o->force_alloc)
        return nf_text(NF_REPLACED);
    if (!f || f->main_of_failed)
        return nf_text(NF_FAILED_FILE);
    return f->prelude_in.count ? NULL : nf_text(NF_NO_PRELUDE);
}

/* Its initialiser is on the root's node; not where the declaration has one of another node, too. */
static bool is_begun(const struct program *p, const struct program_root *r)
{
    for (size_t i = 0; i < p->rooted.count; i++) {
        const struct program_root *other = &p->rooted.items[i];
        if (other->node != r->node && other->var->at == r->var->at &&
            !strcmp(other->var->file, r->var->file))
            return false;
    }
    return r->var->from != 0;
}

static void add_insert(struct program *p, const char *file, unsigned offset, const char *text)
{
    struct program_insert in = {file, text, offset};
    vec_push(&p->inserts, in);
}

/* Its address goes to a function that makes what it points to, and may ask the place for a node. */
static bool is_given(const struct program *p, const struct fact_var *v)
{
    for (size_t i = 0; i < p->sites.count; i++)
        for (size_t k = 0; k < p->sites.items[i].votes.count; k++) {
            const struct fact_site *f = p->sites.items[i].votes.items[k];
            if ((f->flags & SITE_GIVEN) && !strcmp(f->dest_var, v->key))
                return true;
        }
    return false;
}

/* What a pointer is assigned is on the node without more. A local's place tells no node, and the
 * call's holds. Without any edit a pointer is known as a root only if it is registered. */
static bool is_to_register(const struct program *p, const struct options *o,
                           const struct fact_var *v)
{
    if (v->flags & VAR_ROOTED)
        return false;
    return !(v->flags & VAR_POINTER) || *o->leave == '*' ||
           (!(v->flags & VAR_LOCAL) && is_given(p, v));
}

void roots_insert(struct program *p, const struct options *o)
{
    struct arena *a = &p->arena;
    for (size_t i = 0; i < p->rooted.count; i++) {
        const struct fact_var *v = p->rooted.items[i].var;
        if (!is_to_register(p, o, v))
            continue;
        const char *why = why_not(p, o, v);
        if (why) {
            program_note(p, NF_ROOT_LEFT, v->file, v->line, v->column,
                         arena_printf(a, "%s: %s", v->name, why));
            continue;
        }
        bool local = (v->flags & VAR_LOCAL) != 0;
        const char *node = places_node_text(a, p->rooted.items[i].node);
        const char *made = "";
        if (local && *o->leave != '*' && is_begun(p, &p->rooted.items[i])) {
            add_insert(p, v->file, v->from,
                       arena_printf(a, "NUMAFY_ROOT_BEGIN(%s, %s); ", v->text, node));
            made = arena_printf(a, " NUMAFY_ROOT_MADE(%s);", v->text);
        }
        add_insert(p, v->file, v->at,
                   arena_printf(a, " NUMAFY_ROOT_%s(%s, %s)%s%s", local ? "OBJECT" : "GLOBAL",
                                v->text, node, local ? ";" : "", made));
    }
}
