# SPDX-License-Identifier: Apache-2.0
"""numafy_target of cmake/NumafyTarget.cmake: one target of a project is rewritten when it is built."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import ROOT, environment, snapshot

BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
TREES = ROOT / "tests" / "trees"


class CMakeTarget(unittest.TestCase):
    def setUp(self):
        self.base = Path(os.path.realpath(tempfile.mkdtemp(prefix="numafy target ")))
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        self.tree = self.base / "the tree"
        shutil.copytree(TREES / "sources", self.tree)
        shutil.copytree(TREES / "cmake-target", self.tree, dirs_exist_ok=True)

    def said(self, *argv):
        done = subprocess.run(
            argv,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def run_project(self, generator):
        build = self.tree / "b"
        before = snapshot(self.tree)
        self.said(
            *("cmake", "-S", str(self.tree), "-B", str(build), "-G", generator),
            *(f"-DNUMAFY={ROOT}", f"-DNUMAFY_BUILD={BUILD}"),
        )
        make = ("cmake", "--build", str(build), "--target")
        self.said(*make, "check", "plain")
        self.assertIn("0 failed\n3 accounts on node 1\n", self.said(str(build / "check")))
        self.assertEqual(self.said(str(build / "plain")), "0 failed\n")
        after = snapshot(self.tree)
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertNotIn("Building", self.said(*make, "check"))
        header = self.tree / "model" / "account.hpp"
        header.write_text(header.read_text().replace("int total", "int unused = 0; int total"))
        again = self.said(*make, "check")
        self.assertIn("account.cpp", again)
        self.assertNotIn("entry.c", again)
        self.assertIn("3 accounts on node 1", self.said(str(build / "check")))

    def test_ninja(self):
        self.run_project("Ninja")

    def test_makefiles(self):
        self.run_project("Unix Makefiles")


if __name__ == "__main__":
    unittest.main()
