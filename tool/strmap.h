/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from strings to indexes into somebody's array: open addressing, keys are borrowed and must
 * outlive the map. Zero is an empty one.
 */
#ifndef NUMAFY_TOOL_STRMAP_H
#define NUMAFY_TOOL_STRMAP_H

#include <stddef.h>

struct strmap {
    struct strmap_slot *slots;
    size_t count, room;
};

#define STRMAP_NONE ((size_t)-1)

/* The index stored for the key, or STRMAP_NONE. */
size_t strmap_find(const struct strmap *m, const char *key);
/* Stores the index; an existing key keeps its index and false is returned. */
int strmap_put(struct strmap *m, const char *key, size_t index);
void strmap_release(struct strmap *m);

#endif
