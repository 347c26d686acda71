/* SPDX-License-Identifier: Apache-2.0 */
#include "compdb.h"

#include "path.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* A response file may name another one; a cycle must end. */
enum { RESPONSE_DEPTH = 8 };

void compdb_split(struct arena *a, const char *command, strings *argv)
{
    struct strbuf word = {0};
    bool open = false;
    char quote = 0;
    for (const char *p = command; *p; p++) {
        if (quote == '\'') {
            if (*p == '\'')
                quote = 0;
            else
                strbuf_putc(&word, *p);
        } else if (*p == '\\' && p[1] && (!quote || strchr("\"\\$`", p[1]))) {
            strbuf_putc(&word, *++p);
            open = true;
        } else if (quote && *p == quote) {
            quote = 0;
        } else if (!quote && (*p == '"' || *p == '\'')) {
            quote = *p;
            open = true;
        } else if (!quote && strchr(" \t\r\n", *p)) {
            if (open)
                vec_push(argv, arena_strndup(a, strbuf_str(&word), word.len));
            strbuf_clear(&word);
            open = false;
        } else {
            strbuf_putc(&word, *p);
            open = true;
        }
    }
    if (open)
        vec_push(argv, arena_strndup(a, strbuf_str(&word), word.len));
    strbuf_release(&word);
}

/* Copies argv, replacing @file by the words of that file if it can be read. */
static void expand_response(struct arena *a, const char *dir, const strings *in, strings *out,
                            int depth)
{
    for (size_t i = 0; i < in->count; i++) {
        struct strbuf text = {0};
        const char *arg = in->items[i];
        if (arg[0] == '@' && depth < RESPONSE_DEPTH &&
            path_read(path_join(a, dir, arg + 1), &text) == 0) {
            strings words = {0};
            compdb_split(a, strbuf_str(&text), &words);
            expand_response(a, dir, &words, out, depth + 1);
            vec_release(&words);
        } else {
            vec_push(out, in->items[i]);
        }
        strbuf_release(&text);
    }
}

static bool is_launcher(const char *arg)
{
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc", "buildcache"};
    const char *slash = strrchr(arg, '/');
    const char *base = slash ? slash + 1 : arg;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(base, names[i]))
            return true;
    return false;
}

static const char *text_of(json_object *entry, const char *name)
{
    json_object *v;
    if (!json_object_object_get_ex(entry, name, &v) || !json_object_is_type(v, json_type_string))
        return NULL;
    return json_object_get_string(v);
}

static bool read_argv(struct arena *a, json_object *entry, strings *raw)
{
    json_object *list;
    const char *command = text_of(entry, "command");
    if (json_object_object_get_ex(entry, "arguments", &list) &&
        json_object_is_type(list, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(list); i++) {
            const char *s = json_object_get_string(json_object_array_get_idx(list, i));
            vec_push(raw, arena_strdup(a, s ? s : ""));
        }
    } else if (command) {
        compdb_split(a, command, raw);
    }
    return raw->count > 0;
}

/* What the command writes: an object file, by its name. Only that is known to be made again. */
static const char *product_of(struct arena *a, const char *dir, const strings *argv)
{
    const char *name = NULL;
    for (size_t i = 1; i < argv->count; i++) {
        const char *arg = argv->items[i];
        if (!strcmp(arg, "-o") && i + 1 < argv->count)
            name = argv->items[++i];
        else if (!strncmp(arg, "-o", 2) && arg[2])
            name = arg + 2;
    }
    const char *ext = name ? path_extension(name) : "";
    bool object = !strcmp(ext, "o") || !strcmp(ext, "obj") || !strcmp(ext, "lo");
    return object ? path_real(a, path_join(a, dir, name)) : NULL;
}

/* The object file by name, whether it exists or not: "output", -o, or what -c makes of the source.
 */
static const char *output_of(struct arena *a, json_object *entry, const struct compdb_unit *u)
{
    const char *name = text_of(entry, "output");
    bool compiles = false;
    for (size_t i = 1; i < u->argv.count && !name; i++) {
        const char *arg = u->argv.items[i];
        compiles |= !strcmp(arg, "-c");
        if (!strcmp(arg, "-o") && i + 1 < u->argv.count)
            name = u->argv.items[i + 1];
        else if (!strncmp(arg, "-o", 2) && arg[2])
            name = arg + 2;
    }
    if (!name && compiles) {
        const char *slash = strrchr(u->file, '/'), *base = slash ? slash + 1 : u->file;
        const char *dot = strrchr(base, '.');
        size_t stem = dot ? (size_t)(dot - base) : strlen(base);
        name = arena_printf(a, "%.*s.o", (int)stem, base);
    }
    return name ? path_future(a, path_join(a, u->directory, name)) : NULL;
}

static const char *key_of(struct arena *a, const struct compdb_unit *u)
{
    struct strbuf key = {0};
    strbuf_printf(&key, "%s\n%s", u->directory, u->file);
    for (size_t i = 0; i < u->argv.count; i++)
        strbuf_printf(&key, "\n%zu %s", strlen(u->argv.items[i]), u->argv.items[i]);
    char *copy = arena_strndup(a, strbuf_str(&key), key.len);
    strbuf_release(&key);
    return copy;
}

static int read_entry(struct compdb *db, json_object *entry, size_t index, const char *path,
                      struct strbuf *err)
{
    struct arena *a = &db->arena;
    const char *file = text_of(entry, "file"), *dir = text_of(entry, "directory");
    strings raw = {0};
    struct compdb_unit u = {0};
    if (!file || !dir || !read_argv(a, entry, &raw)) {
        strbuf_printf(err, "%s: entry %zu has no \"%s\"", path, index,
                      !file  ? "file"
                      : !dir ? "directory"
                             : "arguments\" or \"command");
        vec_release(&raw);
        return -1;
    }
    /* A relative directory means: relative to the database. */
    const char *slash = strrchr(path, '/');
    const char *base = slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".";
    char *full = path_join(a, base, dir);
    char *real_dir = path_real(a, full);
    u.directory = real_dir ? real_dir : full;
    char *joined = path_join(a, u.directory, file);
    char *real = path_real(a, joined);
    u.file = real ? real : joined;
    u.missing = !real || !real_dir || access(u.file, R_OK) != 0;
    expand_response(a, u.directory, &raw, &u.argv, 0);
    vec_release(&raw);
    if (u.argv.count > 1 && is_launcher(u.argv.items[0]) && u.argv.items[1][0] != '-') {
        memmove(u.argv.items, u.argv.items + 1, (u.argv.count - 1) * sizeof *u.argv.items);
        u.argv.count--;
    }
    u.product = product_of(a, u.directory, &u.argv);
    u.output = output_of(a, entry, &u);
    u.key = key_of(a, &u);
    if (strmap_put(&db->index, u.key, db->units.count))
        vec_push(&db->units, u);
    else
        vec_release(&u.argv);
    return 0;
}

static json_object *parse_database(const char *path, struct strbuf *err)
{
    struct strbuf text = {0};
    json_object *root = NULL;
    if (path_read(path, &text)) {
        strbuf_printf(err, "cannot read %s: %s", path, strerror(errno));
    } else if (text.len > INT_MAX) {
        strbuf_printf(err, "%s: larger than 2 GiB", path);
    } else {
        struct json_tokener *tok = json_tokener_new();
        root = json_tokener_parse_ex(tok, strbuf_str(&text), (int)text.len);
        if (!root)
            strbuf_printf(err, "%s: not JSON (%s at byte %zu)", path,
                          json_tokener_error_desc(json_tokener_get_error(tok)),
                          json_tokener_get_parse_end(tok));
        json_tokener_free(tok);
    }
    strbuf_release(&text);
    return root;
}

int compdb_read(struct compdb *db, const char *path, struct strbuf *err)
{
    json_object *root = parse_database(path, err);
    if (!root)
        return -1;
    int result = 0;
    if (!json_object_is_type(root, json_type_array)) {
        strbuf_printf(err, "%s: not a list of compile commands", path);
        result = -1;
    }
    for (size_t i = 0; !result && i < json_object_array_length(root); i++) {
        json_object *entry = json_object_array_get_idx(root, i);
        if (!json_object_is_type(entry, json_type_object)) {
            strbuf_printf(err, "%s: entry %zu is not an object", path, i);
            result = -1;
        } else {
            result = read_entry(db, entry, i, path, err);
        }
    }
    json_object_put(root);
    if (!result && !db->units.count) {
        strbuf_printf(err, "%s has no compile commands: nothing to rewrite", path);
        result = -1;
    }
    return result;
}

void compdb_release(struct compdb *db)
{
    for (size_t i = 0; i < db->units.count; i++)
        vec_release(&db->units.items[i].argv);
    vec_release(&db->units);
    strmap_release(&db->index);
    arena_release(&db->arena);
}
