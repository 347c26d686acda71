/* A fresh block through a parameter: the slot's address is the owner, and where that is a variable
 * on the stack, what the caller has entered. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 7

struct node {
    int key;
    struct node *next;
};
struct list {
    struct node *head;
    struct node *spare;
};

static int node_make(struct node **out, int key)
{
    struct node *n = numafy_malloc_near(out, sizeof *n);
    if (n == NULL)
        return -1;
    n->key = key;
    n->next = NULL;
    *out = n;
    return 0;
}

static void node_put(int key, struct node **out)
{
    *out = numafy_malloc_near(out, sizeof **out);
    (*out)->key = key;
    (*out)->next = NULL;
}

static int push(struct list *l, int key)
{
    struct node *fresh = NULL;
    if (((void)numafy_enter(l), (int)numafy_leave_int(node_make(&fresh, key))) != 0)
        return -1;
    fresh->next = l->head;
    l->head = fresh;
    ((void)numafy_enter(l), (void)node_put(key, &l->spare), (void)numafy_leave(0));
    return 0;
}

int main(void)
{
    struct list *l = numafy_calloc(1, 1, sizeof *l);
    struct node *alone;
    int failed = push(l, 3);
    node_put(1, &alone);
    CHECK_NODE(alone, -1);
    CHECK_NODE(l->head, 1);
    CHECK_NODE(l->spare, 1);
    printf("%d %d line %d\n", failed, l->head->key, __LINE__);
    return 0;
}
