/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which units make which program, from recorded link commands (--links). A program that replaces
 * operator new or malloc is left alone as a whole; without link commands all units are one program.
 * Knows names of files and which unit replaces, nothing of sites.
 */
#ifndef NUMAFY_TOOL_LINKS_H
#define NUMAFY_TOOL_LINKS_H

#include "compdb.h"

enum link_kind { LINK_PROGRAM, LINK_SHARED, LINK_PART };

struct link {
    enum link_kind kind;
    const char *output; /* absolute, as path_future gives it */
    strings inputs;     /* likewise: objects, archives, libraries, or sources compiled at once */
};

struct links {
    struct arena arena;
    VEC(struct link) items;
};

/* Reads the JSON file. Returns 0, or -1 with one clear line in err. */
int links_read(struct links *l, const char *path, struct strbuf *err);
/*
 * `replaces[i]` says whether unit i of db defines a replaced function; raises `affected[i]` for the
 * units of every program that such a unit is linked into. What may be loaded into any program (a
 * shared library that none of the links names, a unit that none links) is affected with the first.
 */
void links_affected(const struct links *l, const struct compdb *db, const bool *replaces,
                    bool *affected);
void links_release(struct links *l);

#endif
