/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include "heap.h"
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Deeply nested expressions recurse in the parser; the kernel keeps at least 128 MiB of address
 * space free below the stack, so the limit may be raised at run time. */
enum { STACK_BYTES = 64 * 1024 * 1024 };

struct job {
    pid_t pid;
    char *file;
};

static void raise_stack(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_STACK, &r) == 0 && r.rlim_cur != RLIM_INFINITY &&
        r.rlim_cur < STACK_BYTES && (r.rlim_max == RLIM_INFINITY || r.rlim_max >= STACK_BYTES)) {
        r.rlim_cur = STACK_BYTES;
        setrlimit(RLIMIT_STACK, &r);
    }
}

/* Test control: the parser dies on the unit of this name. */
static void crash_if_asked(const struct compdb_unit *unit)
{
    const char *name = getenv("NUMAFY_TEST_CRASH_UNIT");
    const char *slash = strrchr(unit->file, '/');
    if (name && slash && !strcmp(slash + 1, name))
        raise(SIGSEGV);
}

/* In the child: never returns. Its own output would mix with the parent's. */
static void run_child(const struct compdb_unit *unit, const struct options *o, scan_function *scan,
                      const char *file)
{
    struct fact_unit facts = {0};
    struct strbuf text = {0};
    setenv("LIBCLANG_NOTHREADS", "1", 1); /* parse on our stack, in the one arena */
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    heap_prepare();
    raise_stack();
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    facts.main_file = unit->file;
    crash_if_asked(unit);
    scan(unit, o, &facts);
    facts_write(&facts, &text);
    int failed = path_write_atomic(file, strbuf_str(&text), text.len, 0600);
    _exit(failed ? 1 : 0); /* the kernel frees faster than we do */
}

static struct fact_unit *failed_unit(const struct compdb_unit *unit, int id, const char *why)
{
    struct fact_unit *u = mem_alloc(sizeof *u);
    memset(u, 0, sizeof *u);
    u->main_file = arena_strdup(&u->arena, unit->file);
    u->failed = true;
    struct fact_note *n = vec_add(&u->notes);
    n->id = id;
    n->file = u->main_file;
    n->text = arena_strdup(&u->arena, why);
    return u;
}

static struct fact_unit *read_result(struct cache *cache, const struct compdb_unit *unit,
                                     const char *file, int status)
{
    char why[64];
    if (WIFSIGNALED(status)) {
        snprintf(why, sizeof why, "signal %d", WTERMSIG(status));
        return failed_unit(unit, NF_CRASHED, why);
    }
    struct strbuf text = {0};
    struct fact_unit *u = mem_alloc(sizeof *u);
    memset(u, 0, sizeof *u);
    bool bad = status != 0 || path_read(file, &text) || facts_read(u, strbuf_str(&text), text.len);
    if (!bad)
        cache_store(cache, unit, u, strbuf_str(&text), text.len);
    strbuf_release(&text);
    if (!bad)
        return u;
    facts_release(u);
    free(u);
    return failed_unit(unit, NF_CRASHED, "its facts could not be read back");
}

struct pool {
    const struct compdb *db;
    struct cache *cache;
    VEC(struct job) jobs; /* by unit */
    VEC(struct fact_unit *) results;
    size_t running, done;
    int progress;
};

/* Who reads it may have gone: then nobody is told any more. */
static void tell_progress(struct pool *pool)
{
    pool->done++;
    if (pool->progress >= 0 &&
        dprintf(pool->progress, "%zu %zu\n", pool->done, pool->db->units.count) < 0)
        pool->progress = -1;
}

static void wait_one(struct pool *pool)
{
    int status;
    pid_t pid;
    do
        pid = waitpid(-1, &status, 0);
    while (pid < 0 && errno == EINTR);
    for (size_t i = 0; i < pool->jobs.count; i++)
        if (pid > 0 && pool->jobs.items[i].pid == pid) {
            pool->results.items[i] = read_result(pool->cache, &pool->db->units.items[i],
                                                 pool->jobs.items[i].file, status);
            unlink(pool->jobs.items[i].file);
            pool->jobs.items[i].pid = 0;
            pool->running--;
            tell_progress(pool);
        }
    if (pid < 0)
        pool->running = 0;
}

int scan_all(const struct compdb *db, const struct options *o, struct parser *parser,
             struct cache *cache, struct program *p, struct strbuf *err)
{
    struct arena a = {0};
    struct pool pool = {.db = db, .cache = cache, .progress = o->progress};
    const char *base = getenv("TMPDIR");
    char *dir = arena_printf(&a, "%s/numafy-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(dir)) {
        strbuf_printf(err, "cannot make a temporary directory %s: %s", dir, strerror(errno));
        arena_release(&a);
        return -1;
    }
    fflush(stdout);
    fflush(stderr);
    int result = 0;
    for (size_t i = 0; i < db->units.count && !result; i++) {
        const struct compdb_unit *unit = &db->units.items[i];
        struct job *job = vec_add(&pool.jobs);
        struct fact_unit **slot = vec_add(&pool.results);
        job->file = arena_printf(&a, "%s/%zu.facts", dir, i);
        if (unit->missing)
            *slot = failed_unit(unit, NF_FILE_MISSING, "");
        else
            *slot = cache_find(cache, unit);
        if (*slot) {
            tell_progress(&pool);
            continue;
        }
        result = parser_load(parser, err);
        if (result)
            break;
        while (pool.running >= (size_t)o->jobs)
            wait_one(&pool);
        job = &pool.jobs.items[i];
        job->pid = fork();
        if (job->pid == 0)
            run_child(unit, o, parser->part->scan, job->file);
        if (job->pid < 0) {
            strbuf_printf(err, "cannot start a process: %s", strerror(errno));
            job->pid = 0;
            result = -1;
        } else {
            pool.running++;
        }
    }
    while (pool.running)
        wait_one(&pool);
    if (o->progress >= 0)
        close(o->progress); /* what follows may be printed */
    for (size_t i = 0; i < pool.results.count; i++)
        if (pool.results.items[i])
            program_add(p, pool.results.items[i]);
    rmdir(dir);
    vec_release(&pool.jobs);
    vec_release(&pool.results);
    arena_release(&a);
    return result;
}
