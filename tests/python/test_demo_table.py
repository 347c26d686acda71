# SPDX-License-Identifier: Apache-2.0
"""The demo's table: what it prints of reports and results, and when it says that something is wrong."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

import suite_build as sb

TABLE = sb.ROOT / "scripts" / "lib" / "demo_table.py"


def kind(name: str, node: int, objects: int, address: int, kernel: Any, unknown: int, note: str) -> Dict[str, Any]:
    return {"kind": name, "node": node, "physical_node": node, "objects": objects, "by_address_ok": address,
            "resident_ok": kernel, "resident_unknown": unknown, "resident_note": note,
            "wrong": 0 if node < 0 else objects - address}


def result(kinds: List[Dict[str, Any]], contents_ok: bool = True) -> Dict[str, Any]:
    return {"kinds": kinds, "nodes_freed": 7, "contents_ok": contents_ok, "wrong": sum(k["wrong"] for k in kinds)}


GOOD = result([kind("tree node", 0, 1000, 1000, 1000, 0, ""), kind("tree node", 1, 500, 500, 500, 0, ""),
               kind("plain new", -1, 4, 4, "unknown", 4, "the pages of the plain heap follow first touch")])
NO_NODE1 = result([kind("tree node", 0, 1000, 1000, 1000, 0, ""),
                   kind("tree node", 1, 500, 500, "unknown", 500, "this machine has no node 1")])
MISPLACED = result([kind("tree node", 0, 1000, 999, 1000, 0, "")])


class Table(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        report = {"sites": [{"file": "src/binary_search_tree.cpp", "action": "near"},
                            {"file": "include/binary_search_tree.hpp", "action": "near"},
                            {"file": "src/trees.cpp", "action": "on"}, {"file": "src/lists.cpp", "action": "left"},
                            {"file": "src/main.cpp", "action": "left"}]}
        (self.folder / "report.json").write_text(json.dumps(report))

    def put(self, where: str, bst: Dict[str, Any], linked: Dict[str, Any]) -> None:
        (self.folder / where).mkdir()
        (self.folder / where / "bst.json").write_text(json.dumps(bst))
        (self.folder / where / "ll.json").write_text(json.dumps(linked))

    def run_table(self, why: str = "") -> sb.Done:
        return sb.run(sys.executable, TABLE, self.folder / "report.json", self.folder, why)

    def cells(self, out: str, title: str) -> List[str]:
        line = next(line for line in out.splitlines() if line.startswith(title))
        return [cell for cell in line[len(title):].split("  ") if cell]

    def test_counts_by_structure(self) -> None:
        self.put("native", GOOD, NO_NODE1)
        done = self.run_table("no qemu")
        self.assertEqual((done.code, done.err), (0, ""))
        tree = [cell.strip() for cell in self.cells(done.out, "binary search tree")]
        self.assertEqual(tree, ["2", "1", "0", "0", "1507", "1500", "100 % of 1500", "100 % of 1500"])
        linked = [cell.strip() for cell in self.cells(done.out, "linked list")]
        self.assertEqual(linked, ["0", "0", "0", "1", "1507", "1500", "100 % of 1500", "100 % of 1000"])
        self.assertEqual([cell.strip() for cell in self.cells(done.out, "shared")], ["0", "0", "0", "1"])
        self.assertIn("by the kernel: this machine has no node 1\n", done.out)
        self.assertIn("so 500 objects could not be judged by the kernel here\n", done.out)
        self.assertIn("no guest with four nodes (no qemu); scripts/demo --vm sets it up\n", done.out)

    def test_the_guest_has_its_column(self) -> None:
        self.put("native", NO_NODE1, NO_NODE1)
        self.put("vm", GOOD, GOOD)
        done = self.run_table()
        self.assertEqual(done.code, 0)
        self.assertTrue(done.out.splitlines()[2].endswith("kernel, 4 nodes"))
        self.assertEqual(self.cells(done.out, "binary search tree")[-1].strip(), "100 % of 1500")
        self.assertNotIn("no guest", done.out)

    def test_one_misplaced_object_is_an_error_and_never_100_percent(self) -> None:
        self.put("native", MISPLACED, GOOD)
        done = self.run_table("no qemu")
        self.assertEqual(done.code, 1)
        self.assertEqual(done.err, "demo: binary search tree: 1 of 1000 objects are not on their node\n")
        self.assertIn("99.9 % of 1000", done.out)

    def test_a_misplaced_object_in_the_guest(self) -> None:
        self.put("native", GOOD, GOOD)
        self.put("vm", GOOD, MISPLACED)
        done = self.run_table()
        self.assertEqual(done.code, 1)
        self.assertIn("linked list in the guest: 1 of 1000", done.err)

    def test_wrong_contents(self) -> None:
        self.put("native", GOOD, result(GOOD["kinds"], contents_ok=False))
        done = self.run_table()
        self.assertEqual(done.code, 1)
        self.assertEqual(done.err, "demo: linked list: the contents differ from the reference\n")

    def test_a_missing_result(self) -> None:
        done = self.run_table()
        self.assertEqual(done.code, 1)
        self.assertIn("a result is missing", done.err)


if __name__ == "__main__":
    unittest.main()
