#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the layers of tests on a finished build and counts what they report. scripts/test calls it.

Every program of a layer prints TAP; what each printed is kept in <build>/test-logs/<layer>/<program>.log. The last line is
`N passed, N failed, N skipped`. The exit status is 0 only if nothing failed, nothing was skipped that
tests/expected-skips does not name, and no layer was left out that was asked for.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Dict, List, Tuple

from harness import proc, tap
from harness.display import Display

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
EXPECTED_SKIPS = TESTS / "expected-skips"


@dataclass(frozen=True)
class Program:
    """Something that prints TAP. alone: nothing else may run beside it, it uses all CPUs itself."""

    layer: str
    name: str
    argv: Tuple[str, ...]
    alone: bool = False
    timeout_s: float = 300
    # Takes our runners' option --jobs.
    ours: bool = False
    # Has cases, and takes beginnings of their names.
    cases: bool = False
    # Extra environment as (name, value) pairs.
    env: Tuple[Tuple[str, str], ...] = ()


@dataclass
class Tally:
    """What came of all programs. failures and skips are (layer, program, check or fault)."""

    passed: int = 0
    failures: List[Tuple[Program, tap.Check]] = field(default_factory=list)
    skips: List[Tuple[Program, tap.Check]] = field(default_factory=list)
    # Seconds of CPU, by layer.
    cpu_s: Dict[str, float] = field(default_factory=dict)


# Settings under which the runtime's programs run again; 0 is what they do without.
HUGE = ("1", "2")
# The kernels of the one are made up, without huge pages; the other counts the mappings of a range, of which hugetlb needs
# many. place_modes has its cases with hugetlb.
# The planted bugs show that the fuzzers see, which is no question of the setting; scripts/nightly has the debug levels.
HUGE_NOT = ("unit_runtime_system", "unit_runtime_modes", "fuzz_runtime_planted", "fuzz_runtime_debug")


def native(prefix: str, timeout_s: float) -> Callable[[Path], List[Program]]:
    """The programs <build>/tests/<prefix>_*, those of the runtime also under NUMAFY_HUGE."""

    def find(build: Path) -> List[Program]:
        found = sorted((build / "tests").glob(f"{prefix}_*"))
        env = (("CMOCKA_MESSAGE_OUTPUT", "TAP"),)
        programs = [
            Program(prefix, p.name, (str(p),), prefix == "race", timeout_s, env=env)
            for p in found
            if p.is_file() and os.access(p, os.X_OK)
        ]
        return programs + [
            replace(p, name=f"{p.name}.huge{value}", env=(*env, ("NUMAFY_HUGE", value)))
            for p in programs
            if p.name.startswith(f"{prefix}_runtime") and p.name not in HUGE_NOT
            for value in HUGE
        ]

    return find


def runner(
    layer: str, module: str, timeout_s: float, cases: bool = True
) -> Callable[[Path], List[Program]]:
    """A runner of ours, which spreads its cases over the CPUs itself."""

    def find(build: Path) -> List[Program]:
        argv = (sys.executable, "-m", f"harness.{module}", "--build", str(build))
        return [Program(layer, module, argv, True, timeout_s, ours=True, cases=cases)]

    return find


def fuzz(build: Path) -> List[Program]:
    found = native("fuzz", 600)(build)
    for module in ("fuzz", "libfuzzer", "planted", "programs"):
        found += runner("fuzz", module, 900, cases=module == "fuzz")(build)
    return found


def python(build: Path) -> List[Program]:
    argv = (sys.executable, "-m", "harness.python_layer", "--build", str(build))
    modules = sorted(p.stem for p in (TESTS / "python").glob("test_*.py"))
    return [Program("python", m, (*argv, m), timeout_s=900) for m in modules]


def place(build: Path) -> List[Program]:
    """All of it is one program: the guest boots once."""
    return [Program("place", "place", (str(TESTS / "place" / "run"), str(build)), True, 1800)]


def place_names(build: Path) -> str:
    """What the place layer would run, for the message that it did not."""
    names = {p.name for p in (build / "tests").glob("place_*") if os.access(p, os.X_OK)}
    names |= {p.stem for p in (TESTS / "place").glob("*.sh")}
    return ", ".join(sorted(names))


def bench(build: Path) -> List[Program]:
    return runner("bench", "bench_layer", 600, cases=False)(build)


# The longest of those that run side by side, the longest first.
LONG = (
    "test_trees",
    "test_suite_allocator_test",
    "test_life_sanitizers",
    "test_suite_data_structures",
    "fuzz_runtime",
    "unit_life",
    "unit_runtime_system",
    "test_compile_matrix",
    "test_runtime_variants",
    "test_runtime_check",
    "fuzz_runtime.huge1",
    "fuzz_runtime.huge2",
    "test_life_links",
    "test_life_plugins",
    "fuzz_runtime_debug",
)

# In the order in which they run: what is quick and tells most comes first.
LAYERS: Dict[str, Callable[[Path], List[Program]]] = {
    "unit": native("unit", 600),
    "golden": runner("golden", "golden", 900),
    "compile-back": runner("compile-back", "compile_back", 1800),
    "python": python,
    "fuzz": fuzz,
    "race": native("race", 300),
    "bench": bench,
    "cli": runner("cli", "cli", 1800),
    "place": place,
}


class Run:
    """One run of some programs: starts them, reads what they print, keeps the logs and the tally."""

    def __init__(self, build: Path, jobs: int, only: List[str]) -> None:
        # TEST_LOGS: a test case that runs scripts/test must not write over the logs of the run that it is part of.
        self._logs = Path(os.environ.get("TEST_LOGS") or build / "test-logs")
        self._jobs = jobs
        self._only = only
        self._lock = threading.Lock()
        self.tally = Tally()

    def log_of(self, program: Program) -> Path:
        return self._logs / program.layer / f"{program.name}.log"

    def all(self, programs: List[Program]) -> None:
        display = Display(len(programs))
        for layer in {p.layer for p in programs}:
            shutil.rmtree(self._logs / layer, ignore_errors=True)
        together = [p for p in programs if not p.alone]
        # What is long starts first: at the end no CPU waits for it.
        together.sort(key=lambda p: LONG.index(p.name) if p.name in LONG else len(LONG))
        with ThreadPoolExecutor(max_workers=self._jobs) as pool:
            for done in [pool.submit(self._one, p, display) for p in together]:
                done.result()
        for program in programs:
            if program.alone:
                self._one(program, display)

    def _one(self, program: Program, display: Display) -> None:
        log = self.log_of(program)
        log.parent.mkdir(parents=True, exist_ok=True)
        lines: List[str] = []

        def on_line(line: str) -> None:
            lines.append(line)
            if line.startswith(("ok", "not ok")):
                display.test(program.name, line.startswith("not ok") and "# SKIP" not in line)

        argv = list(program.argv)
        if program.ours:
            argv += ["--jobs", str(self._jobs)]
        if program.cases:
            argv += self._only
        env = dict(program.env)
        result = proc.follow(argv, on_line, log, cwd=TESTS, env=env, timeout_s=program.timeout_s)
        stream = tap.read(lines, result.status)
        if result.timed_out:
            stream.fault = result.how
        elif stream.fault == tap.NO_TESTS and program.cases and self._only and result.status == 0:
            stream.fault = ""  # none of its cases was asked for
        elif stream.fault:
            stream.fault += f" ({result.how})"
        self._count(program, stream, result)
        display.program(f"{program.layer}: {program.name}", _summary(stream, result))

    def _count(self, program: Program, stream: tap.Stream, result: proc.Result) -> None:
        with self._lock:
            self.tally.cpu_s[program.layer] = self.tally.cpu_s.get(program.layer, 0) + result.cpu_s
            for check in stream.checks:
                if check.outcome == "passed":
                    self.tally.passed += 1
                elif check.outcome == "failed":
                    self.tally.failures.append((program, check))
                else:
                    self.tally.skips.append((program, check))
            if stream.fault:
                fault = tap.Check("the program comes to its end", "failed", stream.fault)
                self.tally.failures.append((program, fault))


def _summary(stream: tap.Stream, result: proc.Result) -> str:
    counts = [(o, sum(c.outcome == o for c in stream.checks)) for o in ("passed", "failed", "skipped")]
    text = ", ".join(f"{n} {outcome}" for outcome, n in counts if n or outcome == "passed")
    return f"{text} ({result.seconds:.1f} s, CPU {result.cpu_s:.1f} s)" + (f"; {stream.fault}" if stream.fault else "")


def expected_skip(program: Program, check: tap.Check, no_vm: bool) -> bool:
    """Whether tests/expected-skips has a line `[no-vm] layer/program: test # why` (shell patterns) that fits."""
    name = f"{program.layer}/{program.name}: {check.name}"
    for line in EXPECTED_SKIPS.read_text("utf-8").splitlines():
        pattern = line.split(" # ")[0].strip()
        if pattern.startswith("[no-vm] "):
            pattern = pattern[len("[no-vm] ") :] if no_vm else ""
        if pattern and not pattern.startswith("#") and fnmatch.fnmatchcase(name, pattern):
            return True
    return False


def find_programs(layers: List[str], build: Path, only: List[str], tally: Tally) -> List[Program]:
    """The layers' programs; with only, those that it names and those that have cases."""
    programs: List[Program] = []
    for layer in layers:
        found = LAYERS[layer](build)
        if not found:
            nothing = Program(layer, layer, ())
            check = tap.Check("the layer has tests", "failed", f"no program in {build}/tests")
            tally.failures.append((nothing, check))
        programs += [p for p in found if p.cases or not only or p.name.startswith(tuple(only))]
    return programs


def show_end(run: Run, left_out: str, no_vm: bool) -> int:
    """Prints what failed, what was skipped and the closing line; returns the exit status."""
    tally = run.tally
    for program, check in tally.failures:
        print(f"FAILED {program.layer}/{program.name}: {check.name}")
        for line in check.detail.splitlines()[:60]:
            print(f"    {line}")
        print(f"    log: {run.log_of(program)}")
    unexpected = 0
    for program, check in tally.skips:
        known = expected_skip(program, check, no_vm)
        unexpected += not known
        mark = "skipped" if known else "SKIPPED, not expected"
        print(f"{mark} {program.layer}/{program.name}: {check.name}: {check.detail}")
    if unexpected:
        print(f"{unexpected} skips are not named in {EXPECTED_SKIPS.relative_to(ROOT)}")
    if left_out:
        print(left_out)
    if tally.cpu_s:
        print("CPU seconds: " + ", ".join(f"{layer} {s:.0f}" for layer, s in tally.cpu_s.items()))
    print(f"{tally.passed} passed, {len(tally.failures)} failed, {len(tally.skips)} skipped")
    return 1 if tally.failures or unexpected or left_out or tally.passed == 0 else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--only", action="append", default=[], help="beginning of the name of a program or a case"
    )
    parser.add_argument("--no-vm", action="store_true", help="leave out the place layer")
    parser.add_argument("--vm-missing", metavar="WHY", help="the guest cannot be started")
    parser.add_argument("layer", nargs="*", help="of: " + " ".join(LAYERS))
    args = parser.parse_args()
    # What the rewriter keeps between runs is of this run only, and not among the user's.
    # The guest's kernel is fetched once for all runs; facts of parsed units are kept apart.
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    os.environ.setdefault("NUMAVM_CACHE", f"{caches}/numafy/numavm")
    os.environ["XDG_CACHE_HOME"] = str(args.build.resolve() / "test-cache")
    shutil.rmtree(args.build / "test-cache", ignore_errors=True)
    unknown = [layer for layer in args.layer if layer not in LAYERS]
    if unknown:
        print(f"test: unknown layer '{unknown[0]}'; layers: {' '.join(LAYERS)}", file=sys.stderr)
        return 1
    # What the user has set for his own programs must not change ours.
    for name in [n for n in os.environ if n.startswith("NUMAFY_")]:
        del os.environ[name]

    proc.end_all_when_stopped()
    build = args.build.resolve()
    layers = [layer for layer in LAYERS if not args.layer or layer in args.layer]
    left_out = ""
    if "place" in layers and (args.no_vm or args.vm_missing):
        layers.remove("place")
        tests = place_names(build)
        if not args.no_vm:
            left_out = f"NOT RUN: the place layer ({tests}): {args.vm_missing} (--no-vm leaves it out)"
        else:
            print(f"test: left out, as asked: the place layer ({tests})")
    run = Run(build, max(1, args.jobs), args.only)
    run.all(find_programs(layers, build, args.only, run.tally))
    return show_end(run, left_out, args.no_vm)


if __name__ == "__main__":
    sys.exit(main())
