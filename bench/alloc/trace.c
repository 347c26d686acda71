/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what an allocator's locks cost, for any allocator and number of threads and independent of
 * the machine's load: runs one block of every thread of a cell instruction by instruction under
 * ptrace, between two BENCH_MARKs, and counts
 *
 *     locked  instructions that lock the bus: every mutex, spin lock and atomic counter needs one
 *     waits   futex and sched_yield calls: a lock was held by another thread
 *
 * All threads advance by one instruction in turn, so that locks meet as on as many CPUs. x86-64. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parent.h"

#if defined(__x86_64__)

enum kind { PLAIN, LOCKED, SYSTEM_CALL, MARK };

/* What the instructions are, by address: text does not change while it runs. */
enum { CACHE = 1 << 16 };
struct cache {
    uint64_t address;
    enum kind kind;
};

struct tracer {
    struct cache *cache;
    struct bench_locks *locks;
    bool stepping[1 << 16]; /* by thread id, folded: ids of one process lie close together */
    bool at_mark[1 << 16];
};

static unsigned fold(pid_t thread)
{
    return (unsigned)thread & 0xffff;
}

/* Legacy and REX prefixes, then the opcode. An exchange with memory locks without a prefix. */
static enum kind instruction_kind(const unsigned char *code)
{
    bool lock = false;
    for (;; code++) {
        const unsigned c = *code;
        if (c == 0xf0)
            lock = true;
        else if (!(c == 0x66 || c == 0x67 || c == 0xf2 || c == 0xf3 || c == 0x2e || c == 0x36 ||
                   c == 0x3e || c == 0x26 || c == 0x64 || c == 0x65 || (c >= 0x40 && c <= 0x4f)))
            break;
    }
    if (lock || ((code[0] == 0x86 || code[0] == 0x87) && code[1] < 0xc0))
        return LOCKED;
    if (code[0] == 0x0f && code[1] == 0x05)
        return SYSTEM_CALL;
    return code[0] == 0xcc ? MARK : PLAIN;
}

static enum kind kind_at(struct tracer *tracer, pid_t thread, uint64_t address)
{
    struct cache *entry = &tracer->cache[(address ^ address >> 16) % CACHE];
    if (entry->address != address) {
        union {
            long words[2];
            unsigned char bytes[2 * sizeof(long)];
        } code;
        code.words[0] = ptrace(PTRACE_PEEKTEXT, thread, address, NULL);
        code.words[1] = ptrace(PTRACE_PEEKTEXT, thread, address + sizeof(long), NULL);
        *entry = (struct cache){address, instruction_kind(code.bytes)};
    }
    return entry->kind;
}

/* Counts the instruction that the thread is about to run. */
static void count_next(struct tracer *tracer, pid_t thread)
{
    struct bench_locks *locks = tracer->locks;
    const uint64_t address =
        (uint64_t)ptrace(PTRACE_PEEKUSER, thread, offsetof(struct user_regs_struct, rip), NULL);
    const enum kind kind = kind_at(tracer, thread, address);
    tracer->at_mark[fold(thread)] = kind == MARK;
    if (kind == MARK)
        return;
    locks->instructions++;
    locks->locked += kind == LOCKED;
    if (kind != SYSTEM_CALL)
        return;
    const long number =
        ptrace(PTRACE_PEEKUSER, thread, offsetof(struct user_regs_struct, rax), NULL);
    locks->waits += number == SYS_futex || number == SYS_sched_yield;
}

/* A stop of a thread: what to do with it next. */
static void thread_stopped(struct tracer *tracer, pid_t thread, int status)
{
    const int signal = WSTOPSIG(status);
    bool *stepping = &tracer->stepping[fold(thread)];
    long deliver = 0;
    if (signal == SIGTRAP && status >> 16 == 0) {
        if (!*stepping || tracer->at_mark[fold(thread)])
            *stepping = !*stepping; /* it has run into a mark */
    } else if (signal != SIGSTOP && signal != SIGTRAP) {
        deliver = signal;
    }
    if (*stepping)
        count_next(tracer, thread);
    ptrace(*stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, thread, NULL, deliver);
}

/* Follows all threads until the child is gone; its exit status, or -1. */
static int follow(struct tracer *tracer, pid_t child)
{
    int status;
    pid_t thread;
    while ((thread = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (thread < 0)
            continue;
        if (WIFSTOPPED(status))
            thread_stopped(tracer, thread, status);
        else if (thread == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return -1;
}

static pid_t traced_start(const struct bench_cell *cell, int out)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            bench_exec_cell(cell, "trace", NULL);
        _exit(127);
    }
    /* The child stops in its exec. */
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        return -1;
    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    ptrace(PTRACE_CONT, child, NULL, 0L);
    return child;
}

void bench_trace_cell(const struct bench_cell *cell, struct bench_locks *locks)
{
    int ends[2];
    char text[BENCH_LINE] = "";
    struct tracer *tracer = calloc(1, sizeof *tracer);
    *locks = (struct bench_locks){0, 0, 0, ""};
    if (tracer == NULL || (tracer->cache = calloc(CACHE, sizeof *tracer->cache)) == NULL ||
        pipe(ends) != 0)
        bench_die("no memory to trace");
    tracer->locks = locks;
    fflush(NULL);
    const pid_t child = bench_not_built(cell, text, sizeof text) ? -1 : traced_start(cell, ends[1]);
    close(ends[1]);
    if (child < 0) {
        snprintf(locks->why, sizeof locks->why, "%.90s",
                 text[0] != '\0' ? bench_missing(text) : "ptrace is not allowed here");
    } else {
        const int status = follow(tracer, child);
        const ssize_t got = read(ends[0], text, sizeof text - 1);
        text[got > 0 ? got : 0] = '\0';
        text[strcspn(text, "\n")] = '\0';
        if (status != 0 || bench_missing(text) != NULL)
            snprintf(locks->why, sizeof locks->why, "%.90s",
                     status != 0 ? "the traced process failed" : bench_missing(text));
    }
    close(ends[0]);
    const unsigned sides = cell->pattern == BENCH_PRODCONS ? cell->threads / 2 : cell->threads;
    const double pairs =
        (double)bench_block_objects(cell->pattern, cell->size) * (sides != 0 ? sides : 1);
    locks->instructions /= pairs;
    locks->locked /= pairs;
    locks->waits /= pairs;
    free(tracer->cache);
    free(tracer);
}

#else

void bench_trace_cell(const struct bench_cell *cell, struct bench_locks *locks)
{
    (void)cell;
    *locks = (struct bench_locks){0, 0, 0, "only x86-64 instructions are known here"};
}

#endif
