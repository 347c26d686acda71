# SPDX-License-Identifier: Apache-2.0
"""Runs modules tests/python/test_*.py (all, or those named) by unittest and prints TAP.

A module that cannot be imported is a failure.
"""

from __future__ import annotations

import os
import sys
import unittest
from typing import List, Tuple

from . import tap
from .cases import ROOT
from .runner import options

PYTHON_TESTS = ROOT / "tests" / "python"


class _Result(unittest.TestResult):
    """Keeps (test id, "passed", "failed" or "skipped", detail)."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: List[Tuple[str, str, str]] = []

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.seen.append((test.id(), "passed", ""))

    def addError(self, test: unittest.TestCase, err) -> None:  # type: ignore[no-untyped-def]
        self.seen.append((test.id(), "failed", self._exc_info_to_string(err, test)))

    addFailure = addError

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.seen.append((test.id(), "skipped", reason))

    def addExpectedFailure(self, test, err) -> None:  # type: ignore[no-untyped-def]
        self.seen.append((test.id(), "passed", ""))

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        self.seen.append((test.id(), "failed", "it passes, but is marked as an expected failure"))

    def addSubTest(self, test, subtest, err) -> None:  # type: ignore[no-untyped-def]
        if err is not None:
            self.seen.append((subtest.id(), "failed", self._exc_info_to_string(err, test)))


def main() -> int:
    opts = options("Runs the Python tests.")
    os.environ["BUILD"] = str(opts.build)
    sys.path[:0] = [str(ROOT), str(PYTHON_TESTS)]
    modules = opts.patterns or sorted(p.stem for p in PYTHON_TESTS.glob("test_*.py"))
    result = _Result()
    unittest.defaultTestLoader.loadTestsFromNames(modules).run(result)
    writer = tap.Writer(len(result.seen))
    for name, outcome, detail in result.seen:
        if outcome == "skipped":
            writer.skip(name, detail)
        else:
            writer.report(name, detail if outcome == "failed" else "")
    return 1 if writer.failed else 0


if __name__ == "__main__":
    sys.exit(main())
