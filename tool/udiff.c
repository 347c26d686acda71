/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Greedy line matching with bounded look-ahead: our edits change and insert lines, never move them,
 * so the nearest equal line is the right one and no longest common subsequence is needed. Any two
 * texts give a correct, if not always a minimal, diff.
 */
#include "udiff.h"

#include "vec.h"

#include <stdbool.h>

enum { CONTEXT = 3, LOOK_AHEAD = 64 };

struct line {
    const char *text;
    size_t length;
};

typedef VEC(struct line) lines;

/* Lines `from`..`to` of one side; kind ' ' covers both sides. */
struct op {
    char kind;
    size_t old_at, new_at, count;
};

typedef VEC(struct op) ops;

static void split(const char *text, size_t n, lines *out)
{
    while (n) {
        const char *nl = memchr(text, '\n', n);
        size_t length = nl ? (size_t)(nl - text) + 1 : n;
        struct line l = {text, length};
        vec_push(out, l);
        text += length;
        n -= length;
    }
}

static bool same(const struct line *a, const struct line *b)
{
    return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

static void add_op(ops *list, char kind, size_t old_at, size_t new_at, size_t count)
{
    if (!count)
        return;
    struct op *last = list->count ? &list->items[list->count - 1] : NULL;
    if (last && last->kind == kind) {
        last->count += count;
        return;
    }
    struct op o = {kind, old_at, new_at, count};
    vec_push(list, o);
}

/* Nearest pair (i+a, j+b) of equal lines, a+b smallest. */
static bool resync(const lines *o, const lines *n, size_t i, size_t j, size_t *a, size_t *b)
{
    for (size_t sum = 1; sum <= LOOK_AHEAD; sum++)
        for (size_t k = 0; k <= sum; k++) {
            size_t x = i + k, y = j + sum - k;
            if (x < o->count && y < n->count && same(&o->items[x], &n->items[y])) {
                *a = k;
                *b = sum - k;
                return true;
            }
        }
    return false;
}

static void compare(const lines *o, const lines *n, ops *out)
{
    size_t i = 0, j = 0, a, b;
    while (i < o->count || j < n->count) {
        if (i < o->count && j < n->count && same(&o->items[i], &n->items[j])) {
            add_op(out, ' ', i++, j++, 1);
            continue;
        }
        if (!resync(o, n, i, j, &a, &b)) {
            a = i < o->count;
            b = j < n->count;
        }
        add_op(out, '-', i, j, a);
        i += a;
        add_op(out, '+', i, j, b);
        j += b;
    }
}

static void print_lines(struct strbuf *out, char kind, const lines *l, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++) {
        const struct line *x = &l->items[i];
        strbuf_putc(out, kind);
        strbuf_add(out, x->text, x->length);
        if (x->text[x->length - 1] != '\n')
            strbuf_puts(out, "\n\\ No newline at end of file\n");
    }
}

static void print_range(struct strbuf *out, char sign, size_t start, size_t count)
{
    strbuf_printf(out, "%c%zu,%zu", sign, count ? start + 1 : start, count);
}

/* One hunk: changes first..last-1 of the list and the context around them. */
static void print_hunk(struct strbuf *out, const lines *o, const lines *n, const ops *list,
                       size_t first, size_t last)
{
    const struct op *f = &list->items[first], *l = &list->items[last - 1];
    size_t before = f->old_at < CONTEXT ? f->old_at : CONTEXT;
    before = f->new_at < before ? f->new_at : before;
    size_t old_end = l->old_at + (l->kind == '-' ? l->count : 0);
    size_t new_end = l->new_at + (l->kind == '+' ? l->count : 0);
    size_t after = o->count - old_end < CONTEXT ? o->count - old_end : CONTEXT;
    strbuf_puts(out, "@@ ");
    print_range(out, '-', f->old_at - before, old_end + after - (f->old_at - before));
    strbuf_putc(out, ' ');
    print_range(out, '+', f->new_at - before, new_end + after - (f->new_at - before));
    strbuf_puts(out, " @@\n");
    print_lines(out, ' ', o, f->old_at - before, before);
    for (size_t i = first; i < last; i++) {
        const struct op *x = &list->items[i];
        print_lines(out, x->kind, x->kind == '+' ? n : o, x->kind == '+' ? x->new_at : x->old_at,
                    x->count);
    }
    print_lines(out, ' ', o, old_end, after);
}

void udiff(const char *name, const char *old_text, size_t old_len, const char *new_text,
           size_t new_len, struct strbuf *out)
{
    if (old_len == new_len && (!old_len || !memcmp(old_text, new_text, old_len)))
        return;
    lines o = {0}, n = {0};
    ops list = {0};
    split(old_text, old_len, &o);
    split(new_text, new_len, &n);
    compare(&o, &n, &list);
    strbuf_printf(out, "--- a/%s\n+++ b/%s\n", name, name);
    for (size_t i = 0; i < list.count;) {
        if (list.items[i].kind == ' ') {
            i++;
            continue;
        }
        size_t last = i + 1;
        while (last < list.count &&
               (list.items[last].kind != ' ' ||
                (list.items[last].count <= 2 * CONTEXT && last + 1 < list.count)))
            last++;
        print_hunk(out, &o, &n, &list, i, last);
        i = last;
    }
    vec_release(&o);
    vec_release(&n);
    vec_release(&list);
}

/* The escape that a line of a diff begins with, or NULL. */
static const char *line_colour(const char *line)
{
    if (!strncmp(line, "--- ", 4) || !strncmp(line, "+++ ", 4))
        return "\x1b[1m";
    return *line == '+' ? "\x1b[32m" : *line == '-' ? "\x1b[31m" : *line == '@' ? "\x1b[36m" : NULL;
}

void udiff_colour(const struct strbuf *diff, struct strbuf *out)
{
    const char *s = strbuf_str(diff), *end = s + diff->len;
    while (s < end) {
        const char *nl = memchr(s, '\n', (size_t)(end - s)), *stop = nl ? nl : end;
        const char *colour = line_colour(s);
        if (colour)
            strbuf_puts(out, colour);
        strbuf_add(out, s, (size_t)(stop - s));
        if (colour)
            strbuf_puts(out, "\x1b[0m");
        if (nl)
            strbuf_putc(out, '\n');
        s = stop + (nl != NULL);
    }
}
