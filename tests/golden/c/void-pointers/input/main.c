/* A void * destination takes its type from the sizeof; without one nothing is placed by type. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>

struct item {
    int key;
    struct item *next;
};
struct other {
    int key;
};

static void *make(int what)
{
    void *p = what == 0 ? malloc(sizeof(struct item)) : malloc(sizeof(struct other));
    return p;
}

int main(void)
{
    void *typed = malloc(sizeof(struct item)), *many = calloc(3, sizeof(struct item));
    void *other = malloc(sizeof(struct other)), *bytes = malloc(16);
    struct item **pointers = malloc(3 * sizeof(struct item *));
    CHECK_NODE(typed, 1);
    CHECK_NODE(many, 1);
    CHECK_NODE(other, -1);
    CHECK_NODE(bytes, -1);
    CHECK_NODE(pointers, -1);
    CHECK_NODE(make(0), 1);
    CHECK_NODE(make(1), -1);
    pointers[0] = typed;
    pointers[0]->key = 3;
    printf("%d line %d\n", pointers[0]->key, __LINE__);
    free(typed);
    free(many);
    free(other);
    free(bytes);
    free(pointers);
    return 0;
}
