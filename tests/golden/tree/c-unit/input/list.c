// A C unit in the same tree: an allocation that no owner is known for is recorded and left, its bytes stay.
#include <stdlib.h>

struct pair {
    int a, b;
};

int c_sum(void);
int c_sum(void)
{
    struct pair *p = malloc(sizeof *p);
    int sum;
    if (p == NULL)
        return -1;
    p->a = 2;
    p->b = 3;
    sum = p->a + p->b;
    free(p);
    return sum;
}
