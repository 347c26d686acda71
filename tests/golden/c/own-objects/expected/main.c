/* An object in the function's own frame owns nothing. What is put into it goes where the object
 * goes: the list behind a head on the stack, and a struct that is copied. */
#include "check.h"
#include "numa_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "numafy/near.h"
#line 8

struct word {
    struct word *next;
    char *text;
};

struct pair {
    char *name, *value;
};

struct page {
    struct word *words;
    struct pair pairs[4];
    int count;
};

static struct word *word_new(char c)
{
    struct word *w = calloc(1, sizeof *w);
    w->text = numafy_malloc_near(w, 2);
    w->text[0] = c;
    w->text[1] = '\0';
    return w;
}

/* Returned: the caller knows whose list it is. */
static struct word *split(const char *s)
{
    struct word head = {NULL, NULL};
    struct word *last = &head;
    for (; *s; s++)
        last = last->next = ((void)numafy_enter(last), (struct word *)numafy_leave(word_new(*s)));
    return head.next;
}

/* Stored: in a page. */
static void parse(struct page *p, const char *s)
{
    struct word head;
    struct word *last = &head;
    head.next = NULL;
    while (*s) {
        last->next = numafy_calloc_near(p, 1, sizeof *last);
        last = last->next;
        last->text = numafy_malloc_near(p, 2);
        last->text[0] = *s++;
        last->text[1] = '\0';
    }
    p->words = head.next;
}

static void define(struct page *p, const char *name, const char *value)
{
    struct pair pair;
    pair.name = numafy_malloc_near(p, strlen(name) + 1);
    pair.value = numafy_malloc_near(p, strlen(value) + 1);
    strcpy(pair.name, name);
    strcpy(pair.value, value);
    p->pairs[p->count++] = pair;
}

/* Nobody's. */
static int measure(const char *s)
{
    struct pair pair;
    int n;
    pair.name = numafy_malloc_near(&pair, strlen(s) + 1);
    strcpy(pair.name, s);
    n = (int)strlen(pair.name);
    free(pair.name);
    return n;
}

static void check_words(const struct word *w, int node)
{
    (void)node;
    for (; w; w = w->next) {
        CHECK_NODE(w, node);
        CHECK_NODE(w->text, node);
        printf("%s", w->text);
    }
    printf("\n");
}

int main(void)
{
    struct page *p = numafy_calloc(1, 1, sizeof *p), *plain = calloc(1, sizeof *plain);
    p->words = ((void)numafy_enter(p), (struct word *)numafy_leave(split("abc")));
    check_words(p->words, 1);
    parse(p, "def");
    check_words(p->words, 1);
    define(p, "name", "value");
    CHECK_NODE(p->pairs[0].name, 1);
    CHECK_NODE(p->pairs[0].value, 1);
    plain->words = ((void)numafy_enter(plain), (struct word *)numafy_leave(split("gh")));
    check_words(plain->words, -1);
    parse(plain, "ij");
    check_words(plain->words, -1);
    printf("%d line %d\n", measure("four"), __LINE__);
    return 0;
}
