# SPDX-License-Identifier: Apache-2.0
"""Proves that a golden case's expected output is a program with the input's behaviour. Prints TAP.

For every compiler that is there, every file of the expected tree is compiled with -Wall -Wextra -Werror at -O0, -O2 and
-Os (by the older clang at -O2 alone: it is here for what it accepts, and compiling is most of this layer's time); where
the case has a main, the program is linked with libnumafy, run, and must print what the input's program prints. At -O2 the
runtime is in the program as well, header-only, as when a tree with numa<T,k> of its own is built by hand; else NUMAFY_EXTERN leaves it to the library.
Only the output's build defines NUMAFY_CHECK_PLACEMENT, which turns on the case's own placement checks (support/check.h).
Input and output are also built with NUMAFY_OFF and no library of ours. It does not run the rewriter: what it builds are
the expected files, so that a wrong expectation cannot hide behind a tool that makes the same mistake.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import List, Optional, Tuple

from . import proc, tap
from .cases import RUNTIME, SUPPORT, Case, find_cases
from .runner import Options, WorkFolder, options, run_all

_WARNINGS = ("-Wall", "-Wextra", "-Werror")
_RUN_TIMEOUT_S = 20
_COMPILE_TIMEOUT_S = 180


@dataclass(frozen=True)
class Compiler:
    """A pair of drivers for C and C++, and the optimisation levels to use them at."""

    cc: str
    cxx: str
    levels: Tuple[str, ...] = ("-O0", "-O2", "-Os")

    def driver(self, language: str) -> str:
        return self.cc if language == "cc" else self.cxx


@dataclass(frozen=True)
class Build:
    """One way to build a tree. libraries: link with ours; the label names it in messages."""

    label: str
    level: str
    defines: Tuple[str, ...]
    libraries: bool


class BuildError(Exception):
    """A tree did not compile, link or run; the text says which step and what it said."""


def compilers() -> List[Compiler]:
    known = [Compiler("gcc", "g++"), Compiler("clang-19", "clang++-19")]
    known.append(Compiler("clang", "clang++", ("-O2",)))
    return [c for c in known if shutil.which(c.cxx) and shutil.which(c.cc)]


def build_and_run(
    case: Case, tree: Path, compiler: Compiler, build: Build, opts: Options, work: Path
) -> Optional[bytes]:
    """The program's standard output; None if the case has no program."""
    objects = []
    for number, unit in enumerate(case.units):
        objects.append(work / f"{number}.o")
        _step(
            "compile",
            [
                compiler.driver(unit.language), *_WARNINGS, *unit.flags, build.level, *build.defines,
                f"-I{SUPPORT}", f"-I{RUNTIME}", "-c", unit.source, "-o", objects[-1],
            ],
            tree,
        )  # fmt: skip
    if not case.has_main:
        return None
    program = work / "program"
    libraries: List[str] = []
    if build.libraries:
        lib = opts.build / "lib"
        libraries = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-Wl,--no-as-needed", "-lnumafy", "-ljemalloc"]
    _step("link", [compiler.cxx, *objects, *libraries, "-lpthread", "-o", program], tree)
    result = proc.run([program], cwd=work, env={"NUMAFY_QUIET": "1"}, timeout_s=_RUN_TIMEOUT_S)
    if result.status != 0:
        said = (result.stdout + result.stderr).decode("utf-8", "replace")
        raise BuildError(f"run: {result.how}\n{said}")
    return result.stdout


def _step(what: str, argv: List[object], cwd: Path) -> None:
    words = [str(a) for a in argv]
    result = proc.run(words, cwd=cwd, timeout_s=_COMPILE_TIMEOUT_S, merge=True)
    if result.status != 0:
        said = result.stdout.decode("utf-8", "replace")
        raise BuildError(f"{what}: {result.how}\n{' '.join(words)}\n{said}")


def test_case(opts: Options, case_and_compiler: Tuple[Case, Compiler], writer: tap.Writer) -> None:
    case, compiler = case_and_compiler
    name = f"{case.name} {compiler.cxx}"
    with WorkFolder(f"{case.name}-{compiler.cxx}", opts.keep) as work:
        before, after = work / "before", work / "after"
        case.copy_input(before)
        case.copy_input(after)
        if case.expected.is_dir():
            shutil.copytree(case.expected, after, dirs_exist_ok=True)
        try:
            writer.report(name, _behaviour_problem(case, compiler, opts, before, after, work))
        except BuildError as error:
            writer.not_ok(name, str(error))


def _behaviour_problem(
    case: Case, compiler: Compiler, opts: Options, before: Path, after: Path, work: Path
) -> str:
    off = ("-DNUMAFY_OFF",)
    extern = ("-DNUMAFY_EXTERN",)
    placed = {
        level: ("-DNUMAFY_CHECK_PLACEMENT",) + (extern if level != "-O2" else ())
        for level in compiler.levels
    }
    wanted = _checked(case, before, compiler, Build("input, off", "-O0", off, False), opts, work)
    if case.has_main and not wanted:
        return "the input's program prints nothing: it shows no behaviour"
    builds = [(after, Build(f"output {level}", level, placed[level], True)) for level in placed]
    if len(compiler.levels) > 1:
        builds += [(before, Build("input", "-O2", extern, case.uses_runtime))]
        builds += [(after, Build("output, off", "-O2", off, False))]
    for tree, build in builds:
        printed = _checked(case, tree, compiler, build, opts, work)
        if printed != wanted:
            return f"{build.label} printed {printed!r}, but the input printed {wanted!r}"
    return ""


def _checked(
    case: Case, tree: Path, compiler: Compiler, build: Build, opts: Options, work: Path
) -> Optional[bytes]:
    try:
        return build_and_run(case, tree, compiler, build, opts, work)
    except BuildError as error:
        raise BuildError(f"{build.label}: {error}") from error


def main() -> int:
    opts = options("Builds and runs the golden cases' inputs and expected outputs.")
    cases = [c for c in find_cases(opts.patterns) if not c.no_compile_back]
    items = [(case, compiler) for case in cases for compiler in compilers()]
    return run_all(items, tap.Writer(len(items)), opts.jobs, partial(test_case, opts))


if __name__ == "__main__":
    sys.exit(main())
