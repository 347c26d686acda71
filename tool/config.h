/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numafy.json at the root of a tree: {"place": {"T": "k"}, "root": {"v": "k"}}, the requests of the
 * command line for everybody who rewrites the tree. Knows the file's form, not what a name means.
 */
#ifndef NUMAFY_TOOL_CONFIG_H
#define NUMAFY_TOOL_CONFIG_H

#include "options.h"

/* Adds the file's requests to those of the command line, which win. No file is no error. Returns 0,
 * or -1 with one line in err: `file:line:column: what is wrong`. */
int config_read(struct options *o, struct strbuf *err);

#endif
