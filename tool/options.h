/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as a struct. Knows the words, not what they do. */
#ifndef NUMAFY_TOOL_OPTIONS_H
#define NUMAFY_TOOL_OPTIONS_H

#include "facts.h"
#include "strmap.h"

/* Node ids are the kernel's; its own bound is MAX_NUMNODES, 1024 in distribution kernels. */
enum { NODE_MAX = 1023 };
/* Nodes that are no number. The first two have the runtime's values; owner is a request alone. */
enum { NODE_LOCAL = -2, NODE_INTERLEAVE = -3, NODE_OWNER = -9 };

/* What somebody asks for a name: --place, --root, or a line of numafy.json. */
struct request {
    const char *name;
    int node;
    const char *where; /* "file:line:column" in numafy.json, "" on the command line */
};

/* What a name turned out to be: a type's or a variable's key. */
struct placement {
    const char *name, *key;
    int node;
};

struct options {
    struct arena arena;
    char *tree;                        /* real path */
    char *database;                    /* compile_commands.json */
    char *build;                       /* real path of its directory */
    char *out;                         /* absolute, "" without --out */
    char *report;                      /* "" if none */
    char *links;                       /* recorded link commands, "" if none */
    char *runtime;                     /* directory of numafy/near.h, "" if none was found */
    char *cache;                       /* folder of stored facts, "" for none */
    char *hide;                        /* test control, see collect.h */
    char *leave;                       /* test control, see decide.h; "" without */
    VEC(struct request) places, roots; /* as given; those of the command line come first */
    VEC(struct placement) placements;  /* filled by places_resolve: one for each placed type */
    struct strmap products;            /* real paths of the compile commands' object files */
    bool all, diff, types, check, strict, force_alloc, verbose, help, version;
    int jobs;
    int progress; /* a descriptor for "done total" lines, -1 for none */
};

/* Returns 0, or -1 with one line in err. `self` is argv[0], for the place of the runtime. */
int options_parse(struct options *o, int argc, char **argv, struct strbuf *err);
void options_release(struct options *o);
/* Adds a request of the option `option` ("--place" or "--root"); `node` is text. A name that the
 * command line has settled is not asked again by numafy.json. Returns 0, or -1 with one line. */
int options_request(struct options *o, const char *option, const char *name, const char *node,
                    const char *where, struct strbuf *err);
/* How messages name a request: "--place Node", or "numafy.json:3:5: place Node". */
char *options_request_name(struct arena *a, const char *option, const struct request *r);
/* The build directory if it lies inside the tree and has to be passed over, or "". */
const char *options_skip(const struct options *o);
/* The text of --help. */
const char *options_usage(void);

#endif
