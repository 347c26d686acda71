/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursion by calls in tail position, over all units. Such a function runs in one frame as long as
 * nothing comes after the call and no local's address is known elsewhere. Plain data.
 */
#ifndef NUMAFY_TOOL_TAILS_H
#define NUMAFY_TOOL_TAILS_H

#include "program.h"

struct tails {
    struct strmap index; /* key -> index in calls */
    VEC(strings) calls;
    struct strmap recursive; /* answers of tails_recursive: key -> 0 or 1 */
};

void tails_init(struct tails *t, const struct program *p);
void tails_release(struct tails *t);
/* The one function calls the other in tail position. */
bool tails_calls(const struct tails *t, const char *from, const char *to);
/* Calls in tail position lead from one function to the other; one alone does if they are equal and
 * it calls itself so. */
bool tails_lead(const struct tails *t, const char *from, const char *to);
/* The function comes back to itself so. "" is none. */
bool tails_recursive(struct tails *t, const char *key);

#endif
