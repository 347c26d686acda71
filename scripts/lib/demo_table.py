#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the demo's table: demo_table.py REPORT RESULTS WHY_NO_GUEST

REPORT is the rewriter's report of suites/data_structures; RESULTS holds native/{bst,ll}.json and, if there was a guest
with four nodes, vm/{bst,ll}.json, as the suite's --json writes them. WHY_NO_GUEST is one line, empty if there was one.
Exit status 1, with one line, if an object is off its node or contents are wrong. Runs nothing and knows no paths of the
project.
"""
import json
import os
import sys
from typing import Any, Dict, List, Optional, Tuple

ACTIONS = ("near", "on", "scope", "left")
# Each structure with its --DS_name and the beginnings of its files' names; sites elsewhere are shared.
STRUCTURES: Tuple[Tuple[str, str, Tuple[str, ...]], ...] = (
    ("binary search tree", "bst", ("binary_search_tree.", "trees.")),
    ("linked list", "ll", ("linked_list.", "lists.")),
)
Json = Dict[str, Any]


class Placement:
    """One run's objects that belong on a node; what only the plain heap should hold is judged by the suite."""

    def __init__(self, run: Json) -> None:
        kinds = [kind for kind in run["kinds"] if kind["node"] >= 0]
        self.allocated = sum(kind["objects"] for kind in kinds) + run["nodes_freed"]
        self.objects = sum(kind["objects"] for kind in kinds)
        self.by_address = sum(kind["by_address_ok"] for kind in kinds)
        self.unknown = sum(kind["resident_unknown"] for kind in kinds)
        self.by_kernel = sum(kind["resident_ok"] for kind in kinds if kind["resident_ok"] != "unknown")
        self.notes = sorted({kind["resident_note"] for kind in kinds if kind["resident_note"]})
        self.wrong = run["wrong"]
        self.contents_ok = run["contents_ok"]

    def address_cell(self) -> str:
        return share(self.by_address, self.objects)

    def kernel_cell(self) -> str:
        """Of the objects whose node exists and whose page the kernel told; the notes say why others are not judged."""
        return share(self.by_kernel, self.objects - self.unknown) if self.unknown < self.objects else "unknown"


def share(part: int, whole: int) -> str:
    """`100 % of 1234`; never rounded up to 100."""
    if part == whole:
        return f"100 % of {whole}"
    return f"{int(1000 * part / whole) / 10:.1f} % of {whole}"


def site_counts(report: Json) -> Dict[str, Dict[str, int]]:
    """Sites by structure's title (or `shared`) and by action."""
    counts: Dict[str, Dict[str, int]] = {}
    for site in report["sites"]:
        name = os.path.basename(site["file"])
        title = next((t for t, _, starts in STRUCTURES if name.startswith(starts)), "shared")
        row = counts.setdefault(title, dict.fromkeys(ACTIONS, 0))
        row[site["action"]] += 1
    return counts


def read_json(path: str) -> Json:
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def read_runs(folder: str) -> Optional[Dict[str, Placement]]:
    paths = {title: os.path.join(folder, f"{name}.json") for title, name, _ in STRUCTURES}
    if not all(os.path.exists(path) for path in paths.values()):
        return None
    return {title: Placement(read_json(path)) for title, path in paths.items()}


def table(report: Json, native: Dict[str, Placement], guest: Optional[Dict[str, Placement]]) -> List[List[str]]:
    here = "by the kernel" if guest is None else "kernel here"
    rows = [["structure", *ACTIONS, "allocated", "at the end", "by address", here]]
    if guest:
        rows[0].append("kernel, 4 nodes")
    sites = site_counts(report)
    for title in native:
        actions = sites.pop(title, dict.fromkeys(ACTIONS, 0))
        run = native[title]
        row = [title, *(str(actions[action]) for action in ACTIONS),
               str(run.allocated), str(run.objects), run.address_cell(), run.kernel_cell()]
        rows.append(row + ([guest[title].kernel_cell()] if guest else []))
    for title, actions in sites.items():
        rows.append([title, *(str(actions[action]) for action in ACTIONS)] + [""] * (len(rows[0]) - 5))
    return rows


def lines_of(rows: List[List[str]]) -> List[str]:
    """The rows as text under a line of group headings."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]

    def line(row: List[str]) -> str:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        return "  ".join(cells).rstrip()

    def span(first: int, last: int, text: str) -> str:
        width = sum(widths[first:last]) + 2 * (last - first - 1)
        return f" {text} ".center(width, "-")

    heading = "  ".join([" " * widths[0], span(1, 5, "allocation sites"), span(5, 7, "objects"),
                         span(7, len(widths), "objects on their node")])
    return [heading, line(rows[0])] + [line(row) for row in rows[1:]]


def complaints(runs: Dict[str, Placement], where: str) -> List[str]:
    found = []
    for title, run in runs.items():
        if run.wrong:
            found.append(f"{title}{where}: {run.wrong} of {run.objects} objects are not on their node")
        if not run.contents_ok:
            found.append(f"{title}{where}: the contents differ from the reference")
    return found


def main() -> int:
    report_path, results, why_no_guest = sys.argv[1:4]
    native = read_runs(os.path.join(results, "native"))
    if native is None:
        print(f"demo: {results}/native: a result is missing", file=sys.stderr)
        return 1
    guest = read_runs(os.path.join(results, "vm"))
    print()
    print("\n".join(lines_of(table(read_json(report_path), native, guest))))
    print()
    unknown = sum(run.unknown for run in native.values())
    for note in sorted({note for run in native.values() for note in run.notes}):
        print(f"by the kernel{' here' if guest else ''}: {note}")
    if unknown:
        print(f"so {unknown} objects could not be judged by the kernel here")
    if guest:
        print("kernel, 4 nodes: the same program in a Linux guest with four NUMA nodes, asked by move_pages")
    if guest is None:
        how = "" if why_no_guest.startswith("left out") else "; scripts/demo --vm sets it up"
        print(f"no guest with four nodes ({why_no_guest}){how}")
    wrong = complaints(native, "") + complaints(guest or {}, " in the guest")
    for text in wrong[:1]:
        print(f"demo: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
