/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

#include "limits_made.h" /* by the build, from limits_made.h.in */

#include <stdlib.h>
#include <string.h>

int journal_add(struct journal *j, const char *text, int amount)
{
    struct entry *e;
    if (j->count >= JOURNAL_MAX)
        return -1;
    e = malloc(sizeof *e);
    if (!e)
        return -1;
    e->text = malloc(strlen(text) + 1);
    if (!e->text) {
        free(e);
        return -1;
    }
    strcpy(e->text, text);
    e->amount = amount;
    e->next = j->first;
    j->first = e;
    j->count++;
    return 0;
}

void journal_clear(struct journal *j)
{
    while (j->first) {
        struct entry *e = j->first;
        j->first = e->next;
        free(e->text);
        free(e);
    }
    j->count = 0;
}
