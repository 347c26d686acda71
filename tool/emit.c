/* SPDX-License-Identifier: Apache-2.0 */
/* New texts and the diff; the out tree is in outtree.c. */
#include "emit.h"

#include "edit.h"
#include "lex.h"
#include "path.h"
#include "planted.h"
#include "prelude.h"
#include "udiff.h"

#include <errno.h>

/* decide.c leaves a hole where the type's own spelling goes. */
static const char *fill_hole(struct arena *a, const char *text, const struct fact_site *f,
                             const char *bytes)
{
    const char *hole = text ? strchr(text, '\001') : NULL;
    if (!hole)
        return text;
    return arena_printf(a, "%.*s%.*s%s", (int)(hole - text), text,
                        (int)(f->type_end - f->type_start), bytes + f->type_start, hole + 1);
}

static void add_site_edits(struct emit *e, const struct site *s, const char *bytes,
                           struct edit_list *list)
{
    const struct fact_site *f = s->votes.items[0];
    /* At one offset the inner expression, which starts later, closes first. */
    int rank = -(int)f->start;
    unsigned word_end = s->whole ? f->end : f->word_end;
    /* Of two that begin together the longer one is outside. */
    edit_list_add(list, f->start + NUMAFY_PLANTED_TOOL(4), word_end - f->start,
                  fill_hole(&e->arena, s->head, f, bytes), -(int)f->end);
    if (s->inside)
        edit_list_add(list, f->place_at, 0, fill_hole(&e->arena, s->inside, f, bytes), rank);
    if (s->tail)
        edit_list_add(list, f->end, 0, s->tail, rank);
}

static void add_scope_edits(const struct scope *s, struct edit_list *list)
{
    edit_list_add(list, s->offset, 0, s->head, -(int)s->end);
    if (s->tail)
        edit_list_add(list, s->end, 0, s->tail, -(int)s->offset);
}

/* Where the walk over files has come to: sites and scopes are sorted by file, as files are. */
struct cursor {
    size_t site, scope;
};

static void add_file_edits(struct emit *e, const struct program *p, const char *path,
                           const char *bytes, struct cursor *at, struct edit_list *list)
{
    while (at->site < p->sites.count && strcmp(p->sites.items[at->site].file, path) < 0)
        at->site++;
    for (; at->site < p->sites.count; at->site++) {
        const struct site *s = &p->sites.items[at->site];
        if (strcmp(s->file, path) != 0)
            break;
        if (s->edited)
            add_site_edits(e, s, bytes, list);
    }
    for (size_t i = 0; i < p->inserts.count; i++)
        if (!strcmp(p->inserts.items[i].file, path))
            edit_list_add(list, p->inserts.items[i].offset, 0, p->inserts.items[i].text, (int)i);
    while (at->scope < p->scopes.count && strcmp(p->scopes.items[at->scope].file, path) < 0)
        at->scope++;
    for (; at->scope < p->scopes.count; at->scope++) {
        const struct scope *s = &p->scopes.items[at->scope];
        if (strcmp(s->file, path) != 0)
            break;
        if (s->edited)
            add_scope_edits(s, list);
    }
}

static int apply_file(struct emit *e, struct program *p, struct program_file *file,
                      const struct strbuf *bytes, bool prelude, struct cursor *at,
                      struct strbuf *err)
{
    struct edit_list list = {0};
    struct strbuf head = {0};
    struct lex l;
    size_t bad = 0;
    add_file_edits(e, p, file->path, strbuf_str(bytes), at, &list);
    lex_init(&l, strbuf_str(bytes), bytes->len);
    long place = prelude ? prelude_place(&l, &head) : -1;
    if (place >= 0)
        edit_list_add(&list, (size_t)place, 0, strbuf_str(&head), 0);
    lex_release(&l);
    struct emitted *out = vec_add(&e->files);
    out->path = file->path;
    int result = edit_list_finish(&list, &bad) ||
                 edit_list_apply(&list, strbuf_str(bytes), bytes->len, &out->text);
    if (result)
        strbuf_printf(err, "%s: edits overlap or leave the file; this is a bug of numafy",
                      file->path);
    edit_list_release(&list);
    strbuf_release(&head);
    if (!result && out->text.len == bytes->len &&
        !memcmp(strbuf_str(&out->text), strbuf_str(bytes), bytes->len)) {
        strbuf_release(&out->text);
        e->files.count--;
    } else {
        file->status = FILE_EDITED;
    }
    return result ? -1 : 0;
}

enum { TOUCHED = 1, PRELUDE = 2 };

static void mark(const struct program *p, const char *file, unsigned char flags,
                 unsigned char *marks)
{
    size_t i = strmap_find(&p->file_index, file);
    if (i != STRMAP_NONE)
        marks[i] |= flags;
}

/* The file and those that get its include. */
static void touch(const struct program *p, const char *file, unsigned char *marks)
{
    const struct program_file *f = program_file(p, file);
    mark(p, file, TOUCHED, marks);
    for (size_t k = 0; f && k < f->prelude_in.count; k++)
        mark(p, f->prelude_in.items[k], TOUCHED | PRELUDE, marks);
}

/* What is to be done with each of the program's files. */
static unsigned char *mark_files(struct emit *e, const struct program *p)
{
    unsigned char *marks = arena_alloc(&e->arena, p->files.count + 1);
    for (size_t i = 0; i < p->sites.count; i++)
        if (p->sites.items[i].edited)
            touch(p, p->sites.items[i].file, marks);
    for (size_t i = 0; i < p->inserts.count; i++)
        touch(p, p->inserts.items[i].file, marks);
    for (size_t i = 0; i < p->scopes.count; i++)
        if (p->scopes.items[i].edited)
            touch(p, p->scopes.items[i].file, marks);
    return marks;
}

int emit_texts(struct emit *e, struct program *p, struct strbuf *err)
{
    const unsigned char *marks = mark_files(e, p);
    struct cursor at = {0};
    int result = 0;
    for (size_t i = 0; i < p->files.count && !result; i++) {
        struct program_file *f = &p->files.items[i];
        if (!(marks[i] & TOUCHED))
            continue;
        struct strbuf bytes = {0};
        if (path_read(f->path, &bytes)) {
            strbuf_printf(err, "cannot read %s: %s", f->path, strerror(errno));
            result = -1;
        } else {
            result = apply_file(e, p, f, &bytes, (marks[i] & PRELUDE) != 0, &at, err);
        }
        strbuf_release(&bytes);
    }
    return result;
}

int emit_diff(const struct emit *e, const struct options *o, struct strbuf *out)
{
    for (size_t i = 0; i < e->files.count; i++) {
        struct strbuf bytes = {0};
        if (path_read(e->files.items[i].path, &bytes))
            return -1;
        udiff(path_below(e->files.items[i].path, o->tree), strbuf_str(&bytes), bytes.len,
              strbuf_str(&e->files.items[i].text), e->files.items[i].text.len, out);
        strbuf_release(&bytes);
    }
    return 0;
}

void emit_release(struct emit *e)
{
    for (size_t i = 0; i < e->files.count; i++)
        strbuf_release(&e->files.items[i].text);
    vec_release(&e->files);
    arena_release(&e->arena);
}
