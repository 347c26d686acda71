/* SPDX-License-Identifier: Apache-2.0 */
/* A list of texts with amounts, for C and C++. */
#ifndef ENTRY_H
#define ENTRY_H

#ifdef __cplusplus
extern "C" {
#endif

struct entry {
    struct entry *next;
    char *text;
    int amount;
};

struct journal {
    struct entry *first;
    int count;
};

/* Returns 0, or -1 if there is no memory or the journal is full. */
int journal_add(struct journal *j, const char *text, int amount);
void journal_clear(struct journal *j);

#ifdef __cplusplus
}
#endif

#endif
