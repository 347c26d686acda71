/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where `#include "numafy/near.h"` goes in a file. Pure: bytes in, offset and text out.
 */
#ifndef NUMAFY_TOOL_PRELUDE_H
#define NUMAFY_TOOL_PRELUDE_H

#include "lex.h"
#include "strbuf.h"

/* Finds the place: after the last #include that stands at #if depth 0 (an include guard does not
 * count) before the first line of code, and after every feature-test macro that is defined there;
 * in a file without any, at the top, after a guard's #define, #pragma once or a byte order mark.
 * Appends to `text` the include and a #line that keeps the numbers of the lines that follow, in the
 * file's own line ends. Returns the offset, or -1 if the file includes near.h there already. */
long prelude_place(const struct lex *l, struct strbuf *text);

#endif
