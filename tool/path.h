/* SPDX-License-Identifier: Apache-2.0 */
/* Paths and whole files. Every function returns 0 or -1 with errno set, and prints nothing. */
#ifndef NUMAFY_TOOL_PATH_H
#define NUMAFY_TOOL_PATH_H

#include "mem.h"
#include "strbuf.h"

#include <stdbool.h>
#include <sys/types.h>

/* dir + "/" + name; an absolute name stands alone. */
char *path_join(struct arena *a, const char *dir, const char *name);
/* realpath into the arena, or NULL. */
char *path_real(struct arena *a, const char *path);
/* Real path of something that need not exist yet: its longest existing part is resolved. */
char *path_future(struct arena *a, const char *path);
/* The path equals dir or lies below it (both real paths). */
bool path_within(const char *path, const char *dir);
/* The part below dir, "" for dir itself. pre: path_within. */
const char *path_below(const char *path, const char *dir);
/* File name extension without the dot, "" if none. */
const char *path_extension(const char *path);

int path_read(const char *path, struct strbuf *out);
/* Temporary file beside the target, then rename: the old file survives any failure. */
int path_write_atomic(const char *path, const char *bytes, size_t size, mode_t mode);
/* mkdir -p */
int path_make_dirs(const char *path);

#endif
