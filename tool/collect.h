/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks one parsed unit and fills plain facts: sites with their owner guesses, types, roots, files.
 * It decides what libclang alone can tell (is this an owner, may it be named twice); whether a site
 * is edited is decided later, over all units.
 */
#ifndef NUMAFY_TOOL_COLLECT_H
#define NUMAFY_TOOL_COLLECT_H

#include "facts.h"
#include "index.h"

struct collect_options {
    const strings *argv; /* the unit's command */
    const char *runtime; /* directory that is looked up last, "" if none */
    const char *tree;    /* real path; only files below it are looked at */
    const char *skip;    /* a build directory inside the tree, "" if none */
    bool all_variables;  /* the command line names variables: every one is reported */
    const char *hide; /* test control: the site `<line>` of the main file is not reported, or "" */
};

/* Fills sites, types, roots, files and marks of `u`. `cxx` as in struct index_tu. */
void collect_unit(CXTranslationUnit tu, bool cxx, const struct collect_options *opt,
                  struct fact_unit *u);

#endif
