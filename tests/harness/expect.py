# SPDX-License-Identifier: Apache-2.0
"""Compares what a program printed with an expectation file.

The file is the text itself, line for line, with three liberties:

    {NAME}   stands for a path that differs from run to run (the caller gives the names)
    ~ REGEX  a line that the regular expression must match in full
    ...      any number of lines, also none

Knows nothing of how the text was made.
"""

from __future__ import annotations

import re
from typing import List, Mapping, Sequence

_SHOWN = 25


def mismatch(expected: str, actual: str, names: Mapping[str, str]) -> str:
    """The first difference in words, empty if there is none."""
    patterns = expected.splitlines()
    lines = _names_put_in(actual, names).splitlines()
    if _matches(patterns, lines):
        return ""
    return "expected:\n" + _indented(patterns) + "\nbut got:\n" + _indented(lines)


def _names_put_in(text: str, names: Mapping[str, str]) -> str:
    # The longest path first: one may be the beginning of another.
    for name, value in sorted(names.items(), key=lambda item: -len(item[1])):
        text = text.replace(value, "{" + name + "}")
    return text


def _matches(patterns: Sequence[str], lines: Sequence[str]) -> bool:
    # reachable[j]: the patterns so far can account for the first j lines.
    reachable = [True] + [False] * len(lines)
    for pattern in patterns:
        if pattern == "...":
            first = reachable.index(True) if True in reachable else len(lines) + 1
            reachable = [j >= first for j in range(len(lines) + 1)]
        else:
            reachable = [False] + [
                reachable[j] and _line_matches(pattern, lines[j]) for j in range(len(lines))
            ]
    return reachable[len(lines)]


def _line_matches(pattern: str, line: str) -> bool:
    if pattern.startswith("~ "):
        return re.fullmatch(pattern[2:], line) is not None
    return pattern == line


def _indented(lines: Sequence[str]) -> str:
    """The lines for a message; of a long text the beginning and the end."""
    shown: List[str] = [f"    {line}" for line in lines]
    if len(shown) > 2 * _SHOWN:
        shown[_SHOWN:-_SHOWN] = [f"    ({len(shown) - 2 * _SHOWN} more lines)"]
    return "\n".join(shown) or "    (nothing)"
