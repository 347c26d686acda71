/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of the tree that no unit reads: they are copied as they are, and the report says so,
 * because a file that is missing from the compile database is the commonest reason for an
 * allocation that stays where it was.
 */
#include "orphans.h"

#include "path.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_source_name(const char *name)
{
    static const char *const names[] = {"c", "cc", "cpp", "cxx", "C", "c++", "cp"};
    const char *ext = path_extension(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(ext, names[i]))
            return true;
    return false;
}

bool tree_is_build(const char *dir)
{
    static const char *const marks[][2] = {{"CMakeCache.txt", "CMakeLists.txt"},
                                           {"meson-private", "meson.build"}};
    struct arena a = {0};
    bool build = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        build |= access(path_join(&a, dir, marks[i][0]), F_OK) == 0 &&
                 access(path_join(&a, dir, marks[i][1]), F_OK) != 0;
    arena_release(&a);
    return build;
}

bool tree_leaves_out(const struct options *o, const char *path, const char *name)
{
    if (!strcmp(name, ".git") || !strcmp(name, ".numafy"))
        return true;
    if (!strcmp(path, o->build) && strcmp(o->build, o->tree) != 0)
        return true;
    if (strmap_find(&o->products, path) != STRMAP_NONE)
        return true;
    return tree_is_build(path);
}

static void visit(struct program *p, const struct options *o, const char *dir)
{
    DIR *d = opendir(dir);
    if (!d)
        return; /* copying says why */
    struct dirent *e;
    while ((e = readdir(d)) != NULL) {
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        char *path = path_join(&p->arena, dir, e->d_name);
        if (lstat(path, &st) || tree_leaves_out(o, path, e->d_name))
            continue;
        if (S_ISDIR(st.st_mode)) {
            visit(p, o, path);
        } else if (S_ISREG(st.st_mode) && is_source_name(e->d_name) && !program_file(p, path)) {
            struct program_file *f = vec_add(&p->files);
            f->path = path;
            f->status = FILE_NOT_IN_DATABASE;
            f->reason = nf_text(NF_NOT_IN_DATABASE);
        }
    }
    closedir(d);
}

void program_add_orphans(struct program *p, const struct options *o)
{
    visit(p, o, o->tree);
    program_sort_files(p);
}
