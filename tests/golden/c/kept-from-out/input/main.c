/* A function stores its block through the address of a local variable; what that is stored in later
 * is the owner, be it by a struct that is put behind the last one of an array. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct token {
    int kind;
    char *text;
};

struct lexer {
    struct token tokens[8], *end;
    char *last;
};

static int read_name(const char *from, char **name)
{
    char *text = malloc(strlen(from) + 1);
    strcpy(text, from);
    *name = text;
    return text[0] != '\0';
}

static void scan(struct lexer *l, const char *from)
{
    struct token t = {1, NULL};
    char *name = NULL;
    if (!read_name(from, &name))
        return;
    t.text = name;
    *(l->end)++ = t;
}

static void scan_last(struct lexer *l, const char *from)
{
    char *name;
    if (read_name(from, &name))
        l->last = name;
}

static int is_name(const char *from)
{
    char *name;
    int is = read_name(from, &name);
    free(name);
    return is;
}

int main(void)
{
    struct lexer *l = numafy_calloc(1, 1, sizeof *l);
    l->end = l->tokens;
    scan(l, "one");
    scan(l, "two");
    scan_last(l, "three");
    CHECK_NODE(l->tokens[0].text, 1);
    CHECK_NODE(l->tokens[1].text, 1);
    CHECK_NODE(l->last, 1);
    printf("%s %s %s %d line %d\n", l->tokens[0].text, l->tokens[1].text, l->last, is_name(""),
           __LINE__);
    return 0;
}
