/* Wrappers in a unit of their own. */
#include "alloc.h"
#include <stdlib.h>
#include <string.h>

static void *checked(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static void *raw(size_t size)
{
    void *p;
    p = malloc(size != 0 ? size : 1);
    return p;
}

void *xmalloc(size_t size)
{
    return checked(raw(size));
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}
