/* Destinations inside structures: nested, arrays, unions, through pointers of pointers. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>

struct leaf {
    int v;
};
struct inner {
    struct leaf *leaf;
    struct leaf *row[3];
};
struct outer {
    struct inner in;
    struct inner ins[2];
    union {
        struct leaf *a;
        void *b;
    } u;
    struct outer *next;
    struct leaf **table;
};

static void fill(struct outer *o, int i)
{
    struct outer **link = &o->next;
    o->in.leaf = malloc(sizeof(struct leaf));
    o->ins[i].row[i + 1] = malloc(sizeof(struct leaf));
    o->u.a = malloc(sizeof *o->u.a);
    (*link) = calloc(1, sizeof **link);
    o->next->table = malloc(2 * sizeof *o->next->table);
    o->next->table[i++] = malloc(sizeof(struct leaf));
    o->next->table[1] = (malloc(sizeof(struct leaf)));
}

int main(void)
{
    struct outer *o = numafy_calloc(1, 1, sizeof *o);
    fill(o, 0);
    CHECK_NODE(o->in.leaf, 1);
    CHECK_NODE(o->ins[0].row[1], 1);
    CHECK_NODE(o->u.a, 1);
    CHECK_NODE(o->next, 1);
    CHECK_NODE(o->next->table, 1);
    CHECK_NODE(o->next->table[0], 1);
    CHECK_NODE(o->next->table[1], 1);
    printf("line %d\n", __LINE__);
    return 0;
}
