/* A fixed node: malloc(sizeof(T)) becomes NUMAFY_NEW only where no comment and no line's end stands between its tokens;
 * the word realloc stays inside what surrounds it. */
#include <stdio.h>
#include <stdlib.h>

struct item {
    int a, b;
};

int main(void)
{
    struct item *one = malloc(sizeof(struct item));
    struct item *two = malloc /* as many as one */ (sizeof(struct item));
    struct item *three = malloc(
        sizeof(struct item));
    struct item *four = realloc(NULL, sizeof(struct item));
    int line = __LINE__;
    one->a = two->a = three->a = four->a = line;
    four = (struct item *)realloc(four, 2 * sizeof *four);
    printf("%d %d\n", one->a + two->a + three->a, four->a);
    free(one);
    free(two);
    free(three);
    free(four);
    return 0;
}
