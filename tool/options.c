/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "config.h"
#include "orphans.h"
#include "path.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOBS_MAX = 1024 };

const char *options_usage(void)
{
    return "usage: numafy-rewrite TREE [-p BUILD] [options]\n"
           "Puts the allocations of a C or C++ tree on the NUMA node of their owners.\n"
           "\n"
           "  -p BUILD        directory (or file) of compile_commands.json; default TREE, then "
           "TREE/build\n"
           "  --out DIR       write the rewritten tree to DIR; without it nothing is written\n"
           "  --place T=k     objects of type T go to node k, whoever allocates them "
           "(repeatable);\n"
           "                  T may have * and ?, k is a number, local, interleave, or owner: as "
           "if\n"
           "                  a root reached T\n"
           "  --root v=k      what the variable v holds or is belongs to node k (repeatable)\n"
           "  --all           every class is reached, as if everything had a root\n"
           "  --diff          print the changes as a unified diff\n"
           "  --types         print who allocates whom from the roots down, and where that stops\n"
           "  --check         exit 5 if anything would change\n"
           "  --strict        exit 3 if a site that a root reaches was left\n"
           "  --force-alloc   edit although the program has its own operator new or malloc\n"
           "  --links F       recorded link commands, which tell programs apart\n"
           "  --report F      write the report as JSON to F\n"
           "  --runtime DIR   where numa_alloc.h and numafy/near.h are\n"
           "  -j N            parse N units at a time; default: one per processor\n"
           "  --cache DIR     where facts of parsed units are kept between runs; default\n"
           "                  $XDG_CACHE_HOME/numafy or ~/.cache/numafy\n"
           "  --no-cache      parse every unit, keep nothing\n"
           "  --verbose       list every site\n"
           "  --version, --help\n"
           "Exit codes: docs/exit-codes.md. Diagnostics: docs/diagnostics.md.\n";
}

static int parse_number(const char *text, int min, int max, int *out)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || end == text || *end || n < min || n > max)
        return -1;
    *out = (int)n;
    return 0;
}

static int parse_node(const char *option, const char *text, int *node)
{
    if (!strcmp(text, "local"))
        *node = NODE_LOCAL;
    else if (!strcmp(text, "interleave"))
        *node = NODE_INTERLEAVE;
    else if (!strcmp(text, "owner") && !strcmp(option, "--place"))
        *node = NODE_OWNER;
    else
        return parse_number(text, 0, NODE_MAX, node);
    return 0;
}

static const char *node_name(struct arena *a, int node)
{
    return node == NODE_LOCAL        ? "local"
           : node == NODE_INTERLEAVE ? "interleave"
           : node == NODE_OWNER      ? "owner"
                                     : arena_printf(a, "%d", node);
}

char *options_request_name(struct arena *a, const char *option, const struct request *r)
{
    return *r->where ? arena_printf(a, "%s: %s %s", r->where, option + 2, r->name)
                     : arena_printf(a, "%s %s", option, r->name);
}

int options_request(struct options *o, const char *option, const char *name, const char *node,
                    const char *where, struct strbuf *err)
{
    bool place = !strcmp(option, "--place");
    struct request r = {arena_strdup(&o->arena, name), 0, arena_strdup(&o->arena, where)};
    const char *shown = options_request_name(&o->arena, option, &r);
    if (parse_node(option, node, &r.node)) {
        strbuf_printf(err, "%s=%s: a node is a number from 0 to %d, local%s", shown, node, NODE_MAX,
                      place ? ", interleave or owner" : " or interleave");
        return -1;
    }
    for (size_t i = 0; i < (place ? o->places.count : o->roots.count); i++) {
        const struct request *old = place ? &o->places.items[i] : &o->roots.items[i];
        if (strcmp(old->name, r.name) != 0)
            continue;
        if (old->node == r.node || (*r.where && !*old->where))
            return 0;
        strbuf_printf(err, "%s: given two nodes, %s and %s", shown, node_name(&o->arena, old->node),
                      node_name(&o->arena, r.node));
        return -1;
    }
    if (place)
        vec_push(&o->places, r);
    else
        vec_push(&o->roots, r);
    return 0;
}

/* name=k; a name may hold = signs of its own only in template arguments, so the last one counts. */
static int add_request(struct options *o, const char *option, const char *text, struct strbuf *err)
{
    const char *eq = strrchr(text, '=');
    if (!eq || eq == text || !eq[1]) {
        bool place = !strcmp(option, "--place");
        strbuf_printf(err, "%s %s: write it as %s=node, for example %s %s=1", option, text,
                      place ? "Type" : "variable", option, place ? "Node" : "main::list");
        return -1;
    }
    char *name = arena_strndup(&o->arena, text, (size_t)(eq - text));
    return options_request(o, option, name, eq + 1, "", err);
}

enum {
    OPT_OUT = 256,
    OPT_PLACE,
    OPT_ROOT,
    OPT_ALL,
    OPT_DIFF,
    OPT_TYPES,
    OPT_CHECK,
    OPT_STRICT,
    OPT_FORCE,
    OPT_REPORT,
    OPT_LINKS,
    OPT_RUNTIME,
    OPT_CACHE,
    OPT_NO_CACHE,
    OPT_VERBOSE,
    OPT_VERSION
};

static const struct option long_options[] = {{"out", required_argument, NULL, OPT_OUT},
                                             {"place", required_argument, NULL, OPT_PLACE},
                                             {"root", required_argument, NULL, OPT_ROOT},
                                             {"all", no_argument, NULL, OPT_ALL},
                                             {"diff", no_argument, NULL, OPT_DIFF},
                                             {"types", no_argument, NULL, OPT_TYPES},
                                             {"check", no_argument, NULL, OPT_CHECK},
                                             {"strict", no_argument, NULL, OPT_STRICT},
                                             {"force-alloc", no_argument, NULL, OPT_FORCE},
                                             {"report", required_argument, NULL, OPT_REPORT},
                                             {"links", required_argument, NULL, OPT_LINKS},
                                             {"runtime", required_argument, NULL, OPT_RUNTIME},
                                             {"cache", required_argument, NULL, OPT_CACHE},
                                             {"no-cache", no_argument, NULL, OPT_NO_CACHE},
                                             {"verbose", no_argument, NULL, OPT_VERBOSE},
                                             {"version", no_argument, NULL, OPT_VERSION},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

static int take_option(struct options *o, int c, char **argv, const char **build,
                       struct strbuf *err)
{
    switch (c) {
    case 'p':
        *build = optarg;
        return 0;
    case 'j':
        if (!parse_number(optarg, 1, JOBS_MAX, &o->jobs))
            return 0;
        strbuf_printf(err, "-j %s: a number from 1 to %d is needed", optarg, JOBS_MAX);
        return -1;
    case OPT_OUT:
        if (*optarg) {
            o->out = arena_strdup(&o->arena, optarg);
            return 0;
        }
        strbuf_puts(err, "--out needs a directory");
        return -1;
    case OPT_PLACE:
        return add_request(o, "--place", optarg, err);
    case OPT_ROOT:
        return add_request(o, "--root", optarg, err);
    case OPT_REPORT:
        o->report = arena_strdup(&o->arena, optarg);
        return 0;
    case OPT_LINKS:
        o->links = arena_strdup(&o->arena, optarg);
        return 0;
    case OPT_RUNTIME:
        o->runtime = arena_strdup(&o->arena, optarg);
        return 0;
    case OPT_ALL:
        o->all = true;
        return 0;
    case OPT_DIFF:
        o->diff = true;
        return 0;
    case OPT_TYPES:
        o->types = true;
        return 0;
    case OPT_CHECK:
        o->check = true;
        return 0;
    case OPT_STRICT:
        o->strict = true;
        return 0;
    case OPT_FORCE:
        o->force_alloc = true;
        return 0;
    case OPT_CACHE:
        o->cache = arena_strdup(&o->arena, optarg);
        return 0;
    case OPT_NO_CACHE:
        o->cache = arena_strdup(&o->arena, "");
        return 0;
    case OPT_VERBOSE:
        o->verbose = true;
        return 0;
    case OPT_VERSION:
        o->version = true;
        return 0;
    case 'h':
        o->help = true;
        return 0;
    default:
        strbuf_printf(err, "%s %s; numafy-rewrite --help lists the options",
                      c == ':' ? "an argument is missing after" : "unknown option",
                      argv[optind - 1]);
        return -1;
    }
}

/* The user's folder for what can be made again, "" where there is none. */
static char *find_cache(struct arena *a)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && base[0] == '/')
        return path_join(a, base, "numafy");
    return home && home[0] == '/' ? path_join(a, home, ".cache/numafy") : arena_strdup(a, "");
}

/* The runtime's headers beside the build that this program is in, or installed beside it. */
static char *find_runtime(struct arena *a)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return arena_strdup(a, "");
    self[n] = '\0';
    char *dir = strrchr(self, '/');
    *dir = '\0';
    static const char *const places[] = {"../../runtime", "../include", NUMAFY_RUNTIME_DIR};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = path_join(a, self, places[i]);
        if (access(path_join(a, path, "numafy/near.h"), R_OK) == 0)
            return path_real(a, path);
    }
    return arena_strdup(a, "");
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int find_database(struct options *o, const char *build, struct strbuf *err)
{
    struct arena *a = &o->arena;
    const char *dirs[2] = {build ? build : o->tree, build ? NULL : path_join(a, o->tree, "build")};
    for (size_t i = 0; i < 2 && dirs[i]; i++) {
        char *file = is_directory(dirs[i]) ? path_join(a, dirs[i], "compile_commands.json")
                                           : arena_strdup(a, dirs[i]);
        char *real = path_real(a, file);
        if (!real || is_directory(real))
            continue;
        o->database = real;
        o->build = arena_strndup(a, real, (size_t)(strrchr(real, '/') - real));
        if (!*o->build)
            o->build = arena_strdup(a, "/");
        return 0;
    }
    strbuf_printf(err,
                  "no compile_commands.json in %s: make one with cmake "
                  "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or let numafy.py record one, and name its "
                  "directory with -p",
                  dirs[0]);
    return -1;
}

/* False also if it cannot be read: writing will say why. */
static bool holds_entries(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    bool found = false;
    while (d && !found && (e = readdir(d)) != NULL)
        found = strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
    if (d)
        closedir(d);
    return found;
}

/* A directory that an earlier run wrote, even one that was interrupted, has our notes. So has a
 * tree that was edited in place, but that one is somebody's source. */
static bool is_foreign(struct arena *a, const char *out)
{
    bool notes = is_directory(path_join(a, out, ".numafy"));
    bool in_place = access(path_join(a, out, ".numafy/in-place.json"), F_OK) == 0;
    return holds_entries(out) && (!notes || in_place);
}

/* Writing into the tree that is read, or around it, would mix input and output. */
static int check_out(struct options *o, struct strbuf *err)
{
    char *out = path_future(&o->arena, o->out);
    if (!out) {
        strbuf_printf(err, "--out %s: %s", o->out, strerror(errno));
        return -1;
    }
    o->out = out;
    /* A build folder is not copied, so the copy may lie in it. */
    bool in_build = o->build && strcmp(o->build, o->tree) && tree_is_build(o->build) &&
                    path_within(out, o->build) && strcmp(out, o->build);
    if (path_within(out, o->tree) && !in_build)
        strbuf_printf(err, "--out %s is inside the tree %s: choose a directory outside it", out,
                      o->tree);
    else if (path_within(o->tree, out))
        strbuf_printf(err, "the tree %s is inside --out %s: choose another directory", o->tree,
                      out);
    else if (is_foreign(&o->arena, out))
        strbuf_printf(err,
                      "--out %s has files that numafy-rewrite did not write: choose a new or empty "
                      "directory",
                      out);
    else
        return 0;
    return -1;
}

static int check_tree(struct options *o, const char *tree, struct strbuf *err)
{
    o->tree = path_real(&o->arena, tree);
    if (!o->tree)
        strbuf_printf(err, "%s: %s", tree, strerror(errno));
    else if (!is_directory(o->tree))
        strbuf_printf(err, "%s is not a directory: give the root of the source tree", tree);
    else
        return 0;
    return -1;
}

int options_parse(struct options *o, int argc, char **argv, struct strbuf *err)
{
    struct arena *a = &o->arena;
    const char *build = NULL;
    int c;
    o->links = o->out = o->report = o->runtime = arena_strdup(a, "");
    const char *hide = getenv("NUMAFY_TEST_HIDE_SITE");
    o->hide = arena_strdup(a, hide ? hide : "");
    const char *leave = getenv("NUMAFY_TEST_LEAVE");
    o->leave = arena_strdup(a, leave ? leave : "");
    const char *progress = getenv("NUMAFY_PROGRESS");
    if (!progress || parse_number(progress, 0, INT_MAX, &o->progress))
        o->progress = -1;
    o->jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (o->jobs < 1)
        o->jobs = 1;
    o->cache = find_cache(a);
    opterr = 0;
    while ((c = getopt_long(argc, argv, ":p:j:h", long_options, NULL)) != -1)
        if (take_option(o, c, argv, &build, err))
            return -1;
    if (o->help || o->version)
        return 0;
    if (argc - optind != 1) {
        strbuf_puts(err, argc == optind ? "no tree given; numafy-rewrite --help lists the options"
                                        : "more than one tree given");
        return -1;
    }
    if (check_tree(o, argv[optind], err))
        return -1;
    /* What is wrong with --out is said first, but whether it may lie there the database tells. */
    struct strbuf missing = {0};
    bool found = !find_database(o, build, &missing);
    int result = (*o->out && check_out(o, err)) || config_read(o, err) ? -1 : 0;
    if (!result && !found) {
        strbuf_puts(err, strbuf_str(&missing));
        result = -1;
    }
    strbuf_release(&missing);
    if (result)
        return -1;
    if (!*o->runtime)
        o->runtime = find_runtime(a);
    else if (path_real(a, o->runtime))
        o->runtime = path_real(a, o->runtime);
    return 0;
}

const char *options_skip(const struct options *o)
{
    return path_within(o->build, o->tree) && strcmp(o->build, o->tree) != 0 ? o->build : "";
}

void options_release(struct options *o)
{
    vec_release(&o->places);
    vec_release(&o->roots);
    vec_release(&o->placements);
    strmap_release(&o->products);
    arena_release(&o->arena);
}
