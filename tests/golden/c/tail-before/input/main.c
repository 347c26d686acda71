/* A call that is surrounded comes before a recursion in tail position, with a value and without. What
 * stands before the return of a constant is in none, but the function itself. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    long key;
};
struct list {
    struct node *head;
};

static struct node *node_new(long key)
{
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->next = NULL;
    return n;
}

static int node_make(struct node **out, long key)
{
    *out = node_new(key);
    return 0;
}

static struct node *with_value(struct node *at, long steps)
{
    if (steps == 0)
        return at;
    if (steps % 1000000 == 0)
        at->next = node_new(steps);
    return with_value(at, steps - 1);
}

static void odd(struct node *at, long steps);

static void even(struct node *at, long steps)
{
    if (steps % 1000000 == 0)
        node_make(&at->next, steps);
    if (steps > 0)
        odd(at, steps - 1);
}

static void odd(struct node *at, long steps)
{
    if (steps > 0)
        even(at, steps - 1);
}

/* The recursion itself allocates and has no value. */
static void put(struct node **out, long steps)
{
    if (steps == 0)
        *out = node_new(0);
    else
        put(out, steps - 1);
}

static int back(struct node **out, long key);

static int make(struct node **out, long key)
{
    return back(out, key);
}

static int back(struct node **out, long key)
{
    *out = node_new(key);
    if (key > 0)
        make(out, 0);
    return 0;
}

int main(void)
{
#ifdef __OPTIMIZE__
    const long steps = 5000000;
#else
    const long steps = 1000;
#endif
    struct list *l = numafy_calloc(1, 1, sizeof *l);
    l->head = node_new(1);
    with_value(l->head, steps);
    even(l->head, steps);
    CHECK_NODE(l->head->next, 1);
    put(&l->head->next, steps);
    CHECK_NODE(l->head->next, 1);
    make(&l->head->next, 7);
    CHECK_NODE(l->head->next, 1);
    printf("%ld line %d\n", l->head->next->key, __LINE__);
    return 0;
}
