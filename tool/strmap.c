/* SPDX-License-Identifier: Apache-2.0 */
#include "strmap.h"

#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct strmap_slot {
    const char *key; /* NULL: free */
    size_t index;
};

/* FNV-1a, 64 bits. */
static size_t strmap_hash(const char *s)
{
    uint64_t h = 14695981039346656037u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return (size_t)h;
}

static struct strmap_slot *strmap_slot_of(struct strmap_slot *slots, size_t room, const char *key)
{
    size_t i = strmap_hash(key) & (room - 1);
    while (slots[i].key && strcmp(slots[i].key, key) != 0)
        i = (i + 1) & (room - 1);
    return &slots[i];
}

size_t strmap_find(const struct strmap *m, const char *key)
{
    if (!m->count)
        return STRMAP_NONE;
    struct strmap_slot *s = strmap_slot_of(m->slots, m->room, key);
    return s->key ? s->index : STRMAP_NONE;
}

static void strmap_grow(struct strmap *m)
{
    size_t room = m->room ? m->room * 2 : 64;
    struct strmap_slot *slots = mem_alloc(room * sizeof *slots);
    memset(slots, 0, room * sizeof *slots);
    for (size_t i = 0; i < m->room; i++)
        if (m->slots[i].key)
            *strmap_slot_of(slots, room, m->slots[i].key) = m->slots[i];
    free(m->slots);
    m->slots = slots;
    m->room = room;
}

int strmap_put(struct strmap *m, const char *key, size_t index)
{
    if (m->count * 2 >= m->room)
        strmap_grow(m);
    struct strmap_slot *s = strmap_slot_of(m->slots, m->room, key);
    if (s->key)
        return 0;
    s->key = key;
    s->index = index;
    m->count++;
    return 1;
}

void strmap_release(struct strmap *m)
{
    free(m->slots);
    memset(m, 0, sizeof *m);
}
