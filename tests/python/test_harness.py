# SPDX-License-Identifier: Apache-2.0
"""The test harness's own judgement: what its comparisons and its TAP reader accept and refuse."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import expect, fuzz, golden, tap  # noqa: E402


class Expectations(unittest.TestCase):
    def accepts(self, expected: str, actual: str) -> None:
        self.assertEqual(expect.mismatch(expected, actual, {"TREE": "/tmp/x/tree"}), "")

    def refuses(self, expected: str, actual: str) -> None:
        self.assertNotEqual(expect.mismatch(expected, actual, {"TREE": "/tmp/x/tree"}), "")

    def test_plain_lines_are_exact(self) -> None:
        self.accepts("a\nb\n", "a\nb\n")
        self.refuses("a\nb\n", "a\n")
        self.refuses("a\n", "a\nb\n")
        self.refuses("a.c\n", "abc\n")

    def test_an_empty_expectation_wants_no_output(self) -> None:
        self.accepts("", "")
        self.refuses("", "x\n")

    def test_names_stand_for_paths(self) -> None:
        self.accepts("{TREE}/a.cpp:1\n", "/tmp/x/tree/a.cpp:1\n")
        self.refuses("{TREE}/a.cpp:1\n", "/tmp/y/tree/a.cpp:1\n")

    def test_a_regular_expression_matches_a_whole_line(self) -> None:
        self.accepts("~ a+\n", "aaa\n")
        self.refuses("~ a+\n", "aab\n")
        self.accepts("~ {TREE}/.*:\\d+\n", "/tmp/x/tree/b:7\n")

    def test_dots_stand_for_any_lines_but_keep_the_order(self) -> None:
        self.accepts("...\na\n...\nb\n", "x\na\nb\n")
        self.accepts("...\n", "")
        self.refuses("...\nb\n...\na\n", "a\nb\n")
        self.refuses("...\na\n", "a\nb\n")


class Reader(unittest.TestCase):
    def fault(self, text: str, status: int = 0) -> str:
        return tap.read(text.splitlines(), status).fault

    def test_a_stream_at_its_end(self) -> None:
        self.assertEqual(self.fault("1..2\nok 1 - a\nok 2 - b"), "")
        self.assertEqual(self.fault("ok 1 - a\n1..1"), "")
        self.assertEqual(self.fault("1..1\nnot ok 1 - a", 1), "")

    def test_streams_that_are_not_believed(self) -> None:
        for text, status in (
            ("", 0),
            ("ok 1", 0),
            ("1..2\nok 1", 0),
            ("1..1\nok 1\nok 2", 0),
            ("1..1\nok 1", 1),
            ("1..0", 0),
            ("1..1\nok 1\nBail out! x", 0),
        ):
            self.assertNotEqual(self.fault(text, status), "", text)

    def test_outcomes(self) -> None:
        stream = tap.read(
            ["1..4", "ok 1 - a", "not ok 2 - b", "# why", "ok 3 - c # SKIP no d", "not ok 4 # SKIP e"], 1
        )
        self.assertEqual([c.outcome for c in stream.checks], ["passed", "failed", "skipped", "skipped"])
        self.assertEqual(stream.checks[1].detail, "why\n")
        self.assertEqual((stream.checks[2].name, stream.checks[2].detail), ("c", "no d"))
        self.assertEqual(stream.checks[3].name, "e")

    def test_a_program_that_skips_itself(self) -> None:
        stream = tap.read(["1..0 # SKIP no guest"], 0)
        self.assertEqual([(c.outcome, c.detail) for c in stream.checks], [("skipped", "no guest")])
        self.assertEqual(stream.fault, "")


class Trees(unittest.TestCase):
    def test_every_difference_of_two_trees_is_named(self) -> None:
        tree = {"a": b"x\n", "b": b"y\r\n"}
        self.assertEqual(golden._tree_problems(tree, dict(tree)), [])
        self.assertEqual(golden._tree_problems(tree, {"a": b"x\n"}), ["b is missing"])
        self.assertEqual(golden._tree_problems({}, {"c": b""}), ["c should not be there"])
        (difference,) = golden._tree_problems(tree, {"a": b"x\n", "b": b"y\n"})
        self.assertIn("-y\\r\\n", difference)


class Subsequence(unittest.TestCase):
    def test_insertions_keep_it_and_losses_do_not(self) -> None:
        self.assertTrue(fuzz.is_subsequence(b"new X", b" ::new (y) X"))
        self.assertTrue(fuzz.is_subsequence(b"", b"abc"))
        self.assertFalse(fuzz.is_subsequence(b"new X", b"new"))
        self.assertFalse(fuzz.is_subsequence(b"ab", b"ba"))


if __name__ == "__main__":
    unittest.main()
