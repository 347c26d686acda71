/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The soundness check. libclang drops sites silently (lambda initialisers, erroneous expressions),
 * so every word `new` and every allocator's name in a file that some unit read must be one of:
 * site, declaration, name, directive, unexpanded macro argument, inactive everywhere. The rest is
 * LOST and becomes a site of its own.
 */
#include "lex.h"
#include "path.h"
#include "planted.h"
#include "program.h"

#include <errno.h>

static bool in_range(const struct fact_range *items, size_t count, unsigned offset)
{
    for (size_t i = 0; i < count; i++)
        if (offset >= items[i].start && offset < items[i].end)
            return true;
    return false;
}

enum word_state { WORD_INACTIVE, WORD_ARGUMENT, WORD_ACTIVE };

/* The strongest claim of any unit that reads the file: active beats argument beats inactive. */
static enum word_state word_state(const struct program_file *f, unsigned offset)
{
    enum word_state state = WORD_INACTIVE;
    for (size_t i = 0; i < f->views.count && state != WORD_ACTIVE; i++) {
        const struct fact_file *v = f->views.items[i];
        if (in_range(v->inactive.items, v->inactive.count, offset))
            continue;
        bool argument = in_range(v->macros.items, v->macros.count, offset);
        state = argument ? WORD_ARGUMENT : WORD_ACTIVE;
    }
    return state;
}

/* By the first letter of all that is looked for: most words of a tree end here. */
static bool may_be_allocator(const struct lex *l, size_t i)
{
    static const char letters[] = "acmnprv";
    return l->tokens[i].spliced ||
           memchr(letters, l->text[l->tokens[i].offset], sizeof letters - 1) != NULL;
}

static bool is_c_allocator(const struct lex *l, size_t i)
{
    static const char *const names[] = {"malloc",         "calloc",        "realloc",
                                        "reallocarray",   "aligned_alloc", "memalign",
                                        "posix_memalign", "valloc"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (lex_is(l, i, names[k]))
            return true;
    return false;
}

static bool is_word_new(const struct lex *l, size_t i)
{
    if (lex_is(l, i, "new"))
        return true;
    if (i >= l->count || !l->tokens[i].spliced)
        return false;
    char plain[4] = "";
    size_t n = 0;
    for (unsigned k = 0; k < l->tokens[i].length; k++) {
        char c = l->text[l->tokens[i].offset + k];
        if (c == '\\' || c == '\r' || c == '\n')
            continue;
        if (n == 3)
            return false;
        plain[n++] = c;
    }
    return n == 3 && !memcmp(plain, "new", 3);
}

/* `operator new`, `x.malloc`, `T::malloc(`, a declaration by hand in a template: names, not sites.
 */
static bool is_name_by_text(const struct lex *l, size_t i, bool word_new)
{
    if (i && lex_is(l, i - 1, "operator"))
        return true;
    return !word_new && i &&
           (lex_is(l, i - 1, ".") || lex_is(l, i - 1, "->") || lex_is(l, i - 1, "::") ||
            !lex_is(l, i + 1, "("));
}

struct account {
    struct program *p;
    VEC(struct fact_mark) known; /* places of sites and marks in all files, sorted */
};

static int compare_marks(const void *a, const void *b)
{
    const struct fact_mark *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* All places that the parser accounted for. */
static void know_places(struct account *a)
{
    for (size_t i = 0; i < a->p->sites.count; i++) {
        struct fact_mark m = {a->p->sites.items[i].file, a->p->sites.items[i].offset};
        vec_push(&a->known, m);
    }
    for (size_t u = 0; u < a->p->units.count; u++) {
        const struct fact_unit *unit = a->p->units.items[u];
        for (size_t i = 0; i < unit->marks.count; i++)
            vec_push(&a->known, unit->marks.items[i]);
    }
    vec_sort(&a->known, compare_marks);
}

static bool is_known(const struct account *a, const char *file, unsigned offset)
{
    struct fact_mark m = {file, offset};
    return a->known.count &&
           bsearch(&m, a->known.items, a->known.count, sizeof m, compare_marks) != NULL;
}

static void add_site(struct account *a, struct program_file *f, const struct lex *l, size_t i,
                     int id)
{
    struct fact_site *fact = arena_alloc(&a->p->arena, sizeof *fact);
    char *empty = arena_strdup(&a->p->arena, "");
    fact->file = f->path;
    fact->offset = fact->start = l->tokens[i].offset;
    lex_position(l, fact->offset, &fact->line, &fact->column);
    bool word_new = is_word_new(l, i);
    fact->kind = arena_strndup(&a->p->arena, word_new ? "new" : l->text + fact->offset,
                               word_new ? 3 : l->tokens[i].length);
    fact->type = fact->type_key = fact->ctor = fact->function = empty;
    fact->callee = fact->in = fact->cast = fact->dest_var = fact->via = empty;
    fact->left = id;
    struct site *s = vec_add(&a->p->sites);
    s->file = fact->file;
    s->offset = fact->offset;
    s->line = fact->line;
    s->column = fact->column;
    vec_push(&s->votes, fact);
}

static void account_word(struct account *a, struct program_file *f, const struct lex *l, size_t i)
{
    if (!may_be_allocator(l, i))
        return;
    bool word_new = f->cxx && is_word_new(l, i);
    if ((!word_new && !is_c_allocator(l, i)) || l->tokens[i].directive ||
        is_name_by_text(l, i, word_new))
        return;
    unsigned offset = l->tokens[i].offset;
    if (is_known(a, f->path, offset))
        return;
    switch (word_state(f, offset)) {
    case WORD_INACTIVE:
        a->p->inactive++;
        break;
    case WORD_ARGUMENT:
        add_site(a, f, l, i, NF_MACRO_ARGUMENT);
        break;
    case WORD_ACTIVE:
        if (lex_unevaluated(l, i)) { /* libclang does not visit noexcept(..) and requires */
            add_site(a, f, l, i, NF_UNEVALUATED);
            break;
        }
        if (NUMAFY_PLANTED_TOOL(15))
            break;
        add_site(a, f, l, i, NF_LOST);
        a->p->lost++;
        break;
    }
}

static int compare_sites(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    int c = strcmp(x->file, y->file);
    return c ? c : x->offset < y->offset ? -1 : x->offset > y->offset;
}

int program_account(struct program *p, struct strbuf *err)
{
    struct account a = {.p = p};
    int result = 0;
    know_places(&a);
    for (size_t i = 0; i < p->files.count && !result; i++) {
        struct program_file *f = &p->files.items[i];
        if (!f->read_ok)
            continue;
        struct strbuf text = {0};
        struct lex l;
        if (path_read(f->path, &text)) {
            strbuf_printf(err, "cannot read %s: %s", f->path, strerror(errno));
            result = -1;
        } else {
            lex_init(&l, strbuf_str(&text), text.len);
            for (size_t k = 0; k < l.count; k++)
                account_word(&a, f, &l, k);
            lex_release(&l);
        }
        strbuf_release(&text);
    }
    vec_release(&a.known);
    vec_sort(&p->sites, compare_sites);
    return result;
}
