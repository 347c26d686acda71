/* A recursion in tail position runs in one frame and must go on doing so: 5,000,000 steps. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 6

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

/* Walks to the end, steps to go, and puts one there. */
static struct node *append(struct node *at, long steps, long key)
{
    if (steps == 0) {
        at->next = ((void)numafy_enter(at), (struct node *)numafy_leave(node_new(key)));
        return at->next;
    }
    return append(at->next != NULL ? at->next : at, steps - 1, key);
}

static struct node *grow(struct node *at, long steps)
{
    struct node *n;
    if (steps == 0)
        return ((void)numafy_enter(at), (struct node *)numafy_leave(node_new(0)));
    n = at;
    return grow(n, steps - 1);
}

static struct node *odd(struct node *at, long steps);

static struct node *even(struct node *at, long steps)
{
    if (steps == 0)
        return ((void)numafy_enter(at), (struct node *)numafy_leave(node_new(2)));
    return odd(at, steps - 1);
}

static struct node *odd(struct node *at, long steps)
{
    if (steps == 0)
        return ((void)numafy_enter(at), (struct node *)numafy_leave(node_new(1)));
    return even(at, steps - 1);
}

int main(void)
{
#ifdef __OPTIMIZE__
    const long steps = 5000000;
#else
    const long steps = 1000; /* without optimisation each step has a frame in the original, too */
#endif
    struct list *l = numafy_calloc(1, 1, sizeof *l);
    l->head = ((void)numafy_enter(l), (struct node *)numafy_leave(node_new(1)));
    CHECK_NODE(append(l->head, steps, 2), 1);
    l->head->next->next = ((void)numafy_enter(l->head->next), (struct node *)numafy_leave(grow(l->head, steps)));
    CHECK_NODE(l->head->next->next, 1);
    l->head->next->next->next = ((void)numafy_enter(l->head->next->next), (struct node *)numafy_leave(even(l->head, steps)));
    CHECK_NODE(l->head->next->next->next, 1);
    printf("%ld line %d\n", l->head->next->key, __LINE__);
    return 0;
}
