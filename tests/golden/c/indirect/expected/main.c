/* Allocators behind function pointers: taking the address is reported; a call that is given the
 * size of a placed class is surrounded, and so is one through a pointer that has an allocator's
 * type. An int tells no size. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 7

struct hooks {
    void *(*allocate)(size_t size);
    void (*release)(void *p);
};
struct item {
    int key;
    struct item *next;
    const struct hooks *hooks;
    char *text;
    void *(*at)(void *table, int index);
};
static struct hooks hooks = {malloc, free};

static void *resize(void *context, void *p, size_t old, size_t size)
{
    (void)context;
    (void)old;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

static void *item_at(void *table, int index)
{
    return (struct item *)table + index;
}

static void item_set(struct item *i, size_t size)
{
    i->text = ((void)numafy_enter(i), (void *)numafy_leave((*i->hooks->allocate)(size)));
    i->next = i->at(i, 0);
}

int main(void)
{
    void *(*lua_style)(void *, void *, size_t, size_t) = resize;
    struct item *a = (struct item *)((void)numafy_enter_on(1), (void *)numafy_leave(hooks.allocate(sizeof(struct item))));
    struct item *b = ((void)numafy_enter_on(1), (void *)numafy_leave(lua_style(NULL, NULL, 0, sizeof(struct item))));
    char *text = hooks.allocate(10);
    CHECK_NODE(a, 1);
    CHECK_NODE(b, 1);
    CHECK_NODE(text, -1);
    a->hooks = &hooks;
    a->at = item_at;
    item_set(a, 10);
    CHECK_NODE(a->text, 1);
    a->key = 3;
    b->key = 4;
    printf("%d %d line %d\n", a->key, b->key, __LINE__);
    hooks.release(a->text);
    hooks.release(a);
    hooks.release(text);
    ((void)numafy_enter_on(1), (void)numafy_leave(lua_style(NULL, b, sizeof *b, 0)));
    return 0;
}
