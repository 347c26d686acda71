/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of earlier runs, one file per unit in a folder of the user's. An entry is used only if its
 * key (the program, the parser, the command, the environment that a compiler reads) is the same,
 * every file that the preprocessor saw has the same bytes, and every look-up of a header would end
 * where it did. Whatever is wrong with an entry or the folder, the unit is parsed again; nothing
 * here is an error. Safe for runs at the same time: entries appear by rename.
 */
#ifndef NUMAFY_TOOL_CACHE_H
#define NUMAFY_TOOL_CACHE_H

#include "compdb.h"
#include "strmap.h"

#include <stdint.h>

/* What is known of one file: by its status, and by its bytes. */
struct cache_stamp {
    uint64_t size, device, inode;
    int64_t modified_ns, changed_ns;
    uint64_t hash, real; /* of the bytes, of the real path; filled on first need */
};

/* One file as it is now; asked from the kernel once in a run. */
struct cache_file {
    struct cache_stamp now;
    bool missing, hashed;
};

struct cache {
    const char *dir;  /* "" if nothing is cached */
    uint64_t salt;    /* of what all units share */
    int64_t start_ns; /* a file that changed later may not be what was parsed */
    struct arena arena;
    VEC(struct cache_file) files;
    struct strmap file_index;
    VEC(char) present;      /* of paths that a look-up tries */
    struct strmap presence; /* path -> index in present */
    size_t hits, stored;
};

/* `dir` "" leaves it off. `salt` is text that every key depends on. */
void cache_open(struct cache *c, const char *dir, const char *salt);
/* The unit's facts, owned by the caller, or NULL. */
struct fact_unit *cache_find(struct cache *c, const struct compdb_unit *unit);
/* Keeps the facts of a unit that was just parsed; `bytes` are what facts_write made of them. */
void cache_store(struct cache *c, const struct compdb_unit *unit, const struct fact_unit *u,
                 const char *bytes, size_t length);
/* Removes the oldest entries beyond the bound, if this run stored any, and releases. */
void cache_close(struct cache *c);

#endif
