/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run as tables for people and as JSON. Prints figures of this run only. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char *pattern_text(enum bench_pattern pattern)
{
    static const char *const texts[] = {
        "pair: allocated, written and freed at once",
        "fifo: batches of 1,000 allocated and written, then freed in the same order",
        "random: batches of 1,000 allocated and written, then freed in a random order"};
    return texts[pattern];
}

/* The row of another peer with the same pattern and threads, if it was measured. */
static const struct bench_row *row_of(const struct bench_run *run, const struct bench_row *like,
                                      const char *peer)
{
    for (size_t i = 0; i < run->row_count; i++) {
        const struct bench_row *row = &run->rows[i];
        if (row->cell.pattern == like->cell.pattern && row->cell.threads == like->cell.threads &&
            row->missing[0] == '\0' && strcmp(row->cell.peer->name, peer) == 0)
            return row;
    }
    return NULL;
}

static double median_of(const double *values, size_t count)
{
    double copy[BENCH_MAX_ROUNDS];
    memcpy(copy, values, count * sizeof *values);
    return bench_median(copy, count);
}

/* A number to three digits, with commas from 1,000 on: figures from 0.6 to 300,000 share a column.
 */
static const char *number(char *text, size_t len, double value)
{
    if (value >= 999.5) {
        const unsigned long whole = (unsigned long)(value + 0.5);
        if (whole >= 1000000)
            snprintf(text, len, "%lu,%03lu,%03lu", whole / 1000000, whole / 1000 % 1000,
                     whole % 1000);
        else
            snprintf(text, len, "%lu,%03lu", whole / 1000, whole % 1000);
    } else {
        snprintf(text, len, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
    }
    return text;
}

static void print_row(FILE *out, const struct bench_run *run, const struct bench_row *row)
{
    char a[32], b[32], c[32];
    const bool batch = row->cell.pattern != BENCH_PAIR;
    fprintf(out, "%7u  %-31s", row->cell.threads, row->cell.peer->title);
    if (row->missing[0] != '\0') {
        fprintf(out, " not measured: %s\n", row->missing);
        return;
    }
    fprintf(out, " %9s %9s %9s",
            batch ? number(a, sizeof a, median_of(row->alloc, row->rounds)) : "-",
            batch ? number(b, sizeof b, median_of(row->free, row->rounds)) : "-",
            number(c, sizeof c, median_of(row->pair, row->rounds)));

    const struct bench_row *reference = row_of(run, row, BENCH_REFERENCE);
    if (reference != NULL && !row->cell.peer->by_cpu_time) {
        const struct bench_spread x = bench_ratio(row->pair, reference->pair, row->rounds);
        fprintf(out, "  %7s [%s, %s]", number(a, sizeof a, x.median), number(b, sizeof b, x.low),
                number(c, sizeof c, x.high));
    } else {
        fprintf(out, "  %7s %s", "-", row->cell.peer->by_cpu_time ? "(CPU time)  " : "");
    }
    const struct bench_row *baseline = row_of(run, row, BENCH_BASELINE);
    if (baseline != NULL) {
        const struct bench_spread x = bench_ratio(baseline->cpu, row->cpu, row->rounds);
        fprintf(out, "  %8s [%s, %s]", number(a, sizeof a, x.median), number(b, sizeof b, x.low),
                number(c, sizeof c, x.high));
    }
    fputc('\n', out);
}

void bench_report_text(FILE *out, const struct bench_run *run)
{
    const struct bench_environment *environment = &run->environment;
    fprintf(out, "%s\n", run->command);
    for (size_t i = 0; i < environment->count; i++)
        fprintf(out, "  %-18s %s\n", environment->facts[i].name, environment->facts[i].value);
    fprintf(out, "  %-18s %s before, %s after\n", "load", run->load_before, run->load_after);

    for (size_t i = 0; i < run->row_count; i++) {
        const struct bench_row *row = &run->rows[i];
        if (i == 0 || row->cell.pattern != run->rows[i - 1].cell.pattern) {
            fprintf(out, "\n%s; %zu B, node %d, ns per object\n", pattern_text(row->cell.pattern),
                    row->cell.size, row->cell.node);
            fprintf(out, "%7s  %-31s %9s %9s %9s  %s\n", "threads", "", "alloc", "free", "pair",
                    "pair x jemalloc [range]  speed-up over numa_alloc_onnode [range]");
        }
        print_row(out, run, row);
    }
    fprintf(out,
            "\nMedians over %zu rounds of block medians (a block is 1,000 objects); ratios are\n"
            "taken within each round, then their median and range. Speed-ups compare CPU time\n"
            "of all threads, since numa_alloc_onnode sleeps in the kernel.\n",
            run->row_count != 0 ? run->rows[0].rounds : 0);
}

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void json_array(FILE *out, const char *name, const double *values, size_t count)
{
    fprintf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%.4f", i != 0 ? ", " : "", values[i]);
    fputc(']', out);
}

static void json_row(FILE *out, const struct bench_row *row)
{
    fprintf(out, "    {\"peer\": \"%s\", \"pattern\": \"%s\", \"size\": %zu, \"node\": %d",
            row->cell.peer->name, bench_pattern_name(row->cell.pattern), row->cell.size,
            row->cell.node);
    fprintf(out, ", \"threads\": %u, \"clock\": \"%s\"", row->cell.threads,
            row->cell.peer->by_cpu_time ? "cpu" : "wall");
    if (row->missing[0] != '\0') {
        fputs(", \"missing\": ", out);
        json_string(out, row->missing);
    } else {
        if (row->cell.pattern != BENCH_PAIR) {
            json_array(out, "alloc_ns", row->alloc, row->rounds);
            json_array(out, "free_ns", row->free, row->rounds);
        }
        json_array(out, "pair_ns", row->pair, row->rounds);
        json_array(out, "cpu_ns", row->cpu, row->rounds);
    }
    fputc('}', out);
}

int bench_report_json(const char *path, const struct bench_run *run)
{
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return -1;
    fputs("{\n  \"command\": ", out);
    json_string(out, run->command);
    fputs(",\n  \"environment\": {", out);
    for (size_t i = 0; i < run->environment.count; i++) {
        json_string(out, run->environment.facts[i].name);
        fputs(": ", out);
        json_string(out, run->environment.facts[i].value);
        fputs(", ", out);
    }
    fputs("\"load before\": ", out);
    json_string(out, run->load_before);
    fputs(", \"load after\": ", out);
    json_string(out, run->load_after);
    fputs("},\n  \"rows\": [\n", out);
    for (size_t i = 0; i < run->row_count; i++) {
        json_row(out, &run->rows[i]);
        fputs(i + 1 < run->row_count ? ",\n" : "\n", out);
    }
    fputs("  ]\n}\n", out);
    const bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? -1 : 0;
}
