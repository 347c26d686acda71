/* SPDX-License-Identifier: Apache-2.0 */
#include "strbuf.h"

#include "mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void strbuf_grow(struct strbuf *b, size_t more)
{
    if (b->room - b->len > more)
        return;
    b->room = (b->len + more + 1) * 2;
    b->data = mem_realloc(b->data, b->room);
}

void strbuf_add(struct strbuf *b, const char *bytes, size_t n)
{
    strbuf_grow(b, n);
    if (n)
        memcpy(b->data + b->len, bytes, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void strbuf_puts(struct strbuf *b, const char *s)
{
    strbuf_add(b, s, strlen(s));
}

void strbuf_putc(struct strbuf *b, char c)
{
    strbuf_add(b, &c, 1);
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        abort();
    strbuf_grow(b, (size_t)n);
    va_start(ap, fmt);
    vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->len += (size_t)n;
}

const char *strbuf_str(const struct strbuf *b)
{
    return b->data ? b->data : "";
}

void strbuf_clear(struct strbuf *b)
{
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

void strbuf_release(struct strbuf *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}
