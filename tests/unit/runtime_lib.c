// SPDX-License-Identifier: Apache-2.0
// runtime_lib.c: a shared library with the header in it, as a library of a user would have. Its
// copy of the runtime must be the program's.
#include "runtime_inside.h"
#include "runtime_parts.h"

#include <stdlib.h>

void *lib_alloc(int node, size_t size)
{
    return numafy_malloc(node, size);
}
void lib_free(void *p)
{
    free(p);
}
void *lib_plain(size_t size)
{
    return malloc(size);
}
const void *lib_state(void)
{
    return &numafy_state_v3;
}
const void *lib_tls(void)
{
    return &numafy_tls_v3;
}
