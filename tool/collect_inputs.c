/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parse depended on: the files it read, and where it looked for headers. Supersets are
 * fine, omissions are not: the cache compares them. It knows nothing of sites.
 */
#include "collect_p.h"

#include "path.h"

#include <stdio.h>
#include <unistd.h>

static const char *folder_of(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_strndup(a, path, (size_t)(slash - path)) : arena_strdup(a, "");
}

/* The parser names files relative to the working directory. */
static const char *input_name(struct collector *c, CXFile file)
{
    char *name = cx_take(c->a, clang_getFileName(file));
    return name[0] == '/' ? name : path_join(c->a, c->folder, name);
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

static void add_lookup(struct collector *c, const char *beside, const char *name)
{
    char *key = arena_printf(c->a, "%s\n%s", beside, name);
    if (!strmap_put(&c->seen_lookups, key, 0))
        return;
    struct fact_lookup *l = vec_add(&c->u->lookups);
    l->beside = beside;
    l->name = name;
}

static bool has_word(const char *text, const char *word)
{
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += strlen(word))
        if (p > text && (p[-1] == '#' || p[-1] == ' ' || p[-1] == '\t' || p[-1] == '('))
            return true;
    return false;
}

/* __has_include looks a header up without including it. What is not a literal cannot be followed;
 * `defined(__has_include)` and `#define __has_include(x)` ask nothing. */
static void find_questions(struct collector *c, const char *text, const char *beside)
{
    static const char word[] = "__has_include";
    for (const char *p = text; (p = strstr(p, word)) != NULL;) {
        const char *before = p;
        p += sizeof word - 1;
        if (!strncmp(p, "_next", 5))
            p += 5;
        p = skip_blanks(p);
        while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
            before--;
        bool defines = before - text >= 6 && !strncmp(before - 6, "define", 6);
        if (*p != '(' || defines)
            continue;
        p = skip_blanks(p + 1);
        const char *end = *p == '<' ? strchr(p, '>') : *p == '"' ? strchr(p + 1, '"') : NULL;
        if (end)
            add_lookup(c, beside, arena_strndup(c->a, p + 1, (size_t)(end - p - 1)));
        else
            c->u->opaque = true;
    }
    c->u->opaque |= has_word(text, "embed ") || has_word(text, "__has_embed"); /* files of bytes */
}

void inputs_file(struct collector *c, CXFile file)
{
    size_t length;
    const char *name = input_name(c, file);
    if (!strmap_put(&c->seen_inputs, name, 0))
        return;
    vec_push(&c->u->inputs, name);
    const char *text = clang_getFileContents(c->tu, file, &length);
    if (text)
        find_questions(c, text, folder_of(c->a, name));
}

void inputs_directive(struct collector *c, CXCursor directive)
{
    CXFile by, found = clang_getIncludedFile(directive);
    clang_getFileLocation(clang_getCursorLocation(directive), &by, NULL, NULL, NULL);
    if (!by)
        return; /* -include: see inputs_start */
    const char *name = spelling(c, directive);
    const char *beside = folder_of(c->a, input_name(c, by));
    add_lookup(c, beside, name);
    if (!found)
        return;
    /* The directory in which it was found is one of the search path, or the includer's own. */
    const char *path = input_name(c, found);
    size_t whole = strlen(path), tail = strlen(name);
    if (whole <= tail + 1 || strcmp(path + whole - tail, name) || path[whole - tail - 1] != '/')
        return;
    const char *dir = arena_strndup(c->a, path, whole - tail - 1);
    if (strcmp(dir, beside) != 0)
        strings_add_unique(&c->u->search, dir);
}

/* The value of the option, joined or in the next word; NULL: it is another option. */
static const char *value_of(const strings *argv, size_t i, const char *option)
{
    const char *arg = argv->items[i];
    size_t n = strlen(option);
    if (strncmp(arg, option, n) != 0)
        return NULL;
    if (!arg[n])
        return i + 1 < argv->count ? argv->items[i + 1] : "";
    return arg + n + (option[1] == '-' && arg[n] == '=');
}

/* The compiler takes X.pch or X.gch where -include X is asked for. Gcc's own are passed over; what
 * is in any other would have to be followed. */
static void find_precompiled(struct collector *c, const char *name)
{
    static const char *const endings[] = {".pch", ".gch"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *file = arena_printf(c->a, "%s%s", name, endings[i]);
        const char *path = path_join(c->a, c->folder, file);
        char head[4] = "";
        add_lookup(c, c->folder, file);
        FILE *f = fopen(path, "rbe");
        if (!f)
            continue;
        if (fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, "gpch", sizeof head))
            vec_push(&c->u->inputs, path);
        else
            c->u->opaque = true;
        fclose(f);
    }
}

/* Headers that the command names are looked up as others are. */
static void find_named(struct collector *c, size_t i)
{
    static const char *const options[] = {"-include", "--include", "-imacros", "--imacros"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        const char *name = value_of(c->opt->argv, i, options[k]);
        if (!name || !*name || strstr(c->opt->argv->items[i], "include-"))
            continue;
        add_lookup(c, c->folder, name);
        find_precompiled(c, name);
    }
}

void inputs_start(struct collector *c)
{
    const strings *argv = c->opt->argv;
    static const char *const options[] = {"-I",
                                          "-isystem",
                                          "-iquote",
                                          "-idirafter",
                                          "-isysroot",
                                          "-cxx-isystem",
                                          "-stdlib++-isystem",
                                          "-c-isystem",
                                          "-F",
                                          "-iframework",
                                          "--sysroot",
                                          "-internal-isystem",
                                          "--include-directory",
                                          "-internal-externc-isystem"};
    char *folder = getcwd(NULL, 0);
    c->folder = arena_strdup(c->a, folder ? folder : "");
    free(folder);
    strings_add_unique(&c->u->search, "/usr/local/include");
    if (*c->opt->runtime)
        strings_add_unique(&c->u->search, c->opt->runtime);
    for (size_t i = 1; i < argv->count; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
            const char *dir = value_of(argv, i, options[k]);
            if (!dir)
                continue;
            dir = path_join(c->a, c->folder, dir);
            strings_add_unique(&c->u->search, dir);
            if (strstr(options[k], "sysroot")) {
                strings_add_unique(&c->u->search, path_join(c->a, dir, "usr/include"));
                strings_add_unique(&c->u->search, path_join(c->a, dir, "usr/local/include"));
            }
        }
    for (size_t i = 1; i < argv->count; i++)
        find_named(c, i);
}
