/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads compile_commands.json: `arguments` or `command`, relative directories, response files,
 * launchers (ccache), repeated entries. Knows the format, not what the flags mean.
 */
#ifndef NUMAFY_TOOL_COMPDB_H
#define NUMAFY_TOOL_COMPDB_H

#include "facts.h"
#include "strmap.h"

struct compdb_unit {
    const char *directory; /* absolute */
    const char *file;      /* absolute, as joined; real path if it exists */
    const char *product; /* real path of the object file that -o names, or NULL if there is none */
    const char *output;  /* the same, also if it does not exist: its future path; or NULL */
    bool missing;        /* the file cannot be read */
    strings argv;        /* compiler first */
    const char *key;     /* directory, file and argv as one text: the same for no other unit */
};

struct compdb {
    struct arena arena;
    VEC(struct compdb_unit) units;
    struct strmap index; /* key -> unit */
};

/* Reads `path` (the JSON file). Returns 0, or -1 with one clear line in err. An empty list of
 * commands is an error too. Entries that repeat an earlier one exactly are dropped. */
int compdb_read(struct compdb *db, const char *path, struct strbuf *err);
void compdb_release(struct compdb *db);

/* Splits a shell command as the database's format defines (quotes and backslashes, no expansion).
 */
void compdb_split(struct arena *a, const char *command, strings *argv);

#endif
