/* What cannot be wrapped: P(f)(3), whose parentheses cross a macro's; uses that hold two statements, or whose operators bind
 * to what stands around; a call whose owner would be the address of a register variable. */
#include "check.h"
#include "numafy/near.h"
#line 4
struct node {
    struct node *next;
    int v;
};
struct tree {
    struct node *a, *b;
};
#define P(x) x
#define BOTH STEP(a) STEP(b)
#define SUM 1 + take(&t->a, 4)
#define COND s ? take(&t->a, 1) : 2
#define MUL *take(&t->a, 2)
#define LESS take(&t->a, 2) <
#define PAREN (1 + take(&t->a, 3))
static struct node *mk(int v)
{
    struct node *p = malloc(sizeof *p);
    if (!p)
        exit(1);
    p->v = v;
    p->next = NULL;
    return p;
}
static int take(struct node **o, int v)
{
    free(*o);
    *o = ((void)numafy_enter(o), (struct node *)numafy_leave(mk(v)));
    return v;
}
static int in_register(void)
{
    register struct tree w;
    register struct tree *p;
    struct tree plain = {0};
    int v;
    w.a = mk(5);
    p = &plain;
    p->a = ((void)numafy_enter(p), (struct node *)numafy_leave(mk(6)));
    CHECK_NODE(p->a, -1);
    v = w.a->v + p->a->v;
    free(w.a);
    free(p->a);
    return v;
}
int main(void)
{
    struct tree *t = calloc(1, sizeof *t);
    int s = 0;
    if (!t)
        return 1;
    t->a = P(mk)(3);
    CHECK_NODE(t->a, -1);
    free(t->a);
#define STEP(f) t->f = mk(4); s += t->f->v; free(t->f); t->f = NULL;
    BOTH
    s += 2 * SUM;
    s += SUM * 3;
    s += 5 + COND;
    s += s MUL;
    s += LESS 3;
    s += ((void)numafy_enter(t), (int)numafy_leave_int(PAREN)) * 2;
    printf("%d %d\n", s, in_register());
    free(t->a);
    free(t);
    return 0;
}
