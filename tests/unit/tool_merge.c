/* SPDX-License-Identifier: Apache-2.0 */
/* Units to program: votes, unions, failures, and the account of every word. */
#include "tool_test.h"

#include "path.h"
#include "tool_program.h"

#include <stdio.h>
#include <unistd.h>

static void one_header_many_units_is_one_site(void **state)
{
    (void)state;
    struct program p = {0};
    for (int i = 0; i < 3; i++) {
        struct fact_unit *u = make_unit(i == 0 ? "/t/a.cpp" : i == 1 ? "/t/b.cpp" : "/t/c.cpp");
        struct fact_site *s = make_site(u, 10, "Node");
        s->file = "/t/h.hpp";
        program_add(&p, u);
    }
    program_merge(&p);
    assert_int_equal(p.sites.count, 1);
    assert_int_equal(p.sites.items[0].votes.count, 3);
    program_release(&p);
}

static void sites_are_sorted_whatever_the_order_of_units(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct program p = {0};
        for (int i = 0; i < 2; i++) {
            struct fact_unit *u = make_unit((i + turn) % 2 ? "/t/b.cpp" : "/t/a.cpp");
            make_site(u, 30, "X");
            make_site(u, 20, "X");
            program_add(&p, u);
        }
        program_merge(&p);
        assert_int_equal(p.sites.count, 4);
        assert_string_equal(p.sites.items[0].file, "/t/a.cpp");
        assert_int_equal(p.sites.items[0].offset, 20);
        assert_int_equal(p.sites.items[3].offset, 30);
        program_release(&p);
    }
}

static void types_are_united(void **state)
{
    (void)state;
    struct program p = {0};
    struct fact_unit *a = make_unit("/t/a.cpp"), *b = make_unit("/t/b.cpp");
    struct fact_ctor unseen = {"ctor", CTOR_UNSEEN}, known = {"ctor", CTOR_FREE};
    struct fact_type *ta = make_type(a, "K", "X"), *tb = make_type(b, "K", "Y X");
    ta->flags = 0;
    vec_push(&ta->ctors, unseen);
    vec_push(&tb->ctors, known);
    program_add(&p, a);
    program_add(&p, b);
    program_merge(&p);
    struct fact_type *t = program_type(&p, "K");
    assert_int_equal(p.types.count, 1);
    assert_int_equal(t->edges.count, 2);
    assert_true(t->flags & TYPE_DEFINED);
    assert_int_equal(t->ctors.count, 1);
    assert_int_equal(t->ctors.items[0].status, CTOR_FREE);
    program_release(&p);
}

static void a_failed_unit_votes_on_nothing(void **state)
{
    (void)state;
    struct program p = {0};
    struct fact_unit *good = make_unit("/t/a.cpp"), *bad = make_unit("/t/b.cpp");
    make_site(bad, 10, "Node");
    bad->failed = true;
    program_add(&p, good);
    program_add(&p, bad);
    program_merge(&p);
    assert_int_equal(p.sites.count, 0);
    assert_int_equal(p.failed_units, 1);
    assert_int_equal(program_file(&p, "/t/b.cpp")->status, FILE_FAILED);
    assert_int_equal(program_file(&p, "/t/a.cpp")->status, FILE_UNCHANGED);
    program_release(&p);
}

/* A file on disk, the unit that reads it, and the account. */
struct disk {
    char path[64];
    struct program p;
    struct fact_unit *unit;
};

static void disk_init(struct disk *d, const char *text)
{
    memset(d, 0, sizeof *d);
    strcpy(d->path, "/tmp/nf-account-XXXXXX");
    int fd = mkstemp(d->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    d->unit = make_unit(d->path);
}

static void disk_account(struct disk *d)
{
    struct strbuf err = {0};
    program_add(&d->p, d->unit);
    program_merge(&d->p);
    assert_int_equal(program_account(&d->p, &err), 0);
    strbuf_release(&err);
}

static void disk_release(struct disk *d)
{
    program_release(&d->p);
    unlink(d->path);
}

static void a_hidden_site_is_lost(void **state)
{
    (void)state;
    struct disk d;
    disk_init(&d, "int a; X *p = new X;\n");
    disk_account(&d);
    assert_int_equal(d.p.lost, 1);
    assert_int_equal(d.p.sites.items[0].offset, 14);
    assert_int_equal(d.p.sites.items[0].votes.items[0]->left, NF_LOST);
    disk_release(&d);
}

static void known_words_are_not_lost(void **state)
{
    (void)state;
    struct disk d;
    disk_init(&d, "X *p = new X; // new\n#define N new\nvoid *operator new(unsigned long);\n"
                  "const char *s = \"new\"; int n = x.malloc; auto f = y->malloc(3); malloc(4);\n");
    make_site(d.unit, 7, "X");
    struct fact_mark m = {d.path, 0};
    struct strbuf text = {0};
    assert_int_equal(path_read(d.path, &text), 0);
    m.offset = (unsigned)(strstr(text.data, "malloc(4)") - text.data);
    strbuf_release(&text);
    vec_push(&d.unit->marks, m);
    disk_account(&d);
    assert_int_equal(d.p.lost, 0);
    assert_int_equal(d.p.sites.count, 1);
    disk_release(&d);
}

static void inactive_code_is_counted_not_lost(void **state)
{
    (void)state;
    struct disk d;
    disk_init(&d, "#if 0\nX *p = new X;\n#endif\n");
    struct fact_range r = {0, 26};
    vec_push(&d.unit->files.items[0].inactive, r);
    disk_account(&d);
    assert_int_equal(d.p.lost, 0);
    assert_int_equal(d.p.inactive, 1);
    disk_release(&d);
}

static void unexpanded_macro_arguments_are_left(void **state)
{
    (void)state;
    struct disk d;
    disk_init(&d, "IGNORE(new X);\n");
    struct fact_range r = {0, 13};
    vec_push(&d.unit->files.items[0].macros, r);
    disk_account(&d);
    assert_int_equal(d.p.lost, 0);
    assert_int_equal(d.p.sites.items[0].votes.items[0]->left, NF_MACRO_ARGUMENT);
    disk_release(&d);
}

static void new_is_a_name_in_c(void **state)
{
    (void)state;
    struct disk d;
    disk_init(&d, "int new = 1;\n");
    d.unit->files.items[0].cxx = false;
    disk_account(&d);
    assert_int_equal(d.p.lost, 0);
    disk_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_header_many_units_is_one_site),
        cmocka_unit_test(sites_are_sorted_whatever_the_order_of_units),
        cmocka_unit_test(types_are_united),
        cmocka_unit_test(a_failed_unit_votes_on_nothing),
        cmocka_unit_test(a_hidden_site_is_lost),
        cmocka_unit_test(known_words_are_not_lost),
        cmocka_unit_test(inactive_code_is_counted_not_lost),
        cmocka_unit_test(unexpanded_macro_arguments_are_left),
        cmocka_unit_test(new_is_a_name_in_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
