/* SPDX-License-Identifier: Apache-2.0 */
/* compile_commands.json in all its shapes, and the command line. */
#include "compdb.h"
#include "options.h"
#include "path.h"
#include "tool_test.h"

#include <getopt.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder with the database and a source file. */
struct folder {
    struct arena a;
    char *dir;
    struct compdb db;
    struct strbuf err;
};

static char *put(struct folder *f, const char *name, const char *text)
{
    char *path = path_join(&f->a, f->dir, name);
    assert_int_equal(path_write_atomic(path, text, strlen(text), 0644), 0);
    return path;
}

static void folder_init(struct folder *f)
{
    memset(f, 0, sizeof *f);
    f->dir = arena_strdup(&f->a, "/tmp/nf-db-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    put(f, "a b.cpp", "");
}

static int read_database(struct folder *f, const char *text)
{
    return compdb_read(&f->db, put(f, "compile_commands.json", text), &f->err);
}

static void folder_release(struct folder *f)
{
    char *command = arena_printf(&f->a, "rm -rf %s", f->dir);
    assert_int_equal(system(command), 0);
    compdb_release(&f->db);
    strbuf_release(&f->err);
    arena_release(&f->a);
}

static void expect_words(const char *command, const char *expected)
{
    struct arena a = {0};
    strings argv = {0};
    struct strbuf out = {0};
    compdb_split(&a, command, &argv);
    for (size_t i = 0; i < argv.count; i++)
        strbuf_printf(&out, "%s%s", i ? "|" : "", argv.items[i]);
    assert_string_equal(strbuf_str(&out), expected);
    strbuf_release(&out);
    vec_release(&argv);
    arena_release(&a);
}

static void commands_are_split_as_a_shell_would(void **state)
{
    (void)state;
    expect_words("c++  -c\t'a b.cpp'", "c++|-c|a b.cpp");
    expect_words("c++ -DX=\"a b\" -DY=\\\"q\\\" ''", "c++|-DX=a b|-DY=\"q\"|");
    expect_words("c++ \"-DP='x'\" 'it'\\''s'", "c++|-DP='x'|it's");
    expect_words("c++ \"a\\b\" a\\ b", "c++|a\\b|a b");
    expect_words("c++ 'open", "c++|open");
    expect_words("", "");
}

static void both_forms_and_relative_directories(void **state)
{
    (void)state;
    struct folder f;
    folder_init(&f);
    assert_int_equal(read_database(&f, "[{\"directory\":\".\",\"file\":\"a b.cpp\",\"command\":"
                                       "\"c++ -DA -c 'a b.cpp'\"},{\"directory\":\".\",\"file\":"
                                       "\"a b.cpp\",\"arguments\":[\"c++\",\"-DB\",\"a b.cpp\"]}]"),
                     0);
    assert_int_equal(f.db.units.count, 2);
    assert_string_equal(f.db.units.items[0].directory, f.dir);
    assert_string_equal(f.db.units.items[0].argv.items[3], "a b.cpp");
    assert_false(f.db.units.items[1].missing);
    assert_string_equal(f.db.units.items[0].file, f.db.units.items[1].file);
    folder_release(&f);
}

static void repeated_entries_are_one(void **state)
{
    (void)state;
    struct folder f;
    folder_init(&f);
#define ENTRY "{\"directory\":\"/tmp\",\"file\":\"x.c\",\"arguments\":[\"cc\",\"x.c\"]}"
    assert_int_equal(read_database(&f, "[" ENTRY "," ENTRY "]"), 0);
    assert_int_equal(f.db.units.count, 1);
    assert_true(f.db.units.items[0].missing);
    folder_release(&f);
}

static void launchers_are_dropped(void **state)
{
    (void)state;
    struct folder f;
    folder_init(&f);
    assert_int_equal(read_database(&f, "[{\"directory\":\"/tmp\",\"file\":\"x.c\",\"arguments\":"
                                       "[\"/usr/bin/ccache\",\"g++\",\"x.c\"]}]"),
                     0);
    assert_string_equal(f.db.units.items[0].argv.items[0], "g++");
    folder_release(&f);
}

static void response_files_are_read(void **state)
{
    (void)state;
    struct folder f;
    folder_init(&f);
    put(&f, "in.rsp", "-DONE @more.rsp");
    put(&f, "more.rsp", "-DTWO\n@in.rsp"); /* a cycle ends */
    assert_int_equal(read_database(&f, "[{\"directory\":\".\",\"file\":\"a b.cpp\",\"command\":"
                                       "\"c++ @in.rsp @missing.rsp\"}]"),
                     0);
    strings *argv = &f.db.units.items[0].argv;
    assert_string_equal(argv->items[1], "-DONE");
    assert_string_equal(argv->items[2], "-DTWO");
    assert_string_equal(argv->items[argv->count - 1], "@missing.rsp");
    folder_release(&f);
}

static void broken_databases_get_one_line(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "[",
                                        "{}",
                                        "[]",
                                        "[1]",
                                        "[{\"file\":\"a\"}]",
                                        "[{\"directory\":\"/\",\"file\":\"a\"}]",
                                        "[{\"directory\":\"/\",\"file\":\"a\",\"arguments\":[]}]",
                                        "[{\"directory\":3,\"file\":\"a\",\"command\":\"c\"}]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct folder f;
        folder_init(&f);
        assert_int_equal(read_database(&f, texts[i]), -1);
        assert_non_null(strstr(strbuf_str(&f.err), "compile_commands.json"));
        assert_null(strchr(strbuf_str(&f.err), '\n'));
        folder_release(&f);
    }
}

/* Options */

static int parse(struct options *o, struct strbuf *err, const char *const *args)
{
    char self[] = "numafy-rewrite", *argv[16] = {self};
    int argc = 1;
    for (; args[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)args[argc - 1];
    memset(o, 0, sizeof *o);
    optind = 0; /* glibc: start anew */
    return options_parse(o, argc, argv, err);
}

static void expect_usage(const char *part, const char *const *args)
{
    struct options o;
    struct strbuf err = {0};
    assert_int_equal(parse(&o, &err, args), -1);
    if (!strstr(strbuf_str(&err), part))
        fail_msg("expected \"%s\" in \"%s\"", part, strbuf_str(&err));
    assert_null(strchr(strbuf_str(&err), '\n'));
    strbuf_release(&err);
    options_release(&o);
}

static void bad_command_lines_get_one_line(void **state)
{
    (void)state;
    struct folder f;
    folder_init(&f);
    char *dir = f.dir, *file = put(&f, "x", ""), *inside = path_join(&f.a, dir, "out");
    expect_usage("no tree", (const char *const[]){NULL});
    expect_usage("more than one tree", (const char *const[]){"/tmp", "/usr", NULL});
    expect_usage("not a directory", (const char *const[]){file, NULL});
    expect_usage("No such file", (const char *const[]){"/nowhere-at-all", NULL});
    expect_usage("CMAKE_EXPORT_COMPILE_COMMANDS", (const char *const[]){dir, NULL});
    expect_usage("--wrong", (const char *const[]){dir, "--wrong", NULL});
    expect_usage("after --out", (const char *const[]){dir, "--out", NULL});
    expect_usage("Type=node", (const char *const[]){dir, "--place", "Node", NULL});
    expect_usage("a number from", (const char *const[]){dir, "--place", "Node=x", NULL});
    expect_usage("a number from", (const char *const[]){dir, "--place", "Node=-1", NULL});
    expect_usage("a number from", (const char *const[]){dir, "--place", "Node=5000", NULL});
    expect_usage("two nodes", (const char *const[]){dir, "--place", "N=1", "--place", "N=2", NULL});
    expect_usage("a number from", (const char *const[]){dir, "--root", "v=x", NULL});
    expect_usage("-j 0", (const char *const[]){dir, "-j", "0", NULL});
    expect_usage("is inside the tree", (const char *const[]){dir, "--out", inside, NULL});
    expect_usage("is inside --out", (const char *const[]){dir, "--out", "/tmp", NULL});
    folder_release(&f);
}

/* Somebody's files are not overwritten; our own copy is, and so is an interrupted one. */
static void a_foreign_out_is_refused(void **state)
{
    (void)state;
    struct folder tree, out;
    struct options o;
    struct strbuf err = {0};
    folder_init(&tree);
    folder_init(&out);
    put(&tree, "compile_commands.json", "[]");
    assert_int_equal(unlink(path_join(&out.a, out.dir, "a b.cpp")), 0);
    const char *const args[] = {tree.dir, "--out", out.dir, NULL};
    assert_int_equal(parse(&o, &err, args), 0); /* empty */
    options_release(&o);
    put(&out, "thesis.tex", "years of work");
    expect_usage("did not write", args);
    assert_int_equal(mkdir(path_join(&out.a, out.dir, ".numafy"), 0777), 0);
    assert_int_equal(parse(&o, &err, args), 0);
    options_release(&o);
    put(&out, ".numafy/in-place.json", "{}");
    expect_usage("did not write", args);
    strbuf_release(&err);
    folder_release(&tree);
    folder_release(&out);
}

static void object_files_are_known(void **state)
{
    (void)state;
    struct folder f;
    folder_init(&f);
    put(&f, "a.c", "");
    put(&f, "a.o", "");
    put(&f, "kept", "");
    char *json =
        put(&f, "db.json",
            "[{\"directory\":\".\",\"file\":\"a.c\",\"arguments\":[\"cc\",\"-o\",\"a.o\"]},"
            "{\"directory\":\".\",\"file\":\"a.c\",\"arguments\":[\"cc\",\"-oa.o\"]},"
            "{\"directory\":\".\",\"file\":\"a.c\",\"arguments\":[\"cc\",\"-okept\"]}]");
    struct compdb db = {0};
    struct strbuf err = {0};
    assert_int_equal(compdb_read(&db, json, &err), 0);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(db.units.items[i].product, path_join(&f.a, f.dir, "a.o"));
    assert_null(db.units.items[2].product);
    compdb_release(&db);
    folder_release(&f);
}

static void good_command_lines_are_read(void **state)
{
    (void)state;
    struct folder f;
    struct options o;
    struct strbuf err = {0};
    folder_init(&f);
    char *json = put(&f, "compile_commands.json", "[]");
    assert_int_equal(parse(&o, &err,
                           (const char *const[]){"--all", f.dir, "--place=a::B<int>=2", "-j3",
                                                 "--out", "/tmp/nowhere", NULL}),
                     0);
    assert_string_equal(o.tree, f.dir);
    assert_string_equal(o.database, json);
    assert_string_equal(o.out, "/tmp/nowhere");
    assert_int_equal(o.jobs, 3);
    assert_true(o.all);
    assert_string_equal(o.places.items[0].name, "a::B<int>");
    assert_int_equal(o.places.items[0].node, 2);
    options_release(&o);
    strbuf_release(&err);
    folder_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_split_as_a_shell_would),
        cmocka_unit_test(both_forms_and_relative_directories),
        cmocka_unit_test(repeated_entries_are_one),
        cmocka_unit_test(launchers_are_dropped),
        cmocka_unit_test(response_files_are_read),
        cmocka_unit_test(broken_databases_get_one_line),
        cmocka_unit_test(bad_command_lines_get_one_line),
        cmocka_unit_test(a_foreign_out_is_refused),
        cmocka_unit_test(object_files_are_known),
        cmocka_unit_test(good_command_lines_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
