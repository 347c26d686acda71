# SPDX-License-Identifier: Apache-2.0
"""C programs. A program is a set of functions whose names end with its seed; several share a file and one main.

CONSTRUCTS and CONTEXTS are texts with holes; `_Filler` names the holes. Every context makes a struct O whose member f
takes, in one way or another, what the expression yields.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple

from .cells import Cell, dealt


@dataclass(frozen=True)
class Construct:
    """How memory is asked for: a text with @T (type), @d (what it is assigned to), @N (elements).

    types: which kinds of types it can make. many: an array. cast: the result may be cast to the pointer type.
    """

    family: str
    text: str
    types: Tuple[str, ...] = ("tagged", "named", "both", "variant")
    many: bool = False
    cast: bool = True


ANY = ("tagged", "named", "both", "variant", "int", "pointer")

CONSTRUCTS: Dict[str, Construct] = {
    "malloc-type": Construct("malloc", "malloc@s(sizeof(@T))"),
    "malloc-star": Construct("malloc", "malloc(sizeof@s *@d)"),
    "malloc-star-parens": Construct("malloc", "malloc(sizeof(*@d))"),
    "malloc-in-parens": Construct("malloc", "(malloc)(sizeof(@T))"),
    "malloc-array": Construct("array", "malloc(@N@s*@ssizeof *@d)", ANY, many=True),
    "malloc-array-type": Construct("array", "malloc(sizeof(@T) * @N)", ANY, many=True),
    "malloc-array-in-sizeof": Construct("array", "malloc(sizeof(@T[4]))", ("tagged", "named", "int"), many=True),
    "calloc-one": Construct("calloc", "calloc(1,@ssizeof(@T))"),
    "calloc-star": Construct("calloc", "calloc(1, sizeof *@d)"),
    "calloc-array": Construct("calloc", "calloc(@N, sizeof(@T))", ANY, many=True),
    "realloc-null": Construct("realloc", "realloc(NULL, sizeof(@T))"),
    "realloc-array": Construct("realloc", "realloc(NULL, @N * sizeof *@d)", ANY, many=True),
    "reallocarray": Construct("realloc", "reallocarray(NULL, @N, sizeof(@T))", ANY, many=True),
    "aligned-alloc": Construct("aligned", "aligned_alloc(64, (sizeof(@T) + 63) / 64 * 64)"),
    "macro-type": Construct("macro", "NEW(@T)", cast=False),
    "macro-array": Construct("macro", "NEW_ARRAY(@T, @N)", many=True, cast=False),
    "macro-alias": Construct("macro", "ALLOCATE(sizeof(@T))"),
    "wrapper": Construct("wrapper", "xmalloc(sizeof(@T))"),
    "wrapper-array": Construct("wrapper", "xcalloc(@N, sizeof *@d)", ANY, many=True),
    "wrapper-inline": Construct("wrapper", "zalloc(&heap, sizeof *@d)"),
    "wrapper-twice": Construct("wrapper-twice", "wmalloc(1, sizeof(@T))"),
    "wrapper-twice-array": Construct("wrapper-twice", "wmalloc(@N, sizeof(@T))", ANY, many=True),
    "factory": Construct("factory", "fresh_@Y(x)", cast=False),
    "factory-of-factory": Construct("factory", "again_@Y(x)", cast=False),
    "flexible": Construct("flexible", "malloc(sizeof(@T) + 5 * sizeof(int))", ("flexible",)),
    "flexible-star": Construct("flexible", "malloc(sizeof *@d + sizeof(int[5]))", ("flexible",)),
    "flexible-calloc": Construct("flexible", "calloc(1, sizeof(@T) + 5 * sizeof(int))", ("flexible",)),
    "strdup": Construct("string", "strdup(\"malloc @K\")", ("char",)),
    "strndup": Construct("string", "strndup(x & 1u ? \"calloc\" : \"free it\", 5)", ("char",)),
    "string-malloc": Construct("string", "strcpy(malloc(6), \"abcde\")", ("char",)),
    "pointer": Construct("indirect", "hooks.allocate(sizeof(@T))"),
}  # fmt: skip


@dataclass(frozen=True)
class Context:
    """Where the expression stands. make: the function make@K(o, x), and what it needs; dest: what @d is there.

    fields: more members of O. call: how it is called. needs: one (no string or flexible array, whose sizes @d cannot
    tell), header (a static inline function of the header).
    """

    family: str
    make: str
    dest: str = "o->f"
    fields: str = ""
    call: str = "make@K(o, x);"
    needs: FrozenSet[str] = frozenset()


_HEAD = "static void make@K(struct O@K *o, unsigned x)\n{\n"

CONTEXTS: Dict[str, Context] = {
    "field": Context("field", _HEAD + "    o->f =@s@E;\n}"),
    "field-then-check": Context("field", _HEAD + "    o->f = @E;\n    if (o->f == NULL)\n        abort();\n}"),
    "if-null": Context("condition", _HEAD + "    if ((o->f = @E) == NULL)\n        abort();\n}"),
    "if-not": Context("condition", _HEAD + "    if (!(o->f = @E))\n        return;\n    o->n++;\n}"),
    "while": Context("condition", _HEAD + "    while (!(o->f = @E))\n        o->n++;\n}"),
    "initialiser": Context("local", _HEAD + "    @P p = @E;\n    o->f = p;\n}", "p"),
    "local-assignment": Context("local", _HEAD + "    @P p;\n\n    p = @E;\n    o->f = p;\n}", "p"),
    "for": Context("local", _HEAD + "    @P p;\n    for (p = @E; p; p = NULL)\n        o->f = p;\n}", "p"),
    "two-declarators": Context("local", _HEAD + "    @Pp = @E, *q = p;\n    o->f = q;\n}", "p"),
    "return": Context(
        "return", "static @P build@K(unsigned x)\n{\n    return @E;\n}\n" + _HEAD + "    o->f = build@K(x);\n}", ""
    ),
    "return-with-owner": Context(
        "return",
        "static @P build@K(struct O@K *o, unsigned x)\n{\n    o->n += x;\n    return @E;\n}\n"
        + _HEAD + "    o->f = build@K(o, x);\n}",
        "o->f",
    ),
    "return-local": Context(
        "return",
        "static @P build@K(unsigned x)\n{\n    @P p = @E;\n    if (!p)\n        return NULL;\n    return p;\n}\n"
        + _HEAD + "    o->f = build@K(x);\n}",
        "p",
    ),
    "argument": Context(
        "argument",
        "static void take@K(struct O@K *o, @P p, int n)\n{\n    o->f = p;\n    o->n = n;\n}\n" + _HEAD + "    take@K(o, @E, 2);\n}",
    ),
    "argument-first": Context(
        "argument", "static void put@K(@P p, @P *to)\n{\n    *to = p;\n}\n" + _HEAD + "    put@K(@E, &o->f);\n}"
    ),
    "conditional": Context("conditional", _HEAD + "    o->f = x ? @E : NULL;\n}"),
    "both-arms": Context("conditional", _HEAD + "    o->f = x & 1u ?@s@E:@s@E;\n}"),
    "comma": Context("conditional", _HEAD + "    o->f = (o->n++, @E);\n}"),
    "slot": Context("slot", _HEAD + "    unsigned i = x % 3u;\n    o->slots[i] = @E;\n    o->f = o->slots[i];\n}", "o->slots[i]", "@P slots[3];"),
    "double-pointer": Context(
        "slot", "static void give@K(@P *to, unsigned x)\n{\n    *to = @E;\n}\n" + _HEAD + "    give@K(&o->f, x);\n}", "*to"
    ),
    "array-parameter": Context(
        "slot",
        "static void give@K(@P to[], unsigned x)\n{\n    to[x & 1u] = @E;\n}\n"
        + _HEAD + "    @P two[2] = {NULL, NULL};\n    give@K(two, x);\n    o->f = two[x & 1u];\n}",
        "to[0]",
    ),
    "out-parameter": Context(
        "slot",
        "static int give@K(struct O@K *o, @P *out, unsigned x)\n{\n    @P p = @E;\n    o->n++;\n    if (!p)\n        return -1;\n"
        "    *out = p;\n    return 0;\n}\n" + _HEAD + "    if (give@K(o, &o->f, x))\n        abort();\n}",
        "p",
    ),
    "struct-initialiser": Context("aggregate", _HEAD + "    struct O@K t = {.f = @E, .n = 1};\n    o->f = t.f;\n    o->n = t.n;\n}", ""),
    "compound-literal": Context("aggregate", _HEAD + "    *o = (struct O@K){.f = @E, .n = 3};\n}", "o->f"),
    "by-value": Context(
        "aggregate",
        "static struct O@K made@K(struct O@K o, unsigned x)\n{\n    o.f = @E;\n    return o;\n}\n" + _HEAD + "    *o = made@K(*o, x);\n}",
        "o.f",
    ),
    "void-field": Context("void", _HEAD + "    o->any = @E;\n    o->f = o->any;\n}", "o->f", "void *any;"),
    "void-local": Context("void", _HEAD + "    void *p = @E;\n    o->f = p;\n}"),
    "global": Context("global", "static @P root@K;\n" + _HEAD + "    root@K = @E;\n    o->f = root@K;\n    root@K = NULL;\n}", "root@K"),
    "global-struct": Context(
        "global", "static struct { @P f; long n; } table@K;\n" + _HEAD + "    table@K.f = @E;\n    o->f = table@K.f;\n    table@K.f = NULL;\n}", "table@K.f"
    ),
    "static-local": Context("global", _HEAD + "    static @P kept;\n    kept = @E;\n    o->f = kept;\n    kept = NULL;\n}", "kept"),
    "nested-member": Context("nested", _HEAD + "    o->in.deep.p = @E;\n    o->f = o->in.deep.p;\n}", "o->in.deep.p", "struct { struct { @P p; } deep; } in;"),
    "union-member": Context("nested", _HEAD + "    o->u.p = @E;\n    o->f = o->u.p;\n}", "o->u.p", "union { @P p; long l; } u;"),
    "statement-expression": Context("extension", _HEAD + "    o->f = __extension__({ @P p = @E; p; });\n}", "p"),
    "generic": Context("extension", _HEAD + "    o->f = _Generic(o->n, unsigned: @E, default: NULL);\n}"),
    "old-style": Context("extension", "static void make@K(o, x)\n    struct O@K *o;\n    unsigned x;\n{\n    o->f = @E;\n}"),
    "recursion": Context(
        "nodes",
        "static struct N@K *insert@K(struct N@K *t, unsigned x)\n{\n    if (t == NULL) {\n        t = calloc(1, sizeof *t);\n"
        "        t->p = @E;\n    } else if (x & 1u)\n        t->left = insert@K(t->left, x / 2u);\n    else\n"
        "        t->right = insert@K(t->right, x / 2u);\n    return t;\n}\n"
        + _HEAD + "    o->top = insert@K(o->top, x);\n    o->f = o->top->p;\n    free(o->top);\n}",
        "t->p",
        "struct N@K { @P p; struct N@K *left, *right; } *top;",
    ),
    "list": Context(
        "nodes",
        _HEAD + "    struct L@K *l = malloc(sizeof *l);\n    l->p = @E;\n    l->next = o->head;\n    o->head = l;\n    o->f = l->p;\n"
        "    o->head = l->next;\n    free(l);\n}",
        "l->p",
        "struct L@K { @P p; struct L@K *next; } *head;",
    ),
    "hash-table": Context(
        "nodes",
        _HEAD + "    struct H@K **at = &o->buckets[x % 4u];\n    while (*at && (*at)->key != x)\n        at = &(*at)->next;\n"
        "    if (!*at) {\n        *at = calloc(1, sizeof **at);\n        (*at)->key = x;\n        (*at)->value = @E;\n    }\n"
        "    o->f = (*at)->value;\n    free(*at);\n    *at = NULL;\n}",
        "(*at)->value",
        "struct H@K { unsigned key; @P value; struct H@K *next; } *buckets[4];",
    ),
    "growth": Context(
        "nodes",
        _HEAD + "    @P *more = realloc(o->all, (o->used + 1) * sizeof *o->all);\n    if (!more)\n        abort();\n    o->all = more;\n"
        "    o->all[o->used++] = @E;\n    o->f = o->all[0];\n    free(o->all);\n    o->all = NULL;\n}",
        "o->all[0]",
        "@P *all; size_t used;",
    ),
    "goto-cleanup": Context(
        "branch",
        "static int try@K(struct O@K *o, unsigned x)\n{\n    int rc = -1;\n    @P p = NULL;\n    void *scratch = malloc(x + 1u);\n"
        "    if (!scratch)\n        goto out;\n    p = @E;\n    if (!p)\n        goto out;\n    o->f = p;\n    p = NULL;\n    rc = 0;\n"
        "out:\n    free(p);\n    free(scratch);\n    return rc;\n}\n" + _HEAD + "    if (try@K(o, x))\n        abort();\n}",
        "p",
    ),
    "switch": Context("branch", _HEAD + "    switch (x & 1u) {\n    case 0:\n        o->f = @E;\n        break;\n    default: o->f = @E;\n    }\n}"),
    "if-else": Context("branch", _HEAD + "    if (x > 20u)\n        o->f = @E;\n    else\n        o->f = @E;\n}"),
    "macro-argument": Context("macro", _HEAD + "    KEEP(o->f = @E);\n}"),
    "macro-checked": Context("macro", _HEAD + "    CHECKED(o->f, @E);\n}"),
    "macro-body": Context("macro", "#define MAKE@K(to, x) ((to)->f = @L, (void)(x))\n" + _HEAD + "    MAKE@K(o, x);\n}", "(to)->f"),
    "callback": Context(
        "function", "static void fill@K(struct O@K *o, unsigned x)\n{\n    o->f = @E;\n}\n" + _HEAD + "    void (*volatile fn)(struct O@K *, unsigned) = fill@K;\n    fn(o, x);\n}"
    ),
    "tail-recursion": Context(
        "function",
        "static void dig@K(struct O@K *o, unsigned x, unsigned depth)\n{\n    if (!depth) {\n        o->f = @E;\n        return;\n    }\n"
        "    dig@K(o, x, depth - 1u);\n}\n" + _HEAD + "    dig@K(o, x, x % 5u);\n}",
    ),
    "header": Context("function", "static inline void make@K(struct O@K *o, unsigned x)\n{\n    o->f = @E;\n}", needs=frozenset({"header"})),
    "freed-before": Context("function", _HEAD + "    o->f = malloc(8);\n    free(o->f);\n    o->f = @E;\n}"),
}  # fmt: skip


def _fits(construct: Construct, context: Context) -> bool:
    if "@d" in construct.text and not context.dest:
        return False
    if "x" in re.findall(r"\bx\b", construct.text) and context.family == "old-style":
        return False
    return True


VARIANTS: Dict[Cell, List[Tuple[str, str]]] = {}
for _c in CONSTRUCTS:
    for _x in CONTEXTS:
        if _fits(CONSTRUCTS[_c], CONTEXTS[_x]):
            VARIANTS.setdefault(Cell(CONSTRUCTS[_c].family, CONTEXTS[_x].family), []).append((_c, _x))
#: All that there are, by family.
CELLS: List[Cell] = list(VARIANTS)


def cells_of(seed: int) -> List[Cell]:
    return dealt(CELLS, seed)


@dataclass(frozen=True)
class Type:
    """name: as C spells it; tag: a word of it, for functions and for --place."""

    name: str
    tag: str
    text: str


_USE = (
    "static inline unsigned use_@Y(@T *p, unsigned n, unsigned x)\n{\n    unsigned h = 11u;\n    (void)x;\n    if (!p)\n        return h;\n"
    "    for (unsigned i = 0; i < n; i++) {\n@W    }\n    for (unsigned i = 0; i < n; i++)\n        h = h * 31u + @R;\n    return h;\n}\n"
)
_FRESH = (
    "static inline @T *fresh_@Y(unsigned x)\n{\n    @T *p = malloc(sizeof *p);\n    if (p)\n        memset(p, (int)(x & 127u), sizeof *p);\n"
    "    return p;\n}\nstatic inline @T *again_@Y(unsigned x)\n{\n    return fresh_@Y(x + 1u);\n}\n"
)
_TYPES: Dict[str, Tuple[str, str, str, str, str]] = {
    # kind: name, definition, what writes p[i], what reads it
    "tagged": ("struct @Y", "struct @Y {\n    unsigned a;@X\n    struct @Y *next;\n};\n",
               "        p[i].a = x + i;\n        p[i].next = p;\n", "p[i].a + (p[i].next == p)", ""),
    "named": ("@Y", "typedef struct {\n    unsigned short a;@X\n    char c[20];\n} @Y;\n",
              "        p[i].a = (unsigned short)(x * 3u + i);\n        memset(p[i].c, (int)(x & 63u), sizeof p[i].c);\n",
              "p[i].a + (unsigned char)p[i].c[x % 20u]", ""),
    "both": ("@Y", "typedef struct @Y @Y;\nstruct @Y {\n    long l;@X\n    @Y *up, *down;\n    struct { unsigned b; } in;\n};\n",
             "        p[i].l = (long)x;\n        p[i].up = p[i].down = NULL;\n        p[i].in.b = i;\n",
             "(unsigned)p[i].l + p[i].in.b + (p[i].up == p[i].down)", ""),
    "variant": ("struct @Y", "struct @Y {\n    int kind;@X\n    union { long l; void *p; char c[12]; } u;\n};\n",
                "        p[i].kind = (int)(i & 1u);\n        p[i].u.l = (long)x;\n", "(unsigned)p[i].kind * 5u + (unsigned)p[i].u.l", ""),
    "flexible": ("struct @Y", "struct @Y {\n    unsigned n;@X\n    int items[];\n};\n",
                 "        p->n = 5u;\n        for (unsigned k = 0; k < p->n; k++)\n            p->items[k] = (int)(x + k);\n",
                 "p->n + (unsigned)p->items[x % 5u]", ""),
    "int": ("int", "", "        p[i] = (int)(x + i);\n", "(unsigned)p[i]", ""),
    "pointer": ("void *", "", "        p[i] = i & 1u ? p : NULL;\n", "(p[i] == p)", ""),
    "char": ("char", "", "        p[0] = (char)('a' + x % 26u);\n", "(unsigned char)p[0] + (unsigned)strlen(p)", ""),
}  # fmt: skip


def _types(rng: random.Random, seed: int) -> Dict[str, Type]:
    found = {}
    for number, (kind, (name, text, write, read, _)) in enumerate(_TYPES.items()):
        tag = rng.choice(("item", "row", "cell", "part")) + f"{number}_{seed}"
        extra = rng.choice(("", "\n    char pad[%d];" % rng.randrange(1, 300), "\n    double d;", "\n    void *any;"))
        whole = text + _USE.replace("@W", write).replace("@R", read)
        if text and kind != "flexible":
            whole += _FRESH
        whole = whole.replace("@X", extra).replace("@T", name).replace("@Y", tag)
        found[kind] = Type(name.replace("@Y", tag), tag, whole)
    return found


_HOLES = re.compile(r"@([A-Zsd])")


class Program:
    """The program of one seed. `only` keeps some of its cells, by their positions, for the search of a small one."""

    language = "c"

    def __init__(self, seed: int, only: Optional[Sequence[int]] = None, roots: bool = False) -> None:
        self.seed = seed
        self.name = f"c{seed}"
        cells = cells_of(seed)
        self.positions = list(range(len(cells))) if only is None else list(only)
        self.cells = [cells[i] for i in self.positions]
        #: What became of each cell: names of CONSTRUCTS and CONTEXTS.
        self.variants: List[Tuple[str, str]] = []
        self.roots = roots
        rng = random.Random(f"c {seed}")
        self._types = _types(rng, seed)
        texts = [self._cell(i, cells[i]) for i in self.positions]
        #: Names that --place and --root can be given.
        self.placeable = [t.tag for t in self._types.values() if "struct" in t.text]
        self.rootable = [
            m.group(1) for h, s in texts for m in re.finditer(r"^static struct \{.*\} (table\w+);", h + s, re.M)
        ]
        self.header = "".join(f"{t.text}\n" for t in self._types.values()) + "".join(h for h, _ in texts)
        calls = "".join(
            f"    h = h * 31u + check{seed}_{i}({rng.randrange(1, 50)}u);\n" for i in self.positions
        )
        self.source = (
            f"{''.join(s for _, s in texts)}unsigned run_{self.name}(void);\nunsigned run_{self.name}(void)\n{{\n"
            f"    unsigned h = {seed}u;\n{calls}    return h * 31u + __LINE__;\n}}\n"
        )

    def _cell(self, number: int, cell: Cell) -> Tuple[str, str]:
        """(text for the header, text for the source)"""
        rng = random.Random(f"c {self.seed} {number}")
        names = rng.choice(VARIANTS[cell])
        self.variants.append(names)
        construct, context = CONSTRUCTS[names[0]], CONTEXTS[names[1]]
        fill = _Filler(rng, construct, context, self._types[rng.choice(construct.types)], f"{self.seed}_{number}")
        # A member's struct with a name of its own is declared where its owner is.
        fields = f"    {context.fields}\n" if context.fields else ""
        order = ["    @P f;\n", "    unsigned n;\n", fields]
        rng.shuffle(order)
        text = fill(f"struct O@K {{\n{''.join(order)}}};\n") + fill(context.make) + "\n"
        hold, release = self._hold(rng)
        line = rng.choice(("", "", " + __LINE__"))
        count = "4u" if construct.many else "1u"
        main = fill(
            f"static unsigned check@K(unsigned x)\n{{\n    unsigned h;\n    {hold}\n    {context.call}\n"
            f"    h = use_@Y(o->f, {count}, x){line};\n    free(o->f);\n{release}    return h;\n}}\n\n"
        )
        comment = f"/* {names[0]} in {names[1]} */\n"
        if "header" in context.needs:
            return comment + text, main
        return "", comment + text + main

    def _hold(self, rng: random.Random) -> Tuple[str, str]:
        """How an owner comes into being, and how it goes."""
        if rng.random() < 0.3:
            return "struct O@K held = {0}, *o = &held;", ""
        mark = f"NUMA({rng.randrange(3)}) " if self.roots else ""
        text = rng.choice(("calloc(1, sizeof *o)", "xcalloc(1, sizeof(struct O@K))", "NEW(struct O@K)"))
        return f"{mark}struct O@K *o = {text};\n    memset(o, 0, sizeof *o);", "    free(o);\n"


class _Filler:
    """Fills a text's holes.

    @E the expression, @L on one line, @P the pointer type, @T the type, @Y its word, @d what is assigned to, @N the count,
    @K the cell's name, @s some white space or a comment.
    """

    def __init__(self, rng: random.Random, construct: Construct, context: Context, kind: Type, name: str) -> None:
        self._rng = rng
        self._construct = construct
        self._context = context
        self._type = kind
        self._name = name

    def __call__(self, text: str) -> str:
        if not re.search(r"\bx\b", self._construct.text):
            text = re.sub(r"\bunsigned x(?=[,);])", "unsigned x __attribute__((unused))", text)
        return _HOLES.sub(lambda m: self._hole(m.group(1)), text)

    def _hole(self, name: str) -> str:
        values = {
            "E": lambda: self._expression(True),
            "L": lambda: self._expression(False),
            "P": lambda: f"{self._type.name} *" if self._type.name[-1] != "*" else f"{self._type.name}*",
            "T": lambda: self._type.name,
            "Y": lambda: self._type.tag,
            "d": lambda: self(self._context.dest),
            "N": lambda: self._rng.choice(("4", "4u", "(size_t)4", "FOUR", "(2 + 2)")),
            "K": lambda: self._name,
            "s": lambda: self._rng.choice(("", "", "", " ", "  ", " /* malloc( */ ", "\n        ", "\t")),
        }
        return values[name]()

    def _expression(self, many_lines: bool) -> str:
        text = self._construct.text
        if self._construct.cast and self._rng.random() < 0.3:
            text = "(@P)@s" + text
        return self(text if many_lines else text.replace("@s", ""))


COMMON = """\
/* What all programs of this tree use. */
#ifndef PROGRAMS_COMMON_H
#define PROGRAMS_COMMON_H
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
@ROOTS
#ifdef __clang__
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
#endif

#define NEW(T) ((T *)malloc(sizeof(T)))
#define NEW_ARRAY(T, n) ((T *)calloc((n), sizeof(T)))
#define ALLOCATE malloc
#define KEEP(...) do { __VA_ARGS__; } while (0)
#define CHECKED(to, what) do { (to) = (what); if (!(to)) abort(); } while (0)

enum { FOUR = 4 };

struct heap {
    size_t calls, bytes;
};
extern struct heap heap;

struct hooks {
    void *(*allocate)(size_t);
    void (*release)(void *);
};
extern struct hooks hooks;

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *wmalloc(size_t count, size_t size);

static inline void *zalloc(struct heap *h, size_t size)
{
    void *p = calloc(1, size);
    h->calls++;
    h->bytes += p ? size : 0;
    return p;
}
#endif
"""


def main(programs: Sequence[Program]) -> str:
    """The wrappers; prints one line for every program; a name on the command line runs that one alone."""
    declarations = "".join(f"unsigned run_{p.name}(void);\n" for p in programs)
    rows = "".join(f'    {{"{p.name}", run_{p.name}}},\n' for p in programs)
    return f"""\
#include "common.h"

struct heap heap;
struct hooks hooks = {{malloc, free}};

void *xmalloc(size_t size)
{{
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}}

void *xcalloc(size_t count, size_t size)
{{
    void *p = calloc(count, size);
    if (!p)
        abort();
    return p;
}}

void *wmalloc(size_t count, size_t size)
{{
    heap.calls++;
    return xmalloc(count * size);
}}

{declarations}
static const struct {{
    const char *name;
    unsigned (*run)(void);
}} programs[] = {{
{rows}}};

int main(int argc, char **argv)
{{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (argc < 2 || !strcmp(argv[1], programs[i].name)) {{
            unsigned h = programs[i].run();
            printf("%s %08x %zu\\n", programs[i].name, h, heap.calls);
            fflush(stdout);
        }}
    return 0;
}}
"""
