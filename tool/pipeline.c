/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps in order: database, scan, merge, account, decide, emit, report. The steps know each
 * other only through the program; this file knows their order and what each failure means.
 */
#include "pipeline.h"

#include "cache.h"
#include "decide.h"
#include "emit.h"
#include "links.h"
#include "orphans.h"
#include "path.h"
#include "places.h"
#include "report.h"
#include "roots.h"
#include "scan.h"
#include "types.h"
#include "udiff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All that facts depend on besides the unit. */
static const char *cache_salt(struct options *o, const struct parser *parser)
{
    return arena_printf(&o->arena, "%s\n%s\n%s\n%s\n%d\n%s", parser->identity, o->tree,
                        options_skip(o), o->runtime, o->roots.count > 0, o->hide);
}

/* In colours on a terminal, unless NO_COLOR (no-color.org) is set to something. */
static void write_diff(const struct strbuf *diff)
{
    const char *no = getenv("NO_COLOR");
    struct strbuf coloured = {0};
    bool plain = !isatty(STDOUT_FILENO) || (no && *no);
    if (!plain)
        udiff_colour(diff, &coloured);
    const struct strbuf *shown = plain ? diff : &coloured;
    fwrite(strbuf_str(shown), 1, shown->len, stdout);
    strbuf_release(&coloured);
}

static enum exit_code write_outputs(struct emit *e, const struct program *p,
                                    const struct options *o, const struct totals *t, int argc,
                                    char **argv, struct strbuf *err)
{
    struct strbuf text = {0};
    enum exit_code code = EXIT_DONE;
    if (o->diff) {
        emit_diff(e, o, &text);
        write_diff(&text);
    }
    if (o->types) {
        strbuf_clear(&text);
        types_text(p, o, &text);
        fwrite(strbuf_str(&text), 1, text.len, stdout);
    }
    if (*o->out && !o->check && emit_tree(e, o, argc, argv, err))
        code = EXIT_WRITE;
    if (code == EXIT_DONE && *o->report) {
        strbuf_clear(&text);
        report_json(p, o, t, &text);
        if (path_write_atomic(o->report, strbuf_str(&text), text.len, 0644)) {
            strbuf_printf(err, "cannot write %s: %s", o->report, strerror(errno));
            code = EXIT_WRITE;
        }
    }
    strbuf_release(&text);
    return code;
}

static enum exit_code finish(struct program *p, struct options *o, int argc, char **argv,
                             struct strbuf *err)
{
    struct emit e = {0};
    struct totals t;
    enum exit_code code = EXIT_DONE;
    if (places_resolve(p, o, err) || roots_resolve(p, o, err))
        return EXIT_USAGE;
    decide_sites(p, o);
    if (emit_texts(&e, p, err)) {
        emit_release(&e);
        return EXIT_INTERNAL;
    }
    report_count(p, &t);
    code = exit_worse(code, write_outputs(&e, p, o, &t, argc, argv, err));
    report_diagnostics(stderr, p, o);
    if (code != EXIT_WRITE)
        report_summary(o->diff || o->types ? stderr : stdout, p, o, &t);
    if (t.conflicts)
        code = exit_worse(code, EXIT_CONFLICT);
    if (p->failed_units)
        code = exit_worse(code, EXIT_PARSE);
    if (o->strict && t.reachable_left)
        code = exit_worse(code, EXIT_LEFT);
    if (o->check && e.files.count)
        code = exit_worse(code, EXIT_CHANGES);
    emit_release(&e);
    return code;
}

/* Object files beside their sources are built again; a copy with its old time would look new. */
static void note_products(struct options *o, const struct compdb *db)
{
    for (size_t i = 0; i < db->units.count; i++)
        if (db->units.items[i].product)
            strmap_put(&o->products, db->units.items[i].product, i);
}

/* A database that lies among the sources (one recorded of make in src/) does not make them a build
 * folder.
 */
static void check_build_folder(struct options *o, const struct compdb *db)
{
    if (tree_is_build(o->build) || !path_within(o->build, o->tree))
        return;
    for (size_t i = 0; i < db->units.count; i++)
        if (path_within(db->units.items[i].file, o->build))
            o->build = o->tree;
}

static bool unit_replaces(const struct fact_unit *u)
{
    for (size_t i = 0; i < u->notes.count; i++)
        if (u->notes.items[i].id == NF_REPLACES)
            return true;
    return false;
}

/* Marks the sites and roots of units whose program replaces the allocator; without link commands
 * (NULL) all units are one program. scan_all adds a unit for each of the database's, in its order.
 */
static void mark_replaced(struct program *p, const struct compdb *db, const struct links *links)
{
    struct arena a = {0};
    size_t units = p->units.count;
    bool *replaces = arena_alloc(&a, units + 1), *affected = arena_alloc(&a, units + 1);
    bool any = false;
    for (size_t i = 0; i < units; i++)
        any |= replaces[i] = unit_replaces(p->units.items[i]);
    memset(affected, any && !links, units);
    if (any && links)
        links_affected(links, db, replaces, affected);
    for (size_t i = 0; i < units; i++) {
        struct fact_unit *u = p->units.items[i];
        for (size_t k = 0; affected[i] && k < u->sites.count; k++)
            u->sites.items[k].flags |= SITE_REPLACED;
        for (size_t k = 0; affected[i] && k < u->vars.count; k++)
            u->vars.items[k].flags |= VAR_REPLACED;
        for (size_t k = 0; affected[i] && k < u->scopes.count; k++)
            u->scopes.items[k].replaced = true;
    }
    arena_release(&a);
}

/* Every unit's facts, from the cache or parsed. */
static int read_units(struct program *p, struct options *o, const struct compdb *db,
                      struct parser *parser, struct strbuf *err)
{
    struct cache cache;
    if (parser_open(parser, o->cache, err))
        return -1;
    report_set_parser(parser->version);
    cache_open(&cache, o->cache, cache_salt(o, parser));
    int result = scan_all(db, o, parser, &cache, p, err);
    if (o->verbose && !result)
        fprintf(stderr, "numafy: %zu units, %zu of them from the cache\n", db->units.count,
                cache.hits);
    cache_close(&cache);
    return result;
}

enum exit_code pipeline_run(struct options *o, int argc, char **argv, struct strbuf *err)
{
    struct compdb db = {0};
    struct program p = {0};
    struct links links = {0};
    struct parser parser = {0};
    enum exit_code code = EXIT_USAGE;
    if (!compdb_read(&db, o->database, err) && (!*o->links || !links_read(&links, o->links, err))) {
        note_products(o, &db);
        check_build_folder(o, &db);
        code = EXIT_INTERNAL;
        if (!read_units(&p, o, &db, &parser, err)) {
            mark_replaced(&p, &db, *o->links ? &links : NULL);
            program_merge(&p);
            program_add_orphans(&p, o);
            if (!program_account(&p, err))
                code = finish(&p, o, argc, argv, err);
        }
    }
    program_release(&p);
    parser_release(&parser);
    links_release(&links);
    compdb_release(&db);
    return code;
}
