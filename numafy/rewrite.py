# SPDX-License-Identifier: Apache-2.0
"""Runs numafy-rewrite: its options, its exit code, its report."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import List, Mapping, NamedTuple, Optional, Tuple

from . import project, runner
from .errors import (
    EXIT_BUG,
    EXIT_CHANGES,
    EXIT_LEFT,
    EXIT_UNPARSED,
    EXIT_CONFLICT,
    EXIT_OK,
    NumafyError,
)
from .files import is_inside, shown
from .progress import Progress
from .report import Report

# Codes with which the out tree is complete but for what the report says: a build of it makes sense.
WROTE_TREE = (EXIT_OK, EXIT_UNPARSED, EXIT_LEFT, EXIT_CONFLICT)
# Codes with which it has made a report.
REPORTED = (*WROTE_TREE, EXIT_CHANGES)


class Options(NamedTuple):
    """What the user may ask of the rewriter, as given."""

    place: Tuple[str, ...] = ()
    root: Tuple[str, ...] = ()
    all: bool = False
    diff: bool = False
    check: bool = False
    strict: bool = False
    force_alloc: bool = False
    jobs: Optional[int] = None
    types: bool = False
    links: Optional[Path] = None


class Outcome(NamedTuple):
    code: int
    report: Optional[Report]  # None when the rewriter stopped before it had one
    report_file: Path


def arguments(
    tree: Path, database: Path, out: Optional[Path], options: Options, report: Path
) -> List[str]:
    """The command line of numafy-rewrite."""
    argv = [str(tree), "-p", str(database)]
    if options.links is not None:
        argv += ["--links", str(options.links)]
    if out is not None:
        argv += ["--out", str(out)]
    for placement in options.place:
        argv += ["--place", placement]
    for root in options.root:
        argv += ["--root", root]
    argv += [
        name
        for name, wanted in (
            ("--all", options.all),
            ("--diff", options.diff),
            ("--check", options.check),
            ("--strict", options.strict),
            ("--force-alloc", options.force_alloc),
            ("--types", options.types),
        )
        if wanted
    ]
    if options.jobs is not None:
        argv += ["-j", str(options.jobs)]
    return argv + ["--report", str(report)]


def check_folders(tree: Path, out: Path) -> None:
    """Refuse, before any work, an out tree that contains its source or is inside it."""
    if is_inside(out, tree):
        raise NumafyError(
            f"--out {shown(out)} is inside the tree {shown(tree)}: choose a folder outside it"
        )
    if is_inside(tree, out):
        raise NumafyError(
            f"--out {shown(out)} contains the tree {shown(tree)}: choose another folder"
        )


def run(
    tree: Path,
    database: Path,
    out: Optional[Path],
    options: Options,
    scratch: Path,
    progress: Progress,
    variables: Optional[Mapping[str, str]] = None,
) -> Outcome:
    """Rewrite ``tree`` into ``out``, or dry-run without it. Diagnostics go straight to stderr.

    A --diff goes to stdout byte for byte; the rewriter's summary otherwise repeats what the report
    says and is shown only when there is no report. The report is kept in the out tree, so that the
    rewriter gets the same arguments in every run; ``scratch`` is for that of a dry run.
    ``variables`` are added to its environment.
    """
    report = (scratch if out is None else out / ".numafy") / "report.json"
    argv = [str(project.rewriter()), *arguments(tree, database, out, options, report)]
    target = f" into {out}" if out is not None else " (dry run)"
    sys.stdout.flush()
    with progress.counted(f"rewriting {tree}{target}", "units") as tell:
        code, summary, _ = runner.counting(
            argv, tell, {**os.environ, **(variables or {})}, not (options.diff or options.types)
        )
    if code == -signal.SIGINT:
        raise KeyboardInterrupt
    if code < 0:
        raise NumafyError(
            f"numafy-rewrite was ended by signal {-code} ({_signal_name(-code)})", EXIT_BUG
        )
    if code not in REPORTED:
        os.write(sys.stdout.fileno(), summary)
        return Outcome(code, None, report)  # the file, if it exists, is an earlier run's
    return Outcome(code, Report.load(report), report)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
