/* What a function does with a block that it is given is found over all units: here it is kept in
 * what another argument leads to, by a function that is called, through a local, and on a way
 * through a function that finds a part of it. */
#include "store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct box *box_new(void)
{
    struct box *b = calloc(1, sizeof *b);
    return b;
}

struct link *link_first(struct box *b)
{
    return b->links;
}

struct link *cons(void *value, struct link *rest)
{
    struct link *l = malloc(sizeof *l);
    l->value = value;
    l->next = rest;
    l->key = "";
    return l;
}

char *text_new(const char *s)
{
    char *t = malloc(strlen(s) + 1);
    return strcpy(t, s);
}

void box_put(struct box *b, const char *key, void *value)
{
    struct link *l = cons(value, b->links);
    l->key = key;
    b->links = l;
}

void box_put_all(int count, void *value, struct box *b)
{
    while (count--)
        box_put(b, "many", value);
}

void box_show(const struct box *b, const void *value)
{
    printf("%s %s\n", b->links->key, (const char *)value);
}
