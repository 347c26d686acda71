/* SPDX-License-Identifier: Apache-2.0 */
/* bench_alloc: what an allocation and a free cost, on our path and on its peers. Options, rounds,
 * checks as TAP. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parent.h"

static const char usage_text[] =
    "usage: bench_alloc [options]\n"
    "  --threads LIST    1,2,8,20\n"
    "  --patterns LIST   pair,fifo,random,prodcons,larson,scratch,thrash\n"
    "  --peers LIST      all of --list\n"
    "  --size LIST       32; of " BENCH_SIZES_TEXT "\n"
    "  --node N          0\n"
    "  --rounds N        7; every round measures every row once\n"
    "  --ms N            10; CPU time per thread, row and round\n"
    "  --locks           counts instructions, locks and waits too, one by one: slow\n"
    "  --json FILE       all figures of all rounds\n"
    "  --verify          no figures: checks that no block is lost or on a wrong node; TAP\n"
    "  --quick           --verify and each row measured once, shortly; TAP\n"
    "  --list            the peers\n";

struct options {
    unsigned threads[16];
    size_t thread_count;
    enum bench_pattern patterns[BENCH_PATTERNS];
    size_t pattern_count;
    const struct bench_peer *peers[32];
    size_t peer_count;
    size_t sizes[BENCH_SIZE_COUNT];
    size_t size_count;
    int node;
    size_t rounds;
    unsigned milliseconds;
    const char *json;
    bool verify, quick, locks, threads_given;
};

/* --- options -----------------------------------------------------------------------------------
 */

static enum bench_pattern parse_pattern(const char *text)
{
    const enum bench_pattern pattern = bench_pattern_find(text);
    if (pattern == BENCH_PATTERNS)
        bench_die("--patterns: no pattern '%s' (see bench_alloc --help)", text);
    return pattern;
}

static size_t parse_size(const char *text)
{
    const size_t size = bench_parse_number(text, 1, 1u << 20, "--size");
    if (bench_size_index(size) < 0)
        bench_die("--size: one of " BENCH_SIZES_TEXT ", not %s", text);
    return size;
}

static const struct bench_peer *parse_peer(const char *text)
{
    const struct bench_peer *peer = bench_peer_find(text);
    if (peer == NULL)
        bench_die("--peers: no peer '%s' (see bench_alloc --list)", text);
    return peer;
}

/* Splits a comma list in place and hands each word to the parser of its kind. */
static void parse_list(struct options *options, char kind, char *list)
{
    size_t count = 0;
    for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
        const size_t room = kind == 't'   ? sizeof options->threads / sizeof *options->threads
                            : kind == 'p' ? (size_t)BENCH_PATTERNS
                            : kind == 's' ? (size_t)BENCH_SIZE_COUNT
                                          : sizeof options->peers / sizeof *options->peers;
        if (count == room)
            bench_die("too many words in a list, at '%s'", word);
        if (kind == 't')
            options->threads[count++] = bench_parse_number(word, 1, BENCH_MAX_THREADS, "--threads");
        else if (kind == 'p')
            options->patterns[count++] = parse_pattern(word);
        else if (kind == 's')
            options->sizes[count++] = parse_size(word);
        else
            options->peers[count++] = parse_peer(word);
    }
    if (count == 0)
        bench_die("an empty list");
    *(kind == 't'   ? &options->thread_count
      : kind == 'p' ? &options->pattern_count
      : kind == 's' ? &options->size_count
                    : &options->peer_count) = count;
}

static void options_defaults(struct options *options)
{
    *options = (struct options){.threads = {1, 2, 8, 20},
                                .thread_count = 4,
                                .pattern_count = BENCH_PATTERNS,
                                .peer_count = bench_peer_count,
                                .sizes = {32},
                                .size_count = 1,
                                .rounds = 7,
                                .milliseconds = 10};
    for (int i = 0; i < BENCH_PATTERNS; i++)
        options->patterns[i] = (enum bench_pattern)i;
    for (size_t i = 0; i < bench_peer_count; i++)
        options->peers[i] = &bench_peers[i];
}

static void list_peers(void)
{
    for (size_t i = 0; i < bench_peer_count; i++)
        printf("%-18s %s\n", bench_peers[i].name, bench_peers[i].title);
}

static void options_parse(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"threads", required_argument, NULL, 't'}, {"patterns", required_argument, NULL, 'p'},
        {"peers", required_argument, NULL, 'r'},   {"size", required_argument, NULL, 's'},
        {"node", required_argument, NULL, 'n'},    {"rounds", required_argument, NULL, 'N'},
        {"ms", required_argument, NULL, 'm'},      {"json", required_argument, NULL, 'j'},
        {"verify", no_argument, NULL, 'v'},        {"quick", no_argument, NULL, 'q'},
        {"locks", no_argument, NULL, 'L'},         {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    int c;
    options_defaults(options);
    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (c) {
        case 't':
        case 'p':
        case 'r':
        case 's':
            options->threads_given |= c == 't';
            parse_list(options, (char)c, optarg);
            break;
        case 'n':
            options->node = (int)bench_parse_number(optarg, 0, 1023, "--node");
            break;
        case 'N':
            options->rounds = bench_parse_number(optarg, 1, BENCH_MAX_ROUNDS, "--rounds");
            break;
        case 'm':
            options->milliseconds = bench_parse_number(optarg, 0, 10000, "--ms");
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
        case 'L':
            options->locks = true;
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
        bench_die("unexpected argument '%s'", argv[optind]);
    if (options->quick && !options->threads_given) {
        options->threads[0] = 2;
        options->thread_count = 1;
    }
}

/* --- the rows ----------------------------------------------------------------------------------
 */

/* By pattern, size, threads, peer: rows that are compared follow each other. Larson brings its own
 * sizes. */
static struct bench_row *rows_make(const struct options *options, size_t *count)
{
    const size_t most =
        options->pattern_count * options->size_count * options->thread_count * options->peer_count;
    struct bench_row *rows = calloc(most, sizeof *rows), *row = rows;
    if (rows == NULL)
        bench_die("no memory for %zu rows", most);
    for (size_t p = 0; p < options->pattern_count; p++)
        for (size_t s = 0; s < options->size_count; s++)
            for (size_t t = 0; t < options->thread_count; t++)
                for (size_t r = 0; r < options->peer_count; r++) {
                    const enum bench_pattern pattern = options->patterns[p];
                    if ((pattern == BENCH_LARSON && s != 0) ||
                        (pattern == BENCH_PRODCONS && options->threads[t] % 2 != 0))
                        continue;
                    row++->cell = (struct bench_cell){.peer = options->peers[r],
                                                      .pattern = pattern,
                                                      .threads = options->threads[t],
                                                      .size = options->sizes[s],
                                                      .node = options->node,
                                                      .milliseconds = options->milliseconds};
                }
    *count = (size_t)(row - rows);
    return rows;
}

/* The line of a child that must come to its end; false if it says that the peer is missing, which
 * the row then remembers. */
static bool row_line(struct bench_row *row, const char *task, char *text, size_t len)
{
    if (row->missing[0] != '\0')
        return false;
    if (bench_run_cell(&row->cell, task, NULL, text, len) != 0)
        bench_die("%s %s, %s, threads %u: %s", task, row->cell.peer->name,
                  bench_pattern_name(row->cell.pattern), row->cell.threads, text);
    if (bench_missing(text) == NULL)
        return true;
    snprintf(row->missing, sizeof row->missing, "%.100s", bench_missing(text));
    return false;
}

static void row_measure(struct bench_row *row)
{
    char text[BENCH_LINE];
    if (!row_line(row, "time", text, sizeof text))
        return;
    const size_t i = row->rounds;
    if (sscanf(text, "%lf %lf %lf %lf", &row->alloc[i], &row->free[i], &row->pair[i],
               &row->cpu[i]) != 4)
        bench_die("a child printed '%s'", text);
    row->rounds++;
}

/* What needs no rounds: it is counted. Shared lines stand with the pattern that suffers from them.
 */
static void row_count(struct bench_row *row, bool locks)
{
    char text[BENCH_LINE];
    size_t lost, own, kernel, unknown;
    const enum bench_pattern pattern = row->cell.pattern;
    if (row->cell.peer->bound && pattern <= BENCH_PRODCONS &&
        row_line(row, "check", text, sizeof text)) {
        row->placement_checked =
            sscanf(text, "%zu %zu %zu %zu %zu", &row->checked, &lost, &own, &kernel, &unknown) == 5;
        row->misplaced = own > kernel ? own : kernel;
    }
    if (pattern == BENCH_SCRATCH && row->cell.threads > 1 &&
        row_line(row, "lines", text, sizeof text))
        row->lines_counted = sscanf(text, "%zu %zu", &row->lines.shared, &row->lines.all) == 2;
    if (locks && row->missing[0] == '\0' && pattern <= BENCH_LARSON)
        bench_trace_cell(&row->cell, &row->locks);
}

/* Every round measures all rows; those that are compared follow each other, and another one begins
 * in each round, so that no peer always runs after the same. */
static void measure(const struct options *options, struct bench_run *run)
{
    const size_t peers = options->peer_count;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    for (size_t round = 0; round < options->rounds; round++) {
        if (terminal)
            fprintf(stderr, "\rround %zu of %zu ", round + 1, options->rounds);
        for (size_t i = 0; i < run->row_count; i++)
            row_measure(&run->rows[i / peers * peers + (i + round) % peers]);
    }
    if (terminal)
        fputs("\rcounting           ", stderr);
    for (size_t i = 0; i < run->row_count; i++)
        row_count(&run->rows[i], options->locks);
    if (terminal)
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
    char detail[BENCH_LINE + 40];
    if (bench_missing(text) == NULL)
        return false;
    /* What a peer never can is no skip. */
    const bool never = cell->peer->no_reuse || cell->pattern == BENCH_PRODCONS;
    const bool skip = cell->peer->kind != BENCH_OURS && !never;
    snprintf(detail, sizeof detail, "%s%s",
             skip ? "# SKIP missing: " : "missing: ", bench_missing(text));
    tap_line(tap, skip || never, cell, task, detail);
    return true;
}

static void tap_check(struct tap *tap, const struct bench_cell *cell)
{
    char text[BENCH_LINE], detail[BENCH_LINE + 40];
    struct bench_check c;
    if (bench_run_cell(cell, "check", NULL, text, sizeof text) != 0) {
        tap_line(tap, false, cell, "check", text);
        return;
    }
    if (tap_missing(tap, cell, "check", text))
        return;
    if (sscanf(text, "%zu %zu %zu %zu %zu", &c.blocks, &c.lost, &c.wrong_own, &c.wrong_kernel,
               &c.unknown_kernel) != 5)
        bench_die("a child printed '%s'", text);
    snprintf(detail, sizeof detail,
             "%zu blocks, %zu lost, %zu on a wrong node by address, %zu by the kernel (%zu not "
             "known)",
             c.blocks, c.lost, c.wrong_own, c.wrong_kernel, c.unknown_kernel);
    const bool placed = c.wrong_own + c.wrong_kernel == 0;
    /* A peer that is known to misplace blocks is the control: it must be found out. */
    tap_line(tap, c.blocks != 0 && c.lost == 0 && placed == (cell->peer->kind != BENCH_WRONG), cell,
             "check", detail);
}

static void tap_time(struct tap *tap, struct bench_cell cell)
{
    char text[BENCH_LINE], detail[BENCH_LINE + 40];
    double alloc, release, pair, cpu;
    cell.milliseconds = 0;
    if (bench_run_cell(&cell, "time", NULL, text, sizeof text) != 0) {
        tap_line(tap, false, &cell, "time", text);
        return;
    }
    if (tap_missing(tap, &cell, "time", text))
        return;
    const bool read = sscanf(text, "%lf %lf %lf %lf", &alloc, &release, &pair, &cpu) == 4;
    const bool good =
        read && pair > 0 && cpu > 0 &&
        (cell.pattern == BENCH_PAIR || cell.pattern >= BENCH_LARSON || (alloc > 0 && release > 0));
    if (good)
        snprintf(detail, sizeof detail, "all figures are there (pair %.2f ns, once)", pair);
    else
        snprintf(detail, sizeof detail, "figures missing: %s", text);
    tap_line(tap, good, &cell, "time", detail);
}

static int verify(const struct options *options, struct bench_run *run)
{
    struct tap tap = {0, false};
    size_t plan = 0;
    for (size_t i = 0; i < run->row_count; i++)
        plan += (run->rows[i].cell.pattern <= BENCH_PRODCONS ? 1u : 0u) + options->quick;
    printf("1..%zu\n", plan);
    for (size_t i = 0; i < run->row_count; i++) {
        if (run->rows[i].cell.pattern <= BENCH_PRODCONS)
            tap_check(&tap, &run->rows[i].cell);
        if (options->quick)
            tap_time(&tap, run->rows[i].cell);
        fflush(stdout);
    }
    return tap.failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct options options;
    struct bench_run run = {.row_count = 0};
    char path[64];
    bench_command_text(run.command, sizeof run.command, "bench_alloc", argc, argv);
    options_parse(&options, argc, argv);
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d", options.node);
    if (options.node != 0 && access(path, F_OK) != 0)
        bench_die("--node: this machine has no node %d", options.node);

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
            bench_die("cannot write %s: %s", options.json, strerror(errno));
    }
    free(run.rows);
    return status;
}
