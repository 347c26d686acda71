/* C99, and the units of the other standards. Where the destination stands: an initialiser, designated or of an array, an
 * argument, a condition, a comma, an arm, a compound literal, a result. */
#include "check.h"
#include "numa_alloc.h"
#include <stdlib.h>
#include STORE
#include "numafy/near.h"
#line 7

static struct leaf *result(struct store *s)
{
    return s->fourth = numafy_malloc_near(s, sizeof(struct leaf));
}

static int fill(struct store *s)
{
    struct leaf *rest[] = {numafy_malloc_near(s, sizeof(struct leaf)), [2] = numafy_calloc_near(s, 1, sizeof(struct leaf))};
    struct pair pair = {.b = numafy_malloc_near(s, sizeof *pair.b)};
    s->row[0] = rest[0], s->row[1] = pair.b;
    keep(s, numafy_malloc_near(s, sizeof(struct leaf)))->v = 3;
    if ((s->row[2] = numafy_malloc_near(&s->row[2], sizeof *s->row[2])) == NULL || !result(s))
        return 0;
    for (struct leaf *l = (s->row[2]->next = numafy_calloc_near(s->row[2], 1, sizeof *l)); l != NULL; l = l->next)
        l->v = 4;
    s->fourth->next = s->third != NULL ? (s->fourth->v = 5, numafy_calloc_near(s->fourth, 1, sizeof(struct leaf))) : NULL;
    *s->fourth->next = (struct leaf){6, numafy_malloc_near(s, sizeof(struct leaf))};
    CHECK_NODE(s->third, 1);
    CHECK_NODE(s->row[2], 1);
    CHECK_NODE(s->row[2]->next, 1);
    CHECK_NODE(s->fourth, 1);
    CHECK_NODE(s->fourth->next, 1);
    CHECK_NODE(s->fourth->next->next, 1);
    free(rest[2]);
    return s->third->v + s->row[2]->next->v + s->fourth->v + s->fourth->next->v;
}

int main(void)
{
    struct store *s = numafy_calloc(1, 1, sizeof *s);
    int c99 = fill(s), c89 = fill_c89(s), c23 = fill_c23(s);
    printf("%d %d %d line %d\n", c89, c99, c23, __LINE__);
    return 0;
}
