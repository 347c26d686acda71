# SPDX-License-Identifier: Apache-2.0
"""What NUMAFY_CHECK=reach saw of a rewritten tree, counted by the sites of the rewriter's report.

The runtime tells addresses of calls (docs/runtime.md); this module turns them into lines, and lines
into sites. What counts are the blocks of the closure: those of sites that a root reaches, of sites
that make what their callers ask for (an allocator: without a type, or with that of a header of its
own), and those that no site of the tree made but code in the tree's own programs did, such as a
container's. Blocks of other sites, and of other libraries, are reached by chance or through
pointers that lead out of the structure.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, Counter as Count, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import runner
from .errors import NumafyError
from .files import real, shown
from .report import Report

Address = Tuple[str, str]
"""Of a call: the file that it is in, and where in it."""
PLAIN = -1  # the node of a block of the plain heap
AT_ONCE = 500  # addresses for one addr2line
TOLD = 20
CALLERS = "the caller's"  # the owner that the rewriter reports for them


class Reached(NamedTuple):
    """Blocks of the closure that were reached in all processes, and what of them is on the node."""

    processes: int
    blocks: int
    on_node: int
    others: int
    """Reached blocks that are none of the closure's."""
    by_site: Count[str]
    """Blocks on the node by the site that made them, as FILE:LINE."""
    scopes_seen: int
    """Sites that a scope or a caller's edit covers and that have made blocks on a node."""
    off_node: List[str]
    """Where the others of the closure were made, and why there is no edit; most blocks first."""

    @property
    def share(self) -> float:
        return self.on_node / self.blocks if self.blocks else 0.0


def environment_of_run(log: Path) -> Dict[str, str]:
    """What a program needs to append what it reaches to ``log`` when it ends."""
    return {"NUMAFY_CHECK": "reach", "NUMAFY_REACH": str(log.absolute())}


def read(log: Path) -> List[Dict[str, Any]]:
    """One result per process; a missing log is empty. NumafyError if it is not such a file."""
    try:
        lines = log.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        return [json.loads(line) for line in lines]
    except FileNotFoundError:
        return []
    except ValueError as error:
        raise NumafyError(f"{shown(log)} is not what NUMAFY_REACH writes: {error}") from error


def count(report: Report, out: Path, processes: Sequence[Dict[str, Any]]) -> Reached:
    """Count what the programs of the tree in ``out`` reached. The report may be of another copy."""
    found = _Finder(report, out)
    sites = [
        (made, node["node"]) for one in processes for node in one["nodes"] for made in node["sites"]
    ]
    placed = [made for one in processes for made in one["made"] if made["node"] != PLAIN]
    found.resolve({(made["module"], made["offset"]) for made in placed + [m for m, _ in sites]})
    blocks = on_node = others = 0
    by_site: Count[str] = Counter()
    off_node: Count[str] = Counter()
    for made, node in sites:
        where, site = found.site_of((made["module"], made["offset"]))
        if not _in_closure(site, inside=where is not None):
            others += made["blocks"]
            continue
        blocks += made["blocks"]
        if made["node"] == node:
            on_node += made["blocks"]
            if site:
                by_site[where or ""] += made["blocks"]
        else:
            off_node[f"{where}: {_described(site)}"] += made["blocks"]
    told = [f"{number} blocks, {text}" for text, number in off_node.most_common(TOLD)]
    seen = [found.site_of((made["module"], made["offset"])) for made in placed]
    scopes = {where for where, site in seen if site and site["action"] == "scope"}
    return Reached(len(processes), blocks, on_node, others, by_site, len(scopes), told)


def _in_closure(site: Optional[Dict[str, Any]], inside: bool) -> bool:
    if site is None:
        return inside
    asked = site["action"] == "scope" and site["owner"] == CALLERS
    return bool(site["reachable"]) or asked or site["type"] in ("", "void")


def _described(site: Optional[Dict[str, Any]]) -> str:
    if site is None:
        return "no site"
    why = site["id"] or site["action"]
    return f"{site['type'] or '?'}, {why}"


class _Finder:
    """Addresses to lines of the tree, and those to sites."""

    def __init__(self, report: Report, out: Path) -> None:
        self.out = real(out)
        self.sites = {(report.name_of(s["file"]), s["line"]): s for s in report.sites}
        self.lines: Dict[Address, List[Tuple[str, int]]] = {}

    def resolve(self, addresses: "set[Address]") -> None:
        for module in sorted({module for module, _ in addresses}):
            offsets = sorted(offset for other, offset in addresses if other == module)
            if not self._is_ours(module):
                continue
            for start in range(0, len(offsets), AT_ONCE):
                self._ask(module, offsets[start : start + AT_ONCE])

    def _is_ours(self, module: str) -> bool:
        return os.path.isfile(module) and Path(module).is_relative_to(self.out)

    def _ask(self, module: str, offsets: List[str]) -> None:
        done = runner.capture(["addr2line", "-a", "-i", "-e", module, *offsets])
        if done.code:
            raise NumafyError(f"addr2line failed over {shown(module)}: {shown(done.stderr)}")
        chain: List[Tuple[str, int]] = []
        at = iter(offsets)
        for line in done.stdout.decode("utf-8", "surrogateescape").splitlines():
            if line.startswith("0x"):
                chain = self.lines.setdefault((module, next(at)), [])
                continue
            name, _, number = line.partition(" (")[0].rpartition(":")
            path = os.path.relpath(os.path.realpath(name), self.out)
            if number.isdigit() and not path.startswith(".."):
                chain.append((path, int(number)))

    def site_of(self, address: Address) -> Tuple[Optional[str], Optional[Dict[str, Any]]]:
        """Its line in the tree, or its program, or None outside; the site on a line of its."""
        chain = self.lines.get(address)
        if chain is None:
            return None, None
        for place in chain:
            if place in self.sites:
                return f"{place[0]}:{place[1]}", self.sites[place]
        if not chain:
            return f"{os.path.relpath(address[0], self.out)}+{address[1]}", None
        return f"{chain[-1][0]}:{chain[-1][1]}", None
