/* SPDX-License-Identifier: Apache-2.0 */
#include "edit.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

void edit_list_add(struct edit_list *list, size_t offset, size_t length, const char *text, int rank)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 16;
        list->items = mem_realloc(list->items, list->room * sizeof *list->items);
    }
    list->items[list->count++] = (struct edit){offset, length, text, rank};
}

static int edit_compare(const void *va, const void *vb)
{
    const struct edit *a = va, *b = vb;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if ((a->length == 0) != (b->length == 0))
        return a->length == 0 ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return strcmp(a->text, b->text);
}

int edit_list_finish(struct edit_list *list, size_t *bad)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, edit_compare);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!kept || edit_compare(&list->items[kept - 1], &list->items[i]) != 0)
            list->items[kept++] = list->items[i];
    list->count = kept;
    for (size_t i = 1; i < kept; i++) {
        const struct edit *p = &list->items[i - 1], *e = &list->items[i];
        if (p->length > e->offset - p->offset) {
            *bad = i;
            return -1;
        }
    }
    return 0;
}

int edit_list_apply(const struct edit_list *list, const char *bytes, size_t size,
                    struct strbuf *out)
{
    size_t at = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct edit *e = &list->items[i];
        if (e->offset < at || e->offset > size || e->length > size - e->offset)
            return -1;
        strbuf_add(out, bytes + at, e->offset - at);
        strbuf_puts(out, e->text);
        at = e->offset + e->length;
    }
    strbuf_add(out, bytes + at, size - at);
    return 0;
}

void edit_list_release(struct edit_list *list)
{
    free(list->items);
    memset(list, 0, sizeof *list);
}
