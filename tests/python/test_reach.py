# SPDX-License-Identifier: Apache-2.0
"""NUMAFY_CHECK=reach: how many of the blocks that a node's data reach are on the node, and who made the others."""

import json
import unittest
from typing import Any, ClassVar, Dict, List, Tuple

from harness import proc
from life_build import BUILD, EXPORT, Life

ITEMS = 1000  # of reach.c
TREE = 341  # items of reach.cpp


class Reach(Life):
    built: ClassVar[Dict[str, List[Tuple[str, Any]]]] = {}

    def programs(self, source: str) -> List[Tuple[str, Any]]:
        """Header-only, and with libnumafy by another compiler."""
        if source in self.built:
            return self.built[source]
        cxx = source.endswith(".cpp")
        # A caller is told from the header by its line information and by what the optimiser has put into it.
        own = self.build(f"own-{source}", source, "-g", "-O1", EXPORT, "-ljemalloc", cc="g++" if cxx else "gcc")
        lib = BUILD / "lib"
        linked = self.build(
            f"linked-{source}", source, "-DNUMAFY_EXTERN", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lnumafy", "-ljemalloc", "-g",
            cc="clang++" if cxx else "clang",
        )
        self.built[source] = [("header", own), ("library", linked)]
        return self.built[source]

    def look(self, program: Any, how: str) -> Dict[int, Dict[str, Any]]:
        """The result by node."""
        out = self.folder / "reach.json"
        out.unlink(missing_ok=True)
        self.expect("", program, how, err=r"\A\Z", NUMAFY_CHECK="reach", NUMAFY_REACH=str(out), NUMAFY_QUIET="1")
        document = json.loads(out.read_text())
        self.assertEqual(document["dropped"], 0)
        self.made = document["made"]
        return {result["node"]: result for result in document["nodes"]}

    def numbers(self, result: Dict[str, Any]) -> Tuple[int, int, int, int]:
        return (result["reachable"], result["on_node"], result["other_node"], result["plain"])

    def function_of(self, site: Dict[str, Any]) -> str:
        """The innermost that is not the header's own: an inline chain begins there."""
        done = proc.run(["addr2line", "-i", "-f", "-e", site["module"], site["offset"]], timeout_s=60)
        return next(name for name in done.stdout.decode().splitlines()[::2] if not name.startswith("numafy_"))

    def test_a_list(self):
        for name, program in self.programs("reach.c"):
            with self.subTest(name=name):
                self.assertEqual(self.numbers(self.look(program, "node")[1]), (ITEMS, ITEMS, 0, 0))
                one = self.look(program, "one")[1]
                self.assertEqual(self.numbers(one), (ITEMS, ITEMS - 1, 0, 1))
                off = [(self.function_of(s), s["blocks"]) for s in one["sites"] if s["node"] == -1]
                self.assertEqual(off, [("plain_item", 1)])
                on = [(self.function_of(s), s["blocks"]) for s in one["sites"] if s["node"] == 1]
                self.assertEqual(sorted(on), [("main", 1), ("near_item", ITEMS - 2)])
                made = {(self.function_of(s), s["node"]): s["blocks"] for s in self.made if s["module"] == str(program)}
                self.assertEqual((made["near_item", 1], made["plain_item", -1]), (ITEMS - 2, 1))
                # Without the edits the list is plain, and that is seen.
                self.assertEqual(self.numbers(self.look(program, "plain")[1]), (ITEMS, 1, 0, ITEMS - 1))

    def test_a_registered_root(self):
        for name, program in self.programs("reach.c"):
            with self.subTest(name=name):
                found = self.look(program, "root")
                self.assertEqual(self.numbers(found[2]), (ITEMS, 1, 0, ITEMS - 1))
                self.assertEqual(self.numbers(found[1]), (1, 1, 0, 0))

    def test_what_is_torn_down_before_the_end_has_been_seen(self):
        program = self.programs("reach.c")[0][1]
        self.assertEqual(self.numbers(self.look(program, "torn")[1]), (ITEMS, ITEMS, 0, 0))

    def test_memory_that_cannot_be_read_and_threads_that_go_on(self):
        for name, program in self.programs("reach.c"):
            with self.subTest(name=name):
                # the block with the guard page, and what its last page points to
                self.assertEqual(self.numbers(self.look(program, "guard")[1]), (ITEMS + 2, ITEMS, 0, 2))
                for _ in range(5):
                    found = self.look(program, "threads")[1]
                    self.assertGreaterEqual(found["on_node"], ITEMS)
                    self.assertLessEqual(found["reachable"], ITEMS + 10)

    def test_a_fork_and_an_exit_in_the_middle_of_a_look(self):
        """Nobody waits at the end for a look that cannot end."""
        program = self.programs("reach.c")[0][1]
        out = self.folder / "forks.json"
        checked = {"NUMAFY_CHECK": "reach", "NUMAFY_REACH": str(out), "NUMAFY_QUIET": "1"}
        self.expect("", program, "fork", err=r"\A\Z", **checked)
        self.assertEqual(len({json.loads(line)["pid"] for line in out.read_text().splitlines()}), 4)
        out.unlink()
        done = self.run_it(program, "exit", **checked)
        self.assertEqual(done.code, 0)
        self.assertEqual(done.err, "numafy: reach: the program ends in the middle of a look, nothing is told\n")
        self.assertFalse(out.is_file())

    def test_a_tree_with_strings_and_vectors(self):
        for name, program in self.programs("reach.cpp"):
            with self.subTest(name=name):
                # It is deleted before the end: the last look may miss a sixteenth of it.
                everything = TREE + TREE + 85
                node, plain = self.look(program, "node")[1], self.look(program, "plain")[1]
                for found in (node, plain):
                    self.assertLessEqual(found["reachable"], everything)
                    self.assertGreater(found["reachable"] * 17, everything * 16)
                self.assertEqual(node["on_node"], node["reachable"])
                self.assertLess(plain["on_node"] * 10, plain["reachable"])

    def test_as_text(self):
        program = self.programs("reach.c")[0][1]
        done = self.run_it(program, "one", NUMAFY_CHECK="reach", NUMAFY_QUIET="1")
        self.assertRegex(done.err, r"numafy: reach of node 1: 1000 blocks, 999 on the node \(99.9 %\), 0 on others, 1 on the plain")
        self.assertRegex(done.err, r"numafy:   1 blocks, 16 bytes on the plain heap by .*own-reach.c\+0x")
        self.assertEqual(self.run_it(program, "one", NUMAFY_CHECK="", NUMAFY_QUIET="1").err, "")
        self.assertRegex(self.run_it(program, "one", NUMAFY_CHECK="rich").err, "NUMAFY_CHECK=rich is not understood")


if __name__ == "__main__":
    unittest.main()
