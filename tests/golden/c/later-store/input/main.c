/* A local takes the block and is stored later: what it is stored in is the owner. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>

struct entry {
    struct entry *next;
    void *value;
};
struct table {
    struct entry *buckets[8];
    void *opaque;
};

static struct table *global;

static void put(int key)
{
    struct entry *e = malloc(sizeof *e), *same;
    same = e;
    same->value = NULL;
    same->next = global->buckets[key % 8];
    global->buckets[key % 8] = same;
}

static struct entry *put_in(int key, const struct entry *like, struct table *t)
{
    struct entry *e = malloc(sizeof *e);
    e->value = (void *)like;
    e->next = t->buckets[key];
    t->buckets[key] = e;
    return e;
}

static void *give(struct table *t, size_t size)
{
    void *block = malloc(size);
    t->opaque = block;
    return block;
}

/* Here `t` is another one where the block is made. */
static void hidden(struct table *t)
{
    struct entry *e;
    {
        int t = 3;
        e = malloc(sizeof *e + (size_t)t);
    }
    e->next = t->buckets[0];
    t->buckets[0] = e;
}

static struct entry *third(void)
{
    return global->buckets[3];
}

/* A local leads to it as well, if it has that value already where the block is made. */
static void append(void)
{
    struct entry *last = third();
    while (last->next)
        last = last->next;
    struct entry *e = malloc(sizeof *e);
    e->next = NULL;
    last->next = e;
}

static void too_early(void)
{
    struct entry *last = NULL, *e = malloc(sizeof *e);
    last = third();
    e->next = last->next;
    last->next = e;
}

int main(void)
{
    struct entry plain = {NULL, NULL};
    global = numafy_calloc(1, 1, sizeof *global);
    put(3);
    CHECK_NODE(global->buckets[3], 1);
    CHECK_NODE(put_in(4, &plain, global), 1);
    CHECK_NODE(give(global, 10), 1);
    hidden(global);
    CHECK_NODE(global->buckets[0], -1);
    append();
    CHECK_NODE(global->buckets[3]->next, 1);
    too_early();
    CHECK_NODE(global->buckets[3]->next, -1);
    printf("line %d\n", __LINE__);
    return 0;
}
