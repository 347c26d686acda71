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

    def ran(self, *argv):
        return subprocess.run(
            argv,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
        )

    def said(self, *argv):
        done = self.ran(*argv)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def configure(self, generator, *more):
        """Returns how a target is built."""
        build = str(self.tree / "b")
        self.said(
            *("cmake", "-S", str(self.tree), "-B", build, "-G", generator),
            *(f"-DNUMAFY={ROOT}", f"-DNUMAFY_BUILD={BUILD}", *more),
        )
        return ("cmake", "--build", build, "--target")

    def run_project(self, generator):
        build = self.tree / "b"
        before = snapshot(self.tree)
        make = self.configure(generator)
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
        hides = self.tree / "core" / "limits_made.h"  # found before the one that CMake has made
        hides.write_text("#define JOURNAL_MAX 1000\n")
        self.said(*make, "check")
        copy = build / "numafy" / "check" / "core" / "limits_made.h"
        self.assertTrue(copy.is_file(), "a header that hides another was not seen")

    def test_what_cannot_be_rewritten_fails_the_build(self):
        account, entry = self.tree / "model" / "account.cpp", self.tree / "core" / "entry.c"
        account.write_text(account.read_text() + "static entry *made = new entry();\n")
        done = self.ran(*self.configure("Ninja", "-DMORE=STRICT"), "check")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("model/account.cpp:", done.stdout)
        made, nested = "e = malloc(sizeof *e);", "int one(void) { return 1; } (void)one;"  # gcc's own
        text = entry.read_text()
        entry.write_text(text.replace(made, f"{made} {nested}"))
        self.assertNotEqual(entry.read_text(), text)
        done = self.ran(*self.configure("Ninja", "-DMORE="), "check")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("KEEP_GOING in numafy_target", done.stdout)
        self.assertNotIn("Linking", done.stdout)
        make = self.configure("Ninja", "-DMORE=KEEP_GOING")
        for _ in range(2):  # what is wrong is said each time
            self.assertIn("core/entry.c", self.said(*make, "check"))
        self.assertIn("3 accounts on node 1", self.said(str(self.tree / "b" / "check")))

    def test_ninja(self):
        self.run_project("Ninja")

    def test_makefiles(self):
        self.run_project("Unix Makefiles")


if __name__ == "__main__":
    unittest.main()
