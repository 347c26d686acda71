/* SPDX-License-Identifier: Apache-2.0 */
#include "tails.h"

#include <string.h>

static void add_call(struct tails *t, const char *from, const char *to)
{
    if (strmap_put(&t->index, from, t->calls.count))
        (void)vec_add(&t->calls);
    strings_add_unique(&t->calls.items[strmap_find(&t->index, from)], to);
}

/* A call of the overridden function may be one of what overrides it. */
void tails_init(struct tails *t, const struct program *p)
{
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < p->units.count; i++) {
        const struct fact_unit *u = p->units.items[i];
        for (size_t k = 0; k < u->tails.count; k++)
            for (size_t n = 0; n < u->tails.items[k].calls.count; n++)
                add_call(t, u->tails.items[k].key, u->tails.items[k].calls.items[n]);
        for (size_t k = 0; k < u->overrides.count; k++)
            add_call(t, u->overrides.items[k].overridden, u->overrides.items[k].key);
    }
}

void tails_release(struct tails *t)
{
    for (size_t i = 0; i < t->calls.count; i++)
        vec_release(&t->calls.items[i]);
    vec_release(&t->calls);
    strmap_release(&t->index);
    strmap_release(&t->recursive);
}

bool tails_calls(const struct tails *t, const char *from, const char *to)
{
    size_t i = strmap_find(&t->index, from);
    for (size_t k = 0; i != STRMAP_NONE && k < t->calls.items[i].count; k++)
        if (!strcmp(t->calls.items[i].items[k], to))
            return true;
    return false;
}

bool tails_lead(const struct tails *t, const char *from, const char *to)
{
    struct strmap seen = {0};
    strings queue = {0};
    bool found = false;
    vec_push(&queue, from);
    for (size_t head = 0; head < queue.count && !found; head++) {
        size_t i = strmap_find(&t->index, queue.items[head]);
        for (size_t k = 0; i != STRMAP_NONE && k < t->calls.items[i].count; k++) {
            const char *next = t->calls.items[i].items[k];
            found |= !strcmp(next, to);
            if (strmap_put(&seen, next, 0))
                vec_push(&queue, next);
        }
    }
    vec_release(&queue);
    strmap_release(&seen);
    return found;
}

bool tails_recursive(struct tails *t, const char *key)
{
    size_t known = strmap_find(&t->recursive, key);
    if (!*key || known != STRMAP_NONE)
        return *key && known;
    bool found = tails_lead(t, key, key);
    strmap_put(&t->recursive, key, found);
    return found;
}
