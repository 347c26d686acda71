/* Each allocator of the C library with a destination in an object (P90). */
#define _GNU_SOURCE
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    b->one = malloc(sizeof *b->one);
    b->many = (struct item *) calloc(4, sizeof(struct item));
    b->grown = realloc(b->grown, 2 * sizeof(struct item));
    b->aligned = aligned_alloc(64, 64);
    b->slots = malloc(3 * sizeof *b->slots);
    b->slots[0] = malloc(sizeof(struct item));
    b->flex = malloc(sizeof *b->flex + 5 * sizeof(int));
    b->name = strdup("name");
    b->part = strndup("a part", 3);
    b->numbers = reallocarray(NULL, 7, sizeof *b->numbers);
    if (asprintf(&b->text, "%d", 42) < 0)
        abort();
    f = fmemopen((void *)"a line\n", 7, "r");
    if (f == NULL || getline(&b->line, &b->room, f) < 0)
        abort();
    rewind(f);
    if (getdelim(&b->words, &b->words_room, ' ', f) < 0)
        abort();
    fclose(f);
    if (posix_memalign((void **)&b->many->next, 128, sizeof(struct item)) != 0)
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
