# SPDX-License-Identifier: Apache-2.0
"""What the user sees while waiting: a line per step on stderr, with a clock on a terminal."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from typing import Iterator, Optional, TextIO

from .files import shown

PATIENCE_S = 1.0  # a step that takes less is not timed: the number would say nothing


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
    def step(self, text: str, prints: bool = False) -> Iterator[None]:
        """Announce a step; inside it, ``tick`` refreshes the clock.

        ``prints``: the step writes to the terminal itself, so its line has no clock.
        """
        if prints or not self.live:
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

    def tick(self) -> None:
        if self.live and self._text:
            width = shutil.get_terminal_size().columns - 1
            line = f"numafy: {self._text}{self._clock()} ..."
            print(f"\r\x1b[K{line[:width]}", end="", file=self.stream, flush=True)

    def _clock(self) -> str:
        seconds = time.monotonic() - self._since
        return f" ({seconds:.0f} s)" if seconds >= PATIENCE_S else ""

    def _wipe(self) -> None:
        if self.live:
            print("\r\x1b[K", end="", file=self.stream, flush=True)
