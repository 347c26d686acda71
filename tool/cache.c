/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include "path.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

/* Bytes of all entries together, and how close to the start of a run a change may be dated: the
 * kernel's clock for files steps by up to 10 ms. */
static const int64_t cache_bound = 1024LL * 1024 * 1024;
static const int64_t clock_step_ns = 20 * 1000 * 1000;

static const char magic[8] = "nfcache1";

/* An entry is a head, `files` stamps in the order of the facts' inputs, and the facts. */
struct entry_head {
    char magic[8];
    uint64_t checksum; /* of all that follows */
    uint64_t lookups;  /* which tried paths existed */
    uint64_t files;
};

static uint64_t text_hash(const char *s)
{
    return XXH3_64bits(s, strlen(s));
}

void cache_open(struct cache *c, const char *dir, const char *salt)
{
    static const char *const names[] = {"CPATH",
                                        "C_INCLUDE_PATH",
                                        "CPLUS_INCLUDE_PATH",
                                        "OBJC_INCLUDE_PATH",
                                        "CCC_OVERRIDE_OPTIONS",
                                        "SDKROOT",
                                        "GCC_EXEC_PREFIX",
                                        "COMPILER_PATH"};
    struct strbuf all = {0};
    struct timespec now;
    memset(c, 0, sizeof *c);
    c->dir = arena_strdup(&c->arena, dir);
    clock_gettime(CLOCK_REALTIME, &now);
    c->start_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
    strbuf_puts(&all, salt);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        strbuf_printf(&all, "\n%s=%s", names[i], value ? value : "");
    }
    for (char **e = environ; *e; e++) /* test controls */
        if (!strncmp(*e, "NUMAFY_TEST_", 12))
            strbuf_printf(&all, "\n%s", *e);
    /* The compiler looks for the newest gcc by itself, for its headers. */
    glob_t found;
    if (!glob("/usr/lib/gcc*/*/*", GLOB_NOSORT, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            strbuf_printf(&all, "\n%s", found.gl_pathv[i]);
        globfree(&found);
    }
    if (*dir && path_make_dirs(dir))
        c->dir = "";
    c->salt = text_hash(strbuf_str(&all));
    strbuf_release(&all);
}

static char *entry_path(struct cache *c, const struct compdb_unit *unit)
{
    XXH128_hash_t h = XXH3_128bits_withSeed(unit->key, strlen(unit->key), c->salt);
    return arena_printf(&c->arena, "%s/%016llx%016llx", c->dir, (unsigned long long)h.high64,
                        (unsigned long long)h.low64);
}

static int64_t nanoseconds(struct timespec t)
{
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct cache_file *file_now(struct cache *c, const char *path)
{
    size_t i = strmap_find(&c->file_index, path);
    if (i != STRMAP_NONE)
        return &c->files.items[i];
    struct stat st;
    struct cache_file *f = vec_add(&c->files);
    strmap_put(&c->file_index, arena_strdup(&c->arena, path), c->files.count - 1);
    f->missing = stat(path, &st) || !S_ISREG(st.st_mode);
    if (!f->missing)
        f->now = (struct cache_stamp){
            (uint64_t)st.st_size,    st.st_dev, st.st_ino, nanoseconds(st.st_mtim),
            nanoseconds(st.st_ctim), 0,         0};
    return f;
}

/* Reads the file once. */
static void hash_file(struct cache *c, const char *path, struct cache_file *f)
{
    struct strbuf text = {0};
    if (f->hashed || f->missing)
        return;
    f->hashed = true;
    char *real = path_real(&c->arena, path);
    if (!real || path_read(path, &text) || text.len != f->now.size) {
        f->missing = true;
    } else {
        f->now.hash = XXH3_64bits(strbuf_str(&text), text.len);
        f->now.real = text_hash(real);
    }
    strbuf_release(&text);
}

static bool same_file(struct cache *c, const char *path, const struct cache_stamp *then)
{
    struct cache_file *f = file_now(c, path);
    if (f->missing || f->now.size != then->size)
        return false;
    if (f->now.device == then->device && f->now.inode == then->inode &&
        f->now.modified_ns == then->modified_ns && f->now.changed_ns == then->changed_ns)
        return true;
    hash_file(c, path, f);
    return !f->missing && f->now.hash == then->hash && f->now.real == then->real;
}

static bool exists(struct cache *c, struct strbuf *path, const char *dir, const char *name)
{
    strbuf_clear(path);
    if (name[0] != '/') {
        strbuf_puts(path, dir);
        strbuf_putc(path, '/');
    }
    strbuf_puts(path, name);
    size_t i = strmap_find(&c->presence, strbuf_str(path));
    if (i == STRMAP_NONE) {
        i = c->present.count;
        vec_push(&c->present, (char)(access(strbuf_str(path), F_OK) == 0));
        strmap_put(&c->presence, arena_strdup(&c->arena, strbuf_str(path)), i);
    }
    return c->present.items[i] != 0;
}

/* Which of the paths exist that a look-up of any name may try: beside the file that includes it,
 * and in every directory of the search path, also those behind the one where it was found. */
static uint64_t lookups_now(struct cache *c, const struct fact_unit *u)
{
    struct strbuf answers = {0}, path = {0};
    for (size_t i = 0; i < u->lookups.count; i++) {
        const struct fact_lookup *l = &u->lookups.items[i];
        strbuf_putc(&answers, exists(c, &path, l->beside, l->name) ? '1' : '0');
        for (size_t k = 0; k < u->search.count; k++)
            strbuf_putc(&answers, exists(c, &path, u->search.items[k], l->name) ? '1' : '0');
    }
    uint64_t hash = XXH3_64bits(strbuf_str(&answers), answers.len);
    strbuf_release(&answers);
    strbuf_release(&path);
    return hash;
}

/* The entry's facts if its bytes are whole and everything is as it was. */
static struct fact_unit *read_entry(struct cache *c, const struct strbuf *text)
{
    struct entry_head head;
    const char *at = strbuf_str(text) + sizeof head;
    if (text->len < sizeof head)
        return NULL;
    memcpy(&head, strbuf_str(text), sizeof head);
    size_t rest = text->len - sizeof head;
    if (memcmp(head.magic, magic, sizeof magic) || head.files > rest / sizeof(struct cache_stamp) ||
        XXH3_64bits(strbuf_str(text) + 16, text->len - 16) != head.checksum)
        return NULL;
    struct fact_unit *u = mem_alloc(sizeof *u);
    memset(u, 0, sizeof *u);
    size_t stamps = head.files * sizeof(struct cache_stamp);
    bool good = !facts_read(u, at + stamps, rest - stamps) && u->inputs.count == head.files;
    for (size_t i = 0; good && i < head.files; i++) {
        struct cache_stamp then;
        memcpy(&then, at + i * sizeof then, sizeof then);
        good = same_file(c, u->inputs.items[i], &then);
    }
    if (good && lookups_now(c, u) == head.lookups)
        return u;
    facts_release(u);
    free(u);
    return NULL;
}

struct fact_unit *cache_find(struct cache *c, const struct compdb_unit *unit)
{
    struct strbuf text = {0};
    struct fact_unit *u = NULL;
    if (!*c->dir)
        return NULL;
    char *path = entry_path(c, unit);
    if (!path_read(path, &text))
        u = read_entry(c, &text);
    strbuf_release(&text);
    if (!u)
        return NULL;
    c->hits++;
    utimensat(AT_FDCWD, path, NULL, 0); /* the age by which entries are removed */
    return u;
}

/* Arguments whose effect is not in the files and look-ups that are recorded. */
static bool is_opaque_command(const struct compdb_unit *unit)
{
    static const char *const words[] = {
        "-fmodules", "-include-pch", "-ivfsoverlay",  "-fmodule",           "-fprebuilt",
        "--config",  "-iwithprefix", "-iwithsysroot", "-working-directory", "-B",
        "--gcc-",    "-fembed-dir",  "--embed-dir"};
    for (size_t i = 0; i < unit->argv.count; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (!strncmp(unit->argv.items[i], words[k], strlen(words[k])))
                return true;
    return false;
}

void cache_store(struct cache *c, const struct compdb_unit *unit, const struct fact_unit *u,
                 const char *bytes, size_t length)
{
    if (!*c->dir || u->failed || u->opaque || is_opaque_command(unit))
        return;
    struct strbuf text = {0};
    struct entry_head head = {.files = u->inputs.count};
    bool good = true;
    memcpy(head.magic, magic, sizeof magic);
    strbuf_add(&text, (const char *)&head, sizeof head);
    for (size_t i = 0; good && i < u->inputs.count; i++) {
        struct cache_file *f = file_now(c, u->inputs.items[i]);
        hash_file(c, u->inputs.items[i], f);
        good = !f->missing && f->now.changed_ns < c->start_ns - clock_step_ns;
        strbuf_add(&text, (const char *)&f->now, sizeof f->now);
    }
    strbuf_add(&text, bytes, length);
    if (good) {
        head.lookups = lookups_now(c, u);
        memcpy(text.data, &head, sizeof head);
        head.checksum = XXH3_64bits(text.data + 16, text.len - 16);
        memcpy(text.data, &head, sizeof head);
        c->stored += !path_write_atomic(entry_path(c, unit), text.data, text.len, 0644);
    }
    strbuf_release(&text);
}

struct aged {
    char *path;
    int64_t used_ns, size;
};

static int compare_aged(const void *a, const void *b)
{
    const struct aged *x = a, *y = b;
    return x->used_ns < y->used_ns ? -1 : x->used_ns > y->used_ns;
}

static void remove_oldest(struct cache *c)
{
    VEC(struct aged) all = {0};
    int64_t total = 0;
    DIR *d = opendir(c->dir);
    struct dirent *e;
    while (d && (e = readdir(d)) != NULL) {
        struct stat st;
        char *path = path_join(&c->arena, c->dir, e->d_name);
        if (lstat(path, &st) || !S_ISREG(st.st_mode))
            continue;
        struct aged one = {path, nanoseconds(st.st_mtim), st.st_size};
        vec_push(&all, one);
        total += st.st_size;
    }
    if (d)
        closedir(d);
    if (total > cache_bound)
        vec_sort(&all, compare_aged);
    /* Well below the bound, so that not every run has something to remove. */
    for (size_t i = 0; total > cache_bound || (i && total > cache_bound / 4 * 3); i++) {
        if (i == all.count)
            break;
        unlink(all.items[i].path);
        total -= all.items[i].size;
    }
    vec_release(&all);
}

void cache_close(struct cache *c)
{
    if (*c->dir && c->stored)
        remove_oldest(c);
    vec_release(&c->files);
    vec_release(&c->present);
    strmap_release(&c->file_index);
    strmap_release(&c->presence);
    arena_release(&c->arena);
}
