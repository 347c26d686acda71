/* SPDX-License-Identifier: Apache-2.0 */
#include "lex.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* A cursor that steps over backslash-newlines. */
struct scan {
    const char *s;
    size_t n, at;
};

static size_t splice_at(const struct scan *c, size_t at)
{
    size_t p = at;
    while (p < c->n && c->s[p] == '\\') {
        if (p + 1 < c->n && c->s[p + 1] == '\n')
            p += 2;
        else if (p + 2 < c->n && c->s[p + 1] == '\r' && c->s[p + 2] == '\n')
            p += 3;
        else
            break;
    }
    return p;
}

/* The byte at the cursor after splices, 0 at the end; *at moves to it. */
static unsigned char scan_peek(const struct scan *c, size_t *at)
{
    *at = splice_at(c, *at);
    return *at < c->n ? (unsigned char)c->s[*at] : 0;
}

static bool is_word(unsigned char c)
{
    return c == '_' || c == '$' || c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static void lex_push(struct lex *l, struct lex_token t)
{
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : 256;
        l->tokens = mem_realloc(l->tokens, l->room * sizeof *l->tokens);
    }
    l->tokens[l->count++] = t;
}

/* End of a quoted literal whose quote is at `at`; an unterminated one ends at its line's end. */
static size_t quoted_end(const struct scan *c, size_t at)
{
    char quote = c->s[at++];
    while (at < c->n && c->s[at] != quote) {
        size_t p = splice_at(c, at);
        if (p != at) {
            at = p;
            continue;
        }
        if (c->s[at] == '\n')
            return at;
        at += c->s[at] == '\\' && at + 1 < c->n ? 2 : 1;
    }
    return at < c->n ? at + 1 : c->n;
}

/* End of R"tag( ... )tag" whose quote is at `at`. */
static size_t raw_end(const struct scan *c, size_t at)
{
    size_t open = at + 1;
    while (open < c->n && c->s[open] != '(' && open - at < 18)
        open++;
    if (open >= c->n || c->s[open] != '(')
        return quoted_end(c, at);
    size_t tag = open - at - 1;
    for (size_t p = open + 1; p + tag + 1 < c->n; p++)
        if (c->s[p] == ')' && memcmp(c->s + p + 1, c->s + at + 1, tag) == 0 &&
            c->s[p + 1 + tag] == '"')
            return p + tag + 2;
    return c->n;
}

static size_t comment_end(const struct scan *c, size_t at, unsigned char second)
{
    if (second == '/') {
        while (at < c->n && c->s[at] != '\n') {
            size_t p = splice_at(c, at);
            at = p != at ? p : at + 1;
        }
        return at;
    }
    for (at++; at < c->n; at++)
        if (c->s[at] == '/' && c->s[at - 1] == '*')
            return at + 1;
    return c->n;
}

static bool is_string_prefix(const char *s, size_t n, bool *raw)
{
    static const char *const prefixes[] = {"R", "u8R", "uR", "UR", "LR", "u8", "u", "U", "L"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == n && memcmp(prefixes[i], s, n) == 0) {
            *raw = prefixes[i][n - 1] == 'R';
            return true;
        }
    return false;
}

static size_t word_end(const struct scan *c, size_t at, bool number)
{
    for (;;) {
        size_t p = at;
        unsigned char ch = scan_peek(c, &p);
        unsigned char before = at ? (unsigned char)c->s[at - 1] : 0;
        bool more = is_word(ch);
        if (number && !more) {
            size_t q = p + 1;
            bool sign = (ch == '+' || ch == '-') && strchr("eEpP", before) && before;
            more = ch == '.' || sign || (ch == '\'' && is_word(scan_peek(c, &q)));
        }
        if (!more || !ch)
            return at;
        at = p + 1;
    }
}

/* Only the operators of two or more bytes whose parts would mislead are kept together. */
static size_t punct_length(const struct scan *c, size_t at)
{
    static const char *const two[] = {"::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                                      "&&", "||", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&="};
    if (c->n - at >= 3 && (!memcmp(c->s + at, "...", 3) || !memcmp(c->s + at, "->*", 3) ||
                           !memcmp(c->s + at, "<<=", 3) || !memcmp(c->s + at, ">>=", 3)))
        return 3;
    if (c->n - at >= 2)
        for (size_t i = 0; i < sizeof two / sizeof *two; i++)
            if (!memcmp(c->s + at, two[i], 2))
                return 2;
    return 1;
}

struct lex_state {
    bool line_start, directive;
};

/* Steps over white space; a newline outside a splice ends a directive. */
static size_t skip_space(const struct scan *c, size_t at, struct lex_state *st)
{
    while (at < c->n) {
        size_t p = splice_at(c, at);
        if (p != at) {
            at = p;
            continue;
        }
        unsigned char ch = (unsigned char)c->s[at];
        if (ch == '\n') {
            st->line_start = true;
            st->directive = false;
        } else if (ch != ' ' && ch != '\t' && ch != '\r' && ch != '\v' && ch != '\f') {
            break;
        }
        at++;
    }
    return at;
}

static size_t token_end(const struct scan *c, size_t at, enum lex_kind *kind)
{
    unsigned char ch = (unsigned char)c->s[at];
    size_t p = at + 1;
    unsigned char next = scan_peek(c, &p);
    if (ch == '/' && (next == '/' || next == '*')) {
        *kind = LEX_COMMENT;
        return comment_end(c, p + 1, next);
    }
    if (is_digit(ch) || (ch == '.' && is_digit(next))) {
        *kind = LEX_NUMBER;
        return word_end(c, at + 1, true);
    }
    if (ch == '"' || ch == '\'') {
        *kind = ch == '"' ? LEX_STRING : LEX_CHAR;
        return quoted_end(c, at);
    }
    if (is_word(ch)) {
        size_t end = word_end(c, at + 1, false);
        bool raw = false;
        *kind = LEX_WORD;
        if (end < c->n && (c->s[end] == '"' || c->s[end] == '\'') &&
            is_string_prefix(c->s + at, end - at, &raw)) {
            *kind = LEX_STRING;
            return raw && c->s[end] == '"' ? raw_end(c, end) : quoted_end(c, end);
        }
        return end;
    }
    *kind = LEX_PUNCT;
    return at + punct_length(c, at);
}

void lex_init(struct lex *l, const char *text, size_t length)
{
    memset(l, 0, sizeof *l);
    l->text = text;
    l->length = length;
    struct scan c = {text, length, 0};
    struct lex_state st = {true, false};
    size_t at = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    while ((at = skip_space(&c, at, &st)) < length) {
        struct lex_token t = {.offset = (unsigned)at, .line_start = st.line_start};
        size_t end = token_end(&c, at, &t.kind);
        t.length = (unsigned)(end - at);
        if (t.kind != LEX_COMMENT) {
            if (st.line_start && text[at] == '#')
                st.directive = true;
            t.directive = st.directive;
            t.spliced = memchr(text + at, '\\', end - at) && t.kind == LEX_WORD;
            lex_push(l, t);
            st.line_start = false;
        }
        at = end;
    }
}

void lex_release(struct lex *l)
{
    free(l->tokens);
    memset(l, 0, sizeof *l);
}

bool lex_is(const struct lex *l, size_t i, const char *spelling)
{
    size_t n = strlen(spelling);
    return i < l->count && l->tokens[i].length == n &&
           memcmp(l->text + l->tokens[i].offset, spelling, n) == 0;
}

size_t lex_from(const struct lex *l, unsigned offset)
{
    size_t lo = 0, hi = l->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (l->tokens[mid].offset < offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

size_t lex_at(const struct lex *l, unsigned offset)
{
    size_t i = lex_from(l, offset);
    return i < l->count && l->tokens[i].offset == offset ? i : l->count;
}

static bool lex_is_open(const struct lex *l, size_t i)
{
    return lex_is(l, i, "(") || lex_is(l, i, "[") || lex_is(l, i, "{");
}

static bool lex_is_close(const struct lex *l, size_t i)
{
    return lex_is(l, i, ")") || lex_is(l, i, "]") || lex_is(l, i, "}");
}

/* Template arguments: < and > count only outside parentheses; ; means it was no template. */
static size_t match_angle(const struct lex *l, size_t i)
{
    int depth = 0;
    for (; i < l->count; i++) {
        if (lex_is_open(l, i)) {
            i = lex_match(l, i);
            continue;
        }
        if (lex_is(l, i, "<"))
            depth++;
        else if (lex_is(l, i, ">"))
            depth--;
        else if (lex_is(l, i, ">>"))
            depth -= 2;
        else if (lex_is(l, i, ";") || lex_is_close(l, i))
            return l->count;
        if (depth <= 0)
            return i;
    }
    return l->count;
}

size_t lex_match(const struct lex *l, size_t i)
{
    if (lex_is(l, i, "<"))
        return match_angle(l, i);
    int depth = 0;
    for (; i < l->count; i++) {
        if (l->tokens[i].directive)
            continue;
        if (lex_is_open(l, i))
            depth++;
        else if (lex_is_close(l, i) && --depth == 0)
            return i;
    }
    return l->count;
}

void lex_position(const struct lex *l, unsigned offset, unsigned *line, unsigned *column)
{
    unsigned start = 0;
    *line = 1;
    for (unsigned i = 0; i < offset && i < l->length; i++)
        if (l->text[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    *column = offset - start + 1;
}

static bool word_in(const struct lex *l, size_t i, const char *const *words)
{
    for (; *words; words++)
        if (lex_is(l, i, *words))
            return true;
    return false;
}

static bool is_cv(const struct lex *l, size_t i)
{
    return lex_is(l, i, "const") || lex_is(l, i, "volatile");
}

/* One name with its :: parts and template arguments; returns the index after it. */
static size_t skip_name(const struct lex *l, size_t i)
{
    if (lex_is(l, i, "::"))
        i++;
    while (i < l->count && l->tokens[i].kind == LEX_WORD) {
        if (lex_is(l, i, "template") || lex_is(l, i, "typename")) {
            i++;
            continue;
        }
        bool call = lex_is(l, i, "decltype");
        i++;
        if (call && lex_is(l, i, "("))
            i = lex_match(l, i) + 1;
        if (lex_is(l, i, "<"))
            i = lex_match(l, i) + 1;
        if (!lex_is(l, i, "::"))
            return i;
        i++;
    }
    return i;
}

/* The type-specifiers of a new-type-id; returns the index after them, `i` itself if none. */
static size_t skip_specifiers(const struct lex *l, size_t i)
{
    static const char *const builtin[] = {
        "unsigned", "signed", "short",   "long",    "int",      "char",     "bool",     "float",
        "double",   "void",   "wchar_t", "char8_t", "char16_t", "char32_t", "__int128", NULL};
    static const char *const leading[] = {"typename", "struct", "class", "union", "enum", NULL};
    bool named = false, fundamental = false;
    while (i < l->count) {
        if (is_cv(l, i) || word_in(l, i, leading)) {
            i++;
        } else if (!named && word_in(l, i, builtin)) {
            fundamental = true;
            i++;
        } else if (!named && !fundamental &&
                   (l->tokens[i].kind == LEX_WORD || lex_is(l, i, "::"))) {
            named = true;
            i = skip_name(l, i);
        } else {
            break;
        }
    }
    return i;
}

static size_t skip_pointers(const struct lex *l, size_t i)
{
    while (lex_is(l, i, "*") || lex_is(l, i, "&") || is_cv(l, i))
        i++;
    return i;
}

/* Placement or parenthesised type? Decided by what follows the closing parenthesis. */
static bool is_placement(const struct lex *l, size_t close, bool expr_in_parens)
{
    size_t next = close + 1;
    if (next >= l->count)
        return false;
    if (lex_is(l, next, "::") ||
        (l->tokens[next].kind == LEX_WORD && !lex_is(l, next, "and") && !lex_is(l, next, "or")))
        return true;
    return lex_is(l, next, "(") && expr_in_parens;
}

void lex_split_new(const struct lex *l, size_t word, bool expr_in_parens, struct lex_new *out)
{
    memset(out, 0, sizeof *out);
    out->word = word;
    out->first = word > 0 && lex_is(l, word - 1, "::") ? word - 1 : word;
    size_t i = word + 1;
    if (lex_is(l, i, "(")) {
        size_t close = lex_match(l, i);
        if (close < l->count && is_placement(l, close, expr_in_parens)) {
            out->place_open = i;
            out->place_close = close;
            i = close + 1;
        }
    }
    if (lex_is(l, i, "(")) {
        size_t close = lex_match(l, i);
        out->paren_type = true;
        out->type = i + 1;
        out->type_end = skip_pointers(l, skip_specifiers(l, i + 1));
        out->array = lex_is(l, out->type_end, "[");
        if (lex_is(l, out->type_end, "(")) /* (int (*[2])(int)) */
            for (size_t k = out->type_end; k < lex_match(l, out->type_end); k++)
                out->array |= lex_is(l, k, "[");
        i = close + 1;
        out->complete = close < l->count;
    } else {
        out->type = i;
        out->type_end = skip_pointers(l, skip_specifiers(l, i));
        i = out->type_end;
        out->complete = out->type_end > out->type;
        while (lex_is(l, i, "[") && out->complete) {
            out->array = true;
            i = lex_match(l, i) + 1;
        }
    }
    if (lex_is(l, i, "(") || lex_is(l, i, "{"))
        i = lex_match(l, i) + 1;
    if (i > l->count) {
        i = l->count;
        out->complete = false;
    }
    out->end = i;
}

/* sizeof *new T: only unary operators in between; `f(sizeof(T), new T)` is another expression. */
static bool follows_sizeof(const struct lex *l, size_t i)
{
    while (i > 0 && (lex_is(l, i - 1, "*") || lex_is(l, i - 1, "&") || lex_is(l, i - 1, "!") ||
                     lex_is(l, i - 1, "~") || lex_is(l, i - 1, "+") || lex_is(l, i - 1, "-")))
        i--;
    return i > 0 && lex_is(l, i - 1, "sizeof");
}

/* `requires (...) {` at token i: with a function's body behind it, or a requirement? The latter is
 * an operand. */
static bool is_requirement(const struct lex *l, size_t i)
{
    static const char *const before[] = {"=", "(", ",", "!", "&&", "||", "requires", "return"};
    for (size_t k = 0; i > 0 && k < sizeof before / sizeof *before; k++)
        if (lex_is(l, i - 1, before[k]))
            return true;
    return false;
}

/* requires { } or requires (T t) { }; `brace` is the {. */
static bool opens_requirements(const struct lex *l, size_t brace)
{
    size_t i = brace;
    int depth = 0;
    if (i > 0 && lex_is(l, i - 1, "requires"))
        return true;
    if (i > 0 && lex_is(l, i - 1, ")"))
        do {
            i--;
            depth += lex_is(l, i, ")") - lex_is(l, i, "(");
        } while (i > 0 && depth > 0);
    return i > 0 && lex_is(l, i - 1, "requires") && is_requirement(l, i - 1);
}

bool lex_unevaluated(const struct lex *l, size_t i)
{
    static const char *const words[] = {"sizeof",  "decltype", "noexcept",   "typeid",
                                        "alignof", "typeof",   "__typeof__", "requires"};
    int depth = 0;
    if (follows_sizeof(l, i))
        return true;
    while (i-- > 0) {
        if (lex_is(l, i, ")") || lex_is(l, i, "]") || lex_is(l, i, "}")) {
            depth++;
        } else if (lex_is(l, i, "(") || lex_is(l, i, "[") || lex_is(l, i, "{")) {
            if (depth-- > 0)
                continue;
            depth = 0;
            if (lex_is(l, i, "{") && !(i > 0 && lex_is(l, i - 1, "=")))
                return opens_requirements(l, i);
            for (size_t k = 0; i > 0 && k < sizeof words / sizeof *words; k++)
                if (lex_is(l, i - 1, words[k]))
                    return true;
        } else if (depth == 0 && lex_is(l, i, ";")) {
            return false;
        }
    }
    return false;
}
