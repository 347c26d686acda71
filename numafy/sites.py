# SPDX-License-Identifier: Apache-2.0
"""Which edited sites of a rewritten tree were compiled, which ran, and on which node.

With NUMAFY_CC_SITES=1 the compiler wrappers build programs that append each site that runs, once
per process and node, to the file that NUMAFY_SITES names (runtime/numafy/site.h). Every unit that
includes near.h also has its path in a section of its own. This module reads both and compares them
with the report of the rewriter.
"""

from __future__ import annotations

import bisect
import os
import struct
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Set, Tuple

from .errors import NumafyError
from .files import real, shown
from .report import Report

SECTION = b"numafy_files"
Site = Dict[str, Any]
EDITED = ("near", "on", "scope")
# Some compilers tell the last line of a site that spans several.
LONGEST_SITE = 30


class Ran(NamedTuple):
    """A site that ran: where it stands, as a real path, and the node it asked for (-1: none)."""

    path: str
    line: int
    node: int


class Coverage(NamedTuple):
    """The edited sites of a report: those that ran, those that ran on a node, and the others."""

    edited: List[Site]
    executed: List[Site]
    on_node: List[Site]
    not_executed: List[Site]
    strangers: List[Ran]
    """What ran and is no edited site: by hand in the source, or an edited file's other copy."""

    def sentence(self) -> str:
        return (
            f"{len(self.executed)} of {len(self.edited)} edited sites executed, "
            f"{len(self.on_node)} on a node"
        )


def environment_of_build() -> Dict[str, str]:
    """What a build needs in its environment so that its programs tell."""
    return {"NUMAFY_CC_SITES": "1"}


def environment_of_run(log: Path) -> Dict[str, str]:
    """What a program of such a build needs to append to ``log``, from any working folder."""
    return {"NUMAFY_SITES": str(log.absolute())}


def read(log: Path) -> Set[Ran]:
    """All that is in the log; a missing one is empty. NumafyError if it is not such a file."""
    try:
        fields = log.read_bytes().split(b"\0")
    except FileNotFoundError:
        return set()
    if len(fields) % 4 != 1 or fields[-1]:
        raise NumafyError(f"{shown(log)} is not a list of sites")
    found = set()
    for node, line, folder, name in zip(*(iter(fields[:-1]),) * 4):
        path = os.path.realpath(os.path.join(os.fsdecode(folder), os.fsdecode(name)))
        try:
            found.add(Ran(path, int(line), int(node)))
        except ValueError:
            raise NumafyError(f"{shown(log)} is not a list of sites") from None
    return found


def coverage(report: Report, out: Path, ran: Iterable[Ran]) -> Coverage:
    """Compare what the report of the tree in ``out`` says was edited with what ran."""
    edited = [site for site in report.sites if site["action"] in EDITED]
    by_place: Dict[Tuple[str, int], List[int]] = {}
    lines: Dict[str, List[int]] = {}
    for number, site in enumerate(edited):
        path = str(real(out / report.name_of(site["file"])))
        by_place.setdefault((path, site["line"]), []).append(number)
        lines.setdefault(path, []).append(site["line"])
    for known in lines.values():
        known.sort()
    executed, on_node, strangers = set(), set(), []
    for one in ran:
        line = _site_line(lines.get(one.path, []), one.line)
        sites = by_place.get((one.path, line), [])
        executed.update(sites)
        if one.node != -1:
            on_node.update(sites)
        if not sites:
            strangers.append(one)
    return Coverage(
        edited,
        [edited[n] for n in sorted(executed)],
        [edited[n] for n in sorted(on_node)],
        [site for n, site in enumerate(edited) if n not in executed],
        sorted(strangers),
    )


def _site_line(known: List[int], line: int) -> int:
    """The site's line: this one, else the nearest above, since the site may end here; 0: none."""
    at = bisect.bisect_right(known, line)
    return known[at - 1] if at and line - known[at - 1] <= LONGEST_SITE else 0


def compiled_into(binary: Path) -> Set[str]:
    """The real paths of the units with near.h in an ELF object, archive member or program."""
    found = set()
    for text in _section(binary.read_bytes(), SECTION).split(b"\0"):
        folder, newline, name = text.partition(b"\n")
        if newline:
            found.add(os.path.realpath(os.path.join(os.fsdecode(folder), os.fsdecode(name))))
    return found


def not_compiled(edited: Iterable[str], out: Path, binaries: Iterable[Path]) -> List[str]:
    """Of the edited sources (relative to ``out``) those that are in none of the binaries.

    A header is in a program as part of a unit: it has no mark, its sites have.
    """
    there: Set[str] = set()
    for binary in binaries:
        there |= compiled_into(binary)
    return [name for name in edited if str(real(out / name)) not in there]


def _section(elf: bytes, wanted: bytes) -> bytes:
    """A section of a 64-bit little-endian ELF file; empty if it has none or is another file."""
    if elf[:6] != b"\x7fELF\x02\x01":
        return b""
    try:
        table, entry, count, names = struct.unpack_from("<Q10xHHH", elf, 40)
        headers = [struct.unpack_from("<IIQQQQ", elf, table + i * entry) for i in range(count)]
        start = headers[names][4]
        for name, _, _, _, offset, size in headers:
            end = elf.index(b"\0", start + name)
            if elf[start + name : end] == wanted:
                return elf[offset : offset + size]
    except (struct.error, IndexError, ValueError):
        pass
    return b""
