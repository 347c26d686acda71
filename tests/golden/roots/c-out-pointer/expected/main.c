/* A root that a function fills through its address. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 6

struct cell {
    struct cell *next;
    int value;
};

struct list {
    struct cell *first;
};

static struct list *shared; NUMAFY_ROOT_GLOBAL(shared, 2)

static int list_new(struct list **out)
{
    struct list *l = numafy_calloc_near(out, 1, sizeof *l);
    if (l)
        *out = l;
    return l != NULL;
}

static int list_add(struct list *l, int value)
{
    struct cell *c = numafy_malloc_near(l, sizeof *c);
    c->value = value;
    c->next = l->first;
    l->first = c;
    return 1;
}

int main(void)
{
    struct list *mine, *plain;
    int made = ((void)numafy_enter_on(1), (int)numafy_leave_int(list_new(&mine)));
    if (!made || !((void)numafy_enter_on(2), (int)numafy_leave_int(list_new(&shared))))
        return 1;
    list_new(&plain);
    list_add(mine, 1);
    list_add(shared, 2);
    list_add(plain, 3);
    CHECK_NODE(mine, 1);
    CHECK_NODE(mine->first, 1);
    CHECK_NODE(shared, 2);
    CHECK_NODE(shared->first, 2);
    CHECK_NODE(plain->first, -1);
    printf("%d %d line %d\n", mine->first->value, shared->first->value, __LINE__);
    return 0;
}
