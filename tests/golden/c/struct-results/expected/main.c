/* A function that returns a struct with fresh blocks in it is an allocator. Where the call is all of
 * an assignment that is a statement, that is surrounded; a struct's value has no cast. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 7

struct body {
    struct body *next;
    int mass;
};

struct bodies {
    struct body *first, *last;
};

struct space {
    struct body *all;
    struct bodies parts[2];
};

static struct body *body_new(int mass)
{
    struct body *b = calloc(1, sizeof *b);
    b->mass = mass;
    return b;
}

static struct bodies bodies_of(int count)
{
    struct bodies made;
    struct body *last;
    made.first = last = body_new(count);
    while (--count)
        last = last->next = ((void)numafy_enter(last), (struct body *)numafy_leave(body_new(count)));
    made.last = last;
    return made;
}

static void fill(struct space *s, int count)
{
    struct bodies points;
    { (void)numafy_enter(s); points = bodies_of(count); (void)numafy_leave(0); }
    s->all = points.first;
    if (count > 2)
        { (void)numafy_enter(&s->parts[0]); s->parts[0] = bodies_of(count); (void)numafy_leave(0); }
    else
        { (void)numafy_enter(&s->parts[0]); s->parts[0] = bodies_of(3); (void)numafy_leave(0); }
    for (count = 0; count < 1; count++)
        { (void)numafy_enter(&s->parts[1]); s->parts[1] = bodies_of(2); (void)numafy_leave(0); }
}

/* Not statements, or nothing that an assignment would show. */
static int left(struct space *s)
{
    struct bodies begun = bodies_of(2);
    int mass = bodies_of(1).first->mass;
    begun.last->next = s->all;
    s->all = begun.first;
    return mass;
}

static void check(const struct body *b, int node)
{
    (void)node;
    for (; b; b = b->next) {
        CHECK_NODE(b, node);
        printf("%d", b->mass);
    }
    printf("\n");
}

int main(void)
{
    struct space *s = numafy_calloc(1, 1, sizeof *s);
    fill(s, 3);
    check(s->all, 1);
    check(s->parts[0].first, 1);
    check(s->parts[1].first, 1);
    printf("%d line %d\n", left(s), __LINE__);
    return 0;
}
