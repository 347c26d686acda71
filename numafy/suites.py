# SPDX-License-Identifier: Apache-2.0
"""The project's own suites: compile database and build of the copy, both by their Makefile."""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path
from typing import List, Optional

from . import compdb, project, runner
from .errors import EXIT_BUILD, EXIT_USAGE, NumafyError
from .files import real, shown
from .progress import Progress

# What make splits or expands in a value that names files, whatever quotes are around it.
MAKE_SPECIAL = re.compile(r"[\s$#:%\\'\"]")


def select(name: str) -> Optional[List[str]]:
    """The suites that a bare name on the command line means; None when it is no suite."""
    known = project.suites()
    if name == "all":
        if not known:
            raise NumafyError(f"there is no suite in {shown(project.SUITES)}")
        return list(known)
    return [name] if name in known else None


def containing(tree: Path) -> Optional[str]:
    """The suite whose folder ``tree`` is, if any: its Makefile knows its compile database."""
    return next(
        (name for name, folder in project.suites().items() if real(folder) == real(tree)), None
    )


def unknown(name: str, others: List[str]) -> NumafyError:
    """The error for a name that is neither suite nor folder, with the nearest names."""
    known = list(project.suites())
    near = difflib.get_close_matches(name, [*known, "all", *others], n=3, cutoff=0.6)
    if near:
        hint = "did you mean " + " or ".join(shown(candidate) for candidate in near) + "?"
    else:
        hint = f"suites: {', '.join(known) or 'none'}"
    return NumafyError(f"{shown(name)} is neither a folder nor a suite; {hint}")


def write_database(name: str, file: Path) -> None:
    """Make ``file`` the compile database of the suite's own sources."""
    argv = ["make", "-s", "-C", str(project.suites()[name]), "compile_commands.json", f"CDB={file}"]
    done = runner.capture(argv)
    if done.code or not file.is_file():
        text = (done.stdout + done.stderr).decode("utf-8", "surrogateescape")
        raise NumafyError(
            f"suite {name} gives no compile database: {runner.command_text(argv)}",
            detail="\n".join(map(shown, text.splitlines()[-20:])),
        )


def root_for_make(out: Path) -> str:
    """The project's folder as a value that make can use from ``out``.

    make splits file names at blanks, so a project in such a path is named relative to the copy,
    which is usually below it.
    """
    root = str(project.ROOT)
    if MAKE_SPECIAL.search(root):
        root = os.path.relpath(project.ROOT, real(out))
    if MAKE_SPECIAL.search(root):
        raise NumafyError(
            f"make cannot name {shown(project.ROOT)} from {shown(out)}: it has blanks or signs "
            "special to make; leave out --out",
            EXIT_USAGE,
        )
    return root


def build(name: str, out: Path, umf: int, jobs: int, progress: Progress) -> None:
    """Build the rewritten copy of a suite. Raises NumafyError (EXIT_BUILD) with the log's tail."""
    log = out / ".numafy" / "build.log"
    make = ["make", "-C", str(out), f"UMF={umf}", f"ROOT_DIR={root_for_make(out)}"]
    argv = [*make, f"-j{jobs}"]
    with progress.step(f"building {out} with UMF={umf}"):
        # Objects of the original sources were copied along: make cannot tell whose they are.
        if compdb.has_objects(project.suites()[name]):
            runner.logged([*make, "clean"], log, tick=progress.tick)
        code = runner.logged(argv, log, tick=progress.tick)
    if code:
        raise NumafyError(
            f"the build of {shown(out)} failed (log: {shown(log)}): {runner.command_text(argv)}",
            EXIT_BUILD,
            runner.tail(log),
        )
