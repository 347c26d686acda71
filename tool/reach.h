/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which class reaches which: members, bases, derived classes, template arguments, over the merged
 * types of all units. Plain data; knows no sites and no options.
 */
#ifndef NUMAFY_TOOL_REACH_H
#define NUMAFY_TOOL_REACH_H

#include "program.h"

/* next: by type index, the types it mentions. closure: by type index, what a root reaches. known:
 * by type index, what that type reaches, computed when it is first asked for. */
struct reach {
    struct program *p;
    VEC(strings) next;
    unsigned char *closure;
    unsigned char **known;
    size_t *queue; /* scratch */
};

void reach_init(struct reach *r, struct program *p);
void reach_release(struct reach *r);
/* Everything that `key` reaches joins the closure. */
void reach_add_root(struct reach *r, const char *key);
bool reach_in_closure(const struct reach *r, const char *key);
/* `from` is `to`, or mentions it directly or through others. Empty keys reach nothing. */
bool reach_reaches(struct reach *r, const char *from, const char *to);

#endif
