/* SPDX-License-Identifier: Apache-2.0 */
/* Raw tokens, the parts of a new-expression, and the place of the include. */
#include "lex.h"
#include "prelude.h"
#include "tool_test.h"

static char *words(const char *text)
{
    static struct strbuf out;
    struct lex l;
    strbuf_clear(&out);
    lex_init(&l, text, strlen(text));
    for (size_t i = 0; i < l.count; i++) {
        strbuf_puts(&out, i ? "|" : "");
        strbuf_add(&out, text + l.tokens[i].offset, l.tokens[i].length);
    }
    lex_release(&l);
    return out.data ? out.data : (strbuf_puts(&out, ""), out.data);
}

static void comments_and_literals_hide_words(void **state)
{
    (void)state;
    assert_string_equal(words("a // new\nb /* new */ c"), "a|b|c");
    assert_string_equal(words("f(\"new \\\" x\", 'n')"), "f|(|\"new \\\" x\"|,|'n'|)");
    assert_string_equal(words("R\"x(new )\" )x\" y"), "R\"x(new )\" )x\"|y");
    assert_string_equal(words("u8R\"(a)\" 1'000 0x1p-3"), "u8R\"(a)\"|1'000|0x1p-3");
}

static void splices_stay_inside_words_and_comments(void **state)
{
    (void)state;
    assert_string_equal(words("ne\\\nw x"), "ne\\\nw|x");
    assert_string_equal(words("ne\\\r\nw x"), "ne\\\r\nw|x");
    assert_string_equal(words("// a \\\nnew\nb"), "b");
}

static void directives_end_with_their_line(void **state)
{
    (void)state;
    const char *text = "#define A new \\\n new\nnew";
    struct lex l;
    lex_init(&l, text, strlen(text));
    assert_int_equal(l.count, 6);
    assert_true(l.tokens[4].directive);
    assert_false(l.tokens[5].directive);
    assert_true(l.tokens[5].line_start);
    lex_release(&l);
}

static void broken_texts_end(void **state)
{
    (void)state;
    assert_string_equal(words("\"open\nx"), "\"open|x");
    assert_string_equal(words("/* open"), "");
    assert_string_equal(words("R\"(open"), "R\"(open");
    assert_string_equal(words("\\"), "\\");
    assert_string_equal(words(""), "");
}

static void positions_count_bytes(void **state)
{
    (void)state;
    const char *text = "a\r\n\tnew";
    struct lex l;
    unsigned line, column;
    lex_init(&l, text, strlen(text));
    lex_position(&l, 4, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 2);
    lex_release(&l);
}

/* Splits the first `new` of the text; the result is "placement|type|whole|array". */
static const char *split(const char *text, bool in_parens)
{
    static struct strbuf out;
    struct lex l;
    struct lex_new n;
    strbuf_clear(&out);
    lex_init(&l, text, strlen(text));
    size_t word = 0;
    while (!lex_is(&l, word, "new"))
        word++;
    lex_split_new(&l, word, in_parens, &n);
    size_t ends[3][2] = {{n.place_open, n.place_close + 1}, {n.type, n.type_end}, {n.first, n.end}};
    for (int i = 0; i < 3; i++) {
        if ((i || n.place_open) && ends[i][1] > ends[i][0]) {
            unsigned a = l.tokens[ends[i][0]].offset;
            const struct lex_token *last = &l.tokens[ends[i][1] - 1];
            strbuf_add(&out, text + a, last->offset + last->length - a);
        }
        strbuf_putc(&out, '|');
    }
    strbuf_puts(&out, n.array ? "[]" : "");
    strbuf_puts(&out, n.complete ? "" : "?");
    lex_release(&l);
    return out.data;
}

static void new_is_split(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
        bool in_parens;
    } cases[] = {
        {"x = new Node;", "|Node|new Node|", false},
        {"new Node(1, f(2))+3", "|Node|new Node(1, f(2))|", false},
        {"::new ns::A<B<C>>{1};", "|ns::A<B<C>>|::new ns::A<B<C>>{1}|", false},
        {"new (std::nothrow) Node[n]();", "(std::nothrow)|Node|new (std::nothrow) Node[n]()|[]",
         true},
        {"new (Node)(x);", "|Node|new (Node)(x)|", false},
        {"new (buf) (Node)(x);", "(buf)|Node|new (buf) (Node)(x)|", true},
        {"new (Node *[3]);", "|Node *|new (Node *[3])|[]", false},
        {"new Node *[n][4];", "|Node *|new Node *[n][4]|[]", false},
        {"new unsigned long long(5);", "|unsigned long long|new unsigned long long(5)|", false},
        {"new const struct S;", "|const struct S|new const struct S|", false},
        {"new typename T::template X<int>(1);",
         "|typename T::template X<int>|"
         "new typename T::template X<int>(1)|",
         false},
        {"new auto(x);", "|auto|new auto(x)|", false},
        {"b ? new X : q", "|X|new X|", false},
        {"new X<(a > b)>;", "|X<(a > b)>|new X<(a > b)>|", false},
        {"new decltype(v)[2];", "|decltype(v)|new decltype(v)[2]|[]", false},
        {"new ;", "||new|?", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(split(cases[i].text, cases[i].in_parens), cases[i].expected);
}

/* The text with the include put in, \x01 marking nothing else. */
static const char *with_prelude(const char *text)
{
    static struct strbuf out;
    struct strbuf head = {0};
    struct lex l;
    strbuf_clear(&out);
    lex_init(&l, text, strlen(text));
    long at = prelude_place(&l, &head);
    lex_release(&l);
    if (at >= 0) {
        strbuf_add(&out, text, (size_t)at);
        strbuf_puts(&out, strbuf_str(&head));
        strbuf_puts(&out, text + at);
    }
    strbuf_release(&head);
    return at < 0 ? "-" : out.data;
}

#define NEAR "#include \"numafy/near.h\"\n"

static void include_finds_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"int a;\n", NEAR "#line 1\nint a;\n"},
        {"#include <a>\n#include <b>\nint a;\n",
         "#include <a>\n#include <b>\n" NEAR "#line 3\nint a;\n"},
        /* code before a later include: the head ends there */
        {"#include <a>\nint a;\n#include <b>\n",
         "#include <a>\n" NEAR "#line 2\nint a;\n#include <b>\n"},
        /* inside #if: not at depth 0 */
        {"#include <a>\n#if X\n#include <b>\n#endif\nint a;\n",
         "#include <a>\n" NEAR "#line 2\n#if X\n#include <b>\n#endif\nint a;\n"},
        {"#ifndef G\n#define G\n#include <a>\nint a;\n#endif\n",
         "#ifndef G\n#define G\n#include <a>\n" NEAR "#line 4\nint a;\n#endif\n"},
        {"#ifndef G\n#define G\nint a;\n#endif\n",
         "#ifndef G\n#define G\n" NEAR "#line 3\nint a;\n#endif\n"},
        {"// text\n#pragma once\nint a;\n", "// text\n#pragma once\n" NEAR "#line 3\nint a;\n"},
        /* no guard: something follows the #endif */
        {"#ifndef G\n#define G\n#include <a>\n#endif\nint a;\n",
         NEAR "#line 1\n#ifndef G\n#define G\n#include <a>\n#endif\nint a;\n"},
        {"#define _GNU_SOURCE\nint a;\n", "#define _GNU_SOURCE\n" NEAR "#line 2\nint a;\n"},
        {"#include <a>\n#define _GNU_SOURCE 1\n#include <b>\n\n",
         "#include <a>\n#define _GNU_SOURCE 1\n#include <b>\n" NEAR "#line 4\n\n"},
        {"#include <a> /* long\n comment */\nint a;\n",
         "#include <a> /* long\n comment */\n" NEAR "#line 3\nint a;\n"},
        {"#include <a>\r\nint a;\r\n",
         "#include <a>\r\n#include \"numafy/near.h\"\r\n#line 2\r\nint a;\r\n"},
        {"#line 40 \"x.re\"\n#include <a>\nint a;\n",
         "#line 40 \"x.re\"\n#include <a>\n" NEAR "#line 41\nint a;\n"},
        {"#include <a>", "#include <a>\n" NEAR "#line 1\n"},
        {"#include <a>\n#include \"numafy/near.h\"\n#line 2\nint a;\n", "-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(with_prelude(cases[i].text), cases[i].expected);
}

static void byte_order_mark_stays_first(void **state)
{
    (void)state;
    assert_string_equal(with_prelude("\xef\xbb\xbfint a;\n"),
                        "\xef\xbb\xbf" NEAR "#line 1\nint a;\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_literals_hide_words),
        cmocka_unit_test(splices_stay_inside_words_and_comments),
        cmocka_unit_test(directives_end_with_their_line),
        cmocka_unit_test(broken_texts_end),
        cmocka_unit_test(positions_count_bytes),
        cmocka_unit_test(new_is_split),
        cmocka_unit_test(include_finds_its_place),
        cmocka_unit_test(byte_order_mark_stays_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
