/* Macros that stand for a statement are surrounded; what jumps out of one is left. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 6

#define ALLOC_ARRAY(p, n)                        \
    do {                                         \
        (p) = malloc((size_t)(n) * sizeof *(p)); \
        if ((p) == NULL)                         \
            abort();                             \
    } while (0)
#define ALLOC_OR_FAIL(p, size)    \
    if (((p) = malloc(size)) == 0) \
    return -1
#define SET(p, size) p = malloc(size)

struct set {
    int *keys, *more, *last;
    char *text;
};

static int fill(struct set *s, int n)
{
    { (void)numafy_enter(s); ALLOC_ARRAY(s->keys, n); (void)numafy_leave(0); }
    if (n > 1)
        { (void)numafy_enter(s); ALLOC_ARRAY(s->more, n); (void)numafy_leave(0); }
    else
        s->more = NULL;
    ((void)numafy_enter(s), (void)numafy_leave(SET(s->last, 12)));
    ALLOC_OR_FAIL(s->text, 3);
    return 0;
}

int main(void)
{
    struct set *s = numafy_malloc(1, sizeof *s);
    int failed = fill(s, 7);
    CHECK_NODE(s->keys, 1);
    CHECK_NODE(s->more, 1);
    CHECK_NODE(s->last, 1);
    CHECK_NODE(s->text, -1);
    printf("%d line %d\n", failed, __LINE__);
    return 0;
}
