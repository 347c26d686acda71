// SPDX-License-Identifier: Apache-2.0
// libfuzzer_tool.c: the rewriter's parts that see bytes of users, driven by libFuzzer. The input's
// first byte says which part, the rest is its text. Each part has an invariant that is checked here
// in another way than the part itself goes about it; the sanitizers see to the rest.
#include "compdb.h"
#include "edit.h"
#include "facts.h"
#include "lex.h"
#include "prelude.h"
#include "udiff.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)                                                     \
    do {                                                                \
        if (!(what)) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                    \
        }                                                               \
    } while (0)

// Untouched bytes come out identical and in order, each edit's text where it belongs: what the
// finished list says, byte by byte.
static void expect_edits(const struct edit_list *list, const char *text, size_t n,
                         struct strbuf *out)
{
    size_t covered = 0;
    for (size_t i = 0; i <= n; i++) {
        for (size_t k = 0; k < list->count; k++)
            if (list->items[k].offset == i) {
                strbuf_puts(out, list->items[k].text);
                if (i + list->items[k].length > covered)
                    covered = i + list->items[k].length;
            }
        if (i < n && i >= covered)
            strbuf_putc(out, text[i]);
    }
}

static void fuzz_edits(const char *text, size_t n)
{
    static const char *const texts[] = {"", "x", "::numafy::near(this)", ")", "\n"};
    struct edit_list list = {0};
    struct strbuf got = {0}, wanted = {0};
    size_t count = n ? (unsigned char)text[0] % 16 : 0, bad = 0;
    if (n < 1 + count * 4)
        return;
    const unsigned char *e = (const unsigned char *)text + 1;
    text += 1 + count * 4;
    n -= 1 + count * 4;
    bool outside = false;
    for (size_t i = 0; i < count; i++, e += 4) {
        edit_list_add(&list, e[0], e[1] % 8, texts[e[2] % 5], (int)e[3] % 5 - 2);
        outside |= (size_t)e[0] + e[1] % 8 > n;
    }
    if (!edit_list_finish(&list, &bad)) {
        CHECK((edit_list_apply(&list, text, n, &got) != 0) == outside);
        if (!outside) {
            expect_edits(&list, text, n, &wanted);
            CHECK(got.len == wanted.len);
            CHECK(!memcmp(strbuf_str(&got), strbuf_str(&wanted), got.len));
        }
    } else {
        CHECK(bad > 0 && bad < list.count);
    }
    edit_list_release(&list);
    strbuf_release(&got);
    strbuf_release(&wanted);
}

// Between tokens there is white space, a splice or a comment, and nothing else begins there.
static void check_gap(const char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (text[i] == '/')
            return; // a comment
        CHECK(strchr(" \t\r\n\v\f\\", text[i]) && text[i]);
    }
}

static void fuzz_lex(const char *text, size_t n)
{
    struct lex l;
    lex_init(&l, text, n);
    size_t at = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    for (size_t i = 0; i < l.count; i++) {
        const struct lex_token *t = &l.tokens[i];
        CHECK(t->length > 0 && t->offset >= at && t->length <= n && t->offset <= n - t->length);
        check_gap(text, at, t->offset);
        CHECK(lex_at(&l, t->offset) == i && lex_from(&l, t->offset) == i);
        at = t->offset + t->length;
    }
    check_gap(text, at, n);
    for (size_t i = 0; i < l.count && i < 64; i++) {
        struct lex_new x;
        size_t close = lex_match(&l, i);
        CHECK(close <= l.count && (close == l.count || close >= i));
        (void)lex_unevaluated(&l, i);
        if (!lex_is(&l, i, "new"))
            continue;
        lex_split_new(&l, i, text[0] & 1, &x);
        CHECK(!x.complete || (x.first <= x.word && x.word == i && x.end > i && x.end <= l.count));
    }
    lex_release(&l);
}

// How many #if are open at the offset.
static int depth_at(const struct lex *l, size_t offset)
{
    int depth = 0;
    for (size_t i = 0; i + 1 < l->count && l->tokens[i].offset < offset; i++) {
        const struct lex_token *t = &l->tokens[i];
        if (!t->directive || !t->line_start || l->tokens[i + 1].line_start)
            continue;
        depth += lex_is(l, i + 1, "if") || lex_is(l, i + 1, "ifdef") || lex_is(l, i + 1, "ifndef");
        depth -= lex_is(l, i + 1, "endif");
    }
    return depth;
}

// The include stands at a line's beginning and outside every #if but an include guard.
static void fuzz_prelude(const char *text, size_t n)
{
    struct lex l;
    struct strbuf put = {0};
    lex_init(&l, text, n);
    long at = prelude_place(&l, &put);
    if (at >= 0) {
        CHECK((size_t)at <= n && strstr(strbuf_str(&put), "#include \"numafy/near.h\""));
        bool bom = at == 3 && !memcmp(text, "\xef\xbb\xbf", 3);
        CHECK(at == 0 || bom || text[at - 1] == '\n' || (size_t)at == n);
        CHECK(depth_at(&l, (size_t)at) <= 1);
    } else {
        CHECK(strstr(text, "numafy") || strlen(text) < n);
    }
    lex_release(&l);
    strbuf_release(&put);
}

// Applies a unified diff as patch does: every line of context must be there, at the number that the
// hunk says.
static void patch(const char *old, size_t n, const char *diff, size_t length, struct strbuf *out)
{
    const char *p = diff, *end = diff + length, *from = old, *stop = old + n;
    unsigned long line = 1;
    for (int i = 0; i < 2; i++)
        p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    while (p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        CHECK(nl);
        if (*p == '@') {
            unsigned long start, count;
            CHECK(sscanf(p, "@@ -%lu,%lu", &start, &count) == 2);
            for (start += count == 0; line < start; line++) {
                const char *e = memchr(from, '\n', (size_t)(stop - from));
                CHECK(e);
                strbuf_add(out, from, (size_t)(e + 1 - from));
                from = e + 1;
            }
            p = nl + 1;
            continue;
        }
        bool open = nl + 1 < end && nl[1] == '\\';
        size_t bytes = (size_t)(nl - p) - 1 + !open;
        if (*p != '+') {
            CHECK((size_t)(stop - from) >= bytes && !memcmp(from, p + 1, bytes));
            from += bytes;
            line++;
        }
        if (*p != '-')
            strbuf_add(out, p + 1, bytes);
        p = nl + 1;
        if (open)
            p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
    }
    strbuf_add(out, from, (size_t)(stop - from));
}

static void fuzz_udiff(const char *text, size_t n)
{
    const char *half = memchr(text, 0xff, n);
    size_t first = half ? (size_t)(half - text) : n / 2;
    const char *new_text = half ? half + 1 : text + first;
    size_t second = n - (size_t)(new_text - text);
    struct strbuf diff = {0}, got = {0};
    udiff("f", text, first, new_text, second, &diff);
    CHECK((diff.len == 0) == (first == second && !memcmp(text, new_text, first)));
    if (diff.len) {
        patch(text, first, strbuf_str(&diff), diff.len, &got);
        CHECK(got.len == second && !memcmp(strbuf_str(&got), new_text, second));
    }
    strbuf_release(&diff);
    strbuf_release(&got);
}

// What is read is written again as the same bytes, if it is accepted at all.
static void fuzz_facts(const char *text, size_t n)
{
    struct fact_unit u = {0}, again = {0};
    struct strbuf one = {0}, two = {0};
    if (!facts_read(&u, text, n)) {
        facts_write(&u, &one);
        CHECK(!facts_read(&again, strbuf_str(&one), one.len));
        facts_write(&again, &two);
        CHECK(one.len == two.len && !memcmp(strbuf_str(&one), strbuf_str(&two), one.len));
    }
    facts_release(&u);
    facts_release(&again);
    strbuf_release(&one);
    strbuf_release(&two);
}

static void fuzz_compdb(const char *text, size_t n)
{
    struct compdb db = {0};
    struct strbuf err = {0};
    char path[64];
    int fd = memfd_create("compdb", 0);
    CHECK(fd >= 0 && write(fd, text, n) == (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int failed = compdb_read(&db, path, &err);
    CHECK(failed ? err.len > 0 : db.units.count > 0);
    for (size_t i = 0; i < db.units.count; i++)
        CHECK(db.units.items[i].file && db.units.items[i].directory);
    compdb_release(&db);
    strbuf_release(&err);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const parts[])(const char *, size_t) = {fuzz_edits, fuzz_lex,   fuzz_prelude,
                                                          fuzz_udiff, fuzz_facts, fuzz_compdb};
    if (!size)
        return 0;
    // The parts are given what path_read gives: a copy with a NUL after it.
    char *text = malloc(size);
    CHECK(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    parts[data[0] % (sizeof parts / sizeof *parts)](text, size - 1);
    free(text);
    return 0;
}
