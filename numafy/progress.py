# SPDX-License-Identifier: Apache-2.0
"""What the user sees while waiting: a line per step on stderr, with a clock on a terminal.

A step that counts shows how far it is and the time left: all the time on a terminal, now and then
elsewhere.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from typing import Callable, Iterator, Optional, TextIO

from .files import shown

PATIENCE_S = 1.0  # a step that takes less is not timed: the number would say nothing
LINE_S = 10.0  # between lines that tell how far a step is, where there is no terminal


class Progress:
    """Steps of one run. Lines go to ``stream``; only a terminal gets the running clock."""

    def __init__(self, stream: Optional[TextIO] = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self._text = ""
        self._since = 0.0

    def say(self, text: str) -> None:
        """A line that stays."""
        self._wipe()
        print(f"numafy: {shown(text)}", file=self.stream, flush=True)

    @contextlib.contextmanager
    def step(self, text: str) -> Iterator[None]:
        """Announce a step; inside it, ``tick`` refreshes the clock."""
        if not self.live:
            self.say(text)
            yield
            return
        self._text, self._since = shown(text), time.monotonic()
        self.tick()
        try:
            yield
        finally:
            self._wipe()
            print(f"numafy: {self._text}{self._clock()}", file=self.stream, flush=True)
            self._text = ""

    @contextlib.contextmanager
    def counted(self, text: str, what: str) -> Iterator[Callable[[int, int], None]]:
        """Announce a step; the value is told how many ``what`` of how many are done, again and again.

        When all are, its line goes away: the step may print results of its own.
        """
        self.say(text)
        began = said = time.monotonic()

        def tell(done: int, total: int) -> None:
            nonlocal said
            now = time.monotonic()
            if done == total:
                self._wipe()
            elif done and now - began >= PATIENCE_S:
                left = (now - began) * (total - done) / done
                line = f"{done} of {total} {what}, about {left:.0f} s left"
                if self.live:
                    self._draw(line)
                elif now - said >= LINE_S:
                    said = now
                    self.say(line)

        try:
            yield tell
        finally:
            self._wipe()

    def tick(self) -> None:
        if self.live and self._text:
            self._draw(f"{self._text}{self._clock()}")

    def _draw(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        line = f"numafy: {text} ..."
        print(f"\r\x1b[K{line[:width]}", end="", file=self.stream, flush=True)

    def _clock(self) -> str:
        seconds = time.monotonic() - self._since
        return f" ({seconds:.0f} s)" if seconds >= PATIENCE_S else ""

    def _wipe(self) -> None:
        if self.live:
            print("\r\x1b[K", end="", file=self.stream, flush=True)
