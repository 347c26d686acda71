// SPDX-License-Identifier: Apache-2.0
// runtime_part_c.c: one more C unit with the header in the same program.
#include "runtime_inside.h"
#include "runtime_parts.h"

#include <stdlib.h>

void *part_c_alloc(int node, size_t size)
{
    return numafy_malloc(node, size);
}
void part_c_free(void *p)
{
    free(p);
}
const void *part_c_state(void)
{
    return &numafy_state_v3;
}
