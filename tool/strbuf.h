/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growable byte string. `data` is always NUL terminated once something was added, and may hold
 * NUL bytes inside: `len` counts. Zero is an empty one; pair with strbuf_release.
 */
#ifndef NUMAFY_TOOL_STRBUF_H
#define NUMAFY_TOOL_STRBUF_H

#include <stddef.h>

struct strbuf {
    char *data;
    size_t len, room;
};

void strbuf_add(struct strbuf *b, const char *bytes, size_t n);
void strbuf_puts(struct strbuf *b, const char *s);
void strbuf_putc(struct strbuf *b, char c);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The text, "" when nothing was ever added. */
const char *strbuf_str(const struct strbuf *b);
/* Empties, keeps the memory. */
void strbuf_clear(struct strbuf *b);
void strbuf_release(struct strbuf *b);

#endif
