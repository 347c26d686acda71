# SPDX-License-Identifier: Apache-2.0
"""Exit codes, and the one exception type that carries them to the command line.

The numbers are the same as numafy-rewrite's and are part of the interface (docs/cli.md): scripts
depend on them.
"""

from __future__ import annotations

from typing import Iterable

EXIT_OK = 0  # done, nothing to do, or a dry run
EXIT_USAGE = 1  # wrong options; also no compile database, an unknown name, out inside the tree
EXIT_UNPARSED = 2  # some input could not be parsed; it was copied unchanged
EXIT_LEFT = 3  # something was left alone, under --strict
EXIT_CONFLICT = 4  # two units ask for different edits of the same place
EXIT_CHANGES = 5  # --check found changes
EXIT_WRITE = 6  # an output could not be written
EXIT_BUILD = 7  # --build or --test failed
EXIT_BUG = 70  # numafy's own fault
EXIT_INTERRUPTED = 130  # Ctrl-C, as shells report it

# Worst first. A usage error of one suite of several says that its result is missing, which outranks
# the two codes that only describe a complete result.
PRECEDENCE = (
    EXIT_INTERRUPTED,
    EXIT_BUG,
    EXIT_WRITE,
    EXIT_CONFLICT,
    EXIT_UNPARSED,
    EXIT_BUILD,
    EXIT_USAGE,
    EXIT_LEFT,
    EXIT_CHANGES,
    EXIT_OK,
)


def worst(codes: Iterable[int]) -> int:
    """The code to exit with when several causes apply; an undocumented one counts as a bug."""
    known = [code if code in PRECEDENCE else EXIT_BUG for code in codes]
    return min(known, key=PRECEDENCE.index, default=EXIT_OK)


class NumafyError(Exception):
    """Something the user can act on: one clear line, and ``detail`` such as the tail of a log."""

    def __init__(self, message: str, code: int = EXIT_USAGE, detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.detail = detail
