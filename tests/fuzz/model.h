/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: what the fuzzers know about each live block, beside the runtime, and what must hold for
 * it: its bytes are its own alone, its contents stay, it is on its node, aligned, and large enough.
 * It knows no operation (ops.h) and does not look into the runtime. */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A live block. `mark` is the seed of its contents, node -1 the plain heap, typed the number of its
 * type in typed.h and 1: what delete may be given. */
struct block {
    unsigned char *p;
    size_t size;
    size_t usable;
    size_t alignment;
    int node;
    unsigned mark;
    unsigned typed;
};

/* Maps the shadow: one bit per 16 bytes of the address space, set where a block lives. */
void model_start(void);

/* Checks a block that an allocation has just returned and takes it in. The caller has set p, size,
 * alignment (0: that of malloc), node and mark. */
void model_add(struct block *b);

/* Checks all that can be seen of a live block. */
void model_check(const struct block *b);

/* The last check of a block that is about to be freed or moved; its bytes are nobody's then. */
void model_remove(const struct block *b);

/* A block whose realloc has failed lives on. */
void model_restore(const struct block *b);

/* Whether the n bytes at p are the first of what was written to b; the index of the first wrong one
 * goes to *at. */
bool model_filled(const unsigned char *p, size_t n, const struct block *b, size_t *at);

/* Notes what the calling thread does, as a line of C; the last ones are told at a failure, all of
 * them at once if FUZZ_TRACE is set. */
__attribute__((format(printf, 1, 2))) void model_trace(const char *format, ...);

/* Tells what is wrong and what the thread did before, and aborts. */
__attribute__((format(printf, 1, 2), noreturn)) void model_fail(const char *format, ...);

/* What stands before each message: how to get the same run again. */
__attribute__((format(printf, 1, 2))) void model_name_run(const char *format, ...);

/* Tells the same at a signal that would end the program. */
void model_catch_signals(void);

#endif
