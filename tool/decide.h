/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which site is edited, with which text. Pure: from the merged program and the options to actions;
 * no libclang, no files.
 */
#ifndef NUMAFY_TOOL_DECIDE_H
#define NUMAFY_TOOL_DECIDE_H

#include "options.h"
#include "program.h"

/* Fills action, id, owner, head, inside and tail of every site. A test control: with o->leave
 * "FILE:LINE" that line's sites are left all the same, with "*" all sites and scopes, and then
 * roots that are pointers are registered, too. */
void decide_sites(struct program *p, const struct options *o);

#endif
