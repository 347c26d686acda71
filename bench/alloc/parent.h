/* SPDX-License-Identifier: Apache-2.0 */
/* What bench_alloc and bench_memory share: child processes, the machine, JSON. */
#ifndef NUMAFY_BENCH_PARENT_H
#define NUMAFY_BENCH_PARENT_H

#include "bench.h"

/* --- run.c
 */

__attribute__((noreturn, format(printf, 1, 2))) void bench_die(const char *format, ...);
unsigned bench_parse_number(const char *text, unsigned low, unsigned high, const char *what);

enum { BENCH_LINE = 320 };

/* Starts the cell's program for a task (see child.c) and reads its line. Returns 0 and the line; or
 * -1 and how the child ended. A program that was not built gives a line `missing ...`. `extra` is
 * one more argument or NULL. */
int bench_run_cell(const struct bench_cell *cell, const char *task, const char *extra, char *text,
                   size_t len);
/* Why the peer cannot be measured, if the line says so; else NULL. */
const char *bench_missing(const char *text);
/* For trace.c: execs the cell's program; returns only if that fails. */
void bench_exec_cell(const struct bench_cell *cell, const char *task, const char *extra);
/* `missing ...` and true if the cell's program was not built. */
bool bench_not_built(const struct bench_cell *cell, char *text, size_t len);

/* --- trace.c
 */

struct bench_locks {
    double instructions, locked, waits; /* per pair */
    char why[100];                      /* there are none because; or empty */
};
/* Runs one block per thread instruction by instruction. */
void bench_trace_cell(const struct bench_cell *cell, struct bench_locks *locks);

/* --- environment.c
 */

enum { BENCH_FACTS = 24, BENCH_FACT_LEN = 160 };
struct bench_environment {
    size_t count;
    struct {
        char name[24];
        char value[BENCH_FACT_LEN];
    } facts[BENCH_FACTS];
};
void bench_environment_read(struct bench_environment *environment);
void bench_load_read(char *text, size_t len);
int bench_cpus(void);

/* --- json.c
 */

void bench_json_string(FILE *out, const char *text);
void bench_json_array(FILE *out, const char *name, const double *values, size_t count);
/* A number to three digits, with commas from 1,000 on: figures from 0.6 to 300,000 share a column.
 */
const char *bench_number(char *text, size_t len, double value);
void bench_environment_text(FILE *out, const char *command,
                            const struct bench_environment *environment, const char *load_before,
                            const char *load_after);
/* The members command and environment, with a comma at the end. */
void bench_environment_json(FILE *out, const char *command,
                            const struct bench_environment *environment, const char *load_before,
                            const char *load_after);
/* The command line as it was given, for the report; cut to fit. A path says nothing about the
 * figures. */
void bench_command_text(char *text, size_t len, const char *name, int argc, char **argv);

/* --- report.c
 */

/* All rounds of one peer, pattern, size and thread count. */
struct bench_row {
    struct bench_cell cell;
    size_t rounds;
    double alloc[BENCH_MAX_ROUNDS], free[BENCH_MAX_ROUNDS], pair[BENCH_MAX_ROUNDS],
        cpu[BENCH_MAX_ROUNDS];
    struct bench_locks locks;
    bool lines_counted;
    struct bench_lines lines;
    bool placement_checked;
    size_t misplaced, checked;
    char missing[120]; /* why the peer was not measured, or empty */
};

struct bench_run {
    struct bench_environment environment;
    char load_before[BENCH_FACT_LEN], load_after[BENCH_FACT_LEN];
    char command[BENCH_FACT_LEN];
    struct bench_row *rows;
    size_t row_count;
};

void bench_report_text(FILE *out, const struct bench_run *run);
/* 0, or -1 with errno. */
int bench_report_json(const char *path, const struct bench_run *run);

#endif
