/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by decide*.c only. */
#ifndef NUMAFY_TOOL_DECIDE_P_H
#define NUMAFY_TOOL_DECIDE_P_H

#include "decide.h"
#include "reach.h"
#include "tails.h"

/* T of numa<T,k>::at is the source's spelling; it stands in a text as this byte until the bytes of
 * the file are at hand. */
#define DECIDE_TYPE_HOLE "\001"

/* What one unit's view of a site leads to. */
struct verdict {
    enum site_action action;
    int id;
    bool edited;
    bool whole; /* head replaces the whole expression */
    const char *owner, *head, *inside, *tail, *detail;
};

struct decider {
    struct program *p;
    const struct options *o;
    struct reach reach;
    /* Keys of functions whose fresh blocks leave them; with a * before, through an argument. */
    struct strmap allocators;
    struct strmap passes; /* arguments that come back: fact_pass */
    struct tails tails;
    struct strmap covered; /* keys of those that some edited call enters a node for */
    bool reached_argument; /* a class that a root reaches may be a template's argument */
    bool own_argument;     /* a class with its own operator new may be a template's argument */
};

/* decide.c */
/* The first guess that holds, whether or not a root reaches it. NULL: *id says why there is none;
 * an owner that may not be named tells more than a missing one. */
const struct fact_owner *decide_owner(struct decider *d, const struct fact_site *f, int *id);
bool decide_is_reached(const struct decider *d, const struct fact_site *f,
                       const struct fact_owner *o);
const char *decide_owner_text(const struct decider *d, const struct fact_site *f,
                              const struct fact_owner *o);
/* Whether the block is on a stated node: what a root variable is assigned, what is of a placed
 * type.
 */
bool decide_node(const struct decider *d, const struct fact_site *f, int *node);

/* What forbids edits of the whole file: an enum nf_id, or 0. */
int decide_file(const struct decider *d, const char *file);
/* May the construction at this site allocate? */
bool decide_constructs(const struct decider *d, const struct fact_site *f);
/* May constructing or assigning an object of this class allocate? Unknown counts as yes. */
bool decide_may_allocate(const struct decider *d, const char *key);

/* decide_scope.c */
/* After all sites: which functions get a scope, which statements an enter, and which sites they
 * cover. */
void decide_scopes(struct decider *d);

/* decide_call.c: calls of allocators */
/* What goes through a call comes back from it: `via` of a site or an owner. */
bool decide_passes(const struct decider *d, const char *via);
/* Finds the functions that allocate for their callers and drops the calls of all others from the
 * program's sites. */
void decide_allocators(struct decider *d);
/* After all sites: what its callers' edits cover is no longer left. */
void decide_covered(struct decider *d);
void decide_call_on(struct decider *d, const struct fact_site *f, const char *node,
                    struct verdict *v);
void decide_call_near(struct decider *d, const struct fact_site *f, const char *owner,
                      struct verdict *v);

#endif
