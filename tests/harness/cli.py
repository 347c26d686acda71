# SPDX-License-Identifier: Apache-2.0
"""Runs the command-line cases: tests/cli/<case>/run.sh against its stdout, stderr and exit files. Prints TAP.

A case runs in an empty folder with ROOT, BUILD, TOOL, CASE and HELPERS in its environment. A case with a file `alone` is run
when no other is (it builds in the project's tree, or counts what others would disturb).
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import List

from . import expect, proc, tap
from .cases import ROOT
from .runner import Options, WorkFolder, options, run_all

CLI = ROOT / "tests" / "cli"
_TIMEOUT_S = 120
# The status by which a run.sh says that what it needs is not there; its last line of output says what.
_SKIP_STATUS = 77


def find_cases(patterns: List[str]) -> List[Path]:
    folders = sorted(p.parent for p in CLI.glob("*/run.sh"))
    return [f for f in folders if not patterns or any(f.name.startswith(p) for p in patterns)]


def test_case(opts: Options, folder: Path, writer: tap.Writer) -> None:
    with WorkFolder(f"cli-{folder.name}", opts.keep) as work:
        names = {
            "ROOT": str(ROOT),
            "BUILD": str(opts.build),
            "WORK": str(work),
            "CASE": str(folder),
        }
        env = dict(
            names,
            TOOL=str(opts.build / "bin" / "numafy-rewrite"),
            HELPERS=str(CLI / "helpers"),
            TEST_LOGS=str(work / "test-logs"),
            PYTHON=sys.executable,
            TMPDIR=str(work),
            XDG_CACHE_HOME=str(work / ".cache"),
        )
        timeout_s = float(_text(folder, "timeout", str(_TIMEOUT_S)))
        result = proc.run(["sh", folder / "run.sh"], cwd=work, env=env, timeout_s=timeout_s)
        stdout = result.stdout.decode("utf-8", "replace")
        if result.status == _SKIP_STATUS:
            writer.skip(folder.name, (stdout.splitlines() or ["no reason given"])[-1])
            return
        stderr = result.stderr.decode("utf-8", "replace")
        problems = []
        wanted = int(_text(folder, "exit", "0"))
        if result.timed_out or result.status != wanted:
            problems.append(f"expected exit status {wanted}, got: {result.how}")
        for what, text in (("stdout", stdout), ("stderr", stderr)):
            difference = expect.mismatch(_text(folder, what, ""), text, names)
            if difference:
                problems.append(f"{what} {difference}")
        writer.report(folder.name, "\n".join(problems))


def _text(folder: Path, name: str, default: str) -> str:
    path = folder / name
    return path.read_text("utf-8") if path.exists() else default


def main() -> int:
    opts = options("Runs the command-line cases.")
    folders = find_cases(opts.patterns)
    alone = [f for f in folders if (f / "alone").exists()]
    together = [f for f in folders if f not in alone]
    writer = tap.Writer(len(folders))
    run = partial(test_case, opts)
    failed = run_all(together, writer, opts.jobs, run)
    return run_all(alone, writer, 1, run) or failed


if __name__ == "__main__":
    sys.exit(main())
