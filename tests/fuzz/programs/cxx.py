# SPDX-License-Identifier: Apache-2.0
"""C++ programs. A program is a namespace with a function `unsigned run()`; several share a file and one main.

CONSTRUCTS and CONTEXTS are texts with holes (@E the expression, @P its type, ...); `fill` names the holes. Every context
makes a class O whose member f, or an object of its own, takes what the expression yields.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Dict, FrozenSet, List, Optional, Sequence, Tuple

from .cells import GROUP, Cell, dealt


@dataclass(frozen=True)
class Construct:
    """How memory is asked for: text with @T (type) and @A (an argument), of type `pointer`.

    family: constructs that count as one in a cell. types: which kinds of types it can make. pointer: raw, unique or
    shared. count: elements, 0 for a single object.
    """

    family: str
    text: str
    types: Tuple[str, ...] = ("class",)
    pointer: str = "raw"
    count: int = 0


CLASS = ("plain", "strings", "derived", "final", "aligned", "chain", "template")

CONSTRUCTS: Dict[str, Construct] = {
    "parens": Construct("object", "@new @s@T@s(@A)", CLASS),
    "braces": Construct("object", "@new @T@s{@A}", CLASS + ("aggregate",)),
    "bare": Construct("object", "@new @T", CLASS),
    "empty-parens": Construct("object", "@new @T@s()", CLASS + ("aggregate",)),
    "type-in-parens": Construct("object", "@new (@T)@s(@A)", CLASS),
    "array": Construct("array", "@new @T@s[@N]", CLASS, count=3),
    "array-zeroed": Construct("array", "@new @T[@N]@s()", CLASS + ("aggregate", "int"), count=4),
    "nothrow": Construct("nothrow", "@new (std::nothrow) @T(@A)", CLASS),
    "nothrow-array": Construct("nothrow", "@new (std::nothrow)@s@T[@N]", CLASS, count=2),
    "auto": Construct("object", "@new auto(@T(@A))", ("plain", "strings", "aligned")),
    "fundamental-array": Construct("no-class", "@new @T[@N]", ("int", "long"), count=5),
    "pointers": Construct("no-class", "@new @T[@N]()", ("pointer",), count=4),
    "rows": Construct("no-class", "@new @T[@N][3]", ("rows",), count=2),
    "library": Construct("library", "@new @T(3u + (@A) % 40u, 'x')", ("string",)),
    "make-unique": Construct("make", "std::make_unique<@T>(@A)", CLASS, "unique"),
    "make-shared": Construct("make", "std::make_shared<@T>(@A)", CLASS, "shared"),
    "unique-of-new": Construct("smart-of-new", "std::unique_ptr<@T>(@new @T(@A))", CLASS, "unique"),
    "shared-of-new": Construct("smart-of-new", "std::shared_ptr<@T>(@s@new @T(@A))", CLASS, "shared"),
    "macro": Construct("macro", "FRESH(@T, @A)", CLASS),
    "factory": Construct("factory", "fresh_one<@T>(@A)", CLASS),
    "static-factory": Construct("factory", "@T::create(@A)", CLASS),
    "own-operator": Construct("own-operator", "new @T(@A)", ("own",)),
}


@dataclass(frozen=True)
class Context:
    """Where the expression stands.

    family: contexts that count as one in a cell. members: of the class O, `make(x)` among them unless `call` says otherwise. needs: raw (a plain pointer), one (no
    array), named (the type's name is free). ctor: O has constructors of its own. whole: the text replaces O altogether.
    """

    family: str
    members: str
    before: str = ""
    after: str = ""
    call: str = "o.make(x);"
    needs: FrozenSet[str] = frozenset()
    ctor: bool = False
    whole: str = ""


RAW = frozenset({"raw"})
ONE = frozenset({"raw", "one"})

CONTEXTS: Dict[str, Context] = {
    "assignment": Context("assign", "void make(unsigned x) { @s@f = @E; }"),
    "this-arrow": Context("assign", "void make(unsigned x)\n{\n    this->f =@s@E;\n}"),
    "if": Context("assign", "bool make(unsigned x)\n{\n    if (!(f = @E))\n        return false;\n    return true;\n}"),
    "conditional": Context("conditional", "void make(unsigned x) { f = x ? @E : nullptr; }"),
    "both-arms": Context("conditional", "void make(unsigned x) { f = x & 1u ?@s@E: @s@E; }"),
    "comma": Context("conditional", "unsigned n = 0;\nvoid make(unsigned x) { f = (n++, @E); }"),
    "local": Context("local", "void make(unsigned x) { @P p = @E; f = std::move(p); }"),
    "auto-local": Context("local", "void make(unsigned x) { auto p = @E; f = std::move(p); }"),
    "local-parens": Context("local", "void make(unsigned x) { @P p(@E); f = std::move(p); }"),
    "return": Context("return", "@P build(unsigned x) { return @E; }\nvoid make(unsigned x) { f = build(x); }"),
    "argument": Context(
        "local", "void take(@P p, int) { f = std::move(p); }\nvoid make(unsigned x) { take(@E, 1); }"
    ),
    "constructor-initialiser": Context(
        "constructor", "@P f;\nexplicit O@K(unsigned x = 3u) : f(@E) {}", call="(void)x;", ctor=True
    ),
    "constructor-body": Context(
        "constructor", "@P f;\nexplicit O@K(unsigned x = 3u) : f() { f = @E; }", call="(void)x;", ctor=True
    ),
    "default-member": Context(
        "default", "@P f = @D;\nO@K() = default;", call="(void)x;", ctor=True
    ),
    "static-method": Context(
        "function", "static @P build(unsigned x) { return @E; }\nvoid make(unsigned x) { f = build(x); }"
    ),
    "static-with-owner": Context(
        "function", "static void give(O@K *to, unsigned x) { to->f = @E; }\nvoid make(unsigned x) { give(this, x); }"
    ),
    "free-pointer": Context(
        "function", "", after="static void make@K(O@K *o, unsigned x) { o->f = @E; }", call="make@K(&o, x);"
    ),
    "free-reference": Context(
        "function", "", after="static void make@K(O@K &o, unsigned x)\n{\n    o.f = @E;\n}", call="make@K(o, x);"
    ),
    "lambda-this": Context("lambda", "void make(unsigned x) { auto l = [this, x] { f = @E; (void)x; }; l(); }"),
    "lambda-copy": Context("lambda", "void make(unsigned x) { auto l = [=]() -> void { f = @E; }; l(); }"),
    "lambda-reference": Context("lambda", "void make(unsigned x) { [&] { this->f = @E; }(); }"),
    "lambda-parameter": Context(
        "lambda", "void make(unsigned x)\n{\n    auto l = [](O@K &o, unsigned x) { o.f = @E; };\n    l(*this, x);\n}"
    ),
    "init-capture": Context(
        "lambda", "void make(unsigned x) { auto l = [p = @E] { return p; }; f = l(); }", needs=RAW
    ),
    "function-template": Context(
        "template", "",
        after="template <class O> static void make@K(O &o, unsigned x) { o.f = @E; }",
        call="make@K(o, x);",
    ),
    "dependent-type": Context(
        "template", "void make(unsigned x) { build<@T>(x); }\n"
        "template <class V> void build(unsigned x) { f = @V; }",
        needs=frozenset({"named"}),
    ),
    "class-template": Context(
        "template", "",
        whole="template <class V> struct O@K {\n    @W f;\n    O@K() : f() {}\n    ~O@K() { @F }\n"
        "    O@K(const O@K &) = delete;\n    void operator=(const O@K &) = delete;\n"
        "    void make(unsigned x) { f = @V; }\n};",
        needs=frozenset({"named"}),
    ),
    "operator": Context(
        "operator", "O@K &operator<<(unsigned x) { f = @E; return *this; }", call="o << x;"
    ),
    "conversion": Context(
        "operator", "unsigned n = 0;\noperator @P() const { unsigned x = n; return @E; }\n"
        "void make(unsigned x) { n = x; f = *this; }",
        needs=frozenset({"raw", "named"}),
    ),
    "friend": Context(
        "operator", "friend void befriend(O@K &o, unsigned x) { o.f = @E; }", call="befriend(o, x);"
    ),
    "if-constexpr": Context(
        "branch", "template <bool B> void pick(unsigned x)\n{\n    if constexpr (B)\n        f = @E;\n    else\n"
        "        this->f = @E;\n}\nvoid make(unsigned x) { pick<true>(x); }"
    ),
    "nested-class": Context(
        "nested", "struct Inner {\n    O@K *up;\n    void make(unsigned x) { up->f = @E; }\n};\n"
        "void make(unsigned x) { Inner i = {this}; i.make(x); }"
    ),
    "local-class": Context(
        "nested", "void make(unsigned x)\n{\n    struct Local {\n        @P p;\n        void fill(unsigned x) { p = @E; }\n    };\n"
        "    Local l = {};\n    l.fill(x);\n    f = std::move(l.p);\n}"
    ),
    "out-of-line": Context(
        "assign", "void make(unsigned x);", after="void O@K::make(unsigned x)\n{\n    f = @E;\n}"
    ),
    "macro-argument": Context("macro", "void make(unsigned x) { KEEP(f = @E); }"),
    "macro-body": Context(
        "macro", "void make(unsigned x) { MAKE_@U(this, x); }",
        before="#define MAKE_@U(to, x) ((void)((to)->f = @L))",
    ),
    "slot": Context(
        "slot", "@P slots[3] = {};\nvoid make(unsigned x)\n{\n    unsigned i = x % 3u;\n    slots[i] = @E;\n"
        "    f = std::move(slots[i]);\n    slots[i] = nullptr;\n}"
    ),
    "pointer-to-slot": Context(
        "slot", "static void give(@P *to, unsigned x) { *to = @E; }\nvoid make(unsigned x) { give(&f, x); }"
    ),
    "reference-to-slot": Context(
        "slot", "static void give(@P &to, unsigned x) { to = @E; }\nvoid make(unsigned x) { give(f, x); }"
    ),
    "container": Context(
        "container", "std::vector<@P> all;\nvoid make(unsigned x)\n{\n    all.reserve(2);\n    all.push_back(@E);\n"
        "    f = std::move(all[0]);\n    all.clear();\n}"
    ),
    "map-value": Context(
        "container", "std::map<unsigned, @P> all;\nvoid make(unsigned x)\n{\n    all[x % 5u] = @E;\n"
        "    f = std::move(all[x % 5u]);\n    all.clear();\n}"
    ),
    "try": Context(
        "branch", "void make(unsigned x)\n{\n    try {\n        if (x % 3u == 0)\n            throw 1;\n        f = @E;\n"
        "    } catch (int) {\n        f = @E;\n    }\n}"
    ),
    "switch": Context(
        "branch", "void make(unsigned x)\n{\n    switch (x & 1u) {\n    case 0: f = @E; break;\n    default: f = @E;\n    }\n}"
    ),
    "for": Context(
        "branch", "void make(unsigned x) { for (@P p = @E; p; p = nullptr) f = std::move(p); }",
        needs=frozenset({"unique"}),
    ),
    "virtual": Context(
        "inheritance", "struct Base {\n    virtual ~Base() = default;\n    virtual void make(O@K &, unsigned) = 0;\n};\n"
        "struct Derived final : Base {\n    void make(O@K &o, unsigned x) override { o.f = @E; }\n};\n"
        "void make(unsigned x) { Derived d; Base &b = d; b.make(*this, x); }"
    ),
    "base": Context(
        "inheritance", "",
        whole="struct Base@K {\n    @P f = nullptr;\n    Base@K() = default;\n    ~Base@K() { @F }\n"
        "    Base@K(const Base@K &) = delete;\n    void operator=(const Base@K &) = delete;\n"
        "    void make(unsigned x) { f = @E; }\n};\nstruct O@K : Base@K {\n    int more = 1;\n};",
    ),
    "second-base": Context(
        "inheritance", "",
        whole="struct Base@K {\n    @P f = nullptr;\n    Base@K() = default;\n    ~Base@K() { @F }\n"
        "    Base@K(const Base@K &) = delete;\n    void operator=(const Base@K &) = delete;\n};\n"
        "struct First@K {\n    long a = 4;\n};\n"
        "struct O@K : First@K, Base@K {\n    void make(unsigned x) { f = @E; }\n};",
    ),
    "union": Context(
        "nested", "union {\n    @P p;\n    long other;\n};\nvoid make(unsigned x) { p = @E; f = p; }", needs=RAW
    ),
    "default-argument": Context(
        "default", "void take(@P p = @D) { f = std::move(p); }\nvoid make(unsigned) { take(); }"
    ),
    "reset": Context(
        "container", "std::unique_ptr<@T> u;\nvoid make(unsigned x) { u.reset(@E); f = u.release(); }",
        needs=frozenset({"raw", "one", "named"}),
    ),
    "list": Context(
        "nodes", "struct Link {\n    @P p;\n    Link *next;\n    Link(@P q, Link *n) : p(std::move(q)), next(n) {}\n};\n"
        "Link *head = nullptr;\nvoid make(unsigned x)\n{\n    head = @new Link(@E, head);\n    f = std::move(head->p);\n"
        "    Link *old = head;\n    head = old->next;\n    delete old;\n}"
    ),
    "recursion": Context(
        "nodes", "struct Node {\n    @P p = nullptr;\n    Node *left = nullptr, *right = nullptr;\n};\nNode *top = nullptr;\n"
        "Node *insert(Node *t, unsigned x)\n{\n    if (!t) {\n        t = new Node;\n        t->p = @E;\n"
        "    } else if (x & 1u)\n        t->left = insert(t->left, x / 2u);\n    else\n"
        "        t->right = insert(t->right, x / 2u);\n    return t;\n}\n"
        "void make(unsigned x)\n{\n    top = insert(top, x);\n    f = std::move(top->p);\n    delete top;\n    top = nullptr;\n}"
    ),
    "argument-of-new": Context(
        "nodes", "struct Box {\n    @P p;\n    explicit Box(@P q) : p(std::move(q)) {}\n};\nBox *box = nullptr;\n"
        "void make(unsigned x)\n{\n    box = @new Box(@E);\n    f = std::move(box->p);\n    delete box;\n}"
    ),
    "global": Context(
        "global", "void make(unsigned x) { global@K = @E; f = std::move(global@K); global@K = nullptr; }",
        before="static @P global@K;",
    ),
    "noexcept": Context("return", "void make(unsigned x) noexcept { f = @E; }"),
    "const-method": Context("operator", "mutable @P m = nullptr;\nvoid make(unsigned x) { fill(x); f = std::move(m); }\n"
                            "void fill(unsigned x) const { m = @E; }"),
    "member-of-member": Context(
        "nested", "struct { struct { @P p; } inner; } outer = {};\n"
        "void make(unsigned x) { outer.inner.p = @E; f = std::move(outer.inner.p); }"
    ),
    "statement-expression": Context(
        "conditional", "void make(unsigned x) { f = __extension__({ @P p = @E; std::move(p); }); }", needs=RAW
    ),
    "header": Context("global", "void make(unsigned x) { f = @E; }"),
}  # fmt: skip


def _fits(construct: Construct, context: Context, names: Tuple[str, str]) -> bool:
    needs = context.needs
    if construct.pointer != "raw" and "raw" in needs:
        return False
    if construct.pointer != "unique" and "unique" in needs:
        return False
    if construct.count and "one" in needs:
        return False
    if "named" in needs and set(construct.types) & {"pointer", "rows"}:
        return False
    # In a conditional with nullptr a factory's or library's type decides as well as a pointer's.
    return names not in IMPOSSIBLE


# Cells that C++ or this generator's texts do not have, and why.
IMPOSSIBLE: Dict[Tuple[str, str], str] = {
    ("macro", "macro-body"): "a macro's body has no argument of its own that is a type",
}

#: All that there are: (construct, context) by family.
VARIANTS: Dict[Cell, List[Tuple[str, str]]] = {}
for _c in CONSTRUCTS:
    for _x in CONTEXTS:
        if _fits(CONSTRUCTS[_c], CONTEXTS[_x], (_c, _x)):
            _cell = Cell(CONSTRUCTS[_c].family, CONTEXTS[_x].family)
            VARIANTS.setdefault(_cell, []).append((_c, _x))
CELLS: List[Cell] = [c for c in VARIANTS if c.construct != "own-operator"]
#: One class with its own operator new changes what the rewriter does with every template of a tree, so only every other
#: tree has them, and its programs have them more often.
OWN_CELLS: List[Cell] = [c for c in VARIANTS if c.construct == "own-operator"]


def cells_of(seed: int) -> List[Cell]:
    own = dealt(OWN_CELLS, seed, 2) if seed // GROUP % 2 == 0 else []
    return dealt(CELLS, seed) + own


@dataclass(frozen=True)
class Type:
    name: str
    kind: str
    text: str


_TYPE_TEXTS = {
    "plain": "struct @ {\n    unsigned a; long b;@X\n    explicit @(unsigned x = 5u) : a(x), b((long)x * 3) {}\n"
    "    unsigned sum() const { return a * 7u + (unsigned)b; }\n    void poke(unsigned x) { a += x; }\n@S};",
    "strings": "class @ {\npublic:\n    std::string s; std::vector<int> v; unsigned a;@X\n"
    "    explicit @(unsigned x = 6u) : s(x % 60u, 'a'), v(x % 9u, 3), a(x) { s += \"new \"; }\n"
    "    unsigned sum() const { return a + (unsigned)(s.size() * 31 + v.size()); }\n"
    "    void poke(unsigned x) { a ^= x; v.push_back((int)x); }\n@S};",
    "derived": "struct @Base {\n    unsigned a;\n    explicit @Base(unsigned x) : a(x) {}\n    virtual ~@Base() = default;\n"
    "    virtual unsigned sum() const { return a; }\n};\nstruct @ : @Base {\n    char c[24];@X\n"
    "    explicit @(unsigned x = 4u) : @Base(x), c() { c[x % 24u] = 'd'; }\n"
    "    unsigned sum() const override { return a * 5u + (unsigned char)c[a % 24u]; }\n"
    "    void poke(unsigned x) { c[x % 24u] = (char)(x % 90u); }\n@S};",
    "final": "struct @ final {\n    unsigned short a; unsigned b;@X\n"
    "    explicit @(unsigned x = 9u) : a((unsigned short)x), b(x) {}\n    unsigned sum() const { return a + b * 3u; }\n"
    "    void poke(unsigned x) { b += x; }\n@S};",
    "aligned": "struct alignas(64) @ {\n    unsigned a;@X\n    explicit @(unsigned x = 8u) : a(x) {}\n"
    "    unsigned sum() const { return a + misaligned(this); }\n"
    "    void poke(unsigned x) { a = a * 3u + x; }\n@S};",
    "chain": "struct @ {\n    unsigned a; @ *next; unsigned *more;@X\n"
    "    explicit @(unsigned x = 2u) : a(x), next(nullptr), more(new unsigned[2]()) { if (x & 1u) next = new @(x / 2u * 2u); }\n"
    "    ~@() { delete next; delete[] more; }\n    @(const @ &) = delete;\n    void operator=(const @ &) = delete;\n"
    "    unsigned sum() const { return a + more[1] + (next ? next->sum() * 3u : 1u); }\n"
    "    void poke(unsigned x) { more[1] += x; if (!next) next = new @(x & ~1u); }\n@S};",
    "template": "template <class V> struct @ {\n    V a; unsigned b;@X\n    explicit @(unsigned x = 7u) : a((V)x), b(x) {}\n"
    "    unsigned sum() const { return (unsigned)a + b; }\n    void poke(unsigned x) { b += x; }\n@S};",
    "aggregate": "struct @ {\n    unsigned a; unsigned b[3] = {1, 2, 3};@X\n    unsigned sum() const { return a + b[0] + b[2] * 3u; }\n"
    "    void poke(unsigned x) { b[1] = b[2] = x; }\n};",
    "own": "struct @ {\n    unsigned a;\n    explicit @(unsigned x = 7u) : a(x) {}\n"
    "    static void *operator new(std::size_t n) { owned++; return std::malloc(n); }\n"
    "    static void operator delete(void *p) { owned--; std::free(p); }\n"
    "    unsigned sum() const { return a; }\n    void poke(unsigned x) { a += x; }\n};",
}  # fmt: skip


def _types(rng: random.Random) -> Dict[str, Type]:
    """One class of every kind, with a random member more."""
    found = {}
    for number, (kind, text) in enumerate(_TYPE_TEXTS.items()):
        name = rng.choice(("Item", "Row", "Cell", "Part")) + str(number)
        extra = rng.choice(("", " char pad[%d] = {};" % rng.randrange(1, 300), " double d = 1.5;"))
        full = name + ("<int>" if kind == "template" else "")
        create = f"    static {name} *create(unsigned x) {{ return new {name}(x); }}\n"
        text = text.replace("@X", extra if kind != "aggregate" else "").replace("@S", create)
        found[kind] = Type(full, kind, text.replace("@", name))
    for kind, name in (("int", "int"), ("long", "long"), ("string", "std::string")):
        found[kind] = Type(name, kind, "")
    found["pointer"] = Type(found["plain"].name + " *", "pointer", "")
    found["rows"] = Type("unsigned", "rows", "")
    return found


_HOLES = re.compile(r"@(new|[A-Zsf])")


class Program:
    """The program of one seed. `only` keeps some of its cells, by their positions, for the search of a small one."""

    language = "cxx"

    def __init__(self, seed: int, only: Optional[Sequence[int]] = None, roots: bool = False) -> None:
        self.seed = seed
        self.name = f"x{seed}"
        cells = cells_of(seed)
        self.positions = list(range(len(cells))) if only is None else list(only)
        self.cells = [cells[i] for i in self.positions]
        self.roots = roots
        #: What became of each cell: names of CONSTRUCTS and CONTEXTS.
        self.variants: List[Tuple[str, str]] = []
        rng = random.Random(f"cxx {seed}")
        self._types = _types(rng)
        if not any(c.construct == "own-operator" for c in cells):
            del self._types["own"]
        texts = [self._cell(i, cells[i]) for i in self.positions]
        #: Qualified names that --place can be given, of types that the program allocates.
        self.placeable = [
            f"{self.name}::{re.sub('<.*', '', t.name)}" for t in self._types.values() if t.text
        ]
        self.rootable: List[str] = []
        space = f"namespace {self.name} {{\n"
        classes = "".join(f"{t.text}\n\n" for t in self._types.values() if t.text)
        in_header = [h for h, _ in texts]
        self.header = f"{space}{classes}{''.join(in_header)}}} // namespace {self.name}\n"
        calls = "".join(f"    h = h * 31u + c{i}({rng.randrange(1, 50)}u);\n" for i in self.positions)
        self.source = (
            f"{space}{''.join(s for _, s in texts)}"
            f"unsigned run();\nunsigned run()\n{{\n    unsigned h = {seed}u;\n{calls}"
            f"    return h * 31u + __LINE__;\n}}\n}} // namespace {self.name}\n"
        )

    def _cell(self, number: int, cell: Cell) -> Tuple[str, str]:
        """(text for the header, text for the source)"""
        rng = random.Random(f"cxx {self.seed} {number}")
        names = rng.choice(VARIANTS[cell])
        self.variants.append(names)
        construct, context = CONSTRUCTS[names[0]], CONTEXTS[names[1]]
        fill = _Filler(rng, construct, self._types[rng.choice(construct.types)], self.seed, number)
        body = fill(context.whole) if context.whole else self._owner(fill, context)
        text = "".join(f"{t}\n" for t in (fill(context.before), body, fill(context.after)) if t)
        owner = f"O{number}" + (f"<{fill.type.name}>" if names[1] == "class-template" else "")
        line = rng.choice(("", "", " + __LINE__"))
        how = rng.choice(("o.f", "o.f", "(o.f)"))
        hold, release = self._hold(rng, owner)
        main = (
            f"static unsigned c{number}(unsigned x)\n{{\n    {hold}\n    {fill(context.call)}\n"
            f"    unsigned h = use({how}, {max(1, construct.count)}u, x){line};\n{release}    return h;\n}}\n\n"
        )
        comment = f"// {names[0]} in {names[1]}\n"
        if names[1] == "header" or rng.random() < 0.1 and not context.before:
            return comment + re.sub("static (?=void make)|^(?=void O)", "inline ", text, flags=re.M), main
        return "", comment + text + main

    def _hold(self, rng: random.Random, owner: str) -> Tuple[str, str]:
        """How an owner comes into being, and how it goes."""
        heap = [f"new {owner}", f"new {owner}()"]
        if self.roots:
            heap = [f"new numa<{owner}, {rng.randrange(3)}>()"]
        if rng.random() < (0.2 if self.roots else 0.5):
            return f"{owner} o;", ""
        return f"{owner} *const held = {rng.choice(heap)};\n    {owner} &o = *held;", "    delete held;\n"

    @staticmethod
    def _owner(fill: "_Filler", context: Context) -> str:
        first = "" if context.ctor else "    @P f;\n    O@K() : f() {}\n"
        members = "".join(f"    {line}\n" for line in context.members.splitlines())
        # Members that @E needs come first: a class is complete inside its methods, wherever they stand.
        return fill(
            f"struct O@K {{\n{first}{members}    ~O@K() {{ @F }}\n    O@K(const O@K &) = delete;\n"
            "    void operator=(const O@K &) = delete;\n};"
        )


class _Filler:
    """Fills a text's holes.

    @E the expression with argument x, @D with a constant, @L on one line, @V with the type V, @W the pointer type for V,
    @P the pointer type, @T the type, @N the count, @K the cell's number, @U a name of its own in the tree, @F what releases f, @s some white space or a comment.
    """

    def __init__(self, rng: random.Random, construct: Construct, kind: Type, seed: int, number: int) -> None:
        self._rng = rng
        self._construct = construct
        self.type = kind
        self._seed = seed
        self._number = number

    def __call__(self, text: str) -> str:
        if "@A" not in self._construct.text:
            text = re.sub(r"(?<!\w)unsigned x(?=[,)]| =)", "[[maybe_unused]] unsigned x", text)
        return _HOLES.sub(lambda m: self._hole(m.group(1)), text)

    def _hole(self, name: str) -> str:
        if name == "f":
            return "f"
        if name == "s":
            return self._space()
        if name == "new":
            return self._rng.choice(("new", "new", "new", "::new"))
        if name in "EDLV":
            return self._expression(name)
        values = {
            "P": lambda: self._pointer(self.type.name),
            "W": lambda: self._pointer("V"),
            "T": lambda: self.type.name,
            "N": lambda: str(self._construct.count),
            "K": lambda: str(self._number),
            "U": lambda: f"{self._seed}_{self._number}",
            "F": self._release,
        }
        return values[name]()

    def _expression(self, kind: str) -> str:
        type_name = "V" if kind == "V" else self.type.name
        argument = {"D": f"{self._rng.randrange(9)}u"}.get(
            kind, self._rng.choice(("x", "x + 1u", "(x)", "x % 7u", "x ? x : 2u"))
        )
        if kind == "L":
            argument = "(x)"
        text = self._construct.text.replace("@T", type_name).replace("@A", argument)
        if kind == "L":
            text = text.replace("@s", "")
        return self(text)

    def _space(self) -> str:
        return self._rng.choice(("", "", "", " ", "  ", " /* new */ ", "\n        ", "\t"))

    def _pointer(self, name: str) -> str:
        if self._construct.pointer != "raw":
            return f"std::{self._construct.pointer}_ptr<{name}>"
        return "Three *" if self.type.kind == "rows" else f"{name} *"

    def _release(self) -> str:
        if self._construct.pointer != "raw":
            return "f.reset();"
        return "delete[] f;" if self._construct.count else "delete f;"


COMMON = """\
// What all programs of this tree use.
#ifndef PROGRAMS_COMMON_HPP
#define PROGRAMS_COMMON_HPP
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>
@ROOTS
#define KEEP(...) do { __VA_ARGS__; } while (0)
#define FRESH(T, x) new T(x)

typedef unsigned Three[3];
inline long owned = 0;
// Not inlined: GCC 12 takes an address in arithmetic for a use of what was deleted.
__attribute__((noinline)) inline unsigned misaligned(const void *p)
{
    return (unsigned)(reinterpret_cast<std::size_t>(p) % 64u);
}

template <class T> T *fresh_one(unsigned x)
{
    return new T(x);
}

// What an object holds.
template <class T> unsigned sum(const T &o) { return o.sum(); }
inline unsigned sum(const int &i) { return (unsigned)i; }
inline unsigned sum(const long &l) { return (unsigned)l + 1u; }
inline unsigned sum(const std::string &s) { return (unsigned)s.size() * 3u + (unsigned char)s[0]; }
template <class T> unsigned sum(T *const &p) { return p ? 2u : 3u; }
inline unsigned sum(const Three &t) { return t[0] + t[1] * 3u + t[2] * 5u; }

// Writes to an object.
template <class T> void poke(T &o, unsigned x) { o.poke(x); }
inline void poke(int &i, unsigned x) { i = (int)(x % 1000u); }
inline void poke(long &l, unsigned x) { l = (long)x; }
inline void poke(std::string &s, unsigned x) { s[0] = (char)('a' + x % 26u); }
template <class T> void poke(T *&, unsigned) {}
inline void poke(Three &t, unsigned x) { t[0] = t[1] = t[2] = x; }

template <class T> unsigned use(T *p, unsigned n, unsigned x)
{
    unsigned h = 11;
    if (!p)
        return h;
    for (unsigned i = 0; i < n; i++)
        poke(p[i], x + i);
    for (unsigned i = 0; i < n; i++)
        h = h * 31u + sum(p[i]);
    return h;
}
template <class T> unsigned use(const std::unique_ptr<T> &p, unsigned n, unsigned x) { return use(p.get(), n, x); }
template <class T> unsigned use(const std::shared_ptr<T> &p, unsigned n, unsigned x) { return use(p.get(), n, x); }
#endif
"""


def main(programs: Sequence[Program]) -> str:
    """Prints one line for every program; a name on the command line runs that one alone."""
    declarations = "".join(f"namespace {p.name} {{\nunsigned run();\n}}\n" for p in programs)
    rows = "".join(f'    {{"{p.name}", {p.name}::run}},\n' for p in programs)
    return f"""\
#include "common.hpp"
#include <cstring>
{declarations}
static const struct {{
    const char *name;
    unsigned (*run)();
}} programs[] = {{
{rows}}};

int main(int argc, char **argv)
{{
    for (const auto &p : programs)
        if (argc < 2 || !std::strcmp(argv[1], p.name)) {{
            std::printf("%s %08x %ld\\n", p.name, p.run(), owned);
            std::fflush(stdout);
        }}
    return 0;
}}
"""
