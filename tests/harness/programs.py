# SPDX-License-Identifier: Apache-2.0
"""Rewrites, builds and runs random programs (tests/fuzz/programs), several in one tree. Prints TAP.

For each tree: the original is built and run; the rewriter gets a request drawn from the tree's seed; what it wrote must
build without a warning, print what the original printed, differ from the original only in the lines of sites that the
report names, and come out of another run unchanged. A tree that fails is cut down to one program and then to few of its
cells; what is left stays in /tmp with the command that shows it again.

    cd tests; python3 -m harness.programs                      200 programs, as scripts/test
    python3 -m harness.programs cxx c/3                        the C++ trees; the third C tree
    python3 -m harness.programs --programs 10000 --first 5000  ever new ones, as scripts/nightly
    python3 -m harness.programs --again WORDS                  what a failure says
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from fuzz.programs import c, cxx
from fuzz.programs.cells import GROUP, Cell
from fuzz.programs.tree import Program, Tree

from . import proc, tap
from .cases import ROOT, RUNTIME, snapshot

_MODULES = {"cxx": cxx, "c": c}
_STANDARD = {"cxx": "-std=c++17", "c": "-std=gnu11"}
_WARNINGS = ("-Wall", "-Wextra", "-Werror")
# Languages whose allocations the rewriter edits.
_EDITED = ("cxx", "c")
_HITS = 20
_SHRINK_S = 240.0


@dataclass(frozen=True)
class Setup:
    """How a tree is rewritten and built.

    request: nothing, all, place or root; rng_seed: what place and root name. again: runs with other -j and over the
    output are compared. debug: header-only with NUMAFY_DEBUG=1 rather than with the library.
    """

    language: str
    request: str
    compiler: str
    level: str
    rng_seed: int
    again: bool
    debug: bool
    sanitize: bool = False

    @property
    def words(self) -> str:
        flags = "".join(f",{n}" for n in ("again", "debug", "sanitize") if getattr(self, n))
        return f"{self.language},{self.request},{self.compiler},{self.level},{self.rng_seed}{flags}"

    @staticmethod
    def of(words: str) -> "Setup":
        language, request, compiler, level, seed, *flags = words.split(",")
        return Setup(
            language, request, compiler, level, int(seed),
            "again" in flags, "debug" in flags, "sanitize" in flags,
        )  # fmt: skip


# What the trees of a language get in turn: request, compiler, level. The first four are those of scripts/test; C++ at -O2
# and -Os by GCC takes most time and comes later.
_TURNS = {
    "c": (
        ("all", "gcc", "-O0"),
        ("place", "clang", "-O2"),
        ("root", "gcc", "-Os"),
        ("nothing", "gcc", "-O0"),
        ("all", "clang", "-O0"),
        ("place", "gcc", "-O2"),
        ("root", "clang", "-O0"),
        ("all", "gcc", "-O2"),
    ),
    "cxx": (
        ("all", "gcc", "-O0"),
        ("place", "clang", "-O2"),
        ("root", "clang", "-O0"),
        ("nothing", "gcc", "-O0"),
        ("all", "clang", "-O2"),
        ("place", "gcc", "-O2"),
        ("root", "gcc", "-Os"),
        ("all", "gcc", "-O2"),
    ),
}


def setup_of(language: str, index: int, sanitize: bool) -> Setup:
    request, compiler, level = _TURNS[language][index % len(_TURNS[language])]
    debug = index % 4 == 2 if language == "c" else index % 8 == 4
    return Setup(language, request, compiler, level, index, index % 4 == 0, debug, sanitize)


class Failure(Exception):
    """What went wrong with a tree; `stage` is the same for the same kind of failure."""

    def __init__(self, stage: str, text: str) -> None:
        super().__init__(f"{stage}: {text}")
        self.stage = stage


@dataclass(frozen=True)
class Piece:
    """A program, or some of its cells: what a failure is cut down to."""

    seed: int
    only: Optional[Tuple[int, ...]] = None

    @property
    def word(self) -> str:
        return str(self.seed) + ("" if self.only is None else ":" + ".".join(map(str, self.only)))

    @staticmethod
    def of(word: str) -> "Piece":
        seed, _, only = word.partition(":")
        return Piece(int(seed), tuple(int(i) for i in only.split(".") if i) if only else None)


class Checker:
    """Checks trees with one build of the project."""

    def __init__(self, build: Path, tool: Optional[Path] = None, env: Optional[Dict[str, str]] = None):
        self._build = build
        self._tool = tool or build / "bin" / "numafy-rewrite"
        self._env = env

    def check(self, setup: Setup, pieces: Sequence[Piece], work: Path) -> Tree:
        """Raises Failure."""
        module = _MODULES[setup.language]
        roots = setup.request == "root"
        programs = [module.Program(p.seed, p.only, roots) for p in pieces]
        tree = Tree(programs, min(2, len(programs)), setup.rng_seed)
        tree.write(work / "tree")
        self._database(setup, tree, work / "tree", work / "build")
        self._rewrite(setup, tree, work / "tree", work / "build", work / "out", work / "report.json")
        before, after = tree.files, snapshot(work / "out")
        compare_bytes(before, after, json.loads((work / "report.json").read_text("utf-8")))
        if setup.again:
            self._again(setup, tree, work)
        if before == after and setup.request != "nothing" and setup.language in _EDITED:
            raise Failure("request", f"nothing was edited for {self._request(setup, tree)}")
        if before == after:
            return tree
        wanted = self._original(setup, tree, work)
        for env in ({}, {"NUMAFY_AMBIENT": "1"}):
            if not env:
                program = self._compile(setup, tree, work / "out", work / "after", True)
            printed = self._run(program, env)
            if printed != wanted:
                raise Failure("behaviour", _first_difference(wanted, printed, env))
        return tree

    def _request(self, setup: Setup, tree: Tree) -> List[str]:
        rng = random.Random(f"request {setup.rng_seed}")
        if setup.request == "all":
            return ["--all"]
        words = []
        for p in tree.programs:
            if setup.request == "place" or (setup.request == "root" and rng.random() < 0.3):
                for name in sorted(rng.sample(p.placeable, min(3, len(p.placeable)))):
                    words += ["--place", f"{name}={rng.randrange(3)}"]
            if setup.request == "root":
                for name in p.rootable:
                    words += ["--root", f"{name}={rng.randrange(3)}"]
        return words

    def _flags(self, setup: Setup) -> List[str]:
        return [_STANDARD[setup.language]]

    def _database(self, setup: Setup, tree: Tree, folder: Path, build: Path) -> None:
        driver = {"cxx": "c++", "c": "cc"}[setup.language]
        entries = [
            {
                "directory": str(folder),
                "file": str(folder / source),
                "arguments": [driver, *self._flags(setup), f"-I{RUNTIME}", "-c", source],
            }
            for source in tree.sources
        ]
        build.mkdir(parents=True, exist_ok=True)
        (build / "compile_commands.json").write_text(json.dumps(entries, indent=1), "utf-8")

    def _rewrite(self, setup: Setup, tree: Tree, folder: Path, build: Path, out: Path, report: Path, jobs: int = 2) -> None:
        argv = [self._tool, folder, "-p", build, "--no-cache", "--out", out, "--report", report]
        argv += ["-j", str(jobs)]
        argv += self._request(setup, tree)
        result = proc.run(argv, cwd=build, env=self._env, timeout_s=300)
        if result.status != 0:
            said = result.stderr.decode("utf-8", "replace")
            other = "\n".join(l for l in said.splitlines() if "NF1" not in l)[-3000:]
            raise Failure("rewrite", f"{result.how}\n{other}")

    def _again(self, setup: Setup, tree: Tree, work: Path) -> None:
        """The same bytes from another -j, and from a run over what came out."""
        self._rewrite(setup, tree, work / "tree", work / "build", work / "out1", work / "report1.json", 1)
        _same(snapshot(work / "out"), snapshot(work / "out1"), "-j 1")
        if (work / "report.json").read_bytes() != (work / "report1.json").read_bytes():
            raise Failure("-j 1", "another report")
        self._database(setup, tree, work / "out", work / "build2")
        self._rewrite(setup, tree, work / "out", work / "build2", work / "out2", work / "report2.json")
        _same(snapshot(work / "out"), snapshot(work / "out2"), "a run over the output")

    def _original(self, setup: Setup, tree: Tree, work: Path) -> bytes:
        # Clang at -O0 is the quickest to build with; where the output is built by GCC, warnings of the original show here.
        plain = replace(setup, compiler="clang", level="-O0", debug=False)
        printed = self._run(self._compile(plain, tree, work / "tree", work / "before", False), {})
        if len(printed.splitlines()) != len(tree.programs):
            raise Failure("original", "it printed too few lines")
        return printed

    def _compile(self, setup: Setup, tree: Tree, folder: Path, objects: Path, rewritten: bool) -> Path:
        names = {"cxx": {"gcc": "g++", "clang": "clang++-19"}, "c": {"gcc": "gcc", "clang": "clang-19"}}
        compiler = names[setup.language][setup.compiler]
        objects.mkdir()
        defines = ["-DNUMAFY_OFF"]
        libraries: List[str] = []
        if rewritten:
            lib = self._build / "lib"
            defines = ["-DNUMAFY_DEBUG=1"] if setup.debug else ["-DNUMAFY_EXTERN"]
            libraries = ["-ljemalloc", "-ldl"] if setup.debug else [f"-L{lib}", f"-Wl,-rpath,{lib}", "-lnumafy", "-ljemalloc"]
            libraries = ["-Wl,--no-as-needed", *libraries, "-Wl,--export-dynamic-symbol=numafy_*"]
        sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if setup.sanitize else []
        stage = "output" if rewritten else "original"
        units = []
        for source in tree.sources:
            units.append(objects / (source + ".o"))
            # A tree without a root includes no runtime: the first unit brings the header-only one.
            whole = ["-include", "numa_alloc.h"] if rewritten and setup.debug and len(units) == 1 else []
            flags = [*self._flags(setup), *_WARNINGS, setup.level, *sanitize, *defines, f"-I{RUNTIME}", *whole]
            argv = [compiler, *flags, "-c", source, "-o", units[-1]]
            self._step(f"compile the {stage}", argv, folder)
        program = objects / "program"
        # The header-only runtime of a C program has the names of C++'s operators too.
        self._step(f"link the {stage}", [compiler, *sanitize, *units, *libraries, "-lpthread", "-o", program], folder)
        return program

    def _step(self, stage: str, argv: List[object], cwd: Path) -> None:
        words = [str(a) for a in argv]
        result = proc.run(words, cwd=cwd, timeout_s=400, merge=True)
        if result.status != 0:
            said = result.stdout.decode("utf-8", "replace")
            raise Failure(stage, f"{result.how}\n{shlex.join(words)}\n{said[:3000]}")

    def _run(self, program: Path, env: Dict[str, str]) -> bytes:
        result = proc.run([program], env={"NUMAFY_QUIET": "1", **env}, timeout_s=60)
        if result.status != 0:
            said = (result.stdout[-200:] + result.stderr[-3000:]).decode("utf-8", "replace")
            raise Failure(f"run {program.parent.name}", f"{result.how} {env}\n{said}")
        return result.stdout


def _same(one: Dict[str, bytes], other: Dict[str, bytes], what: str) -> None:
    names = [n for n in sorted(one.keys() | other.keys()) if one.get(n) != other.get(n)]
    if names:
        before, after = (t.get(names[0], b"").splitlines() for t in (one, other))
        line = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), 0)
        shown = "\n".join(repr(t[line : line + 1]) for t in (before, after))
        raise Failure(what, f"{', '.join(names)} differ; {names[0]}:{line + 1}\n{shown}")


def _first_difference(wanted: bytes, printed: bytes, env: Dict[str, str]) -> str:
    lines = list(zip(wanted.splitlines(), printed.splitlines()))
    shown = [f"{a!r} before, {b!r} after" for a, b in lines if a != b][:5]
    return f"{env} " + "\n".join(shown or ["the output has fewer lines"])


_PRELUDE = re.compile(rb'#include "numafy/near\.h"\r?\n#line \d+\r?\n')
# The initialiser of a lambda's capture is the one place where an allocation may be lost: libclang does not show it.
_LOSABLE = re.compile(rb"\[p = ")
# What stands in no site's line: a root's registration.
_STATEMENTS = re.compile(rb" ?NUMAFY_ROOT\w*\([^;{}]*?\);?(?= |$|\r|\w|/)")
# A site's text ends on its own line or on one of the next, where a comment or a line's end was put between its tokens.
_TAIL_LINES = 3


def compare_bytes(before: Dict[str, bytes], after: Dict[str, bytes], report: Dict) -> None:
    """Only lines with edited sites differ, and the lines of the prelude are new."""
    if before.keys() != after.keys():
        raise Failure("files", f"{sorted(before.keys() ^ after.keys())}")
    edited: Dict[str, set] = collections.defaultdict(set)
    for scope in report["scopes"]:
        if scope["action"] != "left":
            edited[scope["file"]].update(range(scope["line"], scope["line"] + _TAIL_LINES))
    for site in report["sites"]:
        lines = before[site["file"]].split(b"\n")
        if site["id"] == "NF1050" and not _LOSABLE.search(lines[site["line"] - 1]):
            raise Failure("lost", f"{site['file']}:{site['line']}: {lines[site['line'] - 1]!r}")
        if site["action"] != "left":
            edited[site["file"]].update(range(site["line"], site["line"] + _TAIL_LINES))
    for name, old in before.items():
        new = _PRELUDE.sub(b"", after[name], 1)
        olds, news = old.split(b"\n"), new.split(b"\n")
        if len(olds) != len(news):
            raise Failure("bytes", f"{name} has {len(news)} lines, {len(olds)} before")
        for number, (a, b) in enumerate(zip(olds, news), 1):
            if a != b and number not in edited[name] and _STATEMENTS.sub(b"", b) != a:
                raise Failure("bytes", f"{name}:{number} has no edited site\n{a!r}\n{b!r}")


# --- cutting a failure down


def _still_fails(checker: Checker, setup: Setup, pieces: Sequence[Piece], stage: str) -> bool:
    with tempfile.TemporaryDirectory(prefix="numafy-programs-") as folder:
        try:
            checker.check(setup, pieces, Path(folder))
        except Failure as failure:
            return failure.stage == stage
        return False


def shrink(checker: Checker, setup: Setup, pieces: Sequence[Piece], stage: str) -> List[Piece]:
    """Fewer programs, then fewer cells of the last one, as long as the same stage fails; for a limited time."""
    end = time.monotonic() + _SHRINK_S
    fails: Callable[[Sequence[Piece]], bool] = lambda some: _still_fails(checker, setup, some, stage)
    left = _fewer(list(pieces), fails, end)
    if len(left) != 1:
        return left
    seed = left[0].seed
    cells = list(left[0].only or range(len(_MODULES[setup.language].cells_of(seed))))
    some = _fewer(cells, lambda few: fails([Piece(seed, tuple(few))]), end)
    return [Piece(seed, tuple(some))]


def _fewer(items: List, fails: Callable[[List], bool], end: float) -> List:
    """Delta debugging: drops ever smaller parts of the list."""
    size = len(items) // 2
    while size and time.monotonic() < end:
        at = 0
        while at < len(items) and time.monotonic() < end:
            rest = items[:at] + items[at + size :]
            if rest and fails(rest):
                items = rest
            else:
                at += size
        size //= 2
    return items


# --- the runs


@dataclass(frozen=True)
class Options:
    build: Path
    jobs: int
    patterns: List[str]
    programs: int
    first: int
    sanitize: bool
    keep: bool


def _options() -> Tuple[Options, str]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--programs", type=int, default=200, help="how many, both languages together")
    parser.add_argument("--first", type=int, default=0, help="the first tree's number")
    parser.add_argument("--sanitize", action="store_true", help="with AddressSanitizer and its leak check")
    parser.add_argument("--keep", action="store_true", help="leave the work folders in /tmp")
    parser.add_argument("--again", default="", help="the words that a failure has printed")
    parser.add_argument("pattern", nargs="*", help="cxx, c, cxx/3 ...: languages or trees")
    found = parser.parse_args()
    proc.end_all_when_stopped()
    opts = Options(
        found.build.resolve(), max(1, found.jobs), found.pattern, found.programs, found.first, found.sanitize, found.keep
    )
    return opts, found.again


def _test_tree(opts: Options, language: str, index: int, writer: tap.Writer, hits: "Hits") -> None:
    setup = setup_of(language, index, opts.sanitize)
    pieces = [Piece(index * GROUP + i) for i in range(GROUP)]
    name = f"{language}/{index}: seeds {pieces[0].seed} to {pieces[-1].seed}, {setup.request}, {setup.compiler} {setup.level}"
    checker = Checker(opts.build)
    folder = Path(tempfile.mkdtemp(prefix=f"numafy-programs-{language}-{index}-"))
    try:
        hits.add(language, checker.check(setup, pieces, folder))
        writer.ok(name)
    except Failure as failure:
        few = shrink(checker, setup, pieces, failure.stage)
        writer.not_ok(name, _story(checker, setup, few, failure))
    finally:
        if not opts.keep:
            shutil.rmtree(folder, ignore_errors=True)


def _story(checker: Checker, setup: Setup, pieces: List[Piece], failure: Failure) -> str:
    """What is left of a failure, where it is kept, and how it is seen again."""
    words = " ".join(p.word for p in pieces)
    kept = Path(tempfile.mkdtemp(prefix="numafy-program-"))
    text = str(failure)
    try:
        checker.check(setup, pieces, kept / "work")
    except Failure as again:
        text = str(again)
    return f"{text}\nkept: {kept}\nagain: python3 -m harness.programs --again '{setup.words} {words}'"


class Hits:
    """Counts cells."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.cells: Dict[str, collections.Counter] = {l: collections.Counter() for l in _MODULES}
        self.variants: Dict[str, collections.Counter] = {l: collections.Counter() for l in _MODULES}

    def add(self, language: str, tree: Tree) -> None:
        with self._lock:
            for program in tree.programs:
                self.cells[language].update(program.cells)
                self.variants[language].update(program.variants)

    def report(self, language: str, programs: int, writer: tap.Writer) -> None:
        module = _MODULES[language]
        wanted = {c: min(_HITS, programs // 5) for c in module.VARIANTS}
        few = [f"{cell}: {self.cells[language][cell]}" for cell in wanted if self.cells[language][cell] < wanted[cell]]
        variants = sum(len(v) for v in module.VARIANTS.values())
        least = min((self.cells[language][cell] for cell in wanted), default=0)
        print(f"# {language}: {len(wanted)} cells, each at least {least} times; "
              f"{len(self.variants[language])} of {variants} pairs of construct and context")
        writer.report(f"{language}: every cell has its share", "\n".join(few))


def main() -> int:
    opts, again = _options()
    if again:
        words, *pieces = again.split()
        folder = Path(tempfile.mkdtemp(prefix="numafy-program-")) / "work"
        print(folder)
        try:
            Checker(opts.build).check(Setup.of(words), [Piece.of(p) for p in pieces], folder)
        except Failure as failure:
            print(failure)
            return 1
        return 0
    trees = max(1, opts.programs // 2 // GROUP)
    chosen = [(l, i) for i in range(opts.first, opts.first + trees) for l in _MODULES]
    # Patterns of other layers' cases say nothing here.
    patterns = [p for p in opts.patterns if p.split("/")[0] in _MODULES]
    if patterns:
        chosen = [(l, i) for l, i in chosen if l in patterns or f"{l}/{i}" in patterns]
    whole = [l for l in _MODULES if sum(x == l for x, _ in chosen) == trees]
    writer = tap.Writer(len(chosen) + len(whole))
    hits = Hits()
    with ThreadPoolExecutor(max_workers=opts.jobs) as pool:
        for done in [pool.submit(_test_tree, opts, l, i, writer, hits) for l, i in chosen]:
            done.result()
    for language in whole:
        hits.report(language, trees * GROUP, writer)
    return 1 if writer.failed else 0


if __name__ == "__main__":
    sys.exit(main())
