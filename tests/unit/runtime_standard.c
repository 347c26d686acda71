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
void standard_fill(struct item *out);
int standard_count(void);
struct item *standard_use(struct item *owner);
struct item *standard_forms(struct item *owner, int twice);
struct item *standard_owners(int n);
int standard_roots(void);

static struct item standard_global, standard_list[2];
NUMAFY_ROOT_GLOBAL(standard_global, 1)
NUMAFY_ROOT_GLOBAL(standard_list, NUMAFY_INTERLEAVE) static __thread struct item standard_own;
NUMAFY_ROOT_GLOBAL(standard_own, 0)

struct item *standard_use(struct item *owner)
{
    struct item *made;
    NUMAFY_SCOPE(owner);
    made = ((void)numafy_enter(owner), (struct item *)numafy_leave(standard_factory()));
    made->value = ((void)numafy_enter(owner), (int)numafy_leave_int(7));
    owner->next = NUMAFY_NEW_NEAR(struct item, owner);
    owner->next->next = NUMAFY_NEW(struct item, 1);
    made->next = (struct item *)numafy_realloc_near(made, made->next, 2 * sizeof *made);
    numafy_free(made);
    return owner->next;
}

/* What the rewriter writes around calls of factories, wherever a call may stand. */
struct item *standard_forms(struct item *owner, int twice)
{
    struct item *made =
        ((void)numafy_enter(owner), (struct item *)numafy_leave(standard_factory()));
    struct item *other;
    char small;
    ((void)numafy_enter(owner), (void)numafy_leave(standard_factory()));
    ((void)numafy_enter_on(1), (void)numafy_leave(standard_factory()));
    ((void)numafy_enter(owner), (void)standard_fill(made), (void)numafy_leave(0));
    ((void)numafy_enter_on(1), (void)standard_fill(made), (void)numafy_leave(0));
    ((void)numafy_enter_on(1), (void)numafy_leave_int(standard_count()));
    small = ((void)numafy_enter(owner), (char)numafy_leave_int(standard_count()));
    for (((void)numafy_enter(owner), (void)numafy_leave(standard_factory())); small > 0;
         small--, ((void)numafy_enter_on(1), (void)numafy_leave(standard_factory())))
        made->value++;
    if (((void)numafy_enter(owner), (int)numafy_leave_int(standard_count())))
        other =
            twice
                ? ((void)numafy_enter(owner), (struct item *)numafy_leave(standard_factory()))
                : ((void)numafy_enter_on(1),
                   (struct item *)numafy_leave(((void)numafy_enter(made),
                                                (struct item *)numafy_leave(standard_factory()))));
    else
        other = 0;
    twice ? ((void)numafy_enter(owner), (void)numafy_leave(standard_factory()))
          : ((void)numafy_enter(owner), (void)standard_fill(made), (void)numafy_leave(0));
    return other ? other
                 : ((void)numafy_enter_on(1), (struct item *)numafy_leave(standard_factory()));
}

/* Owners that a compiler takes for uninitialised, freed or of the wrong size. */
struct item *standard_owners(int n)
{
    struct item *list = NUMAFY_NEW(struct item, 1), **table, fresh, *last;
    list->next = (struct item *)numafy_malloc_near(list, sizeof *list);
    list->next->next = (struct item *)numafy_calloc_near(&list->next, 1, sizeof *list);
    fresh.next = (struct item *)numafy_malloc_near(&fresh, sizeof *list);
    fresh.next->next = (struct item *)numafy_aligned_alloc_near(&fresh.next, 64, 64);
    table = (struct item **)numafy_calloc(1, (numafy_size)n, sizeof *table);
    table[n - 1] = (struct item *)numafy_malloc_near(&table[n - 1], sizeof *list);
    table = (struct item **)numafy_realloc_near(table, table, 2 * (numafy_size)n * sizeof *table);
    table[n] = list;
    last = (struct item *)numafy_realloc_near(&last, 0, sizeof *last);
    last->next = ((void)numafy_enter(last), (struct item *)numafy_leave(standard_factory()));
    numafy_free(table[n - 1]);
    numafy_free(table);
    numafy_free(fresh.next);
    last->value = 1;
    return last;
}

int standard_roots(void)
{
    struct item local, rows[3];
    static struct item kept;
    static __thread struct item own;
    NUMAFY_ROOT_OBJECT(local, 1);
    NUMAFY_ROOT_OBJECT(rows, 1);
    NUMAFY_ROOT_OBJECT(kept, 1);
    NUMAFY_ROOT_OBJECT(own, NUMAFY_LOCAL);
    int const n = 3;
    local.next = (struct item *)numafy_malloc_near(&local, sizeof local);
    rows[1].next = (struct item *)numafy_malloc_near(&rows[1], sizeof local);
    kept.next = own.next = standard_global.next = standard_list[1].next = standard_own.next = 0;
    numafy_free(rows[1].next);
    numafy_free(local.next);
    numafy_free(kept.next);
    {
        struct item inner;
        NUMAFY_ROOT_OBJECT(inner, 1);
        inner.value = n;
        return inner.value;
    }
}
