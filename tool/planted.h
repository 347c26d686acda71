/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bugs for the tests' own test: NUMAFY_PLANTED_TOOL(n) is true in a build with NUMAFY_TOOL_PLANT
 * whose environment has NUMAFY_PLANT=n, and false in every other. tests/harness/planted.py has the
 * list and says which test finds each.
 */
#ifndef NUMAFY_TOOL_PLANTED_H
#define NUMAFY_TOOL_PLANTED_H

#ifdef NUMAFY_TOOL_PLANT
#include <stdlib.h>

static inline int planted_number(void)
{
    const char *text = getenv("NUMAFY_PLANT");
    return text ? atoi(text) : 0;
}
#define NUMAFY_PLANTED_TOOL(n) (planted_number() == (n))
#else
#define NUMAFY_PLANTED_TOOL(n) 0
#endif

#endif
