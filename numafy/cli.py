# SPDX-License-Identifier: Apache-2.0
"""Options, help texts, and the order of a run; the one place where errors become exit codes."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from pathlib import Path
from typing import List, NoReturn, Optional, Sequence, TextIO

from . import build, compdb, inplace, project, report, rewrite, sites, suites
from .errors import (
    EXIT_BUG,
    EXIT_CHANGES,
    EXIT_INTERRUPTED,
    EXIT_LEFT,
    EXIT_OK,
    EXIT_USAGE,
    NumafyError,
    worst,
)
from .files import shown, temporary_folder, write_atomically
from .progress import Progress

# Names that have a meaning of their own; a folder of such a name is written ./top.
TYPES = "types"
LATER = ("suggest", "doctor", "top")

DESCRIPTION = """\
Rewrite a C or C++ tree so that its data structures are allocated on the NUMA node of their owner.

TREE   a folder with sources. Without --out nothing is written: the run only reports what it
       would do. The compile database is the one that -p names, or TREE/compile_commands.json,
       or the only TREE/build*/compile_commands.json; otherwise numafy records what --build CMD
       compiles in a copy of TREE, has CMake export one (out of tree), or records `make`.
SUITE  a benchmark suite of this project: rewritten into Output/SUITE and built there; all: every
       suite. A folder with the name of a suite or command is written ./NAME.
types  lists who allocates whom in TREE, from the roots and placements down, where that stops and
       why, and the types that nothing allocates. Nothing is written.
"""

EPILOG = """\
examples:
  numafy.py ./shop                            what would change in ./shop, as a table
  numafy.py ./shop --place Node=1 --diff      the same with Nodes on node 1, as a patch
  numafy.py ./shop -p ./shop/build-debug --place Node=1 --out /tmp/shop \\
            --build 'cmake -B build && cmake --build build' --test 'ctest --test-dir build'
                                              rewrite into /tmp/shop, build and test it there
  numafy.py ./shop --check                    exit 5 if a rewrite would change anything (for CI)
  numafy.py data_structures --umf 0           the suite over libnuma instead of numafy's pools
  numafy.py all --report all.html             every suite; one page for each: all-SUITE.html

exit codes:
  0 done, nothing to do, or a dry run     1 usage, no compile database, unknown name
  2 some input could not be parsed        3 something left alone, under --strict
  4 conflicting edits                     5 --check found changes
  6 the output cannot be written          7 --build or --test failed
  70 internal error; 130 interrupted
  of several causes the first of 130 70 6 4 2 7 1 3 5 counts

environment:
  NUMAFY_REWRITE    the rewriter (default: build/bin/numafy-rewrite of this project)
  CC, CXX           for --build and --test: the compilers behind numafy-cc and numafy-c++
  XDG_CACHE_HOME    where exports and recordings are kept (default ~/.cache)

docs/cli.md has the details.
"""


class Parser(argparse.ArgumentParser):
    """argparse with numafy's exit code for usage errors, and one line instead of the usage text."""

    def error(self, message: str) -> NoReturn:
        raise NumafyError(f"{message}; see --help", EXIT_USAGE)


def parser() -> Parser:
    form = argparse.RawDescriptionHelpFormatter
    result = Parser(
        prog="numafy.py",
        usage="numafy.py TREE|SUITE|all [options]\n       numafy.py types TREE [options]",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=form,
        allow_abbrev=False,
    )
    add = result.add_argument
    add("target", metavar="TREE|SUITE|all", help="what to rewrite")
    add(
        "-p",
        dest="database",
        metavar="BUILD",
        type=Path,
        help="folder with compile_commands.json, or the file",
    )
    add("--out", metavar="DIR", type=Path, help="write the rewritten tree to DIR, outside TREE")
    add(
        "--place",
        metavar="T=k",
        action="append",
        default=[],
        help="put objects of type T (or of a pattern: 'ns::*') on k: a node, local, interleave, "
        "or owner",
    )
    add(
        "--root",
        metavar="v=k",
        action="append",
        default=[],
        help="what the variable v (ns::v, function::v) points to or owns is on node k",
    )
    add(
        "--all",
        action="store_true",
        help="consider every class, not only what roots and placements reach",
    )
    add(
        "--force-alloc",
        action="store_true",
        help="edit although the program replaces operator new or malloc itself",
    )
    add(
        "--umf",
        type=int,
        choices=(0, 1),
        help="build for 1 numafy's pools (default), 0 libnuma's numa_alloc_onnode",
    )
    add("--diff", action="store_true", help="print the changes as a unified diff")
    add("--check", action="store_true", help="write nothing; exit 5 if something would change")
    add("--strict", action="store_true", help="exit 3 if a site that a root reaches is left alone")
    add(
        "--in-place",
        action="store_true",
        help="edit TREE itself; the old files are kept in TREE/.numafy",
    )
    add("--undo", action="store_true", help="take back --in-place: TREE gets its old bytes")
    add(
        "--build",
        metavar="CMD",
        help="then run CMD in the rewritten tree, with numafy-cc and numafy-c++ as CC, CXX",
    )
    add("--test", metavar="CMD", help="then run CMD there to test it")
    add(
        "--sites",
        action="store_true",
        help="with --build and --test: tell which edited sites the test has executed",
    )
    add("-j", dest="jobs", metavar="N", type=_positive, help="use N processors (default: all)")
    add("--report", metavar="FILE", type=Path, help="keep the report: FILE.json or FILE.html")
    add("--version", action="version", version=f"numafy {_version()}")
    return result


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def _version() -> str:
    """The project's version has one home, the top CMakeLists.txt."""
    try:
        text = (project.ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r"project\(numafy VERSION ([\d.]+)", text)
    return found.group(1) if found else "(unknown version)"


def main(argv: Sequence[str]) -> int:
    """Run numafy; returns the exit code. What is not a result ends in one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        # Names are printed through files.shown; this is for locales that lack a character.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _run(argv)
    except NumafyError as error:
        return _complain(error)
    except (KeyboardInterrupt, _Terminated):
        print("numafy: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except Exception as error:  # the last resort: a bug of ours, said so
        if os.environ.get("NUMAFY_DEBUG"):
            raise
        print(
            f"numafy: internal error: {type(error).__name__}: {shown(str(error))}"
            " (NUMAFY_DEBUG=1 shows where)",
            file=sys.stderr,
        )
        return EXIT_BUG


def _print(text: str, stream: Optional[TextIO] = None) -> None:
    """Print a result. A reader that has gone, such as head, does not end the run."""
    try:
        print(text, file=stream or sys.stdout, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


class _Terminated(BaseException):
    """SIGTERM, as an exception, so that with-blocks clean up."""


def _interrupt(_number: int, _frame: object) -> None:
    raise _Terminated


def _complain(error: NumafyError) -> int:
    if error.detail:
        print(error.detail, file=sys.stderr)
    print(f"numafy: {error.message}", file=sys.stderr)
    return error.code


def _run(argv: Sequence[str]) -> int:
    if argv and argv[0] in LATER:
        raise NumafyError(
            f"'{argv[0]}' comes with a later version; a folder of that name is written ./{argv[0]}"
        )
    types = bool(argv) and argv[0] == TYPES
    options = parser().parse_args(list(argv)[1 if types else 0 :])
    options.types = types
    _check_report_name(options.report)
    options.jobs_or_all = options.jobs or len(os.sched_getaffinity(0))
    progress = Progress()
    names = None if types or os.sep in options.target else suites.select(options.target)
    if names is not None:
        return _suites(names, options, progress)
    tree = Path(options.target)
    if not tree.exists():
        if os.sep in options.target:
            raise NumafyError(f"no such folder: {shown(tree)}")
        raise suites.unknown(options.target, [TYPES, *LATER, *_folders()])
    if not tree.is_dir():
        raise NumafyError(f"{shown(tree)} is a file: name the folder of its tree")
    return _tree(tree, options, progress)


def _check_report_name(wanted: Optional[Path]) -> None:
    """--report html is meant as a format, and would leave a JSON file called html."""
    if wanted is not None and str(wanted) in ("html", "json", "text"):
        ending = "html" if str(wanted) == "html" else "json"
        raise NumafyError(f"--report takes a file, not a format: write --report FILE.{ending}")


def _check_programs(options: argparse.Namespace) -> None:
    """Miss what is not built at once, not after minutes of work."""
    project.rewriter()
    if options.build or options.test:
        project.wrapper_folder()


def _folders() -> List[str]:
    try:
        return [entry.name for entry in os.scandir() if entry.is_dir()]
    except OSError:
        return []


# ---- a tree ------------------------------------------------------------------------------------


def _tree(tree: Path, options: argparse.Namespace, progress: Progress) -> int:
    _check_tree_options(tree, options)
    if options.undo:
        names = inplace.undo(tree)
        _print(f"{len(names)} files of {shown(tree)} have their old bytes again")
        return EXIT_OK
    _check_programs(options)
    suite = suites.containing(tree)
    known = (
        (lambda file: suites.write_database(suite, file))
        if suite and not options.database
        else None
    )
    with temporary_folder("numafy-") as scratch, compdb.of_tree(
        tree,
        options.database,
        options.build,
        options.jobs_or_all,
        progress,
        build.environment,
        known,
    ) as database:
        _say_database(database, progress)
        out = scratch / "tree" if options.in_place else options.out
        outcome = rewrite.run(
            tree, database.file, out, _rewrite_options(options, database), scratch, progress
        )
        _finish_report(outcome, options.report, options.diff, options.types)
        _say_what_next(outcome, options, progress)
        if out is None or outcome.code not in rewrite.WROTE_TREE:
            return outcome.code
        if options.in_place:
            names = inplace.apply(tree, scratch / "tree")
            _print(f"{len(names)} files of {shown(tree)} edited in place; --undo takes it back")
            out = tree
        return worst([outcome.code, _build_and_test(out, outcome, options, progress)])


def _check_tree_options(tree: Path, options: argparse.Namespace) -> None:
    """Combinations that make no sense, one line each, before any work."""
    if options.umf is not None and not options.build:
        raise NumafyError("--umf says how to build: it needs --build, or a suite")
    if options.undo:
        extra = [
            name
            for name in (
                "database",
                "out",
                "place",
                "root",
                "all",
                "diff",
                "check",
                "strict",
                "force_alloc",
                "in_place",
                "build",
                "test",
                "report",
            )
            if getattr(options, name)
        ]
        if extra:
            raise NumafyError("--undo takes no other option")
        return
    if options.types:
        extra = [
            name
            for name in ("out", "diff", "check", "strict", "in_place", "build", "test")
            if getattr(options, name)
        ]
        if extra:
            raise NumafyError(f"types only lists: it does not go with --{extra[0].replace('_', '-')}")
        return
    if options.in_place:
        if options.out is not None or options.check or options.diff:
            raise NumafyError("--in-place does not go with --out, --diff or --check")
        inplace.refuse_twice(tree)
    writes = options.in_place or options.out is not None
    if options.check and options.out is not None:
        raise NumafyError("--check writes nothing: leave out --out")
    if options.test and not writes:
        raise NumafyError("--test needs a rewritten tree: give --out DIR")
    if options.build and not writes and options.database:
        raise NumafyError("--build needs a rewritten tree: give --out DIR")
    if options.out is not None:
        rewrite.check_folders(tree, options.out)


def _rewrite_options(
    options: argparse.Namespace, database: compdb.Database
) -> rewrite.Options:
    return rewrite.Options(
        tuple(options.place),
        tuple(options.root),
        options.all,
        options.diff,
        options.check,
        options.strict,
        options.force_alloc,
        options.jobs,
        options.types,
        database.links,
    )


def _say_database(database: compdb.Database, progress: Progress) -> None:
    programs = "" if database.links else ", link commands unknown: taken as one program"
    progress.say(f"compile database: {database.origin} ({database.units} commands{programs})")
    if database.generated:
        progress.say(
            f"{len(database.generated)} generated sources are read but not edited, e.g. "
            f"{database.generated[0]}"
        )
    if database.missing:
        progress.say(
            f"warning: {len(database.missing)} sources of the database do not exist, e.g. "
            f"{database.missing[0]}; build once and give -p, or make the database anew"
        )


def _finish_report(
    outcome: rewrite.Outcome, wanted: Optional[Path], diff: bool, types: bool = False
) -> None:
    """Keep the report where the user wants it and show its summary.

    Beside a diff the rewriter itself sums up on stderr, since stdout is the patch.
    """
    if outcome.report is None:
        return
    if wanted is not None:
        report.save(outcome.report_file, outcome.report, wanted)
    if not diff and not types:
        _print(report.text_summary(outcome.report))
    for reason in _failed_files(outcome.report):
        print(f"numafy: {reason}", file=sys.stderr)


def _say_what_next(
    outcome: rewrite.Outcome, options: argparse.Namespace, progress: Progress
) -> None:
    """Why the status is 5 or 3, and what a run without any root lacks."""
    if outcome.report is None:
        return
    totals = outcome.report.totals
    if outcome.code == EXIT_CHANGES:
        files = totals.get("files_edited", 0)
        progress.say(f"--check: a rewrite would change {files} file{'' if files == 1 else 's'}")
    if outcome.code == EXIT_LEFT:
        progress.say("--strict: a site that a root reaches was left alone, see above")
    asked = options.place or options.root or options.all
    if asked or totals.get("near", 0) or totals.get("on", 0):
        return
    if totals.get("sites", 0):
        progress.say(
            "nothing is placed, since there is no root: name a class with --place T=k or a "
            "variable with --root v=k, or mark one as new numa<T,k>() in the source"
        )


def _failed_files(result: report.Report) -> List[str]:
    return [
        f"copied unchanged: {shown(result.name_of(file['path']))}: "
        f"{shown(file.get('reason') or 'not parsed')}"
        for file in result.files
        if file.get("status") == "failed"
    ]


def _build_and_test(
    out: Path, outcome: rewrite.Outcome, options: argparse.Namespace, progress: Progress
) -> int:
    """--build, the check that it compiled what was edited, --test."""
    try:
        if options.build:
            build.forget_compiled(out)
            telling = sites.environment_of_build() if options.sites else {}
            if options.umf is not None:
                telling[build.UMF] = str(options.umf)
            build.run("build", options.build, out, progress, telling)
            _say_coverage(out, outcome, options.build, progress)
        if options.test:
            log = out / ".numafy" / "sites"
            log.unlink(missing_ok=True)
            telling = sites.environment_of_run(log) if options.sites else {}
            build.run("test", options.test, out, progress, telling)
            if options.sites:
                _say_sites(out, outcome, log, progress)
    except NumafyError as error:
        return _complain(error)
    return EXIT_OK


def _say_coverage(out: Path, outcome: rewrite.Outcome, command: str, progress: Progress) -> None:
    if outcome.report is None or not outcome.report.edited():
        return
    coverage = build.coverage(out, outcome.report, command)
    progress.say(coverage.sentence())
    if coverage.not_compiled:
        progress.say(
            f"warning: not compiled, e.g. {coverage.not_compiled[0]}: does the build use "
            "CC and CXX, and paths of its own folder?"
        )


def _say_sites(out: Path, outcome: rewrite.Outcome, log: Path, progress: Progress) -> None:
    """Which edited sites the test has executed; the list of the others is kept in a file."""
    if outcome.report is None:
        return
    found = sites.coverage(outcome.report, out, sites.read(log))
    kept = log.with_name("not-executed")
    lines = [
        f"{shown(outcome.report.name_of(site['file']))}:{site['line']}: {site['action']}\n"
        for site in found.not_executed
    ]
    write_atomically(kept, "".join(lines).encode("utf-8", "surrogateescape"))
    progress.say(found.sentence() + (f"; the others: {shown(kept)}" if lines else ""))


# ---- suites ------------------------------------------------------------------------------------


def _suites(names: Sequence[str], options: argparse.Namespace, progress: Progress) -> int:
    if options.database or options.in_place or options.undo:
        raise NumafyError(
            "-p, --in-place and --undo are for trees; a suite's Makefile has its database"
        )
    if options.out is not None and len(names) > 1:
        raise NumafyError("--out is for one suite: every suite has its own folder in Output/")
    _check_programs(options)
    codes = []
    for name in names:
        try:
            codes.append(_suite(name, options, progress, several=len(names) > 1))
        except NumafyError as error:
            codes.append(_complain(error))
    return worst(codes)


def _suite(name: str, options: argparse.Namespace, progress: Progress, several: bool) -> int:
    tree = project.suites()[name]
    out: Optional[Path] = None
    if not options.check and not (options.diff and options.out is None):  # else asked for a look
        out = options.out or project.OUTPUT / name
        rewrite.check_folders(tree, out)
        suites.root_for_make(out)
    wanted = options.report
    if wanted is not None and several:
        wanted = wanted.with_name(f"{wanted.stem}-{name}{wanted.suffix}")
    with temporary_folder("numafy-") as scratch, compdb.of_tree(
        tree,
        None,
        None,
        options.jobs_or_all,
        progress,
        suite_database=lambda file: suites.write_database(name, file),
    ) as database:
        _say_database(database, progress)
        outcome = rewrite.run(
            tree, database.file, out, _rewrite_options(options, database), scratch, progress
        )
        _finish_report(outcome, wanted, options.diff)
    if out is None or outcome.code not in rewrite.WROTE_TREE:
        return outcome.code
    return worst([outcome.code, _build_suite(name, out, outcome, options, progress)])


def _build_suite(
    name: str, out: Path, outcome: rewrite.Outcome, options: argparse.Namespace, progress: Progress
) -> int:
    """The suite's own build, or --build in its place; then --test."""
    if options.build:
        return _build_and_test(out, outcome, options, progress)
    try:
        suites.build(
            name, out, 1 if options.umf is None else options.umf, options.jobs_or_all, progress
        )
    except NumafyError as error:
        return _complain(error)
    return _build_and_test(out, outcome, options, progress)
