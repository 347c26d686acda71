/* SPDX-License-Identifier: Apache-2.0 */
/* Facts survive their text form; broken texts are refused; the table of diagnostics and its page.
 */
#include "diag.h"
#include "facts.h"
#include "path.h"
#include "strmap.h"
#include "tool_test.h"

#include <stdio.h>

static void fill(struct fact_unit *u)
{
    struct fact_type *t = vec_add(&u->types);
    struct fact_site *s = vec_add(&u->sites);
    struct fact_owner *o = vec_add(&s->owners);
    struct fact_file *f = vec_add(&u->files);
    struct fact_range range = {3, 9};
    struct fact_include include = {"/t/b.cpp", true};
    struct fact_ctor ctor = {"c:@ctor", CTOR_ALLOCATES};
    u->main_file = "/t/\xff name.cpp"; /* file names need not be UTF-8 */
    *t = (struct fact_type){.key = "K", .name = "ns::K", .flags = TYPE_OWN_NEW | TYPE_DEFINED};
    vec_push(&t->edges, "E");
    vec_push(&t->bases, "B");
    vec_push(&t->holds, "H");
    vec_push(&t->ctors, ctor);
    *o = (struct fact_owner){
        .kind = OWNER_PARAMETER,
        .expr = "p",
        .cls = "K",
        .pointee = "",
        .take_address = true,
        .reject = 1003,
        .var = "",
        .via = "f#0",
    };
    s->file = "/t/a.cpp";
    s->kind = "new[]";
    s->type = "K";
    s->type_key = "K";
    s->ctor = "c";
    s->function = "f";
    s->offset = 7;
    s->left = NF_PLACEMENT;
    s->end = 40;
    f->path = "/t/a.cpp";
    f->cxx = true;
    vec_push(&f->inactive, range);
    vec_push(&f->includes, include);
}

static void facts_survive_their_text(void **state)
{
    (void)state;
    struct fact_unit in = {0}, out = {0};
    struct strbuf text = {0}, again = {0};
    fill(&in);
    facts_write(&in, &text);
    assert_int_equal(facts_read(&out, strbuf_str(&text), text.len), 0);
    assert_string_equal(out.main_file, in.main_file);
    assert_int_equal(out.sites.items[0].left, NF_PLACEMENT);
    assert_int_equal(out.sites.items[0].owners.items[0].reject, 1003);
    assert_string_equal(out.sites.items[0].owners.items[0].via, "f#0");
    assert_true(out.sites.items[0].owners.items[0].take_address);
    assert_int_equal(out.types.items[0].ctors.items[0].status, CTOR_ALLOCATES);
    assert_true(out.files.items[0].includes.items[0].nested);
    facts_write(&out, &again);
    assert_int_equal(text.len, again.len);
    assert_memory_equal(strbuf_str(&text), strbuf_str(&again), text.len);
    strbuf_release(&text);
    strbuf_release(&again);
    facts_release(&in);
    facts_release(&out);
}

static void broken_facts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } texts[] = {
        {"", 0},
        {"\0\1a", 3},                                          /* no NUL after the string */
        {"\1\1a\0", 4},                                        /* a string before the first */
        {"\0\3a\0b\0", 6},                                     /* a NUL inside */
        {"\0\1a\0\2", 5},                                      /* a flag that is 2 */
        {"\0\1a\0\0\x7f", 6},                                  /* more notes than bytes */
        {"\0\1a\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff", 14}, /* a number without end */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fact_unit u = {0};
        if (!facts_read(&u, texts[i].bytes, texts[i].length))
            fail_msg("text %zu was accepted", i);
        facts_release(&u);
    }
}

static void whole_facts_with_a_main_file_are_needed(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        struct fact_unit in = {0}, out = {0};
        struct strbuf text = {0};
        in.main_file = turn == 1 ? "" : "a";
        facts_write(&in, &text);
        if (turn == 2)
            strbuf_putc(&text, '\0');
        assert_int_equal(facts_read(&out, text.data, text.len), turn ? -1 : 0);
        facts_release(&out);
        strbuf_release(&text);
    }
}

/* Every change of one byte is refused or gives a unit that can be written again. */
static void changed_facts_never_crash(void **state)
{
    (void)state;
    struct fact_unit in = {0};
    struct strbuf text = {0}, again = {0};
    fill(&in);
    facts_write(&in, &text);
    for (size_t i = 0; i < text.len * 8; i++) {
        struct fact_unit u = {0};
        text.data[i / 8] ^= (char)(1 << i % 8);
        strbuf_clear(&again);
        if (!facts_read(&u, text.data, text.len))
            facts_write(&u, &again);
        facts_release(&u);
        text.data[i / 8] ^= (char)(1 << i % 8);
    }
    strbuf_release(&text);
    strbuf_release(&again);
    facts_release(&in);
}

/* Every truncation of a good text is refused, none crashes. */
static void truncated_facts_are_refused(void **state)
{
    (void)state;
    struct fact_unit in = {0};
    struct strbuf text = {0};
    fill(&in);
    facts_write(&in, &text);
    for (size_t n = 0; n < text.len; n++) {
        struct fact_unit u = {0};
        assert_int_equal(facts_read(&u, strbuf_str(&text), n), -1);
        facts_release(&u);
    }
    strbuf_release(&text);
    facts_release(&in);
}

static void map_finds_what_was_put(void **state)
{
    (void)state;
    enum { KEYS = 500 };
    struct strmap m = {0};
    struct arena a = {0};
    for (size_t i = 0; i < KEYS; i++)
        assert_true(strmap_put(&m, arena_printf(&a, "key %zu", i), i));
    assert_false(strmap_put(&m, "key 7", 99));
    for (size_t i = 0; i < KEYS; i++)
        assert_int_equal(strmap_find(&m, arena_printf(&a, "key %zu", i)), i);
    assert_true(strmap_find(&m, "key 500") == STRMAP_NONE);
    strmap_release(&m);
    arena_release(&a);
}

static void every_diagnostic_is_documented(void **state)
{
    (void)state;
    struct strbuf page = {0};
    assert_int_equal(path_read(NUMAFY_SOURCE_DIR "/docs/diagnostics.md", &page), 0);
    for (const enum nf_id *id = nf_list(); *id; id++) {
        char heading[64];
        snprintf(heading, sizeof heading, "\n### NF%d ", (int)*id);
        if (!strstr(strbuf_str(&page), heading))
            fail_msg("docs/diagnostics.md has no section for NF%d", (int)*id);
    }
    for (const char *p = strbuf_str(&page); (p = strstr(p, "\n### NF")) != NULL; p++)
        if (!strcmp(nf_text((enum nf_id)atoi(p + 7)), "unknown"))
            fail_msg("docs/diagnostics.md describes an id that does not exist: %.12s", p + 1);
    strbuf_release(&page);
}

/* The advice of the table stands in the id's section, wrapped there. */
static void advice_is_the_documents(void **state)
{
    (void)state;
    struct strbuf page = {0}, section = {0};
    assert_int_equal(path_read(NUMAFY_SOURCE_DIR "/docs/diagnostics.md", &page), 0);
    for (const enum nf_id *id = nf_list(); *id; id++) {
        char heading[64];
        snprintf(heading, sizeof heading, "\n### NF%d ", (int)*id);
        const char *start = strstr(strbuf_str(&page), heading);
        const char *end = start ? strstr(start + 1, "\n#") : NULL;
        strbuf_clear(&section);
        for (const char *s = start; s && *s && s != end; s++)
            strbuf_putc(&section, *s == '\n' ? ' ' : *s);
        char *wanted = NULL;
        assert_true(asprintf(&wanted, "What to do: %s", nf_advice(*id)) > 0);
        if (!*nf_advice(*id) || !strstr(strbuf_str(&section), wanted))
            fail_msg("NF%d: docs/diagnostics.md does not say \"%s\"", (int)*id, wanted);
        free(wanted);
    }
    strbuf_release(&section);
    strbuf_release(&page);
}

static void ids_rise(void **state)
{
    (void)state;
    for (const enum nf_id *id = nf_list(); id[0] && id[1]; id++)
        assert_true(id[0] < id[1]);
}

static void exit_codes_have_an_order(void **state)
{
    (void)state;
    static const enum exit_code order[] = {EXIT_INTERNAL, EXIT_WRITE,   EXIT_CONFLICT, EXIT_PARSE,
                                           EXIT_LEFT,     EXIT_CHANGES, EXIT_DONE};
    enum { N = sizeof order / sizeof *order };
    for (int i = 0; i < N; i++)
        for (int k = i; k < N; k++) {
            assert_int_equal(exit_worse(order[i], order[k]), order[i]);
            assert_int_equal(exit_worse(order[k], order[i]), order[i]);
        }
}

static void paths_nest_by_component(void **state)
{
    (void)state;
    assert_true(path_within("/a/b", "/a"));
    assert_true(path_within("/a", "/a"));
    assert_false(path_within("/ab", "/a"));
    assert_true(path_within("/a", "/"));
    assert_string_equal(path_below("/a/b/c", "/a"), "b/c");
    assert_string_equal(path_below("/a", "/"), "a");
    assert_string_equal(path_extension("/a.d/b"), "");
    assert_string_equal(path_extension("/a.d/b.cpp"), "cpp");
}

static void future_paths_are_resolved(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_string_equal(path_future(&a, "/tmp/../nowhere-at-all/x/../y/"), "/nowhere-at-all/y");
    assert_string_equal(path_future(&a, "/"), "/");
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_survive_their_text),
        cmocka_unit_test(broken_facts_are_refused),
        cmocka_unit_test(whole_facts_with_a_main_file_are_needed),
        cmocka_unit_test(changed_facts_never_crash),
        cmocka_unit_test(truncated_facts_are_refused),
        cmocka_unit_test(map_finds_what_was_put),
        cmocka_unit_test(every_diagnostic_is_documented),
        cmocka_unit_test(advice_is_the_documents),
        cmocka_unit_test(ids_rise),
        cmocka_unit_test(exit_codes_have_an_order),
        cmocka_unit_test(paths_nest_by_component),
        cmocka_unit_test(future_paths_are_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
