/* SPDX-License-Identifier: Apache-2.0 */
/* The program of a cell. Command line:
 *
 *     PROGRAM --cell TASK PEER PATTERN THREADS SIZE NODE MS [SCENARIO]
 *
 * It prints one line of figures, or `missing` and why. It is called by the parents, not by people.
 *
 *     time     alloc free pair cpu, ns per object
 *     check    blocks lost wrong-by-address wrong-by-kernel unknown
 *     lines    shared all
 *     trace    one block per thread between two BENCH_MARKs; prints `traced`
 *     memory, memory-quick   the figures of the scenario */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { FIRST = 3, ARGUMENTS = 9 };

static bool cell_parse(char **argv, struct bench_cell *cell)
{
    *cell = (struct bench_cell){.peer = bench_peer_find(argv[FIRST]),
                                .pattern = bench_pattern_find(argv[FIRST + 1]),
                                .threads = (unsigned)strtoul(argv[FIRST + 2], NULL, 10),
                                .size = strtoul(argv[FIRST + 3], NULL, 10),
                                .node = (int)strtol(argv[FIRST + 4], NULL, 10),
                                .milliseconds = (unsigned)strtoul(argv[FIRST + 5], NULL, 10)};
    return cell->peer != NULL && cell->pattern != BENCH_PATTERNS && cell->threads >= 1 &&
           cell->threads <= BENCH_MAX_THREADS && bench_size_index(cell->size) >= 0;
}

static const char *run_time(const struct bench_cell *cell)
{
    struct bench_times t;
    const char *why = bench_cell_measure(cell, &t);
    if (why == NULL)
        printf("%.6f %.6f %.6f %.6f\n", t.alloc, t.free, t.pair, t.cpu);
    return why;
}

static const char *run_check(const struct bench_cell *cell)
{
    struct bench_check c;
    const char *why = bench_cell_check(cell, &c);
    if (why == NULL)
        printf("%zu %zu %zu %zu %zu\n", c.blocks, c.lost, c.wrong_own, c.wrong_kernel,
               c.unknown_kernel);
    return why;
}

static const char *run_lines(const struct bench_cell *cell)
{
    struct bench_lines lines;
    const char *why = bench_cell_lines(cell, &lines);
    if (why == NULL)
        printf("%zu %zu\n", lines.shared, lines.all);
    return why;
}

static const char *run_trace(const struct bench_cell *cell)
{
    const char *why = bench_cell_trace(cell);
    if (why == NULL)
        puts("traced");
    return why;
}

static const char *run_memory(const struct bench_cell *cell, const char *scenario, bool quick)
{
    struct bench_memory memory;
    const char *why = bench_memory_run(scenario, cell, quick, &memory);
    for (size_t i = 0; why == NULL && i < memory.count; i++)
        printf("%.6f%c", memory.figures[i], i + 1 < memory.count ? ' ' : '\n');
    return why;
}

int main(int argc, char **argv)
{
    struct bench_cell cell;
    if (argc < ARGUMENTS || strcmp(argv[1], "--cell") != 0 || !cell_parse(argv, &cell)) {
        fputs("this program is a part of bench_alloc and bench_memory; run those\n", stderr);
        return 1;
    }
    const char *task = argv[2], *why = "no such task";
    if (strcmp(task, "time") == 0)
        why = run_time(&cell);
    else if (strcmp(task, "check") == 0)
        why = run_check(&cell);
    else if (strcmp(task, "lines") == 0)
        why = run_lines(&cell);
    else if (strcmp(task, "trace") == 0)
        why = run_trace(&cell);
    else if (strncmp(task, "memory", 6) == 0 && argc > ARGUMENTS)
        why = run_memory(&cell, argv[ARGUMENTS], strcmp(task, "memory-quick") == 0);
    if (why != NULL)
        printf("missing %s\n", why);
    return 0;
}
