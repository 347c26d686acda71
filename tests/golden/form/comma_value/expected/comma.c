/* A call to the right of a comma has its value used if the comma's is: discarded here. An arm of ?: whose value nobody wants
 * cannot become void, the other arm is not. */
#include "check.h"
#include "numafy/near.h"
#line 4
struct node {
    int v;
};
struct tree {
    struct node *a, *b;
};
static int take(struct node **o)
{
    free(*o);
    *o = numafy_malloc_near(o, sizeof **o);
    return 0;
}
static int plain(void)
{
    return 1;
}
static int go(struct tree *t)
{
    int s = 0;
    s = (plain(), ((void)numafy_enter(t), (void)numafy_leave_int(take(&t->a))), 1);
    CHECK_NODE(t->a, -1);
    (plain(), ((void)numafy_enter(t), (void)numafy_leave_int(take(&t->b))));
    s ? take(&t->a) : plain();
    return s + (plain(), ((void)numafy_enter(t), (int)numafy_leave_int(take(&t->a))));
}
int main(void)
{
    struct tree t = {0};
    printf("%d\n", go(&t));
    free(t.a);
    free(t.b);
    return 0;
}
