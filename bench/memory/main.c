/* SPDX-License-Identifier: Apache-2.0 */
/* bench_memory: what allocators hold of the memory that a program uses, and what growth costs.
 * Options, rounds, tables, JSON; scenarios.c has what is done. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "parent.h"

static const char usage_text[] =
    "usage: bench_memory [options]\n"
    "  --scenarios LIST  larson,prodcons,keep,halves,growth\n"
    "  --peers LIST      numafy,jemalloc,glibc,mimalloc,tcmalloc,tbbmalloc\n"
    "  --size LIST       16,64,256,1024,4096 for keep and halves; of " BENCH_SIZES_TEXT "\n"
    "  --node N          0\n"
    "  --rounds N        3\n"
    "  --json FILE       all figures of all rounds\n"
    "  --quick           small sets, once\n";

/* A scenario's figures in the order in which the child prints them, and what is compared with
 * jemalloc's in the same round: -1 for nothing. */
struct scenario {
    const char *name, *text;
    const char *figures[BENCH_MEMORY_FIGURES];
    int compared;
    size_t size; /* bytes; 0: the sizes of the command line */
    unsigned threads;
};

static const struct scenario scenarios[] = {
    {"larson",
     "larson: 8 threads, 160,000 blocks of 16 to 1,024 B that move between threads; MiB",
     {"live", "active", "resident"},
     2,
     32,
     8},
    {"prodcons",
     "prodcons: one thread allocates 256 B, another frees, 64,000 blocks between them; MiB",
     {"live", "active", "resident", "wrong-own", "wrong-kernel", "checked"},
     2,
     256,
     2},
    {"keep",
     "keep: 24 phases, each keeps 1 of 64 blocks and frees the others; MiB",
     {"live", "active", "settled", "resident"},
     1,
     0,
     1},
    {"halves",
     "halves: a random half of 64 MiB freed and allocated again, 20 times; MiB",
     {"live", "active", "settled", "resident"},
     1,
     0,
     1},
    {"growth",
     "growth: to 1 GiB of 64 B blocks and back, twice; MiB, VMAs, seconds of CPU time",
     {"grown", "pool-vmas", "vmas1", "vmas2", "start", "purged1", "purged2", "cpu1", "cpu2"},
     8,
     64,
     1},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

struct options {
    const struct scenario *scenarios[SCENARIOS];
    const struct bench_peer *peers[32];
    size_t sizes[BENCH_SIZE_COUNT];
    size_t scenario_count, peer_count, size_count, rounds;
    int node;
    const char *json;
    bool quick;
};

struct row {
    const struct scenario *scenario;
    struct bench_cell cell;
    size_t rounds, count;
    double figures[BENCH_MEMORY_FIGURES][BENCH_MAX_ROUNDS];
    char missing[120];
};

static bool is_bytes(const char *figure)
{
    static const char *const bytes[] = {"live",  "active", "settled", "resident",
                                        "grown", "start",  "purged1", "purged2"};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        if (strcmp(figure, bytes[i]) == 0)
            return true;
    return false;
}

/* --- options
 */

static void list_add(struct options *options, char kind, const char *word)
{
    if (kind == 's') {
        const struct scenario *found = NULL;
        for (size_t i = 0; i < SCENARIOS; i++)
            if (strcmp(word, scenarios[i].name) == 0)
                found = &scenarios[i];
        if (found == NULL || options->scenario_count == SCENARIOS)
            bench_die("--scenarios: not '%s' (see bench_memory --help)", word);
        options->scenarios[options->scenario_count++] = found;
    } else if (kind == 'r') {
        const struct bench_peer *found = bench_peer_find(word);
        if (found == NULL || options->peer_count == sizeof options->peers / sizeof *options->peers)
            bench_die("--peers: not '%s' (see bench_alloc --list)", word);
        options->peers[options->peer_count++] = found;
    } else {
        const size_t size = bench_parse_number(word, 1, 1u << 20, "--size");
        if (bench_size_index(size) < 0 || options->size_count == BENCH_SIZE_COUNT)
            bench_die("--size: one of " BENCH_SIZES_TEXT ", not %s", word);
        options->sizes[options->size_count++] = size;
    }
}

static void list_parse(struct options *options, char kind, const char *list)
{
    char copy[256];
    *(kind == 's'   ? &options->scenario_count
      : kind == 'r' ? &options->peer_count
                    : &options->size_count) = 0;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *word = strtok(copy, ","); word != NULL; word = strtok(NULL, ","))
        list_add(options, kind, word);
}

static void options_parse(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {{"scenarios", required_argument, NULL, 's'},
                                          {"peers", required_argument, NULL, 'r'},
                                          {"size", required_argument, NULL, 'b'},
                                          {"node", required_argument, NULL, 'n'},
                                          {"rounds", required_argument, NULL, 'N'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"quick", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int c;
    *options = (struct options){.rounds = 3};
    list_parse(options, 's', "larson,prodcons,keep,halves,growth");
    list_parse(options, 'r', "numafy,jemalloc,glibc,mimalloc,tcmalloc,tbbmalloc");
    list_parse(options, 'b', "16,64,256,1024,4096");
    while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (c == 's' || c == 'r' || c == 'b') {
            list_parse(options, (char)c, optarg);
        } else if (c == 'n') {
            options->node = (int)bench_parse_number(optarg, 0, 1023, "--node");
        } else if (c == 'N') {
            options->rounds = bench_parse_number(optarg, 1, BENCH_MAX_ROUNDS, "--rounds");
        } else if (c == 'j') {
            options->json = optarg;
        } else if (c == 'q') {
            options->quick = true;
            options->rounds = 1;
        } else {
            fputs(usage_text, c == 'h' ? stdout : stderr);
            exit(c == 'h' ? 0 : 1);
        }
    }
    if (optind < argc)
        bench_die("unexpected argument '%s'", argv[optind]);
}

/* --- rows
 */

/* By scenario, size, peer: rows that are compared follow each other. */
static struct row *rows_make(const struct options *options, size_t *count)
{
    struct row *rows = calloc(SCENARIOS * BENCH_SIZE_COUNT * options->peer_count, sizeof *rows);
    struct row *row = rows;
    if (rows == NULL)
        bench_die("no memory for the rows");
    for (size_t s = 0; s < options->scenario_count; s++) {
        const struct scenario *scenario = options->scenarios[s];
        const size_t sizes = scenario->size != 0 ? 1 : options->size_count;
        for (size_t b = 0; b < sizes; b++)
            for (size_t r = 0; r < options->peer_count; r++, row++) {
                row->scenario = scenario;
                row->cell = (struct bench_cell){.peer = options->peers[r],
                                                .pattern = BENCH_FIFO,
                                                .size = scenario->size != 0 ? scenario->size
                                                                            : options->sizes[b],
                                                .threads = scenario->threads,
                                                .node = options->node};
            }
    }
    *count = (size_t)(row - rows);
    return rows;
}

static void row_measure(struct row *row, bool quick)
{
    char text[BENCH_LINE];
    if (row->missing[0] != '\0')
        return;
    if (bench_run_cell(&row->cell, quick ? "memory-quick" : "memory", row->scenario->name, text,
                       sizeof text) != 0)
        bench_die("%s, %s: %s", row->cell.peer->name, row->scenario->name, text);
    if (bench_missing(text) != NULL) {
        snprintf(row->missing, sizeof row->missing, "%.100s", bench_missing(text));
        return;
    }
    char *at = text;
    for (row->count = 0; row->count < BENCH_MEMORY_FIGURES; row->count++) {
        char *end;
        row->figures[row->count][row->rounds] = strtod(at, &end);
        if (end == at)
            break;
        at = end;
    }
    if (row->count == 0)
        bench_die("a child printed '%s'", text);
    row->rounds++;
}

static const struct row *reference_of(const struct row *rows, size_t count, const struct row *like)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].scenario == like->scenario && rows[i].cell.size == like->cell.size &&
            rows[i].missing[0] == '\0' && strcmp(rows[i].cell.peer->name, BENCH_REFERENCE) == 0)
            return &rows[i];
    return NULL;
}

/* --- output
 */

static double median_of(const double *values, size_t count)
{
    double copy[BENCH_MAX_ROUNDS];
    memcpy(copy, values, count * sizeof *values);
    return bench_median(copy, count);
}

static void print_row(FILE *out, const struct row *rows, size_t count, const struct row *row)
{
    char text[3][32];
    const struct scenario *scenario = row->scenario;
    fprintf(out, "%6zu  %-31s", row->cell.size, row->cell.peer->title);
    if (row->missing[0] != '\0') {
        fprintf(out, " missing: %s\n", row->missing);
        return;
    }
    for (size_t i = 0; i < row->count; i++) {
        const double value = median_of(row->figures[i], row->rounds);
        const double unit = is_bytes(scenario->figures[i]) ? 1 << 20 : 1;
        if (value == -1)
            fprintf(out, " %12s", "-");
        else if (unit > 1 || strncmp(scenario->figures[i], "cpu", 3) == 0)
            fprintf(out, " %12.2f", value / unit);
        else
            fprintf(out, " %12.0f", value);
    }
    const struct row *reference = reference_of(rows, count, row);
    const double *compared = row->figures[scenario->compared];
    if (reference != NULL && compared[0] != -1) {
        const struct bench_spread x =
            bench_ratio(compared, reference->figures[scenario->compared], row->rounds);
        fprintf(out, "  %s [%s, %s]", bench_number(text[0], sizeof text[0], x.median),
                bench_number(text[1], sizeof text[1], x.low),
                bench_number(text[2], sizeof text[2], x.high));
    }
    fputc('\n', out);
}

static void print_rows(FILE *out, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct scenario *scenario = rows[i].scenario;
        if (i == 0 || scenario != rows[i - 1].scenario) {
            fprintf(out, "\n%s\n%6s  %-31s", scenario->text, "B", "");
            for (size_t k = 0; k < BENCH_MEMORY_FIGURES && scenario->figures[k] != NULL; k++)
                fprintf(out, " %12s", scenario->figures[k]);
            fprintf(out, "  %s x jemalloc [range]\n", scenario->figures[scenario->compared]);
        }
        print_row(out, rows, count, &rows[i]);
    }
    fputs("\nlive: what the program has. active: pages with blocks, by jemalloc's statistics;\n"
          "settled: the same when caches have been given back.\n"
          "resident: more than before, by the kernel; start, purged: of the whole process but for\n"
          "the program's own lists. Medians over the rounds, ratios within each round.\n",
          out);
}

static int json_write(const char *path, const struct row *rows, size_t count, const char *command,
                      const struct bench_environment *environment, const char *before,
                      const char *after)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return -1;
    fputs("{\n", out);
    bench_environment_json(out, command, environment, before, after);
    fputs("  \"rows\": [\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        fprintf(out, "    {\"scenario\": \"%s\", \"peer\": \"%s\", \"size\": %zu",
                row->scenario->name, row->cell.peer->name, row->cell.size);
        fprintf(out, ", \"threads\": %u", row->cell.threads);
        if (row->missing[0] != '\0') {
            fputs(", \"missing\": ", out);
            bench_json_string(out, row->missing);
        }
        for (size_t k = 0; k < row->count; k++)
            bench_json_array(out, row->scenario->figures[k], row->figures[k], row->rounds);
        fputs(i + 1 < count ? "},\n" : "}\n", out);
    }
    fputs("  ]\n}\n", out);
    const bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? -1 : 0;
}

int main(int argc, char **argv)
{
    struct options options;
    struct bench_environment environment;
    char command[BENCH_FACT_LEN], before[BENCH_FACT_LEN], after[BENCH_FACT_LEN];
    size_t count = 0;
    bench_command_text(command, sizeof command, "bench_memory", argc, argv);
    options_parse(&options, argc, argv);
    bench_environment_read(&environment);
    bench_load_read(before, sizeof before);
    struct row *rows = rows_make(&options, &count);
    for (size_t round = 0; round < options.rounds; round++)
        for (size_t i = 0; i < count; i++)
            row_measure(&rows[i], options.quick);
    bench_load_read(after, sizeof after);
    bench_environment_text(stdout, command, &environment, before, after);
    print_rows(stdout, rows, count);
    if (options.json != NULL &&
        json_write(options.json, rows, count, command, &environment, before, after) != 0)
        bench_die("cannot write %s: %s", options.json, strerror(errno));
    free(rows);
    return 0;
}
