/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte edits: fixed cases, and the algebra on random edits against a slow model that rebuilds the
 * text byte by byte. Fixed seed: a failure repeats.
 */
#include "edit.h"
#include "tool_test.h"
#include "udiff.h"

static void check_apply(struct edit_list *list, const char *in, const char *expected)
{
    struct strbuf out = {0};
    size_t bad;
    assert_int_equal(edit_list_finish(list, &bad), 0);
    assert_int_equal(edit_list_apply(list, in, strlen(in), &out), 0);
    assert_string_equal(strbuf_str(&out), expected);
    strbuf_release(&out);
    edit_list_release(list);
}

static void no_edit_keeps_every_byte(void **state)
{
    (void)state;
    struct edit_list list = {0};
    check_apply(&list, "a\r\nb\tc", "a\r\nb\tc");
}

static void replaces_and_inserts(void **state)
{
    (void)state;
    struct edit_list list = {0};
    edit_list_add(&list, 9, 0, ")", 0);
    edit_list_add(&list, 2, 3, " ::new (t)", 0);
    check_apply(&list, "p=new X{};", "p= ::new (t) X{});");
}

static void insertions_at_one_place_go_by_rank(void **state)
{
    (void)state;
    struct edit_list list = {0};
    edit_list_add(&list, 1, 0, "outer", -1);
    edit_list_add(&list, 1, 0, "inner", -5);
    edit_list_add(&list, 1, 1, "B", -9);
    check_apply(&list, "abc", "ainnerouterBc");
}

static void the_same_edit_twice_is_one(void **state)
{
    (void)state;
    struct edit_list list = {0};
    edit_list_add(&list, 1, 1, "X", 3);
    edit_list_add(&list, 1, 1, "X", 3);
    check_apply(&list, "abc", "aXc");
}

static void overlap_is_refused(void **state)
{
    (void)state;
    struct edit_list list = {0};
    size_t bad = 99;
    edit_list_add(&list, 0, 3, "x", 0);
    edit_list_add(&list, 2, 2, "y", 0);
    assert_int_equal(edit_list_finish(&list, &bad), -1);
    assert_int_equal(bad, 1);
    edit_list_release(&list);
}

static void an_insertion_inside_a_replacement_is_overlap(void **state)
{
    (void)state;
    struct edit_list list = {0};
    size_t bad;
    edit_list_add(&list, 0, 3, "x", 0);
    edit_list_add(&list, 1, 0, "y", 0);
    assert_int_equal(edit_list_finish(&list, &bad), -1);
    edit_list_release(&list);
}

static void past_the_end_is_refused(void **state)
{
    (void)state;
    struct edit_list list = {0};
    struct strbuf out = {0};
    size_t bad;
    edit_list_add(&list, 2, 5, "x", 0);
    assert_int_equal(edit_list_finish(&list, &bad), 0);
    assert_int_equal(edit_list_apply(&list, "abc", 3, &out), -1);
    strbuf_release(&out);
    edit_list_release(&list);
}

/* xorshift: the same on every machine. */
static uint32_t next_random(uint32_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

enum { TEXT = 64, EDITS = 8 };

/* The model: what stands before and instead of each byte. */
struct model {
    char before[TEXT + 1][EDITS * 8];
    int inserted[TEXT + 1]; /* an insertion, perhaps of nothing, stands before this byte */
    int replaced[TEXT + 1]; /* length of the replacement that starts here, -1 for covered bytes */
    const char *by[TEXT + 1];
};

static void model_text(const struct model *m, const char *in, char *out)
{
    *out = '\0';
    for (int i = 0; i <= TEXT; i++) {
        strcat(out, m->before[i]);
        if (m->replaced[i] > 0)
            strcat(out, m->by[i]);
        else if (m->replaced[i] == 0 && i < TEXT)
            strncat(out, in + i, 1);
    }
}

static void random_edits_match_the_model(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "<>", "abc", "\n", "0123456"};
    uint32_t seed = 12345;
    for (int round = 0; round < 3000; round++) {
        struct model m = {0};
        struct edit_list list = {0};
        struct strbuf out = {0};
        char in[TEXT + 1], expected[TEXT * 8 + EDITS * 64];
        size_t bad;
        for (int i = 0; i < TEXT; i++)
            in[i] = (char)('A' + next_random(&seed) % 26);
        in[TEXT] = '\0';
        for (int e = 0; e < EDITS; e++) {
            int at = (int)(next_random(&seed) % (TEXT + 1));
            int length = (int)(next_random(&seed) % 4);
            const char *text = texts[next_random(&seed) % 5];
            int free_range = at + length <= TEXT;
            for (int i = at; i < at + length && free_range; i++)
                free_range = m.replaced[i] == 0 && (i == at || !m.inserted[i]);
            if (!free_range || m.replaced[at] < 0)
                continue;
            /* Equal insertions at one place are one edit by contract: give each its own rank. */
            edit_list_add(&list, (size_t)at, (size_t)length, text, e);
            if (!length) {
                m.inserted[at] = 1;
                strcat(m.before[at], text);
                continue;
            }
            m.replaced[at] = length;
            m.by[at] = text;
            for (int i = at + 1; i < at + length; i++)
                m.replaced[i] = -1;
        }
        model_text(&m, in, expected);
        assert_int_equal(edit_list_finish(&list, &bad), 0);
        assert_int_equal(edit_list_apply(&list, in, TEXT, &out), 0);
        assert_string_equal(strbuf_str(&out), expected);
        strbuf_release(&out);
        edit_list_release(&list);
    }
}

/* Order of adding does not matter. */
static void order_of_adding_does_not_matter(void **state)
{
    (void)state;
    static const struct edit edits[] = {
        {5, 1, "x", 0}, {0, 2, "yy", 0}, {5, 0, "i", 0}, {3, 1, "", 0}};
    struct strbuf first = {0};
    for (int turn = 0; turn < 4; turn++) {
        struct edit_list list = {0};
        struct strbuf out = {0};
        size_t bad;
        for (int i = 0; i < 4; i++) {
            const struct edit *e = &edits[(i + turn) % 4];
            edit_list_add(&list, e->offset, e->length, e->text, e->rank);
        }
        assert_int_equal(edit_list_finish(&list, &bad), 0);
        assert_int_equal(edit_list_apply(&list, "abcdefgh", 8, &out), 0);
        if (!turn)
            strbuf_puts(&first, strbuf_str(&out));
        assert_string_equal(strbuf_str(&out), strbuf_str(&first));
        assert_string_equal(strbuf_str(&out), "yyceixgh");
        strbuf_release(&out);
        edit_list_release(&list);
    }
    strbuf_release(&first);
}

static void check_diff(const char *a, const char *b, const char *expected)
{
    struct strbuf out = {0};
    udiff("f", a, strlen(a), b, strlen(b), &out);
    assert_string_equal(strbuf_str(&out), expected);
    strbuf_release(&out);
}

static void diff_of_equal_texts_is_empty(void **state)
{
    (void)state;
    check_diff("a\nb\n", "a\nb\n", "");
}

static void diff_shows_change_and_insertion(void **state)
{
    (void)state;
    check_diff("1\n2\n3\n4\n5\n6\n", "1\nnew\n2\n3\n4\nfive\n6\n",
               "--- a/f\n+++ b/f\n@@ -1,6 +1,7 @@\n 1\n+new\n 2\n 3\n 4\n-5\n+five\n 6\n");
}

static void diff_separates_distant_hunks(void **state)
{
    (void)state;
    check_diff(
        "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
        "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n"
        "-b\n+B\n");
}

static void diff_marks_a_missing_last_newline(void **state)
{
    (void)state;
    check_diff("a", "b",
               "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n"
               "\\ No newline at end of file\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_edit_keeps_every_byte),
        cmocka_unit_test(replaces_and_inserts),
        cmocka_unit_test(insertions_at_one_place_go_by_rank),
        cmocka_unit_test(the_same_edit_twice_is_one),
        cmocka_unit_test(overlap_is_refused),
        cmocka_unit_test(an_insertion_inside_a_replacement_is_overlap),
        cmocka_unit_test(past_the_end_is_refused),
        cmocka_unit_test(random_edits_match_the_model),
        cmocka_unit_test(order_of_adding_does_not_matter),
        cmocka_unit_test(diff_of_equal_texts_is_empty),
        cmocka_unit_test(diff_shows_change_and_insertion),
        cmocka_unit_test(diff_separates_distant_hunks),
        cmocka_unit_test(diff_marks_a_missing_last_newline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
