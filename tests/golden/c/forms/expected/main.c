/* Each allocator of the C library with a destination in an object (P90). */
#define _GNU_SOURCE
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "numafy/near.h"
#line 8

struct item {
    int key;
    struct item *next;
};
struct flex {
    size_t n;
    int tail[];
};
struct box {
    struct item *one, *many, *grown, *aligned, **slots;
    struct flex *flex;
    char *name, *text, *line, *part, *words;
    int *numbers;
    size_t room, words_room;
};

static void fill(struct box *b)
{
    FILE *f;
    b->one = numafy_malloc_near(b, sizeof *b->one);
    b->many = (struct item *) numafy_calloc_near(b, 4, sizeof(struct item));
    b->grown = numafy_realloc_near(b, b->grown, 2 * sizeof(struct item));
    b->aligned = numafy_aligned_alloc_near(b, 64, 64);
    b->slots = numafy_malloc_near(b, 3 * sizeof *b->slots);
    b->slots[0] = numafy_malloc_near(&b->slots[0], sizeof(struct item));
    b->flex = numafy_malloc_near(b, sizeof *b->flex + 5 * sizeof(int));
    b->name = ((void)numafy_enter(b), (char *)numafy_leave(strdup("name")));
    b->part = ((void)numafy_enter(b), (char *)numafy_leave(strndup("a part", 3)));
    b->numbers = ((void)numafy_enter(b), (void *)numafy_leave(reallocarray(NULL, 7, sizeof *b->numbers)));
    if (((void)numafy_enter(b), (int)numafy_leave_int(asprintf(&b->text, "%d", 42))) < 0)
        abort();
    f = fmemopen((void *)"a line\n", 7, "r");
    if (f == NULL || ((void)numafy_enter(b), (__ssize_t)numafy_leave_int(getline(&b->line, &b->room, f))) < 0)
        abort();
    rewind(f);
    if (((void)numafy_enter(b), (__ssize_t)numafy_leave_int(getdelim(&b->words, &b->words_room, ' ', f))) < 0)
        abort();
    fclose(f);
    if (((void)numafy_enter(b->many), (int)numafy_leave_int(posix_memalign((void **)&b->many->next, 128, sizeof(struct item)))) != 0)
        abort();
}

int main(void)
{
    struct box *b = numafy_calloc(1, 1, sizeof *b);
    fill(b);
    CHECK_NODE(b->one, 1);
    CHECK_NODE(b->many, 1);
    CHECK_NODE(b->grown, 1);
    CHECK_NODE(b->aligned, 1);
    CHECK_NODE(b->slots, 1);
    CHECK_NODE(b->slots[0], 1);
    CHECK_NODE(b->flex, 1);
    CHECK_NODE(b->name, 1);
    CHECK_NODE(b->text, 1);
    CHECK_NODE(b->line, 1);
    CHECK_NODE(b->numbers, 1);
    CHECK_NODE(b->part, 1);
    CHECK_NODE(b->words, 1);
    CHECK_NODE(b->many->next, 1);
    printf("%s %s %s %s %s line %d\n", b->name, b->text, b->line, b->part, b->words, __LINE__);
    free(b->one);
    free(b->many->next);
    free(b->many);
    free(b->grown);
    free(b->aligned);
    free(b->slots[0]);
    free(b->slots);
    free(b->flex);
    free(b->name);
    free(b->text);
    free(b->line);
    free(b->numbers);
    free(b->part);
    free(b->words);
    free(b);
    return 0;
}
