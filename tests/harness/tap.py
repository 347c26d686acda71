# SPDX-License-Identifier: Apache-2.0
"""TAP, the Test Anything Protocol: a reader that does not trust the stream, and a writer for our own runners.

The reader's rule: a stream counts only if it comes to its planned end. A program that stops half way, crashes after its
last line or prints no plan has failed, whatever its lines said. It knows nothing of how the program was started.
"""

from __future__ import annotations

import re
import sys
import threading
from dataclasses import dataclass, field
from typing import Iterable, List, Optional, TextIO

_TEST_LINE = re.compile(r"^(not )?ok\b(?:\s+(\d+))?(?:\s+-)?\s*(.*)$")
_PLAN_LINE = re.compile(r"^1\.\.(\d+)(?:\s*#\s*skip\w*\s*(.*))?", re.IGNORECASE)
# The fault of a stream whose plan is 1..0.
NO_TESTS = "a plan of no tests"
_SKIP = re.compile(r"#\s*skip\w*\s*(.*)$", re.IGNORECASE)


@dataclass
class Check:
    """One test line. outcome is "passed", "failed" or "skipped"; detail is the reason or the lines after it."""

    name: str
    outcome: str
    detail: str = ""


@dataclass
class Stream:
    """What a stream said. A fault is a reason why the stream as a whole cannot be believed."""

    checks: List[Check] = field(default_factory=list)
    fault: str = ""


def read(lines: Iterable[str], status: int) -> Stream:
    """Reads a whole stream; status is the program's exit status.

    A program may print several plans one after the other (cmocka prints one per group): together they must name as many
    tests as there are.
    """
    stream = Stream()
    planned: Optional[int] = None
    for raw in lines:
        line = raw.rstrip("\r\n")
        plan = _PLAN_LINE.match(line)
        test = _TEST_LINE.match(line)
        if plan:
            planned = (planned or 0) + int(plan.group(1))
            if plan.group(2) is not None and int(plan.group(1)) == 0:
                stream.checks.append(Check("the whole program", "skipped", plan.group(2)))
                planned += 1
        elif test:
            stream.checks.append(_check(bool(test.group(1)), test.group(2), test.group(3)))
        elif line.startswith("Bail out!"):
            stream.fault = line
            return stream
        elif line.startswith("#") and stream.checks and stream.checks[-1].outcome == "failed":
            stream.checks[-1].detail += line[1:].strip() + "\n"
    stream.fault = _fault(stream, planned, status)
    return stream


def _check(failed: bool, number: Optional[str], text: str) -> Check:
    skip = _SKIP.search(text)
    if skip:
        # cmocka writes "not ok 3 # SKIP name": the name is where others have the reason.
        name = text[: skip.start()].strip() or skip.group(1)
        return Check(name or f"test {number}", "skipped", skip.group(1))
    return Check(text.strip() or f"test {number}", "failed" if failed else "passed")


def _fault(stream: Stream, planned: Optional[int], status: int) -> str:
    failed = any(c.outcome == "failed" for c in stream.checks)
    if planned is None:
        return "no plan (1..N): the program stopped early or speaks no TAP"
    if planned != len(stream.checks):
        return f"{planned} tests planned, {len(stream.checks)} reported"
    if planned == 0:
        return NO_TESTS
    if status != 0 and not failed:
        return f"every test passed but the program ended with status {status}"
    return ""


class Writer:
    """Writes a stream whose length is known from the start. Threads may share it."""

    def __init__(self, planned: int, out: TextIO = sys.stdout) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._number = 0
        self.failed = 0
        self._print(f"1..{planned}")

    def ok(self, name: str) -> None:
        self._line("ok", name, "")

    def not_ok(self, name: str, detail: str) -> None:
        """detail says what was expected and what came; each of its lines becomes a comment."""
        with self._lock:
            self.failed += 1
        self._line("not ok", name, detail)

    def skip(self, name: str, reason: str) -> None:
        self._line("ok", f"{name} # SKIP {reason}", "")

    def report(self, name: str, problem: str) -> None:
        """A test that passed if there is no problem to tell."""
        if problem:
            self.not_ok(name, problem)
        else:
            self.ok(name)

    def _line(self, verdict: str, text: str, detail: str) -> None:
        comment = "".join(f"\n# {line}" for line in detail.splitlines())
        with self._lock:
            self._number += 1
            self._print(f"{verdict} {self._number} - {text}{comment}")

    def _print(self, text: str) -> None:
        print(text.encode("utf-8", "replace").decode("utf-8"), file=self._out, flush=True)
