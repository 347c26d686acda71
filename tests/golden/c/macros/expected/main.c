/* Macros that stand for an expression or a name: their use is edited, never their body (P73). */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 6

#define my_malloc malloc
#define NEW(T) ((T *)malloc(sizeof(T)))
#define RAW(size) malloc(size)
#define GIVE(lvalue, type) ((lvalue) = NEW(type))
#define HEADER (malloc(8))

struct item {
    int key;
    struct item *next;
};
struct list {
    struct item *head, *tail;
    char *text;
    void *extra;
};

static void fill(struct list *l)
{
    l->head = ((void)numafy_enter(l), (struct item *)numafy_leave(NEW(struct item)));
    l->head->next = numafy_malloc_near(l->head, sizeof(struct item));
    ((void)numafy_enter(l), (struct item *)numafy_leave(GIVE(l->tail, struct item)))->key = 4;
    l->text = ((void)numafy_enter(l), (char *)numafy_leave(RAW(10)));
    l->extra = ((void)numafy_enter(l), (void *)numafy_leave(HEADER));
}

int main(void)
{
    struct list *l = numafy_malloc(1, sizeof *l);
    struct item *alone = NEW(struct item);
    fill(l);
    alone->key = l->tail->key;
    CHECK_NODE(alone, -1);
    CHECK_NODE(l->head, 1);
    CHECK_NODE(l->head->next, 1);
    CHECK_NODE(l->tail, 1);
    CHECK_NODE(l->text, 1);
    CHECK_NODE(l->extra, 1);
    printf("%d line %d\n", alone->key, __LINE__);
    return 0;
}
