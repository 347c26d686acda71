/* SPDX-License-Identifier: Apache-2.0 */
/* The out tree on a real file system: what is copied, left out, removed, and what failure leaves.
 */
#include "emit.h"
#include "path.h"
#include "tool_test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct world {
    struct arena a;
    struct options o;
    struct emit e;
    struct strbuf err;
};

static const char *in_tree(struct world *w, const char *name)
{
    return path_join(&w->a, w->o.tree, name);
}

static const char *in_out(struct world *w, const char *name)
{
    return path_join(&w->a, w->o.out, name);
}

static void put(struct world *w, const char *name, const char *text)
{
    const char *path = in_tree(w, name);
    char *dir = arena_strndup(&w->a, path, (size_t)(strrchr(path, '/') - path));
    assert_int_equal(path_make_dirs(dir), 0);
    assert_int_equal(path_write_atomic(path, text, strlen(text), 0644), 0);
}

static void world_init(struct world *w)
{
    memset(w, 0, sizeof *w);
    char *base = arena_strdup(&w->a, "/tmp/nf-out-XXXXXX");
    assert_non_null(mkdtemp(base));
    w->o.tree = path_join(&w->a, base, "a tree");
    w->o.out = path_join(&w->a, base, "out");
    w->o.build = path_join(&w->a, w->o.tree, "b");
    put(w, "main.cpp", "old\n");
    put(w, "sub/data.txt", "data");
    put(w, ".git/config", "x");
    put(w, "b/compile_commands.json", "[]");
    put(w, "other-build/CMakeCache.txt", "");
}

static int run(struct world *w)
{
    char name[] = "numafy-rewrite", *argv[] = {name, NULL};
    return emit_tree(&w->e, &w->o, 1, argv, &w->err);
}

static void expect_text(const char *path, const char *text)
{
    struct strbuf now = {0};
    assert_int_equal(path_read(path, &now), 0);
    assert_string_equal(strbuf_str(&now), text);
    strbuf_release(&now);
}

static void world_release(struct world *w)
{
    const char *base = arena_strndup(&w->a, w->o.tree, strlen(w->o.tree) - strlen("/a tree"));
    assert_int_equal(system(arena_printf(&w->a, "rm -rf %s", base)), 0);
    emit_release(&w->e);
    strbuf_release(&w->err);
    arena_release(&w->a);
}

static void edited_files_replace_and_the_rest_is_copied(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    struct emitted *e = vec_add(&w.e.files);
    e->path = in_tree(&w, "main.cpp");
    strbuf_puts(&e->text, "new\n");
    assert_int_equal(chmod(in_tree(&w, "sub/data.txt"), 0755), 0);
    assert_int_equal(run(&w), 0);
    expect_text(in_out(&w, "main.cpp"), "new\n");
    expect_text(in_out(&w, "sub/data.txt"), "data");
    expect_text(in_tree(&w, "main.cpp"), "old\n");
    struct stat st;
    assert_int_equal(stat(in_out(&w, "sub/data.txt"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    assert_int_equal(access(in_out(&w, ".numafy/manifest.json"), R_OK), 0);
    world_release(&w);
}

static void builds_and_version_control_stay_out(void **state)
{
    (void)state;
    static const char *const names[] = {".git", "b", "other-build", "meson", "main.o"};
    struct world w;
    world_init(&w);
    put(&w, "meson/meson-private/x", "");
    put(&w, "in-source/CMakeCache.txt", "");
    put(&w, "in-source/CMakeLists.txt", "sources too");
    put(&w, "main.o", "made by the build");
    put(&w, "blob.o", "nobody's product");
    strmap_put(&w.o.products, in_tree(&w, "main.o"), 0);
    assert_int_equal(run(&w), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (access(in_out(&w, names[i]), F_OK) == 0)
            fail_msg("%s was copied", names[i]);
    expect_text(in_out(&w, "blob.o"), "nobody's product");
    expect_text(in_out(&w, "in-source/CMakeLists.txt"), "sources too");
    strmap_release(&w.o.products);
    world_release(&w);
}

static void links_follow_the_copy(void **state)
{
    (void)state;
    struct world w;
    char target[256];
    world_init(&w);
    assert_int_equal(symlink("main.cpp", in_tree(&w, "relative")), 0);
    assert_int_equal(symlink(in_tree(&w, "main.cpp"), in_tree(&w, "absolute")), 0);
    assert_int_equal(symlink("../../../usr/include", in_tree(&w, "outside")), 0);
    assert_int_equal(symlink(".", in_tree(&w, "cycle")), 0);
    assert_int_equal(run(&w), 0);
    static const char *const names[] = {"relative", "absolute", "outside", "cycle"};
    const char *const expected[] = {"main.cpp", in_out(&w, "main.cpp"), "/usr/include", "."};
    for (size_t i = 0; i < 4; i++) {
        ssize_t n = readlink(in_out(&w, names[i]), target, sizeof target - 1);
        assert_true(n > 0);
        target[n] = '\0';
        assert_string_equal(target, expected[i]);
    }
    world_release(&w);
}

static void a_second_run_touches_nothing(void **state)
{
    (void)state;
    struct world w;
    struct stat before, after;
    world_init(&w);
    struct emitted *e = vec_add(&w.e.files);
    e->path = in_tree(&w, "main.cpp");
    strbuf_puts(&e->text, "new\n");
    assert_int_equal(run(&w), 0);
    assert_int_equal(stat(in_out(&w, "main.cpp"), &before), 0);
    assert_int_equal(run(&w), 0);
    assert_int_equal(stat(in_out(&w, "main.cpp"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    world_release(&w);
}

static void what_the_tree_lost_the_copy_loses(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    assert_int_equal(run(&w), 0);
    assert_int_equal(path_write_atomic(in_out(&w, "mine.o"), "o", 1, 0644), 0);
    assert_int_equal(unlink(in_tree(&w, "sub/data.txt")), 0);
    assert_int_equal(run(&w), 0);
    assert_int_not_equal(access(in_out(&w, "sub/data.txt"), F_OK), 0);
    assert_int_equal(access(in_out(&w, "mine.o"), F_OK), 0); /* not ours */
    world_release(&w);
}

static void an_out_that_is_a_file_is_refused(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    assert_int_equal(path_write_atomic(w.o.out, "file", 4, 0644), 0);
    assert_int_equal(run(&w), -1);
    assert_non_null(strstr(strbuf_str(&w.err), "cannot make"));
    expect_text(w.o.out, "file");
    world_release(&w);
}

/* A target that cannot be replaced keeps its old state, and no temporary file stays. */
static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    struct world w;
    world_init(&w);
    assert_int_equal(path_make_dirs(in_out(&w, "main.cpp/keep")), 0);
    assert_int_equal(run(&w), -1);
    assert_non_null(strstr(strbuf_str(&w.err), "cannot write"));
    assert_int_equal(access(in_out(&w, "main.cpp/keep"), F_OK), 0);
    assert_int_not_equal(access(in_out(&w, ".numafy/manifest.json"), F_OK), 0);
    const char *find = arena_printf(&w.a, "find %s -name 'main.cpp.nf*' | grep -q .", w.o.out);
    assert_int_not_equal(system(find), 0);
    world_release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edited_files_replace_and_the_rest_is_copied),
        cmocka_unit_test(builds_and_version_control_stay_out),
        cmocka_unit_test(links_follow_the_copy),
        cmocka_unit_test(a_second_run_touches_nothing),
        cmocka_unit_test(what_the_tree_lost_the_copy_loses),
        cmocka_unit_test(an_out_that_is_a_file_is_refused),
        cmocka_unit_test(a_failed_write_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
