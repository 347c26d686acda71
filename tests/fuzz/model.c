// SPDX-License-Identifier: Apache-2.0
// model.c: see model.h. Everything here is static or mmapped, so that the model never allocates
// from what it watches.
#define _GNU_SOURCE
#include "model.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "numa_alloc.h"

enum {
    GRANULE = 16, // no two blocks of 16 bytes or more share one
    WORD = 64,    // granules per word of the shadow
    WHOLE = 4096, // contents up to here are written and read byte by byte,
    STRIDE = 509, // larger ones at the ends and at every STRIDE-th byte, which meets every page
    LINES = 24,   // of trace per thread
    LINE = 120
};
#define ADDRESS_BITS 47

static uint64_t *shadow;
static char run_name[200] = "?";
static bool trace_aloud;
static __thread char lines[LINES][LINE];
static __thread unsigned line_count;

void model_start(void)
{
    const size_t bytes = ((size_t)1 << ADDRESS_BITS) / GRANULE / 8;
    trace_aloud = getenv("FUZZ_TRACE") != NULL;
    shadow = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    if (shadow == MAP_FAILED) {
        fprintf(stderr, "fuzz: no address space for the shadow (1 TiB)\n");
        exit(1);
    }
    madvise(shadow, bytes, MADV_NOHUGEPAGE);
    // A core of the shadow and the pools helps nobody.
    madvise(shadow, bytes, MADV_DONTDUMP);
}

// --- messages
void model_name_run(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(run_name, sizeof run_name, format, args);
    va_end(args);
}

void model_trace(const char *format, ...)
{
    char *line = lines[line_count++ % LINES];
    va_list args;
    va_start(args, format);
    vsnprintf(line, LINE, format, args);
    va_end(args);
    if (trace_aloud)
        fprintf(stderr, "%08lx %s\n", (unsigned long)pthread_self() & 0xffffffff, line);
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

static void say_lines(void)
{
    const unsigned first = line_count > LINES ? line_count - LINES : 0;
    say("  the thread's last operations:\n");
    for (unsigned i = first; i < line_count; i++) {
        say("    ");
        say(lines[i % LINES]);
        say("\n");
    }
}

void model_fail(const char *format, ...)
{
    char text[400], all[700];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(all, sizeof all, "fuzz: %s: %s\n", run_name, text);
    say(all);
    say_lines();
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void on_signal(int number)
{
    char text[300];
    snprintf(text, sizeof text, "fuzz: %s: signal %d\n", run_name, number);
    say(text);
    say_lines();
    raise(number); // SA_RESETHAND: the default now
}

void model_catch_signals(void)
{
    const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)SA_RESETHAND | SA_NODEFER;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

// --- contents
static unsigned char byte_at(size_t i, unsigned mark)
{
    return (unsigned char)(mark + i * 7 + (i >> 8));
}

static size_t next_index(size_t i, size_t n)
{
    if (n <= WHOLE || i < WHOLE / 8 || i >= n - WHOLE / 8)
        return i + 1;
    const size_t next = i + STRIDE;
    return next < n - WHOLE / 8 ? next : n - WHOLE / 8;
}

static void fill(const struct block *b)
{
    for (size_t i = 0; i < b->size; i = next_index(i, b->size))
        b->p[i] = byte_at(i, b->mark);
}

bool model_filled(const unsigned char *p, size_t n, const struct block *b, size_t *at)
{
    // In fill()'s steps for the whole block: a prefix has no other bytes that are known.
    for (size_t i = 0; i < n; i = next_index(i, b->size))
        if (p[i] != byte_at(i, b->mark)) {
            *at = i;
            return false;
        }
    return true;
}

// --- the shadow
// Sets or clears the bits of [p, p + usable); false if one was so already. Words of neighbours in
// other threads are shared, so every step is atomic.
static bool shadow_turn(const struct block *b, bool on)
{
    const uintptr_t first = (uintptr_t)b->p / GRANULE;
    const uintptr_t end = ((uintptr_t)b->p + b->usable + GRANULE - 1) / GRANULE;
    bool right = true;
    if (b->usable < GRANULE)
        return true; // two blocks of 8 bytes of the plain heap share a granule
    for (uintptr_t at = first; at < end;) {
        const uintptr_t bit = at % WORD;
        const uintptr_t n = end - at < WORD - bit ? end - at : WORD - bit;
        const uint64_t mask = (n == WORD ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1) << bit;
        uint64_t *word = &shadow[at / WORD];
        if (on)
            right &= !(__atomic_fetch_or(word, mask, __ATOMIC_ACQ_REL) & mask);
        else
            right &= (__atomic_fetch_and(word, ~mask, __ATOMIC_ACQ_REL) & mask) == mask;
        at += n;
    }
    return right;
}

// --- blocks
static void check_node(const struct block *b)
{
    const size_t offsets[] = {0, b->size / 2, b->size ? b->size - 1 : 0, b->usable - 1};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const int node = numafy_node_of(b->p + offsets[i]);
        if (node != b->node)
            model_fail("%p + %zu of %zu bytes is on node %d, wanted %d", (void *)b->p, offsets[i],
                       b->size, node, b->node);
    }
}

void model_check(const struct block *b)
{
    size_t at;
    const size_t usable = numafy_usable_size(b->p);
    if (usable != b->usable)
        model_fail("usable size of %p is %zu, was %zu", (void *)b->p, usable, b->usable);
    check_node(b);
    if (!model_filled(b->p, b->size, b, &at))
        model_fail("byte %zu of %zu at %p on node %d is 0x%02x, not 0x%02x", at, b->size,
                   (void *)b->p, b->node, b->p[at], byte_at(at, b->mark));
}

void model_add(struct block *b)
{
    // jemalloc, as the plain heap, aligns 8 bytes to 8 only.
    const size_t least = b->node == NUMAFY_NO_NODE && b->size <= 8 ? 8 : 16;
    const size_t alignment = b->alignment > least ? b->alignment : least;
    if ((uintptr_t)b->p % alignment)
        model_fail("%p of %zu bytes is not aligned to %zu", (void *)b->p, b->size, alignment);
    b->usable = numafy_usable_size(b->p);
    if (b->usable < b->size || !b->usable)
        model_fail("%p has %zu bytes, wanted %zu", (void *)b->p, b->usable, b->size);
    if (!shadow_turn(b, true))
        model_fail("%p of %zu bytes on node %d lies in a block that lives", (void *)b->p, b->usable,
                   b->node);
    check_node(b);
    fill(b);
}

void model_remove(const struct block *b)
{
    model_check(b);
    if (!shadow_turn(b, false))
        model_fail("%p of %zu bytes was not wholly its owner's: the model is wrong", (void *)b->p,
                   b->usable);
}

void model_restore(const struct block *b)
{
    if (!shadow_turn(b, true))
        model_fail("%p, whose realloc failed, is somebody else's", (void *)b->p);
}
