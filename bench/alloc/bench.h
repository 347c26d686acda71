/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that the parts of the allocator benchmarks share. One process measures one
 * cell (a peer, a pattern, a size, a number of threads); the parent starts one per cell and round,
 * so that no peer finds the heap that another one left, and compares within rounds. A malloc that
 * replaces the program's needs a program of its own, so all cells run in programs of
 * build/bin/peers and the parents allocate nothing that is measured.
 *
 *   in the programs of peers/:
 *     peer_*.c       the allocators, each with the loops of loops.h around its own calls
 *     cell.c         one cell: threads, clocks, checks
 *     lines.c        cache lines that two threads share
 *     ../memory/scenarios.c  what an allocator holds and what growth costs
 *     child.c        the command line of a cell
 *   in the parents bench_alloc and bench_memory:
 *     run.c          starts a child and reads its line
 *     trace.c        the same, instruction by instruction: counts locks
 *     report.c, json.c, environment.c, main.c, ../memory/main.c
 *   in both:
 *     peers.c        names of peers, patterns and sizes
 *     stats.c        medians (pure) */
#ifndef NUMAFY_BENCH_H
#define NUMAFY_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BENCH_BATCH = 1000,      /* objects of one block; all of them live at once but in `pair` */
    BENCH_BATCH_LARGE = 100, /* the same from BENCH_LARGE bytes on */
    BENCH_LARGE = 32768,
    BENCH_BATCH_WRITTEN = 100, /* of scratch and thrash, where every byte is written repeatedly */
    BENCH_WRITES = 10,
    BENCH_MAX_BLOCKS = 4000, /* of one thread in one cell */
    BENCH_MAX_THREADS = 64,
    BENCH_MAX_ROUNDS = 101,
    BENCH_RING = 8,             /* batches between a producer and its consumer */
    BENCH_NODE_UNKNOWN = -1000, /* no node id and no negative errno of move_pages */
};

enum bench_pattern {
    BENCH_PAIR,     /* allocate, write, free at once */
    BENCH_FIFO,     /* allocate and write a batch, then free it in the same order */
    BENCH_RANDOM,   /* the same, freed in a fixed random order */
    BENCH_PRODCONS, /* even threads allocate batches, odd ones free them */
    BENCH_LARSON,   /* random sizes replace random blocks; blocks move on to other threads */
    BENCH_SCRATCH,  /* frees an object of another thread, then pairs whose bytes are written */
    BENCH_THRASH,   /* pairs whose bytes are written: two threads may get one line */
    BENCH_PATTERNS
};

/* Sizes are compile-time constants in the loops, as they are in user code. */
#define BENCH_SIZES(X) X(16) X(32) X(64) X(128) X(256) X(1024) X(4096) X(32768)
enum { BENCH_SIZE_COUNT = 8 };
/* Larson's sizes are random multiples of 16 up to this. */
enum { BENCH_LARSON_MAX = 1024 };

/* --- peers: what a row is called
 */

enum bench_kind {
    BENCH_OURS,     /* must be measurable wherever the library works */
    BENCH_OPTIONAL, /* may be impossible on some machine without that being a failure */
    BENCH_PACKAGE,  /* needs a package that scripts/setup bench installs */
    BENCH_WRONG     /* known to misplace blocks: the check must find it out */
};

/* A row of the tables. */
struct bench_peer {
    const char *name;  /* for --peers and JSON */
    const char *title; /* in tables */
    enum bench_kind kind;
    const char *program; /* in the folder peers/ */
    const char *package; /* to install if the program is not there */
    /* NAME=VALUE for its process, or NULL. */
    const char *environment;
    /* One call takes far longer than a time slice, so that block times are those of the other
     * processes: use CPU time, and few blocks. */
    bool by_cpu_time;
    bool bound;    /* promises the node: its blocks are looked up */
    bool rival;    /* somebody else's allocator: one of them is the best peer */
    bool no_reuse; /* blocks may not change their thread: only pair, fifo and random */
};

/* The rows in the table's order; BENCH_REFERENCE is the peer that the others are divided by,
 * BENCH_BASELINE the one that they are a speed-up over. A new row is a line in peers.c, a file
 * peer_x.c and its program in bench/CMakeLists.txt. */
extern const struct bench_peer bench_peers[];
extern const size_t bench_peer_count;
const struct bench_peer *bench_peer_find(const char *name);
#define BENCH_REFERENCE "jemalloc"
#define BENCH_BASELINE "numa_alloc_onnode"

const char *bench_pattern_name(enum bench_pattern pattern);
/* Or BENCH_PATTERNS. */
enum bench_pattern bench_pattern_find(const char *name);
/* Index into BENCH_SIZES, or -1. */
int bench_size_index(size_t size);
#define BENCH_SIZES_TEXT "16 32 64 128 256 1024 4096 32768"
/* Objects, that is alloc and free pairs, of one timed block. */
size_t bench_block_objects(enum bench_pattern pattern, size_t size);

/* --- cells
 */

struct bench_cell {
    const struct bench_peer *peer;
    enum bench_pattern pattern;
    size_t size; /* bytes */
    unsigned threads;
    int node;
    unsigned milliseconds; /* CPU time to spend per thread, about; 0 = as little as there is */
};

struct bench_slot {
    void *p;
    size_t size;
};

/* What all threads of a cell share. */
struct bench_shared;

/* What one thread of a cell does and finds. */
struct bench_job {
    enum bench_pattern pattern;
    int node;                /* kernel's id */
    unsigned id;             /* thread, from 0: goes into every block's contents */
    bool by_cpu_time, bound; /* of the peer */
    size_t blocks;           /* timed blocks to run; 0 = check batches instead */
    uint64_t *took; /* [2 * blocks]: bench_clock for allocation (or pairs), then for frees */
    uint32_t random;
    struct bench_slot *larson; /* BENCH_BATCH of them */
    unsigned passes;
    struct bench_shared *shared;
    struct bench_check *check; /* result if blocks is 0 */
    void *slots[BENCH_BATCH];
};

typedef void bench_loop(struct bench_job *job);

/* An allocator, as its peer_*.c gives it to the program. Functions may be NULL but loops, alloc
 * and release. */
struct bench_code {
    const char *name;
    /* Once per process, before the threads. NULL, or why the peer cannot be measured here. */
    const char *(*prepare)(const struct bench_cell *cell);
    /* At a thread's start and end. */
    void (*enter)(const struct bench_job *job, size_t size);
    void (*leave)(const struct bench_job *job, size_t size);
    /* The node that the allocator itself names, BENCH_NODE_UNKNOWN if it cannot. */
    int (*node_of)(const void *p);
    /* Before a checked batch: takes and frees blocks of another node on the same thread. */
    void (*disturb)(int node, size_t size);
    /* Gives unused memory back to the kernel. */
    void (*purge)(int node);
    bench_loop *const *loops; /* [BENCH_SIZE_COUNT], in the order of BENCH_SIZES */
    /* The same calls with sizes of run time. */
    void *(*alloc)(int node, size_t size);
    void (*release)(int node, void *p, size_t size);
    struct bench_code *next;
};

/* What is linked into this program; each peer_*.c adds its own before main. */
void bench_code_add(struct bench_code *code);
const struct bench_code *bench_code_find(const char *name);
#define BENCH_CODE(code)                                      \
    __attribute__((constructor)) static void add_##code(void) \
    {                                                         \
        bench_code_add(&(code));                              \
    }                                                         \
    typedef int bench_code_semicolon

/* The fixed order in which BENCH_RANDOM frees. */
extern uint16_t bench_order[BENCH_BATCH];
extern uint16_t bench_order_large[BENCH_BATCH_LARGE];

/* ns per object; alloc and free are 0 where a pattern does not separate them. */
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

/* Lines of 64 bytes with live blocks: those of several threads, and all. */
struct bench_lines {
    size_t shared, all;
};

/* All: NULL, or why not. */
const char *bench_cell_measure(const struct bench_cell *cell, struct bench_times *times);
const char *bench_cell_check(const struct bench_cell *cell, struct bench_check *check);
const char *bench_cell_lines(const struct bench_cell *cell, struct bench_lines *lines);
/* One block per thread between two BENCH_MARKs, for a tracer. */
const char *bench_cell_trace(const struct bench_cell *cell);

/* Stops for the tracer; without one it ends the process. */
#if defined(__x86_64__)
#define BENCH_MARK() __asm__ volatile("int3" ::: "memory")
#else
#define BENCH_MARK() __builtin_trap()
#endif

/* For peers: looks the code up and prepares it. NULL, or why not. */
const char *bench_cell_prepare(const struct bench_cell *cell);
/* Thread i to the i-th CPU that this process may use: nobody wanders between caches. */
void bench_pin(unsigned id);

/* For loops.h.
 * The clock of a job's peer: ns of the thread's CPU time, or ticks, which are the time stamp
 * counter on x86 and else ns. */
uint64_t bench_clock(const struct bench_job *job);
/* Writes and checks a whole block's contents. */
void bench_fill(const struct bench_job *job, void *p, size_t size, size_t index);
void bench_examine(struct bench_job *job, size_t size);
/* Between batches of a check: as bench_code.disturb. */
void bench_disturb(const struct bench_job *job, size_t size);
/* A producer waits for room, a consumer for a batch; both get its slots. */
void **bench_ring_begin(struct bench_job *job, size_t block);
void bench_ring_end(struct bench_job *job, size_t block);
/* The batch of the next thread, when all have written theirs. */
void **bench_neighbour(struct bench_job *job);
void bench_wait(const struct bench_job *job);
/* Swaps the thread's blocks for those that another one has left. */
void bench_larson_pass(struct bench_job *job);
/* The object that thread 0 has allocated for this one, next to the others'. */
void **bench_seed(const struct bench_job *job);

/* --- memory/scenarios.c
 */

/* What a scenario found, as one line of numbers; its parent knows their names. */
enum { BENCH_MEMORY_FIGURES = 10 };
struct bench_memory {
    size_t count;
    double figures[BENCH_MEMORY_FIGURES];
};
const char *bench_memory_run(const char *scenario, const struct bench_cell *cell, bool quick,
                             struct bench_memory *memory);

/* --- stats.c
 */

/* Sorts the values. The upper of two middle ones is not preferred: their mean is the median. */
double bench_median(double *values, size_t count);
struct bench_spread {
    double median, low, high;
};
struct bench_spread bench_spread_of(double *values, size_t count);
/* Median, lowest and highest of a[i] / b[i]: each round is compared with itself. */
struct bench_spread bench_ratio(const double *a, const double *b, size_t count);

#ifdef __cplusplus
}
#endif
#endif
