/* C23: nullptr, typeof, attributes, inferred types, constants, empty initialisers, digits in groups. */
#include "check.h"
#include <stdlib.h>
#include STORE
#include "numafy/near.h"
#line 5
#if __STDC_VERSION__ < 202311L /* compilers that know only some of it */
#include <assert.h>
#include <stdbool.h>
#define nullptr NULL
#define typeof __typeof__
#endif

[[nodiscard]] static struct leaf *make(int v)
{
    typeof(struct leaf) *l = malloc(sizeof *l);
    *l = (struct leaf){};
    l->v = v;
    return l;
}

int fill_c23(struct store *s)
{
    bool more = true;
    s->second = ((void)numafy_enter(s), (struct leaf *)numafy_leave(make(0b11)));
    s->second->next = nullptr;
    if (more)
        s->second->next = numafy_malloc_near(s->second, sizeof(typeof(*s->second)));
    static_assert(sizeof(struct leaf) >= sizeof(int));
    s->second->next->v = 1'0;
    [[maybe_unused]] struct leaf *const last = s->second->next;
    last->next = nullptr;
    CHECK_NODE(s->second, 1);
    CHECK_NODE(last, 1);
    return s->second->v + last->v;
}
