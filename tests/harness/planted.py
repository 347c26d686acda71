# SPDX-License-Identifier: Apache-2.0
"""Plants one bug after another in the rewriter and sees whether a golden case finds it. Prints TAP.

NUMAFY_PLANTED_TOOL(n) in tool/ is bug n, in a build of the rewriter that has them all (tests/fuzz/tool.cmake). The same
cases pass without a bug: that is the control.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import List, Tuple

from . import tap
from .cases import Case, find_cases
from .golden import output_problem, rewrite
from .runner import Options, WorkFolder, options, run_all

# Number, what is wrong, and the case that must find it.
BUGS: List[Tuple[int, str, str]] = [
    (1, "an edit beats a unit that leaves the site", "tree/one-unit-leaves"),
    (2, "the closing parenthesis is dropped", "form/string-member"),
    (3, "the last guess of an owner comes first", "owner/method"),
    (4, "an edit begins one byte late", "form/nested"),
    (5, "the prelude goes inside an #if", "bytes/conditional-include"),
    (6, "different texts of two units are no conflict", "tree/conflict"),
    (7, "a placed type follows its owner", "place/method"),
    (8, "enter without leave", "place/c-whole"),
    (10, "an owner that was freed is an owner", "left/freed-parameter"),
    (11, "the main file of a failed unit is edited", "tree/failed-alone"),
    (12, "a class's own operator new is passed by", "left/own-operator-new"),
    (13, "the program's own operator new is no reason to leave", "left/global-operator-new"),
    (14, "the address of an object that is an owner is not taken", "owner/reference"),
    (15, "lost words are not reported", "left/lost-initialiser"),
    (16, "the prelude shifts the line numbers", "form/nested"),
    (17, "realloc loses its name", "place/c-whole"),
    (18, "the prelude has line ends of its own", "bytes/crlf"),
]


def _planted(folder: Path, opts: Options, number: int) -> Options:
    """A build folder whose rewriter has the bug."""
    tool = folder / "planted" / "bin" / "numafy-rewrite"
    tool.parent.mkdir(parents=True)
    real = opts.build / "tests" / "planted" / "numafy-rewrite-planted"
    tool.write_text(f'#!/bin/sh\nNUMAFY_PLANT={number} exec "{real}" "$@"\n', "utf-8")
    tool.chmod(0o755)
    return replace(opts, build=folder / "planted")


def _problem(opts: Options, case: Case, number: int) -> str:
    with WorkFolder(f"planted-{number}-{case.name}", opts.keep) as work:
        case.copy_input(work / "tree")
        case.write_database(work / "tree", work / "build", case.uses_runtime)
        report = ["--report", str(work / "report.json")]
        planted = _planted(work, opts, number)
        result = rewrite(case, planted, work / "tree", work / "build", work / "out", *report)
        return output_problem(case, work, result)


def _test(opts: Options, item: Tuple[int, str, str], writer: tap.Writer) -> None:
    number, what, name = item
    case = next((c for c in find_cases([name]) if c.name == name), None)
    if not case:
        writer.not_ok(what, f"there is no case {name}")
    elif number:
        found = _problem(opts, case, number)
        writer.report(f"planted bug {number} is found: {what}", "" if found else f"{name} passes")
    else:
        writer.report(f"control: {name} passes without a bug", _problem(opts, case, 0))


def main() -> int:
    opts = options("Plants bugs in the rewriter, each of which a golden case must find.")
    controls = [(0, "", name) for name in sorted({name for _, _, name in BUGS})]
    items = controls + BUGS
    return run_all(items, tap.Writer(len(items)), opts.jobs, partial(_test, opts))


if __name__ == "__main__":
    sys.exit(main())
