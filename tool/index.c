/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

#include "diag.h"
#include "path.h"

#include <glob.h>
#include <string.h>
#include <unistd.h>

static char *take(struct arena *a, CXString s)
{
    const char *c = clang_getCString(s);
    char *copy = arena_strdup(a, c ? c : "");
    clang_disposeString(s);
    return copy;
}

char *index_version(struct arena *a)
{
    return take(a, clang_getClangVersion());
}

static bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

/* Arguments that write files, turn warnings into errors, or that clang is known to refuse.
 * *words is how many arguments the option takes in all. */
static bool is_unwanted(const char *arg, int *words)
{
    static const char *const alone[] = {"-c",
                                        "-S",
                                        "-E",
                                        "-MD",
                                        "-MMD",
                                        "-MP",
                                        "-MG",
                                        "-M",
                                        "-MM",
                                        "-fmodules-ts",
                                        "-pedantic-errors",
                                        "-pipe"};
    static const char *const with_value[] = {"-o", "-MF", "-MT", "-MQ", "--param", "-wrapper"};
    static const char *const prefixes[] = {
        "-Werror", "-specs=", "-fplugin", "--param=", "-save-temps",
        "-fdump-", "-Wp,-M",  "-MF",      "-MT",      "-MQ"};
    *words = 1;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (!strcmp(arg, alone[i]))
            return true;
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++)
        if (!strcmp(arg, with_value[i])) {
            *words = 2;
            return true;
        }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (starts(arg, prefixes[i]))
            return true;
    return starts(arg, "-o") && arg[2] && strcmp(arg, "-openmp") != 0;
}

static bool in_list(const strings *list, const char *s)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], s))
            return true;
    return false;
}

/* The language, as the driver would choose it. */
static bool is_cxx(const struct compdb_unit *u)
{
    static const char *const names[] = {"cc", "cp",  "cxx", "cpp", "CPP",  "c++", "C",
                                        "hh", "hpp", "hxx", "h++", "cppm", "ixx"};
    for (size_t i = 1; i < u->argv.count; i++) {
        const char *arg = u->argv.items[i];
        const char *x = starts(arg, "-x") ? arg + 2 : starts(arg, "--language=") ? arg + 11 : NULL;
        if (x && !*x && i + 1 < u->argv.count)
            x = u->argv.items[i + 1];
        if (x)
            return starts(x, "c++");
    }
    const char *slash = strrchr(u->argv.items[0], '/');
    const char *base = slash ? slash + 1 : u->argv.items[0];
    if (strstr(base, "++"))
        return true;
    const char *ext = path_extension(u->file);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(ext, names[i]))
            return true;
    return false;
}

/* Where gcc keeps the headers that only it brings, omp.h above all; NULL: no gcc. */
static const char *gcc_include(struct arena *a)
{
    glob_t found;
    const char *best = NULL;
    if (glob("/usr/lib/gcc/*/*/include", 0, NULL, &found))
        return NULL;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (!best || strverscmp(found.gl_pathv[i], best) > 0)
            best = found.gl_pathv[i];
    best = best ? arena_strdup(a, best) : NULL;
    globfree(&found);
    return best;
}

static bool is_readable(struct arena *a, const struct compdb_unit *u, const char *path)
{
    return access(path_join(a, u->directory, path), R_OK) == 0;
}

static void push_header(struct arena *a, const char *header, strings *out)
{
    /* Not to the driver, which would look for a precompiled one again. */
    const char *words[] = {"-Xclang", "-include", "-Xclang", header};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        vec_push(out, arena_strdup(a, words[i]));
}

/* Precompiled headers may be another compiler's, and hold no text to edit: their headers are read
 * instead. How many words at `i` are that option, 0 if they are none: -include-pch F, or -include F
 * where F.pch or F.gch is there; -Xclang stands before both words or before none. */
static size_t take_precompiled(struct arena *a, const struct compdb_unit *u, size_t i, strings *out)
{
    const char *const *argv = u->argv.items + i;
    const size_t step = strcmp(argv[0], "-Xclang") ? 1 : 2, words = 2 * step;
    if (u->argv.count - i < words)
        return 0;
    const char *option = argv[step - 1], *file = argv[words - 1], *ext = path_extension(file);
    const bool named = !strcmp(option, "-include-pch");
    if (!named && strcmp(option, "-include"))
        return 0;
    if (!named && !is_readable(a, u, arena_printf(a, "%s.pch", file)) &&
        !is_readable(a, u, arena_printf(a, "%s.gch", file)))
        return 0;
    if (named && (!strcmp(ext, "pch") || !strcmp(ext, "gch")))
        file = arena_strndup(a, file, strlen(file) - 4);
    /* CMake names the header, too. */
    for (size_t k = i + words; k < u->argv.count && named; k++)
        if (!strcmp(u->argv.items[k], file))
            return words;
    if (is_readable(a, u, file))
        push_header(a, file, out);
    return words;
}

static void build_argv(struct arena *a, const struct compdb_unit *u, const char *runtime, bool cxx,
                       const strings *dropped, strings *out)
{
    vec_push(out, u->argv.items[0]);
    vec_push(out, arena_strdup(a, cxx ? "--driver-mode=g++" : "--driver-mode=gcc"));
    for (size_t i = 1; i < u->argv.count; i++) {
        int words;
        const char *arg = u->argv.items[i];
        const size_t taken = take_precompiled(a, u, i, out);
        if (taken) {
            i += taken - 1;
            continue;
        }
        if (is_unwanted(arg, &words)) {
            i += (size_t)words - 1;
            continue;
        }
        if (!in_list(dropped, arg))
            vec_push(out, arg);
    }
    /* Warnings are the compiler's business; -w also saves their cost. */
    vec_push(out, arena_strdup(a, "-w"));
    vec_push(out, arena_strdup(a, "-ferror-limit=0"));
    /* The functions that the header-only runtime replaces are no part of the user's program. */
    vec_push(out, arena_strdup(a, "-DNUMAFY_NO_REPLACE"));
    const char *last[] = {runtime, gcc_include(a)};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        if (last[i]) {
            vec_push(out, arena_strdup(a, "-idirafter"));
            vec_push(out, last[i]);
        }
}

static int parse(struct index_tu *ix, const strings *argv)
{
    const unsigned flags =
        CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing;
    enum CXErrorCode code =
        clang_parseTranslationUnit2FullArgv(ix->index, NULL, (const char *const *)argv->items,
                                            (int)argv->count, NULL, 0, flags, &ix->tu);
    return code == CXError_Success ? 0 : -1;
}

/* Collects arguments from "unknown argument: '-fx'" and its like, which name no place. */
static void find_unknown(struct arena *a, CXTranslationUnit tu, strings *dropped)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        CXFile file;
        clang_getFileLocation(clang_getDiagnosticLocation(d), &file, NULL, NULL, NULL);
        char *text = take(a, clang_getDiagnosticSpelling(d));
        char *open = strchr(text, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
        if (!file && clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && close &&
            open[1] == '-')
            strings_add_unique(dropped, arena_strndup(a, open + 1, (size_t)(close - open - 1)));
        clang_disposeDiagnostic(d);
    }
}

static void add_note(struct fact_unit *f, int id, const char *file, unsigned line, unsigned column,
                     const char *text)
{
    struct fact_note *n = vec_add(&f->notes);
    *n = (struct fact_note){id, file, line, column, text};
}

/* Every error with a place fails the unit; the first few are kept for the report. Not those in
 * gcc's own headers: attributes that clang does not know, which change no allocation. */
static void note_errors(CXTranslationUnit tu, struct fact_unit *f)
{
    enum { KEPT = 5 };
    const char *gcc = gcc_include(&f->arena);
    int kept = 0;
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        CXFile file;
        unsigned line, column;
        clang_getFileLocation(clang_getDiagnosticLocation(d), &file, &line, &column, NULL);
        if (file && clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            char *name = take(&f->arena, clang_getFileName(file));
            char *real = path_real(&f->arena, name);
            bool ours = !gcc || !path_within(name, gcc);
            f->failed |= ours;
            if (ours && kept++ < KEPT)
                add_note(f, NF_PARSE_ERROR, real ? real : name, line, column,
                         take(&f->arena, clang_getDiagnosticSpelling(d)));
        }
        clang_disposeDiagnostic(d);
    }
}

int index_open(struct index_tu *ix, const struct compdb_unit *unit, const char *runtime,
               struct fact_unit *facts)
{
    struct arena *a = &facts->arena;
    strings dropped = {0}, argv = {0};
    memset(ix, 0, sizeof *ix);
    ix->cxx = is_cxx(unit);
    if (chdir(unit->directory)) {
        facts->failed = true;
        add_note(facts, NF_FILE_MISSING, unit->file, 0, 0,
                 arena_printf(a, "cannot enter directory %s", unit->directory));
        return -1;
    }
    ix->index = clang_createIndex(0, 0);
    build_argv(a, unit, runtime, ix->cxx, &dropped, &argv);
    int code = parse(ix, &argv);
    if (ix->tu)
        find_unknown(a, ix->tu, &dropped);
    if (dropped.count) {
        if (ix->tu)
            clang_disposeTranslationUnit(ix->tu);
        ix->tu = NULL;
        argv.count = 0;
        build_argv(a, unit, runtime, ix->cxx, &dropped, &argv);
        code = parse(ix, &argv);
        for (size_t i = 0; i < dropped.count; i++)
            add_note(facts, NF_FLAG_DROPPED, unit->file, 0, 0, dropped.items[i]);
    }
    vec_release(&argv);
    vec_release(&dropped);
    if (code || !ix->tu) {
        facts->failed = true;
        add_note(facts, NF_PARSE_ERROR, unit->file, 0, 0,
                 arena_strdup(a, "the parser refuses the command line"));
        index_close(ix);
        return -1;
    }
    note_errors(ix->tu, facts);
    return 0;
}

void index_close(struct index_tu *ix)
{
    if (ix->tu)
        clang_disposeTranslationUnit(ix->tu);
    if (ix->index)
        clang_disposeIndex(ix->index);
    memset(ix, 0, sizeof *ix);
}
