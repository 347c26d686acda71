/* Destinations inside structures: nested, arrays, unions, through pointers of pointers. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 6

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
    o->in.leaf = numafy_malloc_near(o, sizeof(struct leaf));
    o->ins[i].row[i + 1] = numafy_malloc_near(&o->ins[i].row[i+1], sizeof(struct leaf));
    o->u.a = numafy_malloc_near(o, sizeof *o->u.a);
    (*link) = numafy_calloc_near(link, 1, sizeof **link);
    o->next->table = numafy_malloc_near(o->next, 2 * sizeof *o->next->table);
    o->next->table[i++] = numafy_malloc_near(o->next->table, sizeof(struct leaf));
    o->next->table[1] = (numafy_malloc_near(&o->next->table[1], sizeof(struct leaf)));
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
