/* SPDX-License-Identifier: Apache-2.0 */
#include "parser.h"

#include "path.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

/* The loader finds it by the program's own search path. */
#define PART_FILE "libnumafy-parse.so"
#define TEXT_OF(x) TEXT_OF_(x)
#define TEXT_OF_(x) #x

int parser_load(struct parser *p, struct strbuf *err)
{
    if (p->part)
        return 0;
    void *handle = dlopen(PART_FILE, RTLD_LAZY | RTLD_LOCAL);
    p->part = handle ? dlsym(handle, TEXT_OF(PARSER_PART_SYMBOL)) : NULL;
    if (!p->part) {
        strbuf_printf(err, "cannot load the parser: %s", dlerror());
        return -1;
    }
    p->version = p->part->version(&p->arena);
    return 0;
}

/* One line: a file and its status. */
static void describe(struct strbuf *out, const char *path)
{
    struct stat st;
    if (stat(path, &st))
        strbuf_printf(out, "%s\t-\n", path);
    else
        strbuf_printf(out, "%s\t%lld %llu %llu %lld.%09ld %lld.%09ld\n", path,
                      (long long)st.st_size, (unsigned long long)st.st_dev,
                      (unsigned long long)st.st_ino, (long long)st.st_mtim.tv_sec,
                      st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
}

static const char *program_path(struct arena *a)
{
    const char *path = path_real(a, "/proc/self/exe");
    return path ? path : "";
}

static int describe_object(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    if (strchr(object->dlpi_name, '/'))
        describe(data, object->dlpi_name);
    return 0;
}

static int hash_object(struct dl_phdr_info *object, size_t size, void *data)
{
    struct strbuf *out = data, bytes = {0};
    const char *slash = strrchr(object->dlpi_name, '/');
    (void)size;
    if (slash && !strcmp(slash + 1, PART_FILE) && !path_read(object->dlpi_name, &bytes))
        strbuf_printf(out, ".%016llx",
                      (unsigned long long)XXH3_64bits(strbuf_str(&bytes), bytes.len));
    strbuf_release(&bytes);
    return 0;
}

/* Facts mean what the programs that made them mean. */
static void identify(struct parser *p, const char *program)
{
    struct strbuf text = {0}, bytes = {0};
    if (!path_read(program, &bytes))
        strbuf_printf(&text, "%016llx",
                      (unsigned long long)XXH3_64bits(strbuf_str(&bytes), bytes.len));
    dl_iterate_phdr(hash_object, &text);
    p->identity = arena_printf(&p->arena, "%s %s", strbuf_str(&text), p->version);
    strbuf_release(&bytes);
    strbuf_release(&text);
}

/* The note of this program; what the loader looks at besides files is part of the name. */
static char *note_path(struct parser *p, const char *cache, const char *program)
{
    const char *library = getenv("LD_LIBRARY_PATH"), *preload = getenv("LD_PRELOAD");
    char *key = arena_printf(&p->arena, "%s\n%s\n%s", program, library ? library : "",
                             preload ? preload : "");
    return arena_printf(&p->arena, "%s/parser-%016llx", cache,
                        (unsigned long long)XXH3_64bits(key, strlen(key)));
}

static char *next_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return line;
}

/* The first line of a note; version, identity and the files follow. */
static char *note_head(struct arena *a, const char *rest)
{
    return arena_printf(a, "nfparser1 %016llx\n",
                        (unsigned long long)XXH3_64bits(rest, strlen(rest)));
}

/* Whether the note holds: every file in it is as it was. */
static bool read_note(struct parser *p, const char *path)
{
    struct strbuf text = {0}, now = {0};
    bool good = !path_read(path, &text);
    const char *all = strbuf_str(&text), *rest = strchr(all, '\n');
    const char *head = note_head(&p->arena, rest ? rest + 1 : "");
    good = good && rest && !strncmp(all, head, strlen(head));
    char *at = arena_strdup(&p->arena, good ? rest + 1 : "");
    const char *version = next_line(&at), *identity = next_line(&at);
    const char *files = arena_strdup(&p->arena, at);
    for (char *line; (line = next_line(&at)) != NULL;) {
        line[strcspn(line, "\t")] = '\0';
        describe(&now, line);
    }
    good = good && identity && *files && !strcmp(files, strbuf_str(&now));
    if (good) {
        p->version = version;
        p->identity = identity;
    }
    strbuf_release(&now);
    strbuf_release(&text);
    return good;
}

static void write_note(struct parser *p, const char *path, const char *program)
{
    struct strbuf note = {0};
    strbuf_printf(&note, "%s\n%s\n", p->version, p->identity);
    describe(&note, program);
    describe(&note, "/etc/ld.so.cache");
    dl_iterate_phdr(describe_object, &note);
    char *all =
        arena_printf(&p->arena, "%s%s", note_head(&p->arena, strbuf_str(&note)), strbuf_str(&note));
    path_write_atomic(path, all, strlen(all), 0644);
    strbuf_release(&note);
}

int parser_open(struct parser *p, const char *cache, struct strbuf *err)
{
    const char *program = program_path(&p->arena);
    char *path = note_path(p, cache, program);
    if (*cache && read_note(p, path))
        return 0;
    if (parser_load(p, err))
        return -1;
    identify(p, program);
    if (*cache && !path_make_dirs(cache))
        write_note(p, path, program);
    return 0;
}

void parser_release(struct parser *p)
{
    arena_release(&p->arena); /* the part stays: libclang's exit handlers may need it */
    p->part = NULL;
}
