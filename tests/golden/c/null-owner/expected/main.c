/* The owner is NULL at the end of a recursive insertion: the node that the caller entered counts. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 6

struct node {
    int key;
    struct node *left, *right;
};
struct tree {
    struct node *root;
};

static struct node *insert(struct node *t, int key)
{
    if (t == NULL) {
        t = numafy_malloc_near(t, sizeof *t);
        t->key = key;
        t->left = t->right = NULL;
        return t;
    }
    if (key < t->key)
        t->left = ((void)numafy_enter(t), (struct node *)numafy_leave(insert(t->left, key)));
    else if (key > t->key)
        t->right = ((void)numafy_enter(t), (struct node *)numafy_leave(insert(t->right, key)));
    return t;
}

static int check(const struct node *t, int node)
{
    if (t == NULL)
        return 0;
    CHECK_NODE(t, node);
    (void)node;
    return 1 + check(t->left, node) + check(t->right, node);
}

int main(void)
{
    struct tree *t = numafy_calloc(2, 1, sizeof *t);
    struct node *plain = NULL;
    int i;
    for (i = 0; i < 100; i++) {
        t->root = ((void)numafy_enter(t), (struct node *)numafy_leave(insert(t->root, i * 37 % 101)));
        plain = insert(plain, i * 37 % 101);
    }
    printf("%d %d line %d\n", check(t->root, 2), check(plain, -1), __LINE__);
    return 0;
}
