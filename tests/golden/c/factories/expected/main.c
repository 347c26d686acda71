/* Factories, and wrappers of wrappers: the call is edited where the owner is known. */
#include "check.h"
#include "numa_alloc.h"
#include "alloc.h"
#include <stdio.h>
#include <string.h>
#include "numafy/near.h"
#line 7

struct node {
    int key;
    char *name;
    struct node *left, *right;
};
struct tree {
    struct node *root;
    const char *title;
};

static struct node *node_new(int key, const char *name)
{
    struct node *n = xmalloc(sizeof *n);
    memset(n, 0, sizeof *n);
    n->key = key;
    n->name = ((void)numafy_enter(n), (char *)numafy_leave(xstrdup(name)));
    return n;
}

/* It returns what it finds: not an allocator. */
static struct node *node_find(struct node *n, int key)
{
    while (n != NULL && n->key != key)
        n = key < n->key ? n->left : n->right;
    return n;
}

static void tree_fill(struct tree *t)
{
    t->root = ((void)numafy_enter(t), (struct node *)numafy_leave(node_new(5, "root")));
    t->root->left = node_find(t->root, 9) ? NULL : ((void)numafy_enter(t->root), (struct node *)numafy_leave(node_new(3, "left")));
    (t->root->right = ((void)numafy_enter(t->root), (struct node *)numafy_leave(node_new(8, "right"))))->key++;
    t->title = ((void)numafy_enter(t), (char *)numafy_leave(xstrdup("title")));
}

int main(void)
{
    struct tree *t = numafy_calloc(1, 1, sizeof *t);
    struct node *alone = node_new(1, "alone");
    tree_fill(t);
    CHECK_NODE(alone, -1);
    CHECK_NODE(alone->name, -1);
    CHECK_NODE(t->root, 1);
    CHECK_NODE(t->root->name, 1);
    CHECK_NODE(t->root->left, 1);
    CHECK_NODE(t->root->right->name, 1);
    CHECK_NODE(t->title, 1);
    printf("%d %s %s line %d\n", t->root->right->key, t->root->left->name, t->title, __LINE__);
    return 0;
}
