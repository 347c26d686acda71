/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of a scanner process, which lives for one parse: it grows in large steps, is never
 * trimmed, and asks for huge pages. A third of a parse is page faults otherwise. Knows malloc and
 * the kernel, not what is allocated.
 */
#ifndef NUMAFY_TOOL_HEAP_H
#define NUMAFY_TOOL_HEAP_H

/* Call once, after fork. Advice only: nothing depends on its success. */
void heap_prepare(void);

#endif
