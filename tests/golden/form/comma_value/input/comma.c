/* A call to the right of a comma has its value used if the comma's is: discarded here. An arm of ?: whose value nobody wants
 * cannot become void, the other arm is not. */
#include "check.h"
struct node {
    int v;
};
struct tree {
    struct node *a, *b;
};
static int take(struct node **o)
{
    free(*o);
    *o = malloc(sizeof **o);
    return 0;
}
static int plain(void)
{
    return 1;
}
static int go(struct tree *t)
{
    int s = 0;
    s = (plain(), take(&t->a), 1);
    CHECK_NODE(t->a, -1);
    (plain(), take(&t->b));
    s ? take(&t->a) : plain();
    return s + (plain(), take(&t->a));
}
int main(void)
{
    struct tree t = {0};
    printf("%d\n", go(&t));
    free(t.a);
    free(t.b);
    return 0;
}
