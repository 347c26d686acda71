# SPDX-License-Identifier: Apache-2.0
"""Tests the benchmark programs, and the one figure of speed that does not depend on the machine. Prints TAP.

Each program runs once at its smallest size, ends well and prints numbers; which ones is no test. Instructions per pair
are one: callgrind counts the same on a busy machine.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Dict, Tuple

from . import proc, tap
from .cases import ROOT
from .runner import options

_NUMBER = re.compile(rb"\d+\.\d+")

# Instructions per pair of 32 B, loop and one write (5) included: node and size known when compiling;
# the free finds both from the address; and the node is not known to the allocation either.
LIMITS = {"numafy_typed": 20, "numafy_address": 27, "numafy": 35}
# What a program's own malloc and free pay more than jemalloc's alone when it includes the header.
REPLACED_MORE = 15
# The bare list has 5 instructions for a pair: if the count were of something else, it would show here.
BARE = (8, 12)


def main() -> int:
    opts = options("Runs each benchmark once; counts instructions.")
    programs = sorted((opts.build / "bin").glob("bench_*"))
    checks = [*LIMITS, "replaced", "bare", "thread_tcache"]
    writer = tap.Writer(max(1, len(programs)) + len(checks) + 1)
    if not programs:
        writer.not_ok("there are benchmarks", f"no bench_* in {opts.build / 'bin'}")
    for program in programs:
        writer.report(program.name, _problem(program))
    counts, why = _instructions(opts.build)
    for row in checks:
        writer.report(f"instructions: {row}", why or instructions_problem(row, counts))
    _report_trace(opts.build, counts, writer)
    return 1 if writer.failed else 0


def _report_trace(build: Path, counts: Dict[str, float], writer: tap.Writer) -> None:
    """The other way to count, by ptrace, must find what callgrind has found."""
    name = "instructions: traced as by callgrind"
    words = ["--locks", "--peers", "bare", "--patterns", "pair", "--threads", "1", "--rounds", "1", "--ms", "0"]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        out = Path(folder) / "out.json"
        result = proc.run([build / "bin" / "bench_alloc", *words, "--json", out], timeout_s=120)
        row = json.loads(out.read_text("utf-8"))["rows"][0] if result.status == 0 else {}
    if "locks_missing" in row:
        writer.skip(name, row["locks_missing"])
        return
    traced, counted = row.get("instructions_per_pair", 0), counts.get("bare", 0)
    # The tracer counts one block of 1,000 pairs with its calls of the clock, which are code of the kernel's vdso;
    # callgrind leaves those out that stand around the loop.
    same = counted > 0 and abs(traced - counted) < 0.5
    writer.report(name, "" if same else f"{traced} traced, {counted} counted by callgrind; {result.how}")


def _problem(program: Path) -> str:
    result = proc.run([program, "--quick"], timeout_s=240)
    said = (result.stdout + result.stderr).decode("utf-8", "replace")
    sys.stderr.write(said)
    if result.timed_out or result.status != 0:
        return f"{result.how}\n{said}"
    return "" if _NUMBER.search(result.stdout) else f"it prints no number:\n{said}"


def _instructions(build: Path) -> Tuple[Dict[str, float], str]:
    """Instructions per pair of the rows that are checked, and why there are none."""
    if shutil.which("valgrind") is None:
        return {}, "valgrind is missing; scripts/setup test installs it"
    rows = " ".join([*LIMITS, "replaced", "jemalloc", "bare", "thread_tcache"])
    script = ROOT / "bench" / "alloc" / "instructions"
    result = proc.run([script, build, "32", rows, "pair"], timeout_s=300)
    said = result.stdout.decode("utf-8", "replace")
    sys.stderr.write(said)
    if result.timed_out or result.status != 0:
        return {}, f"{result.how}\n{said}{result.stderr.decode('utf-8', 'replace')}"
    return {row: float(count) for row, count in re.findall(r"^(\w+) +(\d+\.\d+)$", said, re.M)}, ""


def instructions_problem(row: str, counts: Dict[str, float]) -> str:
    """What is wrong with a row's count, or nothing."""
    if row not in counts or "jemalloc" not in counts:
        return f"it was not counted: {counts}"
    count = counts[row]
    low, high = 0.0, float(LIMITS.get(row, 0))
    if row == "replaced":
        high = counts["jemalloc"] + REPLACED_MORE
    elif row == "bare":
        low, high = BARE
    elif row == "thread_tcache":  # the control: jemalloc's calls with flags are above every limit
        low, high = max(LIMITS.values()) + 1, float("inf")
    # A block's own clock calls are a tenth of an instruction per pair.
    return "" if low <= count < high + 0.5 else f"{count} instructions, not {low:.0f} to {high:.0f}"


if __name__ == "__main__":
    sys.exit(main())
