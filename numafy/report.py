# SPDX-License-Identifier: Apache-2.0
"""The rewriter's JSON report: reading it, summing it up, showing it as text or as one HTML page.

``summary_by_file`` and ``summary_by_type`` return rows that other scripts print as they like;
``text_table`` is our way. The report's form is described in docs/cli.md.
"""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence

from .errors import EXIT_BUG, NumafyError
from .files import read_json, shown, write_atomically

ACTIONS = ("near", "on", "scope", "left")


class Row(NamedTuple):
    """Allocation sites of one file or one type, by what was done with them."""

    name: str
    sites: int
    near: int
    on: int
    scope: int
    left: int


class Report:
    """A report that has the documented form; lists keep the rewriter's order."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.tree = str(document.get("tree", ""))
        self.files: List[Dict[str, Any]] = list(document.get("files", []))
        self.sites: List[Dict[str, Any]] = list(document.get("sites", []))
        self.totals: Dict[str, int] = dict(document.get("totals", {}))
        # What to do about an id; the rewriter's own table.
        self.advice: Dict[str, str] = {
            str(entry["id"]): str(entry["advice"]) for entry in document.get("reasons", [])
        }

    @classmethod
    def load(cls, path: Path) -> "Report":
        """Read a report file. Raises NumafyError (EXIT_BUG): the file is our own rewriter's."""
        try:
            document = read_json(path)
            if not isinstance(document, dict):
                raise ValueError("an object is expected")
            report = cls(document)
            for site in report.sites:
                if site["action"] not in ACTIONS:
                    raise ValueError(f"unknown action {site['action']!r}")
            return report
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise NumafyError(
                f"the report {shown(path)} cannot be used: {error}", EXIT_BUG
            ) from error

    def name_of(self, path: str) -> str:
        """A path as people want to read it: relative to the tree where it is inside."""
        if os.path.isabs(path) and self.tree:
            below = os.path.relpath(path, self.tree)
            return path if below.startswith("..") else below
        return path

    def edited(self) -> List[str]:
        """The files that were changed, relative to the tree."""
        return [self.name_of(file["path"]) for file in self.files if file.get("status") == "edited"]

    def edited_units(self) -> List[str]:
        """Those of them that are compiled; the others are included."""
        return [self.name_of(f["path"]) for f in self.files if f["status"] == "edited" and f["unit"]]

    def left(self) -> List[Dict[str, Any]]:
        return [site for site in self.sites if site["action"] == "left"]


def summary_by_file(report: Report) -> List[Row]:
    """One row per file that has allocation sites, in name order."""
    return _summary(report, lambda site: report.name_of(site["file"]))


def summary_by_type(report: Report) -> List[Row]:
    """One row per allocated type, in name order."""
    return _summary(report, lambda site: site.get("type") or "?")


def total_row(rows: Sequence[Row]) -> Row:
    sums = [sum(column) for column in zip(*(row[1:] for row in rows))] if rows else [0] * 5
    return Row("total", *sums)


def _summary(report: Report, key: Callable[[Dict[str, Any]], str]) -> List[Row]:
    counts: Dict[str, Dict[str, int]] = {}
    for site in report.sites:
        row = counts.setdefault(key(site), dict.fromkeys(ACTIONS, 0))
        row[site["action"]] += 1
    return [
        Row(name, sum(row.values()), *(row[action] for action in ACTIONS))
        for name, row in sorted(counts.items())
    ]


# ---- text --------------------------------------------------------------------------------------


def text_table(rows: Sequence[Row], first: str) -> str:
    """The rows and their total as an aligned table; ``first`` is the heading of the name column."""
    table = [[first, "sites", *ACTIONS]]
    table += [
        [shown(row.name), *(str(number) for number in row[1:])] for row in [*rows, total_row(rows)]
    ]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    lines = []
    for line in table:
        cells = [line[0].ljust(widths[0])] + [
            cell.rjust(width) for cell, width in zip(line[1:], widths[1:])
        ]
        lines.append("  ".join(cells).rstrip())
    rule = "-" * max(map(len, lines))
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


def text_summary(report: Report) -> str:
    """What a run says at its end."""
    if not report.sites:
        return "no allocation sites"
    parts = [
        text_table(summary_by_file(report), "file"),
        text_table(summary_by_type(report), "type"),
        "near: on its owner's node   on: on the node of a placement or of numa<T,k>   "
        "scope: inside an owner's scope   left: unchanged",
    ]
    reasons = _left_reasons(report)
    if reasons:
        parts.append("left alone:\n" + "\n".join(reasons))
    return "\n\n".join(parts)


def left_by_reason(report: Report) -> Dict[str, int]:
    """Sites left by diagnostic id, most frequent first."""
    counts: Dict[str, int] = {}
    for site in report.left():
        identifier = str(site.get("id") or "?")
        counts[identifier] = counts.get(identifier, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _left_reasons(report: Report) -> List[str]:
    """Per diagnostic id, most frequent first: how many, why, and what to do."""
    counts = left_by_reason(report)
    text: Dict[str, str] = {}
    for site in report.left():
        text.setdefault(str(site.get("id") or "?"), str(site.get("reason") or ""))
    return [
        f"  {counts[identifier]:5}  {shown(identifier)}  {shown(text[identifier])}"
        + (f"\n         {shown(report.advice[identifier])}" if identifier in report.advice else "")
        for identifier in counts
    ]


# ---- HTML --------------------------------------------------------------------------------------

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  color: #1d2733 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #d8dee5; text-align: left;
  vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
tfoot td { font-weight: 600; border-top: 2px solid #8896a5 }
code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere }
.bar { display: flex; height: .8rem; background: #eef1f4; margin: .5rem 0 1rem }
.near { background: #2a7f62 } .on { background: #3b6fb6 }
.scope { background: #8a63b8 } .left { background: #c9822b }
@media (prefers-color-scheme: dark) { body { background: #14191f; color: #d7dee6 }
  th, td { border-color: #2c3641 } .bar { background: #222a33 } }
"""


def html_page(report: Report) -> str:
    """One page without outside references: totals, rows per file and type, every site left."""
    tree = _escape(report.tree)
    totals = total_row(summary_by_file(report))
    failed = [file for file in report.files if file.get("status") == "failed"]
    body = [
        f"<h1>numafy: <code>{tree}</code></h1>",
        f"<p>{totals.sites} allocation sites: {totals.near} near their owner, "
        f"{totals.on} on a stated node, {totals.scope} in a scope, {totals.left} left alone. "
        f"{len(report.edited())} files edited, "
        f"{len(failed)} failed.</p>",
        _bar(totals),
        _html_rows("Sites per file", "file", summary_by_file(report)),
        _html_rows("Sites per type", "type", summary_by_type(report)),
    ]
    if failed:
        body.append(
            _html_table(
                "Files copied unchanged",
                ["file", "reason"],
                [[report.name_of(file["path"]), file.get("reason") or ""] for file in failed],
            )
        )
    if report.left():
        body.append(
            _html_table(
                "Sites left alone",
                ["where", "type", "id", "reason"],
                [
                    [
                        ":".join(
                            str(part)
                            for part in (report.name_of(site["file"]), site["line"], site["column"])
                        ),
                        site.get("type") or "",
                        site.get("id") or "",
                        site.get("reason") or "",
                    ]
                    for site in report.left()
                ],
            )
        )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>numafy: {tree}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _escape(text: object) -> str:
    return html.escape(shown(str(text)), quote=True)


def _bar(totals: Row) -> str:
    if not totals.sites:
        return ""
    parts = [
        f'<div class="{action}" style="flex:{number}" title="{action} {number}"></div>'
        for action, number in zip(ACTIONS, totals[2:])
        if number
    ]
    return f'<div class="bar">{"".join(parts)}</div>'


def _html_rows(title: str, first: str, rows: Sequence[Row]) -> str:
    def cells(row: Row) -> str:
        numbers = "".join(f'<td class="n">{number}</td>' for number in row[1:])
        return f"<tr><td><code>{_escape(row.name)}</code></td>{numbers}</tr>"

    heads = "".join(f'<th class="n">{name}</th>' for name in ("sites", *ACTIONS))
    return (
        f"<h2>{title}</h2>\n<table><thead><tr><th>{first}</th>{heads}</tr></thead>\n<tbody>"
        + "\n".join(map(cells, rows))
        + f"</tbody>\n<tfoot>{cells(total_row(rows))}</tfoot></table>"
    )


def _html_table(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in heads)
    rows = "\n".join(
        "<tr>" + "".join(f"<td><code>{_escape(cell)}</code></td>" for cell in line) + "</tr>"
        for line in lines
    )
    return f"<h2>{title}</h2>\n<table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table>"


def save(report_file: Path, report: Report, target: Path) -> None:
    """--report: the JSON as the rewriter wrote it, or the page, by the target's name."""
    if target.suffix.lower() in (".html", ".htm"):
        write_atomically(target, html_page(report).encode("utf-8", "backslashreplace"))
    else:
        write_atomically(target, report_file.read_bytes())
