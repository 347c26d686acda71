# SPDX-License-Identifier: Apache-2.0
"""What holds for every tree, shown on one that is made of several golden cases: the number of processes changes nothing,
an output is rewritten to itself, other placements add to it only, and no byte changes outside of what the report names."""

import json
import tempfile
import unittest
from pathlib import Path
from typing import Dict, List

from harness import proc
from harness.cases import ROOT, RUNTIME, SUPPORT, Case, find_cases, snapshot
from harness.fuzz import is_subsequence
from harness.programs import compare_bytes

TOOL = ROOT / "build" / "bin" / "numafy-rewrite"
CASES = (
    "bytes/crlf",
    "c/macros",
    "c/standards",
    "owner/shared-header",
)
FIRST = ["--place", "Node=1"]
OTHER_NODE = ["--place", "Node=2"]
MORE = ["--all"]


def write_tree(tree: Path) -> List[Case]:
    cases = [case for case in find_cases(list(CASES)) if case.name in CASES]
    for case in cases:
        case.copy_input(tree / case.name)
    return cases


def write_database(cases: List[Case], tree: Path, build: Path) -> None:
    entries: List[Dict[str, object]] = [
        {
            "directory": str(tree / case.name),
            "file": str(tree / case.name / unit.source),
            "arguments": [unit.language, *unit.flags, f"-I{SUPPORT}", f"-I{RUNTIME}", "-c", unit.source],
        }
        for case in cases
        for unit in case.units
    ]
    build.mkdir()
    (build / "compile_commands.json").write_text(json.dumps(entries), "utf-8")


class Properties(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = Path(cls.folder.name)
        cls.cases = write_tree(cls.work / "tree")
        assert len(cls.cases) == len(CASES), cls.cases
        cls.before = snapshot(cls.work / "tree")
        cls.first = cls.rewrite("tree", "first", *FIRST, "-j", "2")

    @classmethod
    def rewrite(cls, tree: str, out: str, *words: str) -> Dict[str, bytes]:
        """What a run over work/tree writes to work/out; its report is work/out.json."""
        build = cls.work / f"{tree}-build"
        if not build.exists():
            write_database(cls.cases, cls.work / tree, build)
        argv = [TOOL, cls.work / tree, "-p", build, "--no-cache", "--out", cls.work / out]
        result = proc.run([*argv, "--report", cls.work / f"{out}.json", *words], cwd=build, timeout_s=300)
        assert result.status == 0, (result.how, result.stderr.decode("utf-8", "replace")[-3000:])
        return snapshot(cls.work / out)

    def assert_same(self, one: Dict[str, bytes], other: Dict[str, bytes]) -> None:
        names = one.keys() | other.keys()
        self.assertEqual([n for n in sorted(names) if one.get(n) != other.get(n)], [])

    def test_the_number_of_processes_changes_nothing(self) -> None:
        for jobs in ("1", "8"):
            self.assert_same(self.first, self.rewrite("tree", f"j{jobs}", *FIRST, "-j", jobs))
            reports = [(self.work / name).read_bytes() for name in ("first.json", f"j{jobs}.json")]
            self.assertEqual(*reports)

    def test_only_what_the_report_names_is_changed(self) -> None:
        report = json.loads((self.work / "first.json").read_text("utf-8"))
        self.assertNotEqual(self.before, self.first)
        compare_bytes(self.before, self.first, report)

    def test_the_output_is_rewritten_to_itself(self) -> None:
        self.assert_same(self.first, self.rewrite("first", "again", *FIRST))
        self.assert_same(self.first, self.rewrite("first", "other-node", *OTHER_NODE))

    def test_other_placements_add_to_the_output(self) -> None:
        more = self.rewrite("first", "more", *MORE)
        self.assertNotEqual(self.first, more)
        self.assertEqual(self.first.keys(), more.keys())
        self.assertEqual([n for n in more if not is_subsequence(self.first[n], more[n])], [])
        include = b'#include "numafy/near.h"'
        self.assertEqual([n for n in more if more[n].count(include) > 1], [])
        self.assert_same(more, self.rewrite("more", "more-again", *MORE))


if __name__ == "__main__":
    unittest.main()
