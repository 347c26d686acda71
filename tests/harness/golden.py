# SPDX-License-Identifier: Apache-2.0
"""Runs the rewriter over every golden case and compares each byte of what it wrote. Prints TAP.

Two tests per case: "output" (exit status, changed files, everything else untouched, messages, sites) and "again"
(another run with another -j gives the same bytes, and so does a run over the output itself).
"""

from __future__ import annotations

import difflib
import json
import sys
from functools import partial
from pathlib import Path
from typing import Dict, List

from . import expect, proc, tap
from .cases import ROOT, Case, find_cases, snapshot
from .runner import Options, WorkFolder, options, run_all

_TIMEOUT_S = 60


def rewrite(case: Case, opts: Options, tree: Path, work: Path, out: Path, *more: str) -> proc.Result:
    """Runs the rewriter on a tree of the case; work gets the compile database."""
    tool = opts.build / "bin" / "numafy-rewrite"
    return proc.run(
        [tool, tree, "-p", work, "--out", out, "--no-cache", *case.args, *more],
        cwd=work,
        timeout_s=_TIMEOUT_S,
    )


def test_case(opts: Options, case: Case, writer: tap.Writer) -> None:
    with WorkFolder(case.name, opts.keep) as work:
        tree, out, build = work / "tree", work / "out", work / "build"
        case.copy_input(tree)
        case.write_database(tree, build, case.uses_runtime)
        result = rewrite(case, opts, tree, build, out, "--report", str(work / "report.json"))
        writer.report(f"{case.name} output", output_problem(case, work, result))
        writer.report(f"{case.name} again", _again_problem(case, opts, work))


def output_problem(case: Case, work: Path, result: proc.Result) -> str:
    problems = []
    if result.status != case.exit:
        problems.append(f"expected exit status {case.exit}, got: {result.how}")
    problems += _tree_problems(_expected_tree(case), snapshot(work / "out"))
    if snapshot(work / "tree") != snapshot(case.input):
        problems.append("the input tree was changed")
    stderr = result.stderr.decode("utf-8", "replace")
    if (case.folder / "stderr").exists():
        names = {"TREE": str(work / "tree"), "OUT": str(work / "out"), "ROOT": str(ROOT)}
        difference = expect.mismatch(case.text("stderr", ""), stderr, names)
        problems += [f"stderr {difference}"] if difference else []
    problems += _list_problems(case, work / "report.json", "sites")
    problems += _list_problems(case, work / "report.json", "scopes")
    if problems:
        problems.append(f"stderr was:\n{stderr}")
    return "\n".join(problems)


def _expected_tree(case: Case) -> Dict[str, bytes]:
    tree = snapshot(case.input)
    if case.expected.is_dir():
        tree.update(snapshot(case.expected))
    return tree


def _tree_problems(expected: Dict[str, bytes], actual: Dict[str, bytes]) -> List[str]:
    problems = []
    for name in sorted(expected.keys() | actual.keys()):
        if name not in actual:
            problems.append(f"{name} is missing")
        elif name not in expected:
            problems.append(f"{name} should not be there")
        elif expected[name] != actual[name]:
            problems.append(_difference(name, expected[name], actual[name]))
    return problems


def _difference(name: str, expected: bytes, actual: bytes) -> str:
    """A unified diff that shows bytes outside printable ASCII, since line ends and marks matter here."""
    sides = [
        [ascii(line)[2:-1] for line in text.splitlines(keepends=True)] for text in (expected, actual)
    ]
    return "\n".join(difflib.unified_diff(*sides, f"expected/{name}", f"out/{name}", lineterm=""))


def _site_line(s: Dict[str, str]) -> str:
    return f"{s['file']}:{s['line']} {s['kind']} {s['action']} {s.get('id') or '-'}"


def _scope_line(s: Dict[str, str]) -> str:
    return f"{s['file']}:{s['line']} {s['kind']} {s['function']} {s['action']} {s['id'] or s['owner']}"


def _list_problems(case: Case, report_file: Path, name: str) -> List[str]:
    """Compares the report's sites or scopes with the case's list: `file:line kind action id`, id is - for edited
    sites; `file:line kind function action owner`, the id instead of the owner where it is left."""
    if not (case.folder / name).exists():
        return []
    try:
        report = json.loads(report_file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return [f"the report cannot be read: {error}"]
    line = _site_line if name == "sites" else _scope_line
    found = sorted((s["file"], s["line"], s["column"], line(s)) for s in report[name])
    actual = [text for *_, text in found]
    expected = [text for text in case.text(name, "").splitlines() if text]
    if actual == expected:
        return []
    return [f"{name}:", *difflib.unified_diff(expected, actual, "expected", "report", lineterm="")]


def _again_problem(case: Case, opts: Options, work: Path) -> str:
    first = snapshot(work / "out")
    second = rewrite(case, opts, work / "tree", work / "build", work / "out2", "-j", "1")
    if second.status != case.exit:
        return f"the second run: {second.how}"
    problems = _tree_problems(first, snapshot(work / "out2"))
    if problems:
        return "a second run gave other bytes:\n" + "\n".join(problems)
    if case.exit != 0:
        return ""
    case.write_database(work / "out", work / "build-out", True)
    third = rewrite(case, opts, work / "out", work / "build-out", work / "out3")
    if third.status != 0:
        return f"the run over the output: {third.how}\n{third.stderr.decode('utf-8', 'replace')}"
    problems = _tree_problems(first, snapshot(work / "out3"))
    return "a run over the output changed it:\n" + "\n".join(problems) if problems else ""


def main() -> int:
    opts = options("Runs the rewriter over the golden cases.")
    cases = find_cases(opts.patterns)
    return run_all(cases, tap.Writer(2 * len(cases)), opts.jobs, partial(test_case, opts))


if __name__ == "__main__":
    sys.exit(main())
