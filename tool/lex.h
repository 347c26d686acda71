/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw tokens of a C or C++ file, without preprocessing: where words, literals, comments and
 * directives are. It serves what the parser's tree cannot say: the parts of a new-expression, the
 * head of a file, and the check that no word `new` was lost. Never fails: a byte that it does not
 * know is a one-byte punctuator. Offsets are bytes of the raw file (BOM and CR count).
 */
#ifndef NUMAFY_TOOL_LEX_H
#define NUMAFY_TOOL_LEX_H

#include <stdbool.h>
#include <stddef.h>

enum lex_kind { LEX_WORD, LEX_NUMBER, LEX_STRING, LEX_CHAR, LEX_PUNCT, LEX_COMMENT };

struct lex_token {
    unsigned offset, length;
    enum lex_kind kind;
    bool directive;  /* part of a # line */
    bool line_start; /* first token of its line (comments do not count as tokens before it) */
    bool spliced;    /* a backslash-newline is inside */
};

struct lex {
    const char *text; /* borrowed */
    size_t length;
    struct lex_token *tokens; /* comments left out */
    size_t count, room;
};

void lex_init(struct lex *l, const char *text, size_t length);
void lex_release(struct lex *l);

/* True if token i exists and is spelled like this. */
bool lex_is(const struct lex *l, size_t i, const char *spelling);
/* Index of the token that starts at the offset, or l->count. */
size_t lex_at(const struct lex *l, unsigned offset);
/* Index of the first token that starts at or after the offset. */
size_t lex_from(const struct lex *l, unsigned offset);
/* For an opening ( [ { < at i: index of its closing partner, or l->count. < counts >> as two. */
size_t lex_match(const struct lex *l, size_t i);
/* 1-based line and column (bytes) of an offset. */
void lex_position(const struct lex *l, unsigned offset, unsigned *line, unsigned *column);

/* The parts of a new-expression whose word `new` is token `word`. Token indexes; `end` is one past
 * the expression's last token. Fields that do not occur equal each other (open == close == 0). */
struct lex_new {
    size_t first;                   /* `::` or `new` */
    size_t word;                    /* `new` */
    size_t place_open, place_close; /* ( and ) of the placement */
    size_t type, type_end;          /* the type without array bounds and initialiser */
    size_t end;
    bool array;      /* a bound is written */
    bool paren_type; /* new (T)(x) */
    bool complete;   /* the whole expression was understood */
};

/* Splits. `expr_in_parens`: the parser says that an expression starts inside the first
 * parentheses, which decides new (a)(b). */
void lex_split_new(const struct lex *l, size_t word, bool expr_in_parens, struct lex_new *out);

/* Token i stands in an operand of sizeof, decltype, noexcept, typeid, alignof or requires: nothing
 * is evaluated there. */
bool lex_unevaluated(const struct lex *l, size_t i);

#endif
