# SPDX-License-Identifier: Apache-2.0
"""The pages keep to the facts: tests that they name and files that they link to exist, prose is wrapped."""

import re
import unittest
from pathlib import Path
from typing import List, Tuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
LAYERS = "cli|fuzz|golden|harness|place|python|race|unit"
WIDTH = 100


def missing_tests(text: str) -> List[str]:
    """The `file` and `file::name` references of a page that lead to nothing; files below tests/."""
    found = re.findall(rf"`(?:tests/)?((?:{LAYERS})/[\w./-]+)(?:::(\w+))?`", text)
    return [f"{file}::{name}" for file, name in found if not _exists(ROOT / "tests" / file, name)]


def _exists(path: Path, name: str) -> bool:
    if not path.exists():
        return False
    return not name or bool(re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")))


def last_cells(text: str) -> List[str]:
    """The last cell of each table row, heads and rules left out."""
    rows = re.findall(r"^\|(?!\s*---)(.*)\|$(?!\n\|\s*---)", text, re.M)
    return [row.split("|")[-1].strip() for row in rows]


def research_rows(text: str) -> List[Tuple[str, List[str]]]:
    """Rows `| O01 | what | where |` with the names of their tests."""
    rows = re.findall(r"^\| ([OP]\d\d) \|.*\| (.*?) \|$", text, re.M)
    return [(row, re.findall(rf"`((?:{LAYERS})/[\w./-]+)`", where)) for row, where in rows]


def said_by(name: str) -> str:
    """The text of a test: of a file, or of a case's inputs and script."""
    path = ROOT / "tests" / name
    inside = [path / "run.sh", *(path / "input").rglob("*")]
    files = [path] if path.is_file() else [p for p in inside if p.is_file()]
    return "\n".join(p.read_text(encoding="utf-8", errors="replace") for p in files)


def long_lines(text: str) -> List[str]:
    """Lines of prose that are too long; code blocks, tables and lines of one word may be."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return [
        line
        for line in prose.splitlines()
        if len(line) > WIDTH and not line.startswith(("|", "    ")) and " " in line.strip()
    ]


class Pages(unittest.TestCase):
    def test_named_tests_exist(self):
        for page in PAGES:
            self.assertEqual(missing_tests(page.read_text(encoding="utf-8")), [], page.name)

    def test_every_guarantee_has_a_test(self):
        cells = last_cells((ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8"))
        self.assertGreater(len(cells), 30)
        self.assertEqual([cell for cell in cells if "`tests/" not in cell], [])

    def test_every_cell_of_ours_has_a_test_or_is_open(self):
        cells = last_cells((ROOT / "docs" / "comparison.md").read_text(encoding="utf-8"))
        self.assertGreater(len(cells), 15)
        backed = re.compile(rf"`({LAYERS})/|\bopen\b")
        self.assertEqual([cell for cell in cells if not backed.search(cell)], [])

    def test_every_cell_of_the_matrix_has_a_case_or_a_reason(self):
        cells = last_cells((ROOT / "docs" / "matrix.md").read_text(encoding="utf-8"))
        self.assertGreater(len(cells), 50)
        backed = re.compile(rf"`(?:{LAYERS})/[\w./-]+`|^impossible because |^open$")
        self.assertEqual([cell for cell in cells if not backed.search(cell)], [])

    def test_every_row_of_the_research_is_named_by_what_stands_for_it(self):
        rows = research_rows((ROOT / "docs" / "matrix.md").read_text(encoding="utf-8"))
        self.assertEqual([r for r, _ in rows if r[0] == "O"], [f"O{n:02}" for n in range(1, 31)])
        self.assertGreater(len(rows), 40)
        silent = [
            f"{row}: {name}" for row, names in rows for name in names if row not in said_by(name)
        ]
        self.assertEqual(silent, [])

    def test_no_script_knows_a_machine_or_changes_the_kernel(self):
        """O11, O26."""
        words = re.compile(r"(cpunodebind|membind|physcpubind)=?\s*\d|\bsysctl\b|/proc/sys/\S+\s*>")
        files = [p for d in ("scripts", "numafy", "bench", "suites") for p in (ROOT / d).rglob("*")]
        scripts = [p for p in files if p.is_file() and p.suffix in ("", ".py", ".sh")]
        self.assertGreater(len(scripts), 20)
        self.assertEqual([p.name for p in scripts if words.search(p.read_text("utf-8"))], [])

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")

    def test_prose_is_wrapped(self):
        for page in PAGES:
            self.assertEqual(long_lines(page.read_text(encoding="utf-8")), [], page.name)


class Controls(unittest.TestCase):
    """The checks above see what they are for."""

    def test_missing_file_and_missing_name(self):
        text = "`tests/unit/no_such.c` and `unit/runtime_c.c::test_no_such`, `tests/cli/readme`"
        self.assertEqual(
            missing_tests(text), ["unit/no_such.c::", "unit/runtime_c.c::test_no_such"]
        )

    def test_rows_without_head_and_rule(self):
        self.assertEqual(last_cells("| a | b |\n| --- | --- |\n| c | d |\n| e | f |\n"), ["d", "f"])

    def test_a_row_that_nobody_names(self):
        rows = research_rows("| Row | What | Where |\n| O01 | new | `unit/runtime_c.c`, `cli/readme` |\n")
        self.assertEqual(rows, [("O01", ["unit/runtime_c.c", "cli/readme"])])
        self.assertIn("P73", said_by("golden/c/macros"))
        self.assertNotIn("P99", said_by("golden/c/macros"))

    def test_long_prose(self):
        prose = "word " * 30
        self.assertEqual(long_lines(f"{prose}\n| {prose} |\n```sh\n{prose}\n```\n"), [prose])


if __name__ == "__main__":
    unittest.main()
