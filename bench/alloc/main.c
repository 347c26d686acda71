/* SPDX-License-Identifier: Apache-2.0 */
/* bench_alloc: what an allocation and a free cost, on our path and on its peers. Options, rounds
 * and one child process per cell and round; the only file here that exits or prints errors. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

static const char usage_text[] =
    "usage: bench_alloc [options]\n"
    "  --threads LIST    1,2\n"
    "  --patterns LIST   pair,fifo,random\n"
    "  --peers LIST      all of --list\n"
    "  --size BYTES      32; one of 16 32 64 128 256 1024 4096\n"
    "  --node N          0\n"
    "  --rounds N        7; every round measures every row once\n"
    "  --ms N            30; CPU time per thread, row and round\n"
    "  --json FILE       all figures of all rounds\n"
    "  --verify          no figures: checks that no block is lost or on a wrong node; TAP\n"
    "  --quick           --verify and each row measured once, shortly; TAP, under 20 s\n"
    "  --list            the peers\n";

struct options {
    unsigned threads[16];
    size_t thread_count;
    enum bench_pattern patterns[BENCH_PATTERNS];
    size_t pattern_count;
    const struct bench_peer *peers[32];
    size_t peer_count;
    size_t size;
    int node;
    size_t rounds;
    unsigned milliseconds;
    const char *json;
    bool verify, quick;
};

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("bench_alloc: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* --- options -----------------------------------------------------------------------------------
 */

static unsigned parse_number(const char *text, unsigned low, unsigned high, const char *what)
{
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0 || value < low || value > high)
        die("%s: '%s' is not a number from %u to %u", what, text, low, high);
    return (unsigned)value;
}

static enum bench_pattern parse_pattern(const char *text)
{
    for (int i = 0; i < BENCH_PATTERNS; i++)
        if (strcmp(text, bench_pattern_name((enum bench_pattern)i)) == 0)
            return (enum bench_pattern)i;
    die("--patterns: no pattern '%s' (pair, fifo, random)", text);
}

static const struct bench_peer *parse_peer(const char *text)
{
    const struct bench_peer *peer = bench_peer_find(text);
    if (peer == NULL)
        die("--peers: no peer '%s' (see bench_alloc --list)", text);
    return peer;
}

/* Splits a comma list in place and hands each word to the parser of its kind. */
static void parse_list(struct options *options, char kind, char *list)
{
    size_t count = 0;
    for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
        const size_t room = kind == 't'   ? sizeof options->threads / sizeof *options->threads
                            : kind == 'p' ? (size_t)BENCH_PATTERNS
                                          : sizeof options->peers / sizeof *options->peers;
        if (count == room)
            die("too many words in a list, at '%s'", word);
        if (kind == 't')
            options->threads[count++] = parse_number(word, 1, BENCH_MAX_THREADS, "--threads");
        else if (kind == 'p')
            options->patterns[count++] = parse_pattern(word);
        else
            options->peers[count++] = parse_peer(word);
    }
    if (count == 0)
        die("an empty list");
    *(kind == 't'   ? &options->thread_count
      : kind == 'p' ? &options->pattern_count
                    : &options->peer_count) = count;
}

static void options_defaults(struct options *options)
{
    *options = (struct options){.threads = {1, 2},
                                .thread_count = 2,
                                .patterns = {BENCH_PAIR, BENCH_FIFO, BENCH_RANDOM},
                                .pattern_count = BENCH_PATTERNS,
                                .peer_count = bench_peer_count,
                                .size = 32,
                                .rounds = 7,
                                .milliseconds = 30};
    memcpy(options->peers, bench_peers, bench_peer_count * sizeof *bench_peers);
}

static void list_peers(void)
{
    for (size_t i = 0; i < bench_peer_count; i++)
        printf("%-18s %s\n", bench_peers[i]->name, bench_peers[i]->title);
}

static void options_parse(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {{"threads", required_argument, NULL, 't'},
                                          {"patterns", required_argument, NULL, 'p'},
                                          {"peers", required_argument, NULL, 'r'},
                                          {"size", required_argument, NULL, 's'},
                                          {"node", required_argument, NULL, 'n'},
                                          {"rounds", required_argument, NULL, 'N'},
                                          {"ms", required_argument, NULL, 'm'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"verify", no_argument, NULL, 'v'},
                                          {"quick", no_argument, NULL, 'q'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int c;
    options_defaults(options);
    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (c) {
        case 't':
        case 'p':
        case 'r':
            parse_list(options, (char)c, optarg);
            break;
        case 's':
            options->size = parse_number(optarg, 1, 1u << 20, "--size");
            if (bench_size_index(options->size) < 0)
                die("--size: one of 16 32 64 128 256 1024 4096, not %s", optarg);
            break;
        case 'n':
            options->node = (int)parse_number(optarg, 0, 1023, "--node");
            break;
        case 'N':
            options->rounds = parse_number(optarg, 1, BENCH_MAX_ROUNDS, "--rounds");
            break;
        case 'm':
            options->milliseconds = parse_number(optarg, 0, 10000, "--ms");
            break;
        case 'j':
            options->json = optarg;
            break;
        case 'v':
            options->verify = true;
            break;
        case 'q':
            options->quick = true;
            break;
        case 'l':
            list_peers();
            exit(0);
        case 'h':
            fputs(usage_text, stdout);
            exit(0);
        default:
            fputs(usage_text, stderr);
            exit(1);
        }
    }
    if (optind < argc)
        die("unexpected argument '%s'", argv[optind]);
}

/* --- one cell in a child -----------------------------------------------------------------------
 */

/* The child's command line: --cell TASK PEER PATTERN THREADS SIZE NODE MS, TASK time or check. It
 * prints one line: figures, or `missing` and why. */
enum { CELL_ARGUMENTS = 9 };

static int cell_main(char **argv)
{
    const struct bench_cell cell = {.peer = parse_peer(argv[3]),
                                    .pattern = parse_pattern(argv[4]),
                                    .threads = parse_number(argv[5], 1, BENCH_MAX_THREADS, "cell"),
                                    .size = parse_number(argv[6], 1, 1u << 20, "cell"),
                                    .node = (int)parse_number(argv[7], 0, 1023, "cell"),
                                    .milliseconds = parse_number(argv[8], 0, 10000, "cell")};
    struct bench_times times;
    struct bench_check check;
    const bool timing = strcmp(argv[2], "time") == 0;
    const char *why = timing ? bench_cell_measure(&cell, &times) : bench_cell_check(&cell, &check);
    if (why != NULL)
        printf("missing %s\n", why);
    else if (timing)
        printf("%.6f %.6f %.6f %.6f\n", times.alloc, times.free, times.pair, times.cpu);
    else
        printf("%zu %zu %zu %zu %zu\n", check.blocks, check.lost, check.wrong_own,
               check.wrong_kernel, check.unknown_kernel);
    return 0;
}

/* The program that has the peer's loops: this one, or one in the same folder. */
static void cell_program(const struct bench_peer *peer, char *path, size_t len)
{
    const ssize_t got = readlink("/proc/self/exe", path, len - 1);
    if (got < 0)
        die("/proc/self/exe: %s", strerror(errno));
    path[got] = '\0';
    char *name = strrchr(path, '/') + 1;
    if (peer->program != NULL)
        snprintf(name, len - (size_t)(name - path), "%s", peer->program);
}

/* Runs the child and reads its line. 0, or -1 and how it ended in text. */
static int cell_run(const struct bench_cell *cell, const char *task, char *text, size_t len)
{
    char threads[16], size[16], node[16], ms[16], program[PATH_MAX];
    int ends[2], status = 0;
    snprintf(threads, sizeof threads, "%u", cell->threads);
    snprintf(size, sizeof size, "%zu", cell->size);
    snprintf(node, sizeof node, "%d", cell->node);
    snprintf(ms, sizeof ms, "%u", cell->milliseconds);
    cell_program(cell->peer, program, sizeof program);
    if (pipe(ends) != 0)
        die("pipe: %s", strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        die("fork: %s", strerror(errno));
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, "--cell", task, cell->peer->name, bench_pattern_name(cell->pattern),
              threads, size, node, ms, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    const bool got = in != NULL && fgets(text, (int)len, in) != NULL;
    if (in != NULL)
        fclose(in);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        snprintf(text, len, "ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0 || !got)
        snprintf(text, len, "ended with status %d", WEXITSTATUS(status));
    else
        return text[strcspn(text, "\n")] = '\0', 0;
    return -1;
}

static const char *missing_reason(const char *text)
{
    static const char word[] = "missing ";
    return strncmp(text, word, sizeof word - 1) == 0 ? text + sizeof word - 1 : NULL;
}

/* --- the rows ----------------------------------------------------------------------------------
 */

static struct bench_row *rows_make(const struct options *options, size_t *count)
{
    *count = options->pattern_count * options->thread_count * options->peer_count;
    struct bench_row *rows = calloc(*count, sizeof *rows), *row = rows;
    if (rows == NULL)
        die("no memory for %zu rows", *count);
    for (size_t p = 0; p < options->pattern_count; p++)
        for (size_t t = 0; t < options->thread_count; t++)
            for (size_t r = 0; r < options->peer_count; r++, row++)
                row->cell = (struct bench_cell){.peer = options->peers[r],
                                                .pattern = options->patterns[p],
                                                .threads = options->threads[t],
                                                .size = options->size,
                                                .node = options->node,
                                                .milliseconds = options->milliseconds};
    return rows;
}

static void row_measure(struct bench_row *row)
{
    char text[256];
    if (row->missing[0] != '\0')
        return;
    if (cell_run(&row->cell, "time", text, sizeof text) != 0)
        die("%s, %s, threads %u: %s", row->cell.peer->name, bench_pattern_name(row->cell.pattern),
            row->cell.threads, text);
    if (missing_reason(text) != NULL) {
        snprintf(row->missing, sizeof row->missing, "%.100s", missing_reason(text));
        return;
    }
    const size_t i = row->rounds;
    if (sscanf(text, "%lf %lf %lf %lf", &row->alloc[i], &row->free[i], &row->pair[i],
               &row->cpu[i]) != 4)
        die("a child printed '%s'", text);
    row->rounds++;
}

/* Every round measures all rows; those that are compared follow each other, and another one begins
 * in each round, so that no peer always runs after the same. */
static void measure(const struct options *options, struct bench_run *run)
{
    const size_t peers = options->peer_count;
    for (size_t round = 0; round < options->rounds; round++) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rround %zu of %zu ", round + 1, options->rounds);
        for (size_t i = 0; i < run->row_count; i++)
            row_measure(&run->rows[i / peers * peers + (i + round) % peers]);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r                    \r", stderr);
}

/* --- TAP ---------------------------------------------------------------------------------------
 */

struct tap {
    size_t count;
    bool failed;
};

static void tap_line(struct tap *tap, bool good, const struct bench_cell *cell, const char *task,
                     const char *detail)
{
    printf("%s %zu - %s %s, %s, threads %u, %zu B, node %d: %s\n", good ? "ok" : "not ok",
           ++tap->count, task, cell->peer->name, bench_pattern_name(cell->pattern), cell->threads,
           cell->size, cell->node, detail);
    tap->failed |= !good;
}

/* True if the child's line says that the peer is missing; that line is written then. */
static bool tap_missing(struct tap *tap, const struct bench_cell *cell, const char *task,
                        const char *text)
{
    char detail[300];
    if (missing_reason(text) == NULL)
        return false;
    snprintf(detail, sizeof detail, "%s%s", cell->peer->optional ? "# SKIP " : "",
             missing_reason(text));
    tap_line(tap, cell->peer->optional, cell, task, detail);
    return true;
}

static void tap_check(struct tap *tap, const struct bench_cell *cell)
{
    char text[256], detail[300];
    struct bench_check c;
    if (cell_run(cell, "check", text, sizeof text) != 0) {
        tap_line(tap, false, cell, "check", text);
        return;
    }
    if (tap_missing(tap, cell, "check", text))
        return;
    if (sscanf(text, "%zu %zu %zu %zu %zu", &c.blocks, &c.lost, &c.wrong_own, &c.wrong_kernel,
               &c.unknown_kernel) != 5)
        die("a child printed '%s'", text);
    snprintf(detail, sizeof detail,
             "%zu blocks, %zu lost, %zu on a wrong node by address, %zu by the kernel (%zu not "
             "known)",
             c.blocks, c.lost, c.wrong_own, c.wrong_kernel, c.unknown_kernel);
    tap_line(tap, c.blocks != 0 && c.lost + c.wrong_own + c.wrong_kernel == 0, cell, "check",
             detail);
}

static void tap_time(struct tap *tap, struct bench_cell cell)
{
    char text[256], detail[300];
    double alloc, release, pair, cpu;
    cell.milliseconds = 0;
    if (cell_run(&cell, "time", text, sizeof text) != 0) {
        tap_line(tap, false, &cell, "time", text);
        return;
    }
    if (tap_missing(tap, &cell, "time", text))
        return;
    const bool read = sscanf(text, "%lf %lf %lf %lf", &alloc, &release, &pair, &cpu) == 4;
    const bool good =
        read && pair > 0 && cpu > 0 && (cell.pattern == BENCH_PAIR || (alloc > 0 && release > 0));
    if (good)
        snprintf(detail, sizeof detail, "all figures are there (pair %.2f ns, once)", pair);
    else
        snprintf(detail, sizeof detail, "figures missing: %s", text);
    tap_line(tap, good, &cell, "time", detail);
}

static int verify(const struct options *options, struct bench_run *run)
{
    struct tap tap = {0, false};
    printf("1..%zu\n", run->row_count * (options->quick ? 2 : 1));
    for (size_t i = 0; i < run->row_count; i++) {
        tap_check(&tap, &run->rows[i].cell);
        if (options->quick)
            tap_time(&tap, run->rows[i].cell);
        fflush(stdout);
    }
    return tap.failed ? 1 : 0;
}

/* The command line as it was given, for the report; cut to fit. */
static void command_text(char *text, size_t len, int argc, char **argv)
{
    size_t used = (size_t)snprintf(text, len, "bench_alloc");
    for (int i = 1; i < argc && used < len; i++) {
        if (strcmp(argv[i], "--json") == 0)
            i++; /* a path says nothing about the figures */
        else
            used += (size_t)snprintf(text + used, len - used, " %s", argv[i]);
    }
}

int main(int argc, char **argv)
{
    struct options options;
    struct bench_run run = {.row_count = 0};
    char path[64];
    if (argc == CELL_ARGUMENTS && strcmp(argv[1], "--cell") == 0)
        return cell_main(argv);
    command_text(run.command, sizeof run.command, argc, argv);
    options_parse(&options, argc, argv);
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d", options.node);
    if (options.node != 0 && access(path, F_OK) != 0)
        die("--node: this machine has no node %d", options.node);

    run.rows = rows_make(&options, &run.row_count);
    int status = 0;
    if (options.verify || options.quick) {
        status = verify(&options, &run);
    } else {
        bench_environment_read(&run.environment);
        bench_load_read(run.load_before, sizeof run.load_before);
        measure(&options, &run);
        bench_load_read(run.load_after, sizeof run.load_after);
        bench_report_text(stdout, &run);
        if (options.json != NULL && bench_report_json(options.json, &run) != 0)
            die("cannot write %s: %s", options.json, strerror(errno));
    }
    free(run.rows);
    return status;
}
