/* Which parameter owns: an object before a slot, which may be a variable of the caller; last the one
 * that takes the block, here at the end of a list. Tag bits carry a block on to its destination. */
#include "check.h"
#include "numa_alloc.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct patient {
    struct village *home;
};
struct list {
    struct list *forward, *back;
    struct patient *patient;
};
struct village {
    struct list waiting;
    struct list *tagged;
};

static void append(struct list *list, struct patient *patient)
{
    struct list *last = list;
    for (; list; list = list->forward)
        last = list;
    list = malloc(sizeof *list);
    list->patient = patient;
    list->forward = NULL;
    list->back = last;
    last->forward = list;
}

static struct list *copy(struct list **rest, struct list *from)
{
    struct list *made = malloc(sizeof *made);
    *made = *from;
    *rest = from->forward;
    return made;
}

static void tag(struct list *like, struct village *v)
{
    v->tagged = (struct list *)((uintptr_t)malloc(sizeof *like) | 1);
}

/* What a call gets with the block keeps it most often. */
static void attach(struct village *v, struct list *made)
{
    v->waiting.back = made;
}

int main(void)
{
    struct village *v = numafy_calloc(1, 1, sizeof *v);
    struct patient *p = numafy_calloc(1, 1, sizeof *p);
    struct list plain = {NULL, NULL, NULL}, *rest;
    append(&v->waiting, p);
    CHECK_NODE(v->waiting.forward, 1);
    CHECK_NODE(copy(&rest, v->waiting.forward), 1);
    tag(&plain, v);
    CHECK_NODE(v->tagged, 1);
    attach(v, malloc(sizeof(struct list)));
    CHECK_NODE(v->waiting.back, 1);
    attach(v, copy(&rest, &plain));
    CHECK_NODE(v->waiting.back, 1);
    printf("%d %d line %d\n", v->waiting.forward->patient == p, rest == NULL, __LINE__);
    return 0;
}
