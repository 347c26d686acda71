/* What may have been freed is never an owner; what realloc has moved neither. A release on a way out
 * reaches what stands at its end. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 7

struct node {
    struct node *next;
    char *text;
};

static char *replace(struct node *n)
{
    char *text;
    free(n->text);
    free(n);
    text = malloc(sizeof(struct node));
    return text;
}

static void grow(struct node *n)
{
    n->text = numafy_realloc_near(n, n->text, 100);
    n->text = numafy_realloc_near(n, n->text, 200);
}

static int fill(struct node *n, char *text, int early)
{
    if (early == 1) {
        free(n);
        return 0;
    }
    n->text = numafy_malloc_near(n, 8);
    if (early == 2) {
        free(n);
        goto end;
    }
    free(n->text);
    n->text = numafy_malloc_near(n, 9);
    return 1;
end:
    text = malloc(sizeof(struct node));
    free(text);
    return 0;
}

int main(void)
{
    struct node *n = numafy_calloc(1, 1, sizeof *n);
    char *text;
    grow(n);
    CHECK_NODE(n->text, 1);
    n->next = numafy_calloc(1, 1, sizeof *n);
    fill(n->next, n->text, 1);
    n->next = numafy_calloc(1, 1, sizeof *n);
    fill(n->next, n->text, 0);
    CHECK_NODE(n->next->text, 1);
    text = replace(n);
    CHECK_NODE(text, -1);
    printf("line %d\n", __LINE__);
    free(text);
    return 0;
}
