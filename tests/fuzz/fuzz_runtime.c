// SPDX-License-Identifier: Apache-2.0
// fuzz_runtime.c: random use of the runtime's whole interface against a model (model.h, ops.h), by
// one thread and by several that hand blocks to each other, from fixed seeds. Prints TAP.
//
//   fuzz_runtime                     the fixed runs of scripts/test
//   fuzz_runtime --seconds N [SEED]  ever new seeds for N seconds; scripts/nightly
//   fuzz_runtime FILE                an input of the byte-driven fuzzer
//   fuzz_runtime --run SEED OPERATIONS THREADS    one run, as a failure names it
//
// FUZZ_TRACE=1 prints every operation. Built with NUMAFY_TEST_PLANT it proves the fuzzer itself:
// each bug of check.h's list is planted in turn and must be found.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "numa_alloc.h"
#include "ops.h"

enum { WORLDS = 8, GENERATIONS = 4 };

#ifdef NUMAFY_TEST_PLANT
int numafy_test_planted;
#endif

static struct world worlds[WORLDS];

static void world_start(struct world *w, unsigned index, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->in.seed = (seed * WORLDS + index + 1) * 0x9e3779b97f4a7c15u | 1;
    w->room = BLOCKS;
    w->handed = true;
    w->first_root = index * ROOTS;
    w->roots = ROOTS;
}

// --- a run, in a process of its own
static long run_operations;

static void *run_worker(void *arg)
{
    ops_run(arg, run_operations);
    return NULL;
}

// Threads end and others take their worlds over, with the blocks in them.
static void run_threads(unsigned threads)
{
    for (int g = 0; g < GENERATIONS; g++) {
        pthread_t t[WORLDS];
        for (unsigned i = 0; i < threads; i++)
            if (pthread_create(&t[i], NULL, run_worker, &worlds[i]))
                model_fail("no thread");
        for (unsigned i = 0; i < threads; i++)
            pthread_join(t[i], NULL);
    }
    for (unsigned i = 0; i < threads; i++)
        ops_end(&worlds[i]);
}

static int run(uint64_t seed, long operations, unsigned threads)
{
    threads = threads < 1 ? 1 : threads > WORLDS ? WORLDS : threads;
    model_start();
    model_catch_signals();
    model_name_run("--run %lu %ld %u", (unsigned long)seed, operations, threads);
    for (unsigned i = 0; i < threads; i++)
        world_start(&worlds[i], i, seed);
    if (threads > 1) {
        run_operations = operations / GENERATIONS;
        for (unsigned i = 0; i < threads; i++)
            worlds[i].forks = 2;
        run_threads(threads);
    } else {
        worlds[0].threads = true;
        worlds[0].forks = 8;
        ops_run(&worlds[0], operations);
        ops_empty_mailboxes();
        numafy_thread_flush();
        ops_check_stats(&worlds[0], 1, (size_t)16 << 20);
        ops_end(&worlds[0]);
    }
    ops_empty_mailboxes();
    numafy_thread_flush();
    ops_check_stats(NULL, 1, (size_t)16 << 20);
    return 0;
}

// One input of the byte-driven fuzzer.
static int replay(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "fuzz: %s cannot be read\n", path);
        return 1;
    }
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    model_start();
    model_catch_signals();
    model_name_run("%s", path);
    ops_one_input(bytes, n);
    return 0;
}

// --- the parent
// Starts this program again with other arguments and an environment of its own ("NAME=VALUE ..."),
// which the runtime reads before main. 0: it ended well.
static int start(char *const argv[], const char *environment)
{
    static char words[256];
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        snprintf(words, sizeof words, "%s", environment);
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
            putenv(word);
        alarm(300);
        execv("/proc/self/exe", argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return status;
}

static int start_run(const char *self, uint64_t seed, long operations, unsigned threads,
                     const char *environment)
{
    char a[24], b[24], c[24];
    snprintf(a, sizeof a, "%lu", (unsigned long)seed);
    snprintf(b, sizeof b, "%ld", operations);
    snprintf(c, sizeof c, "%u", threads);
    char *const argv[] = {(char *)(uintptr_t)self, (char *)(uintptr_t) "--run", a, b, c, NULL};
    return start(argv, environment);
}

static unsigned tests, failures;

static void report(int status, const char *what, const char *with)
{
    failures += status != 0;
    printf("%sok %u - %s%s%s\n", status ? "not " : "", ++tests, what, *with ? " with " : "", with);
    if (status)
        printf("# ended with status 0x%x; standard error has the operations\n", (unsigned)status);
}

#ifndef NUMAFY_TEST_PLANT
// All nodes on the kernel's node 0: bind then works on any machine.
#define ALL_ON_0 "NUMAFY_NODEMAP=1:0,2:0,3:0,252:0 "

static const char *const settings[] = {
    "",
    "NUMAFY_CACHE=tcache",
#if !defined(NUMAFY_DEBUG) || NUMAFY_DEBUG == 0
    "NUMAFY_SHARDS=1",
    "NUMAFY_AMBIENT=2",
    ALL_ON_0 "NUMAFY_MODE=bind",
    "NUMAFY_HUGE=1",
#endif
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static int fixed(const char *self)
{
    printf("1..%d\n", 2 * (int)SETTINGS);
    for (unsigned i = 0; i < SETTINGS; i++) {
        int status = 0;
        for (uint64_t seed = 1; seed <= 2 && !status; seed++)
            status = start_run(self, seed + i * 10, 16000, 1, settings[i]);
        report(status, "one thread at a time", settings[i]);
        status = start_run(self, 1 + i * 10, 16000, 4, settings[i]);
        report(status, "four threads hand blocks to each other", settings[i]);
    }
    return failures != 0;
}

static int soak(const char *self, long seconds, uint64_t seed)
{
    const time_t end = time(NULL) + seconds;
    unsigned long runs = 0;
    const char *with = "";
    int status = 0;
    printf("1..1\n");
    while (!status && time(NULL) < end) {
        with = settings[runs % SETTINGS];
        status = start_run(self, seed, 40000, runs % 3 ? (unsigned)(runs % WORLDS + 1) : 1, with);
        seed++;
        runs++;
    }
    report(status, "the model and the runtime agree", status ? with : "");
    printf("# %lu runs, the next seed is %lu\n", runs, (unsigned long)seed);
    return status != 0;
}
#else
// A planted bug counts as found if one of a few runs ends badly.
static int planted(const char *self)
{
    printf("1..%d\n", NUMAFY_TEST_PLANT + 1);
    report(start_run(self, 1, 30000, 1, "FUZZ_PLANT=0"), "control: without a planted bug", "");
    for (int i = 1; i <= NUMAFY_TEST_PLANT; i++) {
        char number[24], what[64];
        int status = 0;
        snprintf(number, sizeof number, "FUZZ_PLANT=%d", i);
        for (uint64_t seed = 1; seed <= 4 && !status; seed++)
            status = start_run(self, seed, 30000, seed % 2 ? 1 : 4, number);
        snprintf(what, sizeof what, "planted bug %d is found", i);
        report(!status, what, "");
    }
    return failures != 0;
}
#endif

int main(int argc, char **argv)
{
#ifdef NUMAFY_TEST_PLANT
    const char *plant = getenv("FUZZ_PLANT");
    numafy_test_planted = plant ? atoi(plant) : 0;
#endif
    if (argc == 5 && !strcmp(argv[1], "--run"))
        return run(strtoull(argv[2], NULL, 10), atol(argv[3]), (unsigned)atoi(argv[4]));
    if (argc == 2)
        return replay(argv[1]);
#ifndef NUMAFY_TEST_PLANT
    if (argc >= 3 && !strcmp(argv[1], "--seconds"))
        return soak(argv[0], atol(argv[2]), argc > 3 ? strtoull(argv[3], NULL, 10) : 1000);
    return fixed(argv[0]);
#else
    return planted(argv[0]);
#endif
}
