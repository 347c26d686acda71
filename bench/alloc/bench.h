/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that the parts of bench_alloc share. One process measures one cell (a peer, a
 * pattern, a number of threads); the parent starts one per cell and round, so that no peer finds
 * the heap that another one left, and compares within rounds.
 *
 *     peer_*.c       the allocators, each with the loops of loops.h around its own calls
 *     cell.c         one cell in this process: threads, clocks, checks
 *     stats.c        medians (pure)
 *     environment.c  what the machine is
 *     report.c       tables and JSON
 *     main.c         options, rounds, child processes */
#ifndef NUMAFY_BENCH_H
#define NUMAFY_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    BENCH_BATCH = 1000,      /* objects of one block; all of them live at once but in `pair` */
    BENCH_MAX_BLOCKS = 4000, /* of one thread in one cell */
    BENCH_MAX_THREADS = 64,
    BENCH_MAX_ROUNDS = 101,
    BENCH_NODE_UNKNOWN = -1000, /* no node id and no negative errno of move_pages */
};

enum bench_pattern {
    BENCH_PAIR,   /* allocate, write, free at once */
    BENCH_FIFO,   /* allocate and write a batch, then free it in the same order */
    BENCH_RANDOM, /* the same, freed in a fixed random order */
    BENCH_PATTERNS
};

/* Sizes are compile-time constants in the loops, as they are in user code. */
#define BENCH_SIZES(X) X(16) X(32) X(64) X(128) X(256) X(1024) X(4096)
enum { BENCH_SIZE_COUNT = 7 };

/* What one thread of a cell does and finds. */
struct bench_job {
    enum bench_pattern pattern;
    int node;       /* kernel's id */
    unsigned id;    /* thread, from 0: goes into every block's contents */
    size_t blocks;  /* timed blocks to run; 0 = check batches instead */
    uint64_t *took; /* [2 * blocks]: bench_clock for allocation (or pairs), then for frees */
    void *slots[BENCH_BATCH];
    const struct bench_peer *peer;
    struct bench_check *check; /* result if blocks is 0 */
};

typedef void bench_loop(struct bench_job *job);

/* A row of the table. Functions may be NULL. */
struct bench_peer {
    const char *name;  /* for --peers and JSON */
    const char *title; /* in tables */
    /* One call takes far longer than a time slice, so that block times are those of the other
     * processes: use CPU time, and few blocks. */
    bool by_cpu_time;
    bool bound;    /* promises the node: its blocks are looked up */
    bool optional; /* may be missing on some machine without that being a failure */
    /* Once per process, before the threads. NULL, or why the peer cannot be measured here. */
    const char *(*prepare)(int node, size_t size);
    /* At a thread's start and end. */
    void (*enter)(int node, size_t size);
    void (*leave)(int node, size_t size);
    /* The node that the allocator itself names, BENCH_NODE_UNKNOWN if it cannot. */
    int (*node_of)(const void *p);
    bench_loop *const *loops; /* [BENCH_SIZE_COUNT], in the order of BENCH_SIZES */
    /* A program beside this one that has the loops, for a malloc that cannot share a process with
     * the others; NULL: they are here. */
    const char *program;
};

/* The rows in the table's order; BENCH_REFERENCE is the peer that the others are divided
 * by, BENCH_BASELINE the one that they are a speed-up over. A new row is a file peer_x.c and a line
 * in peers.c. */
extern const struct bench_peer *const bench_peers[];
extern const size_t bench_peer_count;
const struct bench_peer *bench_peer_find(const char *name);
#define BENCH_REFERENCE "jemalloc"
#define BENCH_BASELINE "numa_alloc_onnode"

const char *bench_pattern_name(enum bench_pattern pattern);
/* Index into BENCH_SIZES, or -1. */
int bench_size_index(size_t size);
/* The fixed order in which BENCH_RANDOM frees. */
extern uint16_t bench_order[BENCH_BATCH];

/* --- cell.c ------------------------------------------------------------------------------------
 */

/* ns per object; alloc and free are 0 in the pattern pair. */
struct bench_times {
    double alloc, free, pair; /* medians over blocks, then over threads */
    double cpu;               /* CPU time of all threads / pairs */
};

struct bench_check {
    size_t blocks;         /* checked */
    size_t lost;           /* NULL, handed out twice, or with other contents than were written */
    size_t wrong_own;      /* the allocator names another node */
    size_t wrong_kernel;   /* move_pages names another node */
    size_t unknown_kernel; /* move_pages names none: not permitted, or no such page */
};

struct bench_cell {
    const struct bench_peer *peer;
    enum bench_pattern pattern;
    size_t size; /* bytes */
    unsigned threads;
    int node;
    unsigned milliseconds; /* CPU time to spend per thread, about; 0 = as little as there is */
};

/* Both: NULL, or why not. */
const char *bench_cell_measure(const struct bench_cell *cell, struct bench_times *times);
const char *bench_cell_check(const struct bench_cell *cell, struct bench_check *check);

/* The clock of a job's peer: ns of the thread's CPU time, or ticks, which are the time stamp
 * counter on x86 and else ns. */
uint64_t bench_clock(const struct bench_job *job);

/* For loops.h: writes and checks a whole block's contents. */
void bench_fill(const struct bench_job *job, void *p, size_t size, size_t index);
void bench_examine(struct bench_job *job, size_t size);

/* --- stats.c -----------------------------------------------------------------------------------
 */

/* Sorts the values. The upper of two middle ones is not preferred: their mean is the median. */
double bench_median(double *values, size_t count);
struct bench_spread {
    double median, low, high;
};
struct bench_spread bench_spread_of(double *values, size_t count);
/* Median, lowest and highest of a[i] / b[i]: each round is compared with itself. */
struct bench_spread bench_ratio(const double *a, const double *b, size_t count);

/* --- environment.c -----------------------------------------------------------------------------
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

/* --- report.c ----------------------------------------------------------------------------------
 */

/* All rounds of one peer, pattern and thread count. */
struct bench_row {
    struct bench_cell cell;
    size_t rounds;
    double alloc[BENCH_MAX_ROUNDS], free[BENCH_MAX_ROUNDS], pair[BENCH_MAX_ROUNDS],
        cpu[BENCH_MAX_ROUNDS];
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
