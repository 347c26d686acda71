#ifndef ALLOC_H
#define ALLOC_H
#include <stddef.h>
void *xmalloc(size_t size);
char *xstrdup(const char *s);
#endif
