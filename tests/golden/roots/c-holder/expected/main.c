/* A local struct that a call gets with the block: on its root's node if it is one. */
#include "check.h"
#include "numa_alloc.h"
#include <stdlib.h>
#include "numafy/near.h"
#line 5

struct item {
    int value;
    struct item *next;
};
struct list {
    struct item *head;
};

static void list_add(struct list *l, struct item *i)
{
    i->next = l->head;
    l->head = i;
}

static struct item *item_new(int value)
{
    struct item *i = malloc(sizeof *i);
    i->value = value;
    i->next = NULL;
    return i;
}

static int sum(struct list *l)
{
    int result = 0;
    while (l->head) {
        struct item *i = l->head;
        l->head = i->next;
        result += i->value;
        free(i);
    }
    return result;
}

int main(void)
{
    struct list l NUMA(1) = {NULL}, plain = {NULL}; NUMAFY_ROOT_OBJECT(l, 1);
    list_add(&l, ((void)numafy_enter(&l), (struct item *)numafy_leave(item_new(3))));
    CHECK_NODE(l.head, 1);
    list_add(&plain, ((void)numafy_enter(&plain), (struct item *)numafy_leave(item_new(4))));
    CHECK_NODE(plain.head, -1);
    printf("%d %d\n", sum(&l) + sum(&plain), __LINE__);
    return 0;
}
