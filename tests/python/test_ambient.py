# SPDX-License-Identifier: Apache-2.0
"""NUMAFY_AMBIENT=1: a whole program inside node 1's scope, in C and C++, with threads, before main and after it."""

import re
import unittest
from pathlib import Path

from life_build import BUILD, Life


class Ambient(Life):
    def check(self, source: str, wrapper: str, compiler: str) -> None:
        """Output and exit status are those of the plain program; all blocks are on the node, without the setting none."""
        plain = self.run_it(self.build(f"plain-{source}", source, cc=compiler))
        program: Path = self.build(f"linked-{source}", source, cc=str(BUILD / "bin" / wrapper))
        for setting, wanted in ((None, "none"), ("1", "all")):
            with self.subTest(NUMAFY_AMBIENT=setting):
                variables = {"NUMAFY_QUIET": "1", **({"NUMAFY_AMBIENT": setting} if setting else {})}
                done = self.run_it(program, **variables)
                self.assertEqual((done.code, done.out), (plain.code, plain.out), done.err)
                found = re.fullmatch(r"(\d+) of (\d+) on node 1\n", done.err)
                assert found, done.err
                on_node, blocks = map(int, found.groups())
                self.assertGreater(blocks, 40)
                self.assertEqual(on_node, blocks if wanted == "all" else 0)

    def test_c(self) -> None:
        self.check("ambient.c", "numafy-cc", "gcc")

    def test_cxx(self) -> None:
        self.check("ambient.cpp", "numafy-c++", "g++")


if __name__ == "__main__":
    unittest.main()
