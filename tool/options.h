/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as a struct. Knows the words, not what they do. */
#ifndef NUMAFY_TOOL_OPTIONS_H
#define NUMAFY_TOOL_OPTIONS_H

#include "facts.h"
#include "strmap.h"

struct placement {
    const char *name; /* as given */
    const char *key;  /* filled by places_resolve: the type's key */
    int node;
};

struct options {
    struct arena arena;
    char *tree;     /* real path */
    char *database; /* compile_commands.json */
    char *build;    /* real path of its directory */
    char *out;      /* absolute, "" without --out */
    char *report;   /* "" if none */
    char *runtime;  /* directory of numafy/near.h, "" if none was found */
    char *hide;     /* test control, see collect.h */
    VEC(struct placement) placements;
    struct strmap products; /* real paths of the compile commands' object files */
    bool all, diff, check, strict, force_alloc, verbose, help, version;
    int jobs;
};

/* Returns 0, or -1 with one line in err. `self` is argv[0], for the place of the runtime. */
int options_parse(struct options *o, int argc, char **argv, struct strbuf *err);
void options_release(struct options *o);
/* The text of --help. */
const char *options_usage(void);

#endif
