/* The owner of a block that a function is given is what that function keeps it in, whatever the
 * types say: a box holds void pointers. */
#include "check.h"
#include "numa_alloc.h"
#include "store.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 8

struct item {
    int number;
};

static struct item *item_new(int number)
{
    struct item *i = malloc(sizeof *i);
    i->number = number;
    return i;
}

/* The block goes through a local, to a function that another one stands before. */
static void fill(struct box *b)
{
    struct item *i = ((void)numafy_enter(b), (struct item *)numafy_leave(item_new(2)));
    printf("%d\n", i->number);
    box_put_all(2, i, b);
}

/* Kept in what was found in the box. */
static void replace(struct box *b)
{
    struct link *l = link_first(b);
    box_show(b, "replaced");
    l->value = ((void)numafy_enter(l), (struct item *)numafy_leave(item_new(3)));
}

/* Only looked at: no owner. */
static void look(struct box *b)
{
    char *text = text_new("look");
    box_show(b, text);
    free(text);
}

/* A local that is set on every way to the block; and one that may not be. */
static void late(struct box *from, int all)
{
    struct box *b;
    void *i;
    b = from;
    i = ((void)numafy_enter(from), (struct item *)numafy_leave(item_new(4)));
    box_put(b, "late", i);
    if (all)
        goto out;
out:
    return;
}

static void sure(void *from)
{
    struct box *b;
    char *text;
    b = from;
    text = ((void)numafy_enter(b), (char *)numafy_leave(text_new("sure")));
    box_put(b, "sure", text);
}

/* What the variable is assigned later is another block. */
static void again(struct box *other, struct box *b)
{
    void *v = ((void)numafy_enter(b), (struct item *)numafy_leave(item_new(6)));
    struct link *l = ((void)numafy_enter(b), (struct link *)numafy_leave(cons(v, b->links)));
    b->links = l;
    v = link_first(other);
    box_show(b, v ? "found" : "none");
}

int main(void)
{
    struct box *b = numafy_calloc(1, 1, sizeof *b);
    box_put(b, ((void)numafy_enter(b), (char *)numafy_leave(text_new("one"))), ((void)numafy_enter(b), (struct item *)numafy_leave(item_new(1))));
    CHECK_NODE(b->links->key, 1);
    CHECK_NODE(b->links->value, 1);
    fill(b);
    CHECK_NODE(b->links->value, 1);
    replace(b);
    CHECK_NODE(b->links->value, 1);
    look(b);
    late(b, 1);
    CHECK_NODE(b->links->value, 1);
    sure(b);
    CHECK_NODE(b->links->value, 1);
    struct box *plain = box_new();
    box_put(plain, ((void)numafy_enter(plain), (char *)numafy_leave(text_new("two"))), ((void)numafy_enter(plain), (struct item *)numafy_leave(item_new(5))));
    CHECK_NODE(plain->links->value, -1);
    again(plain, b);
    CHECK_NODE(b->links->value, 1);
    printf("%s %d line %d\n", plain->links->key, ((struct item *)plain->links->value)->number,
           __LINE__);
    return 0;
}
