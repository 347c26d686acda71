/* SPDX-License-Identifier: Apache-2.0 */
/* The out tree: a copy of the tree with the edited files in place, written file by file. */
#include "emit.h"

#include "orphans.h"
#include "path.h"
#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

struct writer {
    const struct emit *emit;
    const struct options *options;
    struct strbuf *err;
    struct arena arena;
    json_object *files;  /* manifest entries */
    struct strmap names; /* relative paths written in this run */
};

static int fail(struct writer *w, const char *what, const char *path)
{
    strbuf_printf(w->err, "cannot %s %s: %s", what, path, strerror(errno));
    return -1;
}

static int compare_emitted(const void *path, const void *item)
{
    return strcmp(path, ((const struct emitted *)item)->path);
}

static const struct emitted *emitted_for(const struct emit *e, const char *path)
{
    const struct emitted *items = e->files.items;
    return items ? bsearch(path, items, e->files.count, sizeof *items, compare_emitted) : NULL;
}

static bool same_content(const char *path, const char *bytes, size_t size, mode_t mode)
{
    struct stat st;
    struct strbuf now = {0};
    bool same = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == size &&
                (st.st_mode & 07777) == (mode & 07777) && path_read(path, &now) == 0 &&
                now.len == size && !memcmp(strbuf_str(&now), bytes, size);
    strbuf_release(&now);
    return same;
}

static void add_manifest(struct writer *w, const char *name, const struct strbuf *input,
                         const struct emitted *out)
{
    char hash[32];
    XXH64_hash_t h = XXH3_64bits(strbuf_str(input), input->len);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)h);
    json_object *o = json_object_new_object();
    json_object_object_add(o, "path", json_object_new_string(name));
    json_object_object_add(o, "xxh3", json_object_new_string(hash));
    json_object_object_add(o, "edited", json_object_new_boolean(out != NULL));
    json_object_array_add(w->files, o);
    strmap_put(&w->names, arena_strdup(&w->arena, name), 0);
}

static int write_file(struct writer *w, const char *from, const char *to, const char *name,
                      const struct stat *st)
{
    struct strbuf input = {0};
    int result = 0;
    if (path_read(from, &input)) {
        result = fail(w, "read", from);
    } else {
        const struct emitted *e = emitted_for(w->emit, from);
        const struct strbuf *text = e ? &e->text : &input;
        add_manifest(w, name, &input, e);
        /* Unchanged files keep their time, so that make rebuilds only what a run changed. */
        if (!same_content(to, strbuf_str(text), text->len, st->st_mode)) {
            if (path_write_atomic(to, strbuf_str(text), text->len, st->st_mode))
                result = fail(w, "write", to);
            struct timespec times[2] = {st->st_atim, st->st_mtim};
            if (!result && !e)
                utimensat(AT_FDCWD, to, times, 0);
        }
    }
    strbuf_release(&input);
    return result;
}

/* A link inside the tree points to the same place of the copy; one that leaves it, to the same file
 * as before. */
static char *link_target(struct writer *w, const char *from, const char *target)
{
    struct arena *a = &w->arena;
    char *dir = arena_strndup(a, from, (size_t)(strrchr(from, '/') - from));
    char *full = path_future(a, path_join(a, dir, target));
    if (!full)
        return arena_strdup(a, target);
    bool inside = path_within(full, w->options->tree);
    if (inside && target[0] == '/')
        return path_join(a, w->options->out, path_below(full, w->options->tree));
    return !inside && target[0] != '/' ? full : arena_strdup(a, target);
}

static int write_link(struct writer *w, const char *from, const char *to, const char *name)
{
    char target[4096], present[4096];
    ssize_t n = readlink(from, target, sizeof target - 1);
    if (n < 0)
        return fail(w, "read", from);
    target[n] = '\0';
    char *wanted = link_target(w, from, target);
    strmap_put(&w->names, arena_strdup(&w->arena, name), 0);
    n = readlink(to, present, sizeof present - 1);
    if (n >= 0) {
        present[n] = '\0';
        if (!strcmp(present, wanted))
            return 0;
    }
    char *temp = arena_printf(&w->arena, "%s.nf%ld", to, (long)getpid());
    unlink(temp);
    if (symlink(wanted, temp))
        return fail(w, "write", to);
    if (rename(temp, to)) {
        int saved = errno;
        unlink(temp);
        errno = saved;
        return fail(w, "write", to);
    }
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_directory(struct writer *w, const char *dir, strings *names)
{
    DIR *d = opendir(dir);
    if (!d)
        return fail(w, "read", dir);
    struct dirent *e;
    while ((e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            vec_push(names, arena_strdup(&w->arena, e->d_name));
    closedir(d);
    vec_sort(names, compare_names);
    return 0;
}

static int write_directory(struct writer *w, const char *from, const char *to, const char *prefix);

static int write_entry(struct writer *w, const char *from, const char *to, const char *name)
{
    struct stat st;
    if (lstat(from, &st))
        return fail(w, "read", from);
    if (S_ISLNK(st.st_mode))
        return write_link(w, from, to, name);
    if (S_ISREG(st.st_mode))
        return write_file(w, from, to, name, &st);
    if (!S_ISDIR(st.st_mode))
        return 0; /* sockets, pipes and devices are no sources */
    if (mkdir(to, 0777) && errno != EEXIST)
        return fail(w, "make", to);
    return write_directory(w, from, to, arena_printf(&w->arena, "%s/", name));
}

static int write_directory(struct writer *w, const char *from, const char *to, const char *prefix)
{
    strings names = {0};
    int result = list_directory(w, from, &names);
    for (size_t i = 0; i < names.count && !result; i++) {
        char *source = path_join(&w->arena, from, names.items[i]);
        if (tree_leaves_out(w->options, source, names.items[i]))
            continue;
        result = write_entry(w, source, path_join(&w->arena, to, names.items[i]),
                             arena_printf(&w->arena, "%s%s", prefix, names.items[i]));
    }
    vec_release(&names);
    return result;
}

/* Removes what an earlier run wrote and this one did not. */
static void remove_stale(struct writer *w, const char *manifest)
{
    struct strbuf text = {0};
    json_object *old = NULL, *files, *name;
    if (!path_read(manifest, &text) && text.len)
        old = json_tokener_parse(strbuf_str(&text));
    strbuf_release(&text);
    if (!old || !json_object_object_get_ex(old, "files", &files) ||
        !json_object_is_type(files, json_type_array)) {
        json_object_put(old);
        return;
    }
    for (size_t i = 0; i < json_object_array_length(files); i++) {
        if (!json_object_object_get_ex(json_object_array_get_idx(files, i), "path", &name))
            continue;
        const char *s = json_object_get_string(name);
        if (s && *s && s[0] != '/' && !strstr(s, "..") && strmap_find(&w->names, s) == STRMAP_NONE)
            unlink(path_join(&w->arena, w->options->out, s));
    }
    json_object_put(old);
}

static int write_manifest(struct writer *w, const char *path, int argc, char **argv)
{
    json_object *root = json_object_new_object(), *args = json_object_new_array();
    for (int i = 0; i < argc; i++)
        json_object_array_add(args, json_object_new_string(argv[i]));
    json_object_object_add(root, "version", json_object_new_string(NUMAFY_VERSION));
    json_object_object_add(root, "parser", json_object_new_string(report_parser()));
    json_object_object_add(root, "tree", json_object_new_string(w->options->tree));
    json_object_object_add(root, "argv", args);
    json_object_object_add(root, "files", json_object_get(w->files));
    struct strbuf text = {0};
    report_json_text(root, &text);
    json_object_put(root);
    int result =
        path_write_atomic(path, strbuf_str(&text), text.len, 0644) ? fail(w, "write", path) : 0;
    strbuf_release(&text);
    return result;
}

/* Nothing is written before it is known that writing works. */
static int probe(struct writer *w, const char *notes)
{
    if (path_make_dirs(w->options->out))
        return fail(w, "make", w->options->out);
    char *file = path_join(&w->arena, w->options->out, ".numafy-probe");
    if (path_write_atomic(file, "", 0, 0600))
        return fail(w, "write to", w->options->out);
    unlink(file);
    return path_make_dirs(notes) ? fail(w, "make", notes) : 0;
}

int emit_tree(const struct emit *e, const struct options *o, int argc, char **argv,
              struct strbuf *err)
{
    struct writer w = {.emit = e, .options = o, .err = err, .files = json_object_new_array()};
    char *notes = path_join(&w.arena, o->out, ".numafy");
    char *manifest = path_join(&w.arena, notes, "manifest.json");
    int result = probe(&w, notes);
    if (!result)
        result = write_directory(&w, o->tree, o->out, "");
    if (!result)
        remove_stale(&w, manifest);
    if (!result)
        result = write_manifest(&w, manifest, argc, argv);
    json_object_put(w.files);
    strmap_release(&w.names);
    arena_release(&w.arena);
    return result;
}
