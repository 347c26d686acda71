/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form that facts have between processes and in the cache. One table below says what every
 * record is made of; writing, reading and releasing follow it, so a new member of a struct in
 * facts.h is one line here.
 *
 * Numbers are LEB128. A string is its number in the order of first use, and follows with its length
 * and a NUL where it is used first: paths and keys repeat in every record. A list is its count and
 * its items. Nothing is trusted: whatever does not fit is refused.
 */
#include "facts.h"

#include "strmap.h"

#include <limits.h>
#include <stdint.h>

void strings_add_unique(strings *list, const char *s)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == s || !strcmp(list->items[i], s))
            return;
    vec_push(list, s);
}

enum field_kind { FIELD_TEXT, FIELD_TEXTS, FIELD_NUMBER, FIELD_FLAG, FIELD_LIST };

struct record;

struct field {
    enum field_kind kind;
    size_t offset;
    const struct record *items; /* of a list */
};

struct record {
    size_t size, count;
    const struct field *fields;
};

/* Every member of a record in facts.h, once. A member of a type that is not listed here (enums are
 * unsigned) does not compile. */
#define FIELD(type, member)                          \
    {                                                \
        _Generic(((struct type *)0)->member,       \
         const char *: FIELD_TEXT,              \
         strings: FIELD_TEXTS,                  \
         unsigned: FIELD_NUMBER,                \
         int: FIELD_NUMBER,                     \
         bool: FIELD_FLAG),                     \
     offsetof(struct type, member), NULL \
    }
#define LIST(type, member, of)                                  \
    {                                                           \
        FIELD_LIST, offsetof(struct type, member), &of##_record \
    }
#define RECORD(type)                             \
    static const struct record type##_record = { \
        sizeof(struct type), sizeof type##_fields / sizeof *type##_fields, type##_fields}

static const struct field fact_ctor_fields[] = {
    FIELD(fact_ctor, usr),
    FIELD(fact_ctor, status),
};
RECORD(fact_ctor);

static const struct field fact_type_fields[] = {
    FIELD(fact_type, key),
    FIELD(fact_type, name),
    FIELD(fact_type, flags),
    FIELD(fact_type, edges),
    FIELD(fact_type, bases),
    FIELD(fact_type, holds),
    LIST(fact_type, ctors, fact_ctor),
};
RECORD(fact_type);

static const struct field fact_owner_fields[] = {
    FIELD(fact_owner, kind),    FIELD(fact_owner, expr),  FIELD(fact_owner, cls),
    FIELD(fact_owner, pointee), FIELD(fact_owner, slot),  FIELD(fact_owner, reject),
    FIELD(fact_owner, var),     FIELD(fact_owner, keeps), FIELD(fact_owner, take_address),
    FIELD(fact_owner, via),
};
RECORD(fact_owner);

static const struct field fact_site_fields[] = {
    FIELD(fact_site, file),       FIELD(fact_site, offset),   FIELD(fact_site, line),
    FIELD(fact_site, column),     FIELD(fact_site, kind),     FIELD(fact_site, type),
    FIELD(fact_site, type_key),   FIELD(fact_site, ctor),     FIELD(fact_site, function),
    FIELD(fact_site, callee),     FIELD(fact_site, in),       FIELD(fact_site, cast),
    FIELD(fact_site, dest_var),   FIELD(fact_site, via),      FIELD(fact_site, out_type),
    FIELD(fact_site, out_key),    FIELD(fact_site, room),     FIELD(fact_site, flow),
    FIELD(fact_site, out_flow),   FIELD(fact_site, result),   FIELD(fact_site, flags),
    FIELD(fact_site, out_flags),  FIELD(fact_site, left),     FIELD(fact_site, start),
    FIELD(fact_site, word_end),   FIELD(fact_site, place_at), FIELD(fact_site, end),
    FIELD(fact_site, type_start), FIELD(fact_site, type_end), LIST(fact_site, owners, fact_owner),
};
RECORD(fact_site);

static const struct field fact_need_fields[] = {
    FIELD(fact_need, offset),
    FIELD(fact_need, line),
    FIELD(fact_need, column),
    FIELD(fact_need, start),
    FIELD(fact_need, end),
    FIELD(fact_need, tagged),
    FIELD(fact_need, this_object),
    FIELD(fact_need, parameter),
    FIELD(fact_need, key),
    FIELD(fact_need, assigned),
    FIELD(fact_need, dependent),
    FIELD(fact_need, site),
    LIST(fact_need, owners, fact_owner),
};
RECORD(fact_need);

static const struct field fact_scope_fields[] = {
    FIELD(fact_scope, file),
    FIELD(fact_scope, offset),
    FIELD(fact_scope, line),
    FIELD(fact_scope, column),
    FIELD(fact_scope, key),
    FIELD(fact_scope, function),
    FIELD(fact_scope, tagged),
    FIELD(fact_scope, replaced),
    FIELD(fact_scope, left),
    LIST(fact_scope, owners, fact_owner),
    LIST(fact_scope, needs, fact_need),
};
RECORD(fact_scope);

static const struct field fact_tail_fields[] = {
    FIELD(fact_tail, key),
    FIELD(fact_tail, calls),
};
RECORD(fact_tail);

static const struct field fact_mark_fields[] = {
    FIELD(fact_mark, file),
    FIELD(fact_mark, offset),
};
RECORD(fact_mark);

static const struct field fact_range_fields[] = {
    FIELD(fact_range, start),
    FIELD(fact_range, end),
};
RECORD(fact_range);

static const struct field fact_include_fields[] = {
    FIELD(fact_include, by),
    FIELD(fact_include, nested),
};
RECORD(fact_include);

static const struct field fact_file_fields[] = {
    FIELD(fact_file, path),
    FIELD(fact_file, cxx),
    LIST(fact_file, inactive, fact_range),
    LIST(fact_file, macros, fact_range),
    LIST(fact_file, includes, fact_include),
};
RECORD(fact_file);

static const struct field fact_pass_fields[] = {
    FIELD(fact_pass, argument),
    FIELD(fact_pass, conditions),
};
RECORD(fact_pass);

static const struct field fact_override_fields[] = {
    FIELD(fact_override, key),
    FIELD(fact_override, overridden),
};
RECORD(fact_override);

static const struct field fact_root_fields[] = {
    FIELD(fact_root, key),
    FIELD(fact_root, node),
};
RECORD(fact_root);

static const struct field fact_var_fields[] = {
    FIELD(fact_var, key),    FIELD(fact_var, name), FIELD(fact_var, file),  FIELD(fact_var, line),
    FIELD(fact_var, column), FIELD(fact_var, text), FIELD(fact_var, node),  FIELD(fact_var, why),
    FIELD(fact_var, at),     FIELD(fact_var, from), FIELD(fact_var, flags), FIELD(fact_var, types),
};
RECORD(fact_var);

static const struct field fact_note_fields[] = {
    FIELD(fact_note, id),     FIELD(fact_note, file), FIELD(fact_note, line),
    FIELD(fact_note, column), FIELD(fact_note, text),
};
RECORD(fact_note);

static const struct field fact_lookup_fields[] = {
    FIELD(fact_lookup, beside),
    FIELD(fact_lookup, name),
};
RECORD(fact_lookup);

static const struct field fact_unit_fields[] = {
    FIELD(fact_unit, main_file),        FIELD(fact_unit, failed),
    LIST(fact_unit, notes, fact_note),  LIST(fact_unit, types, fact_type),
    LIST(fact_unit, sites, fact_site),  LIST(fact_unit, marks, fact_mark),
    LIST(fact_unit, files, fact_file),  LIST(fact_unit, roots, fact_root),
    LIST(fact_unit, vars, fact_var),    LIST(fact_unit, overrides, fact_override),
    LIST(fact_unit, passes, fact_pass), FIELD(fact_unit, inputs),
    FIELD(fact_unit, search),           LIST(fact_unit, lookups, fact_lookup),
    FIELD(fact_unit, opaque),           LIST(fact_unit, scopes, fact_scope),
    LIST(fact_unit, tails, fact_tail),
};
RECORD(fact_unit);

/* What every VEC looks like. Its members are copied in and out: the struct's own type differs. */
struct any_list {
    void *items;
    size_t count, room;
};

_Static_assert(sizeof(struct any_list) == sizeof(strings), "VEC has the shape of any_list");

static struct any_list list_at(const void *record, const struct field *f)
{
    struct any_list list;
    memcpy(&list, (const char *)record + f->offset, sizeof list);
    return list;
}

struct writer {
    struct strbuf *out;
    struct strmap numbers; /* of strings */
};

static void write_number(struct strbuf *out, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        strbuf_putc(out, (char)(n | 0x80));
    strbuf_putc(out, (char)n);
}

static void write_text(struct writer *w, const char *s)
{
    s = s ? s : "";
    size_t number = strmap_find(&w->numbers, s);
    if (number != STRMAP_NONE) {
        write_number(w->out, number);
        return;
    }
    size_t length = strlen(s);
    number = w->numbers.count;
    strmap_put(&w->numbers, s, number);
    write_number(w->out, number);
    write_number(w->out, length);
    strbuf_add(w->out, s, length + 1);
}

static void write_record(struct writer *w, const struct record *r, const void *from);

static void write_list(struct writer *w, const struct field *f, const void *record)
{
    struct any_list list = list_at(record, f);
    write_number(w->out, list.count);
    for (size_t i = 0; i < list.count; i++)
        if (f->kind == FIELD_TEXTS)
            write_text(w, ((const char *const *)list.items)[i]);
        else
            write_record(w, f->items, (const char *)list.items + i * f->items->size);
}

static void write_record(struct writer *w, const struct record *r, const void *from)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct field *f = &r->fields[i];
        const void *at = (const char *)from + f->offset;
        switch (f->kind) {
        case FIELD_TEXT:
            write_text(w, *(const char *const *)at);
            break;
        case FIELD_NUMBER:
            write_number(w->out, *(const unsigned *)at);
            break;
        case FIELD_FLAG:
            write_number(w->out, *(const bool *)at);
            break;
        case FIELD_TEXTS:
        case FIELD_LIST:
            write_list(w, f, from);
            break;
        }
    }
}

void facts_write(const struct fact_unit *u, struct strbuf *out)
{
    struct writer w = {.out = out};
    write_record(&w, &fact_unit_record, u);
    strmap_release(&w.numbers);
}

struct reader {
    const char *at, *end;
    VEC(const char *) texts;
    bool bad;
};

static uint64_t read_number(struct reader *r, uint64_t max)
{
    uint64_t n = 0;
    for (int shift = 0; shift < 63 && r->at < r->end; shift += 7) {
        unsigned char c = (unsigned char)*r->at++;
        n |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            r->bad |= n > max;
            return r->bad ? 0 : n;
        }
    }
    r->bad = true;
    return 0;
}

/* Strings stay where they were read: the text has their NUL. */
static const char *read_text(struct reader *r)
{
    uint64_t number = read_number(r, r->texts.count);
    if (r->bad)
        return "";
    if (number < r->texts.count)
        return r->texts.items[number];
    uint64_t length = read_number(r, (uint64_t)(r->end - r->at));
    if (r->bad || (uint64_t)(r->end - r->at) <= length || memchr(r->at, '\0', length) ||
        r->at[length]) {
        r->bad = true;
        return "";
    }
    vec_push(&r->texts, r->at);
    r->at += length + 1;
    return r->texts.items[number];
}

static void read_record(struct reader *r, const struct record *record, void *to);

/* An item takes a byte at least, so a count beyond what is left is wrong, and no memory is taken
 * for it. The list is exact: nobody adds to facts that were read. */
static void read_list(struct reader *r, const struct field *f, void *record)
{
    size_t size = f->kind == FIELD_TEXTS ? sizeof(char *) : f->items->size;
    struct any_list list = {0};
    list.count = list.room = read_number(r, (uint64_t)(r->end - r->at));
    if (list.count) {
        list.items = mem_alloc(list.count * size);
        memset(list.items, 0, list.count * size);
    }
    for (size_t i = 0; i < list.count; i++)
        if (f->kind == FIELD_TEXTS)
            ((const char **)list.items)[i] = read_text(r);
        else
            read_record(r, f->items, (char *)list.items + i * size);
    memcpy((char *)record + f->offset, &list, sizeof list);
}

static void read_record(struct reader *r, const struct record *record, void *to)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct field *f = &record->fields[i];
        void *at = (char *)to + f->offset;
        switch (f->kind) {
        case FIELD_TEXT:
            *(const char **)at = read_text(r);
            break;
        case FIELD_NUMBER:
            *(unsigned *)at = (unsigned)read_number(r, UINT_MAX);
            break;
        case FIELD_FLAG:
            *(bool *)at = read_number(r, 1) != 0;
            break;
        case FIELD_TEXTS:
        case FIELD_LIST:
            read_list(r, f, to);
            break;
        }
    }
}

int facts_read(struct fact_unit *u, const char *text, size_t length)
{
    struct reader r = {0};
    r.at = arena_strndup(&u->arena, text, length);
    r.end = r.at + length;
    read_record(&r, &fact_unit_record, u);
    vec_release(&r.texts);
    return r.bad || r.at != r.end || !*u->main_file ? -1 : 0;
}

static void release_record(const struct record *record, void *at)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct field *f = &record->fields[i];
        if (f->kind != FIELD_LIST && f->kind != FIELD_TEXTS)
            continue;
        struct any_list list = list_at(at, f);
        for (size_t k = 0; f->kind == FIELD_LIST && k < list.count; k++)
            release_record(f->items, (char *)list.items + k * f->items->size);
        free(list.items);
        memset((char *)at + f->offset, 0, sizeof list);
    }
}

void facts_release(struct fact_unit *u)
{
    release_record(&fact_unit_record, u);
    arena_release(&u->arena);
}
