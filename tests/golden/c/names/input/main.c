/* Words that are no allocations: variables, members, labels and parameters named new and malloc. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>

struct ops {
    void *(*malloc)(size_t size);
    int calloc;
};
struct node {
    struct node *new;
    int delete;
};
enum { realloc_count = 3 };

static int counted;
static void *count(size_t size)
{
    counted += (int)size;
    return NULL;
}

static struct node *push(struct node *list, int new)
{
    struct node *this = list;
    list->new = malloc(sizeof *list->new);
    list->new->delete = new;
    list->new->new = NULL;
    goto malloc;
malloc:
    return this->new;
}

int main(void)
{
    struct ops ops = {count, realloc_count};
    struct node *new = numafy_calloc(1, 1, sizeof *new);
    struct node *made = push(new, 5);
    if (ops.malloc(7) == NULL && (ops.malloc)(1) == NULL)
        ops.calloc++;
    CHECK_NODE(made, 1);
    printf("%d %d %d line %d\n", made->delete, counted, ops.calloc, __LINE__);
    return 0;
}
