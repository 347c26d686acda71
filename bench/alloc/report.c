/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run of bench_alloc as tables for people and as JSON. Prints figures of this run only,
 * but for the seed's, which stand beside ours. */
#include <stdlib.h>
#include <string.h>

#include "parent.h"

static const char *pattern_text(enum bench_pattern pattern)
{
    static const char *const texts[BENCH_PATTERNS] = {
        "pair: allocated, written and freed at once",
        "fifo: batches allocated and written, then freed in the same order",
        "random: batches allocated and written, then freed in a random order",
        "prodcons: batches allocated and written by one thread, freed by another",
        "larson: random blocks replaced by others of 16 to 1,024 B; they move on to other threads",
        "scratch: an object of another thread freed, then pairs whose bytes are written 10 times",
        "thrash: pairs whose bytes are written 10 times"};
    return texts[pattern];
}

/* --- figures of a row, and against other rows
 */

enum figure { PAIR, CPU };

static const double *figures(const struct bench_row *row, enum figure figure)
{
    return figure == PAIR ? row->pair : row->cpu;
}

static bool alike(const struct bench_row *a, const struct bench_row *b)
{
    return a->cell.pattern == b->cell.pattern && a->cell.threads == b->cell.threads &&
           a->cell.size == b->cell.size;
}

/* The row of another peer with the same pattern, size and threads, if it was measured. */
static const struct bench_row *row_of(const struct bench_run *run, const struct bench_row *like,
                                      const char *peer)
{
    for (size_t i = 0; i < run->row_count; i++) {
        const struct bench_row *row = &run->rows[i];
        if (alike(row, like) && row->missing[0] == '\0' && strcmp(row->cell.peer->name, peer) == 0)
            return row;
    }
    return NULL;
}

/* In each round the least of what others' allocators need; false if there is none. */
static bool best_of(const struct bench_run *run, const struct bench_row *like, enum figure figure,
                    double *best)
{
    bool found = false;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct bench_row *row = &run->rows[i];
        if (!alike(row, like) || !row->cell.peer->rival || row->missing[0] != '\0')
            continue;
        for (size_t k = 0; k < row->rounds; k++)
            if (!found || figures(row, figure)[k] < best[k])
                best[k] = figures(row, figure)[k];
        found = true;
    }
    return found;
}

static double median_of(const double *values, size_t count)
{
    double copy[BENCH_MAX_ROUNDS];
    memcpy(copy, values, count * sizeof *values);
    return bench_median(copy, count);
}

/* --- text
 */

static void print_ratio(FILE *out, const double *a, const double *b, size_t rounds, bool range)
{
    char text[3][32];
    const struct bench_spread x = bench_ratio(a, b, rounds);
    fprintf(out, " %7s", bench_number(text[0], sizeof text[0], x.median));
    if (range) {
        char both[64];
        snprintf(both, sizeof both, "[%s, %s]", bench_number(text[1], sizeof text[1], x.low),
                 bench_number(text[2], sizeof text[2], x.high));
        fprintf(out, " %-14s", both);
    }
}

static void print_against(FILE *out, const struct bench_run *run, const struct bench_row *row)
{
    const struct bench_row *reference = row_of(run, row, BENCH_REFERENCE);
    double best[BENCH_MAX_ROUNDS];
    for (int figure = PAIR; figure <= CPU; figure++) {
        const bool usable = figure == CPU || !row->cell.peer->by_cpu_time;
        const double *values = figures(row, (enum figure)figure);
        if (reference != NULL && usable)
            print_ratio(out, values, figures(reference, (enum figure)figure), row->rounds,
                        figure == PAIR);
        else
            fprintf(out, figure == PAIR ? " %7s %-14s" : " %7s", "-", "");
    }
    for (int figure = PAIR; figure <= CPU; figure++) {
        const bool usable = figure == CPU || !row->cell.peer->by_cpu_time;
        if (usable && best_of(run, row, (enum figure)figure, best))
            print_ratio(out, figures(row, (enum figure)figure), best, row->rounds, false);
        else
            fprintf(out, " %7s", "-");
    }
    const struct bench_row *baseline = row_of(run, row, BENCH_BASELINE);
    if (baseline != NULL)
        print_ratio(out, baseline->cpu, row->cpu, row->rounds, false);
    else
        fprintf(out, " %7s", "-");
}

/* What was counted, not timed. */
static void print_counts(FILE *out, const struct bench_row *row)
{
    if (row->locks.instructions > 0)
        fprintf(out, "  %7.0f %6.0f %6.0f", row->locks.instructions, row->locks.locked * 1000,
                row->locks.waits * 1000);
    else if (row->locks.why[0] != '\0')
        fprintf(out, "  not counted: %s", row->locks.why);
    if (row->lines_counted && row->lines.all != 0)
        fprintf(out, "  %zu of %zu lines shared", row->lines.shared, row->lines.all);
    if (row->placement_checked && row->misplaced != 0)
        fprintf(out, "  WRONG NODE: %zu of %zu", row->misplaced, row->checked);
}

static void print_row(FILE *out, const struct bench_run *run, const struct bench_row *row)
{
    char a[32], b[32], c[32], d[32];
    const bool apart = row->rounds != 0 && row->free[0] > 0;
    fprintf(out, "%7u  %-31s", row->cell.threads, row->cell.peer->title);
    if (row->missing[0] != '\0') {
        fprintf(out, " missing: %s\n", row->missing);
        return;
    }
    fprintf(out, " %7s %7s %7s %7s",
            apart ? bench_number(a, sizeof a, median_of(row->alloc, row->rounds)) : "-",
            apart ? bench_number(b, sizeof b, median_of(row->free, row->rounds)) : "-",
            bench_number(c, sizeof c, median_of(row->pair, row->rounds)),
            bench_number(d, sizeof d, median_of(row->cpu, row->rounds)));
    print_against(out, run, row);
    print_counts(out, row);
    fputc('\n', out);
}

static void print_heading(FILE *out, const struct bench_row *row)
{
    fprintf(out, "\n%s; ", pattern_text(row->cell.pattern));
    if (row->cell.pattern != BENCH_LARSON)
        fprintf(out, "%zu B, ", row->cell.size);
    fprintf(out, "node %d, ns per object\n", row->cell.node);
    fprintf(out, "%7s  %-31s %7s %7s %7s %7s %7s %-14s %7s %7s %7s %7s  %7s %6s %6s\n", "threads",
            "", "alloc", "free", "pair", "cpu", "pair/je", "[range]", "cpu/je", "p/best", "c/best",
            "onnode/", "instr", "locked", "waits");
}

/* What the allocator that this one succeeds was said to reach, beside the rows that show the same.
 * Its machine had 80 hardware threads on two nodes: only ratios can be compared, and those by kind.
 */
static void print_seed(FILE *out, const struct bench_run *run)
{
    const struct bench_row like = {.cell = {.pattern = BENCH_FIFO, .threads = 20, .size = 32}};
    const struct bench_row *ours = row_of(run, &like, "numafy_typed"),
                           *malloc_row = row_of(run, &like, BENCH_REFERENCE),
                           *none = row_of(run, &like, "tcache_none"),
                           *onnode = row_of(run, &like, BENCH_BASELINE);
    char text[32];
    if (ours == NULL)
        return;
    fputs("\nthe seed's figures, 20 threads, 32 B              seed    here (fifo, CPU time)\n",
          out);
    fprintf(out, "  ns per pair                                   43    %s\n",
            bench_number(text, sizeof text, median_of(ours->cpu, ours->rounds)));
    if (malloc_row != NULL)
        fprintf(out, "  times the time of jemalloc's malloc          1.3    %s\n",
                bench_number(text, sizeof text,
                             bench_ratio(ours->cpu, malloc_row->cpu, ours->rounds).median));
    if (none != NULL)
        fprintf(out, "  ns without a tcache                       42,305    %s\n",
                bench_number(text, sizeof text, median_of(none->cpu, none->rounds)));
    if (onnode != NULL)
        fprintf(out, "  times as fast as numa_alloc_onnode         8,191    %s\n",
                bench_number(text, sizeof text,
                             bench_ratio(onnode->cpu, ours->cpu, ours->rounds).median));
}

void bench_report_text(FILE *out, const struct bench_run *run)
{
    bench_environment_text(out, run->command, &run->environment, run->load_before, run->load_after);
    unsigned most = 0;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct bench_row *row = &run->rows[i];
        most = row->cell.threads > most ? row->cell.threads : most;
        if (i == 0 || row->cell.pattern != run->rows[i - 1].cell.pattern ||
            row->cell.size != run->rows[i - 1].cell.size)
            print_heading(out, row);
        print_row(out, run, row);
    }
    print_seed(out, run);
    fprintf(
        out,
        "\nMedians over %zu rounds of block medians; ratios are taken within each round, then\n"
        "their median and range. je: jemalloc. best: in each round the best of the others'\n"
        "allocators. onnode/: how many times the CPU time numa_alloc_onnode needs. cpu: of all\n"
        "threads. instr: instructions per pair, locked: instructions that lock the bus, waits:\n"
        "futex and yield calls, both per 1,000 pairs (--locks).\n",
        run->row_count != 0 ? run->rows[0].rounds : 0);
    if (most > (unsigned)bench_cpus())
        fprintf(out, "%d CPUs: rows of more threads show time slicing, not that many CPUs.\n",
                bench_cpus());
}

/* --- JSON
 */

static void json_counts(FILE *out, const struct bench_row *row)
{
    if (row->locks.instructions > 0)
        fprintf(out,
                ", \"instructions_per_pair\": %.2f, \"locked_per_1000\": %.1f"
                ", \"waits_per_1000\": %.2f",
                row->locks.instructions, row->locks.locked * 1000, row->locks.waits * 1000);
    else if (row->locks.why[0] != '\0') {
        fputs(", \"locks_missing\": ", out);
        bench_json_string(out, row->locks.why);
    }
    if (row->lines_counted)
        fprintf(out, ", \"lines_shared\": %zu, \"lines\": %zu", row->lines.shared, row->lines.all);
    if (row->placement_checked)
        fprintf(out, ", \"misplaced\": %zu, \"checked\": %zu", row->misplaced, row->checked);
}

static void json_row(FILE *out, const struct bench_row *row)
{
    const struct bench_cell *cell = &row->cell;
    fprintf(out, "    {\"peer\": \"%s\", \"pattern\": \"%s\", \"size\": %zu, \"node\": %d",
            cell->peer->name, bench_pattern_name(cell->pattern), cell->size, cell->node);
    fprintf(out, ", \"threads\": %u, \"time_slicing\": %s, \"clock\": \"%s\"", cell->threads,
            cell->threads > (unsigned)bench_cpus() ? "true" : "false",
            cell->peer->by_cpu_time ? "cpu" : "wall");
    if (cell->peer->kind == BENCH_WRONG)
        fputs(", \"wrong\": true", out);
    if (row->missing[0] != '\0') {
        fputs(", \"missing\": ", out);
        bench_json_string(out, row->missing);
    } else {
        if (row->rounds != 0 && row->free[0] > 0) {
            bench_json_array(out, "alloc_ns", row->alloc, row->rounds);
            bench_json_array(out, "free_ns", row->free, row->rounds);
        }
        bench_json_array(out, "pair_ns", row->pair, row->rounds);
        bench_json_array(out, "cpu_ns", row->cpu, row->rounds);
        json_counts(out, row);
    }
    fputc('}', out);
}

int bench_report_json(const char *path, const struct bench_run *run)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return -1;
    fputs("{\n", out);
    bench_environment_json(out, run->command, &run->environment, run->load_before, run->load_after);
    /* What is known of the allocator that this one succeeds: 32 B, 20 threads, on 80. */
    fputs("  \"seed\": {\"pair_ns\": 43, \"x_malloc\": 1.3, \"no_tcache_ns\": 42305, "
          "\"x_onnode\": 8191},\n",
          out);
    fputs("  \"rows\": [\n", out);
    for (size_t i = 0; i < run->row_count; i++) {
        json_row(out, &run->rows[i]);
        fputs(i + 1 < run->row_count ? ",\n" : "\n", out);
    }
    fputs("  ]\n}\n", out);
    const bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? -1 : 0;
}
