/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_standard.c: near.h in every C standard from C89, numa_alloc.h from C11 on, with warnings
 * as errors and without the excuse of a system header: compiling it is the test, which
 * tests/python/test_compile_matrix.py does. */
#ifdef STANDARD_FULL
#include "numa_alloc.h"
#endif
#include "numafy/near.h"

struct item {
    int value;
    struct item *next;
};
struct item *standard_factory(void);
struct item *standard_use(struct item *owner);

struct item *standard_use(struct item *owner)
{
    struct item *made;
    NUMAFY_SCOPE(owner);
    (numafy_enter(owner), (void)numafy_leave(standard_factory()));
    made = (numafy_enter(owner), (struct item *)numafy_leave(standard_factory()));
    made->value = (numafy_enter(owner), (int)numafy_leave_int(7));
    owner->next = NUMAFY_NEW_NEAR(struct item, owner);
    owner->next->next = NUMAFY_NEW(struct item, 1);
    made->next = (struct item *)numafy_realloc_near(made, made->next, 2 * sizeof *made);
    numafy_free(made);
    return owner->next;
}
