# SPDX-License-Identifier: Apache-2.0
"""Smoke-tests the benchmark programs: each runs once at its smallest size, ends well and prints numbers. Prints TAP.

What the numbers are is no test: speed depends on the machine.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from . import proc, tap
from .runner import options

_NUMBER = re.compile(rb"\d+\.\d+")


def main() -> int:
    opts = options("Runs each benchmark once.")
    programs = sorted((opts.build / "bin").glob("bench_*"))
    writer = tap.Writer(max(1, len(programs)))
    if not programs:
        writer.not_ok("there are benchmarks", f"no bench_* in {opts.build / 'bin'}")
    for program in programs:
        writer.report(program.name, _problem(program))
    return 1 if writer.failed else 0


def _problem(program: Path) -> str:
    result = proc.run([program, "--quick"], timeout_s=240)
    said = (result.stdout + result.stderr).decode("utf-8", "replace")
    sys.stderr.write(said)
    if result.timed_out or result.status != 0:
        return f"{result.how}\n{said}"
    return "" if _NUMBER.search(result.stdout) else f"it prints no number:\n{said}"


if __name__ == "__main__":
    sys.exit(main())
