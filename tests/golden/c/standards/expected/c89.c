/* C89 with -pedantic and -Werror: the output has no later construct. An include that is computed, and allocators that
 * get a context, as talloc's do: the call's owner is where the block goes. */
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include STORE
#include "numafy/near.h"
#line 7

struct chunk {
    struct chunk *next;
    size_t size;
};

static void *context_alloc(struct context *context, size_t size)
{
    struct chunk *c = (struct chunk *)numafy_malloc_near(context, sizeof(struct chunk) + size);
    c->next = context->chunks;
    c->size = size;
    context->chunks = c;
    return c + 1;
}

#define context_new(context, type) ((type *)context_alloc(context, sizeof(type)))

static struct context *context_make(struct context *parent)
{
    struct context *c = (struct context *)numafy_calloc_near(parent, 1, sizeof *c);
    c->parent = parent;
    return c;
}

static char *context_strdup(struct context *context, const char *s)
{
    size_t n = strlen(s) + 1;
    return (char *)memcpy(context_alloc(context, n), s, n);
}

struct leaf *keep(struct store *s, struct leaf *l)
{
    l->next = s->third;
    return s->third = l;
}

int fill_c89(struct store *s)
{
    s->context = ((void)numafy_enter(s), (struct context *)numafy_leave(context_make(NULL)));
    s->first = context_new(s->context, struct leaf);
    s->first->v = 1;
    s->first->next = (struct leaf *)context_alloc(s->context, sizeof(struct leaf));
    s->first->next->v = 2;
    s->name = context_strdup(s->context, "name");
    CHECK_NODE(s->context, 1);
    CHECK_NODE(s->context->chunks, 1);
    CHECK_NODE(s->first, 1);
    CHECK_NODE(s->first->next, 1);
    CHECK_NODE(s->name, 1);
    return s->first->v + s->first->next->v + (int)strlen(s->name);
}
