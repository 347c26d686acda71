# SPDX-License-Identifier: Apache-2.0
"""Proves that a golden case's expected output is a program with the input's behaviour. Prints TAP.

For every compiler that is there, every file of the expected tree is compiled with -Wall -Wextra -Werror at -O0, -O2 and
-Os, and at -O2 with NUMAFY_OFF and no library of ours (by the older clang at -O2 alone: it is here for what it accepts);
where the case has a main, the program is linked, run, and must print what the input's program prints. Only the output's
builds define NUMAFY_CHECK_PLACEMENT, which turns on the case's own placement checks (support/check.h). The input is built
by each compiler with NUMAFY_OFF (some print in the order in which a compiler evaluates arguments); where it has numa<T,k>
of its own, by the first again with our library.

Compiling is nearly all of this layer's time, so what shows nothing new is not done again:
- The runtime is in the library (NUMAFY_EXTERN) but for GCC at -O2 in the cases of HEADER_ONLY: GCC warns of what its
  optimiser sees after it has inlined the runtime, and these have every form of an allocation. clang's warnings do not
  depend on that, and test_suite_* build rewritten programs header-only by it.
- C++ that includes numa_alloc.h gets it precompiled, but for GCC at -O0 and the older clang: there its own includes, in
  their order, must do.

It does not run the rewriter: what it builds are the expected files, so that a wrong expectation cannot hide behind a tool
that makes the same mistake.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import List, Optional, Set, Tuple

from . import proc, tap
from .cases import RUNTIME, SUPPORT, Case, Unit, find_cases
from .runner import Options, WorkFolder, options, run_all

HEADER_ONLY = ("form/", "c/")

_WARNINGS = ("-Wall", "-Wextra", "-Werror")
_INCLUDE = (f"-I{SUPPORT}", f"-I{RUNTIME}")
# Flags that so many units have that a precompiled header is worth its time.
_PRECOMPILED_FLAGS = (("-std=c++17",), ("-std=c++20",))
_RUN_TIMEOUT_S = 60
_COMPILE_TIMEOUT_S = 300
_OFF = ("-DNUMAFY_OFF",)
_EXTERN = ("-DNUMAFY_EXTERN",)
_PLACED = ("-DNUMAFY_CHECK_PLACEMENT",)


@dataclass(frozen=True)
class Compiler:
    """A pair of drivers for C and C++. whole: it builds at every level of optimisation, not only at -O2."""

    cc: str
    cxx: str
    whole: bool = True

    def driver(self, language: str) -> str:
        return self.cc if language == "cc" else self.cxx


@dataclass(frozen=True)
class Build:
    """One way to build a tree. libraries: link with ours; the label names it in messages."""

    label: str
    level: str
    defines: Tuple[str, ...]
    libraries: bool
    precompiled: bool = False


class BuildError(Exception):
    """A tree did not compile, link or run; the text says which step and what it said."""


def compilers() -> List[Compiler]:
    known = [Compiler("gcc", "g++"), Compiler("clang-19", "clang++-19"), Compiler("clang", "clang++", False)]
    return [c for c in known if shutil.which(c.cxx) and shutil.which(c.cc)]


def output_builds(case: Case, compiler: Compiler) -> List[Build]:
    """How a compiler builds the case's output."""
    extern = (*_PLACED, *_EXTERN)
    if not compiler.whole:
        return [Build("output -O2", "-O2", extern, True)]
    header_only = compiler.cc == "gcc" and case.name.startswith(HEADER_ONLY)
    optimised = Build("output -O2", "-O2", extern, True, True)
    if header_only:
        optimised = Build("output -O2, header-only", "-O2", _PLACED, True)
    return [
        Build("output -O0", "-O0", extern, True, compiler.cc != "gcc"),
        optimised,
        Build("output -Os", "-Os", extern, True, True),
        Build("output, off", "-O2", _OFF, False, True),
    ]


class Precompiled:
    """numa_alloc.h, precompiled when it is first asked for with some flags. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._made: Set[Tuple[str, ...]] = set()

    def flags(self, case: Case, unit: Unit, compiler: Compiler, build: Build) -> List[object]:
        """What makes the unit use it; nothing where it would not, or its flags are rare."""
        if not build.precompiled or not case.uses_runtime or unit.language != "c++":
            return []
        if unit.flags not in _PRECOMPILED_FLAGS:
            return []
        key = (compiler.cxx, *unit.flags, build.level, *build.defines)
        header = self._folder / "".join(key) / "precompiled.hpp"
        with self._lock:
            if key not in self._made:
                self._make(header, unit, compiler, build)
                self._made.add(key)
        # GCC would silently leave aside what does not fit; for clang that is an error.
        invalid = ["-Winvalid-pch"] if compiler.cc == "gcc" else []
        return [*invalid, "-include", header]

    def _make(self, header: Path, unit: Unit, compiler: Compiler, build: Build) -> None:
        header.parent.mkdir(exist_ok=True)
        header.write_text('#include <cstdio>\n#include <cstdlib>\n#include "numa_alloc.h"\n', "utf-8")
        out = header.with_suffix(".hpp.gch" if compiler.cc == "gcc" else ".hpp.pch")
        options = [*_WARNINGS, *unit.flags, build.level, *build.defines, *_INCLUDE]
        argv = [compiler.cxx, *options, "-x", "c++-header", header, "-o", out]
        _step("precompile", argv, self._folder)


class Builder:
    """Builds and runs trees in a case's work folder."""

    def __init__(self, opts: Options, precompiled: Precompiled, case: Case, work: Path) -> None:
        self._libraries = opts.build / "lib"
        self._precompiled = precompiled
        self._case = case
        self._work = work

    def printed(self, tree: Path, compiler: Compiler, build: Build) -> Optional[bytes]:
        """The program's standard output; None if the case has no program. Raises BuildError."""
        try:
            return self._printed(tree, compiler, build)
        except BuildError as error:
            raise BuildError(f"{build.label}: {error}") from error

    def _printed(self, tree: Path, compiler: Compiler, build: Build) -> Optional[bytes]:
        objects = []
        for number, unit in enumerate(self._case.units):
            objects.append(self._work / f"{number}.o")
            flags = [*_WARNINGS, *unit.flags, build.level, *build.defines, *_INCLUDE]
            flags += self._precompiled.flags(self._case, unit, compiler, build)
            argv = [compiler.driver(unit.language), *flags, "-c", unit.source, "-o", objects[-1]]
            _step("compile", argv, tree)
        if not self._case.has_main:
            return None
        program = self._work / "program"
        _step("link", [*_linker(), *objects, *self._link(build), "-lpthread", "-o", program], tree)
        result = proc.run([program], cwd=self._work, env={"NUMAFY_QUIET": "1"}, timeout_s=_RUN_TIMEOUT_S)
        if result.status != 0:
            said = (result.stdout + result.stderr).decode("utf-8", "replace")
            raise BuildError(f"run: {result.how}\n{said}")
        return result.stdout

    def _link(self, build: Build) -> List[object]:
        if not build.libraries:
            return []
        lib = self._libraries
        return [f"-L{lib}", f"-Wl,-rpath,{lib}", "-Wl,--no-as-needed", "-lnumafy", "-ljemalloc"]


def _linker() -> List[str]:
    """One for all objects, and the quickest: what a linker makes of our symbols is for test_life_links."""
    driver = compilers()[0].cxx
    return [driver, "-fuse-ld=gold"] if shutil.which("ld.gold") else [driver]


def _step(what: str, argv: List[object], cwd: Path) -> None:
    words = [str(a) for a in argv]
    result = proc.run(words, cwd=cwd, timeout_s=_COMPILE_TIMEOUT_S, merge=True)
    if result.status != 0:
        said = result.stdout.decode("utf-8", "replace")
        raise BuildError(f"{what}: {result.how}\n{' '.join(words)}\n{said}")


def test_case(opts: Options, precompiled: Precompiled, case: Case, writer: tap.Writer) -> None:
    with WorkFolder(case.name, opts.keep) as work:
        before, after = work / "before", work / "after"
        case.copy_input(before)
        case.copy_input(after)
        if case.expected.is_dir():
            shutil.copytree(case.expected, after, dirs_exist_ok=True)
        builder = Builder(opts, precompiled, case, work)
        for compiler in compilers():
            try:
                wanted = _input_behaviour(case, compiler, builder, before)
                problem = _behaviour_problem(case, compiler, builder, after, wanted)
            except BuildError as error:
                problem = str(error)
            writer.report(f"{case.name} {compiler.cxx}", problem)


def _input_behaviour(case: Case, compiler: Compiler, builder: Builder, tree: Path) -> Optional[bytes]:
    """What the input's program prints when this compiler has built it."""
    build = Build("input, off", "-O0", _OFF, False, compiler.whole)
    wanted = builder.printed(tree, compiler, build)
    if case.has_main and not wanted:
        raise BuildError("the input's program prints nothing: it shows no behaviour")
    if case.uses_runtime and compiler == compilers()[0]:
        printed = builder.printed(tree, compiler, Build("input", "-O2", _EXTERN, True, True))
        if printed != wanted:
            raise BuildError(f"input printed {printed!r}, but {wanted!r} with NUMAFY_OFF")
    return wanted


def _behaviour_problem(
    case: Case, compiler: Compiler, builder: Builder, tree: Path, wanted: Optional[bytes]
) -> str:
    for build in output_builds(case, compiler):
        printed = builder.printed(tree, compiler, build)
        if printed != wanted:
            return f"{build.label} printed {printed!r}, but the input printed {wanted!r}"
    return ""


def main() -> int:
    opts = options("Builds and runs the golden cases' inputs and expected outputs.")
    cases = [c for c in find_cases(opts.patterns) if not c.no_compile_back]
    writer = tap.Writer(len(cases) * len(compilers()))
    with tempfile.TemporaryDirectory(prefix="numafy-precompiled-") as folder:
        return run_all(cases, writer, opts.jobs, partial(test_case, opts, Precompiled(Path(folder))))


if __name__ == "__main__":
    sys.exit(main())
