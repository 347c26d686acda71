/* Stored in an object that no root reaches, and then in one that a root reaches: that one owns it. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *child;
    int depth;
};

struct document {
    struct node *top;
};

/* The state of a parser on the stack: not placed, though it points to what is. */
struct subject {
    struct node *last;
    int made;
};

static void append(struct node *parent, struct node *child)
{
    child->child = parent->child;
    parent->child = child;
}

static void parse_one(struct subject *s, struct node *parent, int depth)
{
    struct node *n = malloc(sizeof(struct node));
    n->depth = depth;
    n->child = NULL;
    s->last = n;
    s->made++;
    append(parent, n);
}

int main(void)
{
    struct document *d = malloc(sizeof(struct document));
    struct subject s = {NULL, 0};
    struct node *top = malloc(sizeof(struct node));
    top->child = NULL;
    top->depth = 0;
    d->top = top;
    for (int i = 1; i < 4; i++)
        parse_one(&s, d->top, i);
    printf("%d %d\n", s.made, s.last->depth);
    CHECK_NODE(s.last, 0);
    while (d->top) {
        struct node *next = d->top->child;
        free(d->top);
        d->top = next;
    }
    free(d);
    return 0;
}
