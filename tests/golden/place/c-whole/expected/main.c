/* A fixed node: malloc(sizeof(T)) becomes NUMAFY_NEW only where no comment and no line's end stands between its tokens;
 * the word realloc stays inside what surrounds it. */
#include <stdio.h>
#include <stdlib.h>
#include "numafy/near.h"
#line 5

struct item {
    int a, b;
};

int main(void)
{
    struct item *one = NUMAFY_NEW(struct item, 1);
    struct item *two = numafy_malloc /* as many as one */ (1, sizeof(struct item));
    struct item *three = numafy_malloc(
        1, sizeof(struct item));
    struct item *four = ((void)numafy_enter_on(1), (void *)numafy_leave(realloc(NULL, sizeof(struct item))));
    int line = __LINE__;
    one->a = two->a = three->a = four->a = line;
    four = (struct item *)((void)numafy_enter_on(1), (void *)numafy_leave(realloc(four, 2 * sizeof *four)));
    printf("%d %d\n", one->a + two->a + three->a, four->a);
    free(one);
    free(two);
    free(three);
    free(four);
    return 0;
}
