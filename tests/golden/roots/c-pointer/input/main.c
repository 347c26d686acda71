/* C pointers as roots: malloc, calloc and a factory into them are on the node; what hangs below follows. */
#include "check.h"
#include "numa_alloc.h"

struct node {
    int value;
    struct node *next;
};

static NUMA(1) struct node *first;
static int *table;

static struct node *node_create(int value)
{
    struct node *n = malloc(sizeof(struct node));
    n->value = value;
    n->next = NULL;
    return n;
}

static void node_append(struct node *n, int value)
{
    n->next = node_create(value);
}

int main(void)
{
    struct node *plain = node_create(3);
    struct node *made NUMA(3) = node_create(4);
    first = malloc(sizeof(struct node));
    first->value = 1;
    node_append(first, 2);
    node_append(plain, 5);
    table = calloc(4, sizeof *table);
    table[3] = 6;
    CHECK_NODE(first, 1);
    CHECK_NODE(first->next, 1);
    CHECK_NODE(table, 2);
    CHECK_NODE(made, 3);
    CHECK_NODE(plain, -1);
    CHECK_NODE(plain->next, -1);
    printf("%d %d %d %d\n", first->next->value, table[3], made->value, plain->next->value);
    free(first->next);
    free(first);
    free(plain->next);
    free(plain);
    free(made);
    free(table);
    return 0;
}
