# SPDX-License-Identifier: Apache-2.0
"""Shows how a test run goes on: a bar where a person watches, plain lines elsewhere. Decides nothing."""

from __future__ import annotations

import os
import shutil
import sys
import threading

_BAR_WIDTH = 20


class Display:
    """Thread-safe. total is the number of programs to run; a program is what reports tests."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._tests = 0
        self._failed = 0
        self._lock = threading.Lock()
        self._live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def test(self, program: str, failed: bool) -> None:
        """A test of the program has ended."""
        with self._lock:
            self._tests += 1
            self._failed += failed
            if self._live:
                self._draw(program)

    def program(self, name: str, text: str) -> None:
        """A program has ended; text sums it up."""
        with self._lock:
            self._done += 1
            self._print(f"{name}: {text}")
            if self._live and self._done < self._total:
                self._draw("")

    def note(self, text: str) -> None:
        with self._lock:
            self._print(text)

    def _print(self, text: str) -> None:
        clear = "\r\033[K" if self._live else ""
        print(clear + text, flush=True)

    def _draw(self, program: str) -> None:
        filled = _BAR_WIDTH * self._done // max(1, self._total)
        bar = "#" * filled + "." * (_BAR_WIDTH - filled)
        failed = f", {self._failed} failed" if self._failed else ""
        line = f"[{bar}] {self._done}/{self._total} programs, {self._tests} tests{failed} {program}"
        width = shutil.get_terminal_size().columns - 1
        print("\r\033[K" + line[:width], end="", flush=True)
