/* Definitions without prototypes, a malloc declared by hand, GNU expressions, _Generic. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 6

struct node {
    int key;
    struct node *next;
};

static struct node *
cons(key, next)
    int key;
    struct node *next;
{
    register struct node *n = (struct node *) numafy_malloc_near(next, (size_t) sizeof(struct node));
    n->key = key;
    n->next = next;
    return (n);
}

#define KIND(x) _Generic((x), struct node *: 1, default: 0)

static void fill(struct node *head)
{
    head->next = ({
        struct node *n = numafy_malloc_near(head, sizeof *n);
        n->key = KIND(n);
        n->next = NULL;
        n;
    });
    head->next->next = ({ ((void)numafy_enter(head), (struct node *)numafy_leave(cons(7, (struct node *)NULL))); });
    for (head = head->next; head != NULL; head = head->next)
        if (head->next == NULL) {
            head->next = ((void)numafy_enter(head), (struct node *)numafy_leave(cons(9, head->next)));
            break;
        }
}

int main(void)
{
    struct node *head = numafy_calloc(1, 1, sizeof *head);
    struct node *more;
    fill(head);
    more = cons(1, head);
    CHECK_NODE(head->next->next, 1);
    CHECK_NODE(head->next->next->next, 1);
    CHECK_NODE(more, 1);
    printf("%d %d line %d\n", head->next->key, more->key, __LINE__);
    return 0;
}
