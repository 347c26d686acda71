/* SPDX-License-Identifier: Apache-2.0 */
/* ops.h: turns bytes into calls of the public interface, and checks each against the model. It must
 * not know where the bytes come from: a fuzzer's input, or a generator with a fixed seed. */
#ifndef FUZZ_OPS_H
#define FUZZ_OPS_H

#include "model.h"

/* Bytes: `data` once, or without end from `seed` if data is NULL. */
struct source {
    const uint8_t *data;
    size_t length, at;
    uint64_t seed;
};

enum { BLOCKS = 512, AMBIENTS = 40, ROOTS = 8 };

/* What one thread at a time works on; it outlives the thread. */
struct world {
    struct source in;
    struct block blocks[BLOCKS];
    unsigned count;
    size_t bytes;        // in them
    size_t room;         // how many it may hold
    unsigned forks;      // that are left to it
    bool threads;        // may start threads of its own
    bool handed;         // takes blocks from mailboxes
    unsigned first_root; // of its share of the roots
    unsigned roots;
};

/* Performs up to n operations in the calling thread, fewer if the source runs dry. */
void ops_run(struct world *w, long n);

/* Frees all blocks and roots of the world. */
void ops_end(struct world *w);

/* One input of the byte-driven fuzzer, from an empty world to an empty world. */
void ops_one_input(const uint8_t *data, size_t length);

/* Frees what is left in the mailboxes. Nobody may run. */
void ops_empty_mailboxes(void);

/* Fails if the statistics cannot be right, with `live` threads and the blocks of w alone. */
void ops_check_stats(const struct world *w, unsigned live, size_t slack);

#endif
