/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "path.h"
#include "types.h"

#include <json-c/json.h>

static const char *parser_name = "";

void report_set_parser(const char *name)
{
    parser_name = name;
}

const char *report_parser(void)
{
    return parser_name;
}

static const char *action_name(enum site_action a)
{
    switch (a) {
    case ACTION_NEAR:
        return "near";
    case ACTION_ON:
        return "on";
    case ACTION_SCOPE:
        return "scope";
    case ACTION_LEFT:
        break;
    }
    return "left";
}

static const char *status_name(enum file_status s)
{
    switch (s) {
    case FILE_EDITED:
        return "edited";
    case FILE_FAILED:
        return "failed";
    case FILE_NOT_IN_DATABASE:
        return "not in database";
    case FILE_COPIED:
        return "copied";
    case FILE_UNCHANGED:
        break;
    }
    return "unchanged";
}

void report_count(const struct program *p, struct totals *t)
{
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct site *s = &p->sites.items[i];
        t->sites++;
        t->near += s->action == ACTION_NEAR;
        t->on += s->action == ACTION_ON;
        t->scope += s->action == ACTION_SCOPE;
        t->left += s->action == ACTION_LEFT;
        t->conflicts += s->id == NF_CONFLICT;
        t->reachable_left += s->action == ACTION_LEFT && (s->reachable || s->id == NF_LOST);
    }
    for (size_t i = 0; i < p->scopes.count; i++) {
        const struct scope *s = &p->scopes.items[i];
        t->scopes += s->action == ACTION_SCOPE;
        t->scopes_left += s->action == ACTION_LEFT;
        t->conflicts += s->id == NF_CONFLICT;
    }
    t->lost = p->lost;
    for (size_t i = 0; i < p->files.count; i++) {
        t->files_edited += p->files.items[i].status == FILE_EDITED;
        t->files_failed += p->files.items[i].status == FILE_FAILED;
    }
}

static void add_text(json_object *o, const char *name, const char *text)
{
    json_object_object_add(o, name, json_object_new_string(text ? text : ""));
}

static void add_number(json_object *o, const char *name, size_t n)
{
    json_object_object_add(o, name, json_object_new_int64((int64_t)n));
}

static void add_id(json_object *o, const char *name, int id)
{
    char text[16] = "";
    if (id)
        snprintf(text, sizeof text, "NF%d", id);
    add_text(o, name, text);
}

static const char *shown_path(const struct options *o, const char *path)
{
    return path_within(path, o->tree) ? path_below(path, o->tree) : path;
}

static json_object *site_json(const struct options *o, const struct site *s)
{
    const struct fact_site *f = s->votes.items[0];
    json_object *j = json_object_new_object();
    add_text(j, "file", shown_path(o, s->file));
    add_number(j, "line", s->line);
    add_number(j, "column", s->column);
    add_text(j, "kind", f->kind);
    add_text(j, "type", f->type);
    add_text(j, "owner", s->action == ACTION_LEFT ? "" : s->owner);
    add_text(j, "action", action_name(s->action));
    add_text(j, "reason", s->id ? nf_text((enum nf_id)s->id) : "");
    add_id(j, "id", s->id);
    add_text(j, "function", f->function);
    json_object_object_add(j, "reachable", json_object_new_boolean(s->reachable));
    json_object_object_add(j, "edited", json_object_new_boolean(s->edited));
    bool allocates = f->left != NF_PLACEMENT && f->left != NF_UNEVALUATED;
    json_object_object_add(j, "allocates", json_object_new_boolean(allocates));
    add_number(j, "units", s->votes.count);
    return j;
}

static json_object *scope_json(const struct options *o, const struct scope *s)
{
    json_object *j = json_object_new_object();
    add_text(j, "file", shown_path(o, s->file));
    add_number(j, "line", s->line);
    add_number(j, "column", s->column);
    add_text(j, "kind", s->kind);
    add_text(j, "function", s->function);
    add_text(j, "owner", s->owner);
    add_text(j, "action", action_name(s->action));
    add_text(j, "reason", s->id ? nf_text((enum nf_id)s->id) : "");
    add_id(j, "id", s->id);
    json_object_object_add(j, "edited", json_object_new_boolean(s->edited));
    add_number(j, "calls", s->needs);
    return j;
}

static json_object *scopes_json(const struct program *p, const struct options *o)
{
    json_object *list = json_object_new_array();
    for (size_t i = 0; i < p->scopes.count; i++)
        json_object_array_add(list, scope_json(o, &p->scopes.items[i]));
    return list;
}

static json_object *totals_json(const struct totals *t)
{
    json_object *j = json_object_new_object();
    add_number(j, "sites", t->sites);
    add_number(j, "near", t->near);
    add_number(j, "on", t->on);
    add_number(j, "scope", t->scope);
    add_number(j, "left", t->left);
    add_number(j, "scopes", t->scopes);
    add_number(j, "scopes_left", t->scopes_left);
    add_number(j, "lost", t->lost);
    add_number(j, "files_edited", t->files_edited);
    add_number(j, "files_failed", t->files_failed);
    return j;
}

static json_object *notes_json(const struct program *p, const struct options *o)
{
    json_object *list = json_object_new_array();
    for (size_t i = 0; i < p->notes.count; i++) {
        const struct fact_note *n = &p->notes.items[i];
        json_object *j = json_object_new_object();
        add_id(j, "id", n->id);
        add_text(j, "file", shown_path(o, n->file));
        add_number(j, "line", n->line);
        add_number(j, "column", n->column);
        add_text(j, "text", n->text);
        json_object_array_add(list, j);
    }
    return list;
}

static json_object *files_json(const struct program *p, const struct options *o)
{
    json_object *list = json_object_new_array();
    for (size_t i = 0; i < p->files.count; i++) {
        const struct program_file *f = &p->files.items[i];
        json_object *j = json_object_new_object();
        add_text(j, "path", shown_path(o, f->path));
        add_text(j, "status", status_name(f->status));
        add_text(j, "reason", f->reason);
        json_object_object_add(j, "unit", json_object_new_boolean(f->unit));
        json_object_array_add(list, j);
    }
    return list;
}

/* Length of the valid UTF-8 sequence at s, or 0. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    size_t len = s[0] < 0x80                   ? 1
                 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                 : (s[0] & 0xf0) == 0xe0       ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;
    if (!len || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : len;
}

void report_json_text(struct json_object *root, struct strbuf *out)
{
    const char *s = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                             JSON_C_TO_STRING_NOSLASHESCAPE);
    size_t n = strlen(s);
    for (size_t i = 0; i < n;) {
        size_t len = utf8_length((const unsigned char *)s + i, n - i);
        if (len)
            strbuf_add(out, s + i, len);
        else
            strbuf_printf(out, "\\udc%02x", (unsigned)(unsigned char)s[i]);
        i += len ? len : 1;
    }
    strbuf_putc(out, '\n');
}

/* How many sites each id has left. */
static size_t count_id(const struct program *p, int id)
{
    size_t n = 0;
    for (size_t i = 0; i < p->sites.count; i++)
        n += p->sites.items[i].action == ACTION_LEFT && p->sites.items[i].id == id;
    return n;
}

static json_object *reasons_json(const struct program *p)
{
    json_object *list = json_object_new_array();
    for (const enum nf_id *id = nf_list(); *id; id++) {
        size_t n = count_id(p, *id);
        if (!n)
            continue;
        json_object *j = json_object_new_object();
        add_id(j, "id", *id);
        add_number(j, "count", n);
        add_text(j, "reason", nf_text(*id));
        add_text(j, "advice", nf_advice(*id));
        json_object_array_add(list, j);
    }
    return list;
}

void report_json(const struct program *p, const struct options *o, const struct totals *t,
                 struct strbuf *out)
{
    json_object *root = json_object_new_object(), *sites = json_object_new_array();
    for (size_t i = 0; i < p->sites.count; i++)
        json_object_array_add(sites, site_json(o, &p->sites.items[i]));
    add_text(root, "version", NUMAFY_VERSION);
    add_text(root, "parser", parser_name);
    add_text(root, "tree", o->tree);
    json_object_object_add(root, "files", files_json(p, o));
    json_object_object_add(root, "sites", sites);
    json_object_object_add(root, "scopes", scopes_json(p, o));
    json_object_object_add(root, "totals", totals_json(t));
    json_object_object_add(root, "reasons", reasons_json(p));
    json_object_object_add(root, "types", types_json(p, o));
    json_object_object_add(root, "notes", notes_json(p, o));
    add_number(root, "units", p->units.count);
    add_number(root, "units_failed", p->failed_units);
    add_number(root, "words_inactive", p->inactive);
    report_json_text(root, out);
    json_object_put(root);
}

void report_diagnostics(FILE *err, const struct program *p, const struct options *o)
{
    for (size_t i = 0; i < p->notes.count; i++) {
        const struct fact_note *n = &p->notes.items[i];
        if (n->id != NF_FLAG_DROPPED || o->verbose)
            diag_site(err, n->file, n->line, n->column, (enum nf_id)n->id, n->text);
    }
    for (size_t i = 0; i < p->sites.count; i++) {
        const struct site *s = &p->sites.items[i];
        bool always = s->id == NF_LOST || s->id == NF_CONFLICT;
        if (s->action == ACTION_LEFT && (always || s->reachable || o->verbose))
            diag_site(err, s->file, s->line, s->column, (enum nf_id)s->id, s->votes.items[0]->type);
        else if (s->action != ACTION_LEFT && o->verbose)
            fprintf(err, "%s:%u:%u: %s %s: %s\n", s->file, s->line, s->column,
                    action_name(s->action), s->votes.items[0]->type, s->owner);
    }
    for (size_t i = 0; i < p->scopes.count; i++) {
        const struct scope *s = &p->scopes.items[i];
        if (s->action == ACTION_LEFT && (s->id != NF_REPLACED || o->verbose))
            diag_site(err, s->file, s->line, s->column, (enum nf_id)s->id, s->function);
        else if (s->action != ACTION_LEFT && o->verbose)
            fprintf(err, "%s:%u:%u: %s %s: %s\n", s->file, s->line, s->column, s->kind, s->function,
                    s->owner);
    }
}

void report_summary(FILE *out, const struct program *p, const struct options *o,
                    const struct totals *t)
{
    size_t seen = 0, orphans = 0;
    for (size_t i = 0; i < p->files.count; i++) {
        seen += p->files.items[i].seen;
        orphans += p->files.items[i].status == FILE_NOT_IN_DATABASE;
    }
    fprintf(out, "%s: %zu units, %zu files of the tree read", o->tree, p->units.count, seen);
    if (orphans)
        fprintf(out, ", %zu sources not in the database", orphans);
    fprintf(out, "\nallocation sites %zu: near %zu, on %zu, scope %zu, left %zu; lost %zu\n",
            t->sites, t->near, t->on, t->scope, t->left, t->lost);
    for (const enum nf_id *id = nf_list(); *id; id++) {
        size_t n = count_id(p, *id);
        if (n)
            fprintf(out, "%6zu NF%d %s\n       %s\n", n, (int)*id, nf_text(*id), nf_advice(*id));
    }
    bool written = *o->out && !o->check;
    if (t->scopes + t->scopes_left)
        fprintf(out, "scopes for what no site shows %zu, left %zu\n", t->scopes, t->scopes_left);
    fprintf(out, "files edited %zu, failed %zu; %s%s\n", t->files_edited, t->files_failed,
            written    ? "written to "
            : o->check ? "nothing written (--check)"
                       : "nothing written (no --out)",
            written ? o->out : "");
}
