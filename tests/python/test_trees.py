# SPDX-License-Identifier: Apache-2.0
"""tests/trees: a program without a compile database, built by make, autotools, CMake and meson."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, environment, snapshot

BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
REWRITER = BUILD / "bin" / "numafy-rewrite"
TREES = ROOT / "tests" / "trees"


class Trees(unittest.TestCase):
    """Each is rewritten without a database: what its build compiles and links is recorded."""

    def setUp(self):
        self.base = Path(os.path.realpath(tempfile.mkdtemp(prefix="numafy-trees-")))
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)

    def rewrite(self, kind, folder, build, test):
        tree = self.base / folder
        shutil.copytree(TREES / "sources", tree)
        shutil.copytree(TREES / kind, tree, dirs_exist_ok=True)
        before = snapshot(tree)
        done = subprocess.run(
            [
                *(sys.executable, str(ROOT / "scripts" / "numafy.py"), f"./{folder}"),
                *("--place", "Account=1", "--out", "out"),
                *("--build", build, "--test", test, "--report", "r.json"),
            ],
            cwd=self.base,
            env=environment(XDG_CACHE_HOME=self.base / "cache", NUMAFY_REWRITE=REWRITER),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=900,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(snapshot(tree), before)
        self.assertIn("recorded in a build of a copy", done.stderr)
        self.assertIn("2 of 2 edited files compiled with numafy-cc/numafy-c++", done.stderr)
        self.assertIn(
            "0 failed\n3 accounts on node 1\n",
            (self.base / "out" / ".numafy" / "test.log").read_text(),
        )
        report = json.loads((self.base / "r.json").read_text())
        actions = {
            (site["file"], site["action"], site["id"])
            for site in report["sites"]
            if site["type"] == "Account"
        }
        # own.cpp replaces operator new: its program is left alone, and only its program.
        expected = {("model/account.cpp", "on", ""), ("own/own.cpp", "left", "NF1026")}
        self.assertEqual(actions, expected)
        self.assertEqual(report["totals"]["lost"], 0)

    def test_make(self):
        self.rewrite("make", "plain", "make -s -j2", "make -s test")

    def test_make_where_the_path_has_blanks_and_more(self):
        self.rewrite("make", "a t\u00e4\u2026 $x'y", "make -s -j2", "make -s test")

    def test_autotools(self):
        configured = "./configure -q --disable-static --enable-silent-rules"
        self.rewrite(
            "autotools",
            "tree",
            f"autoreconf -i >/dev/null && {configured} && make -j2 ledger checker own_new",
            "make -s check && ./checker",
        )

    def test_cmake(self):
        self.rewrite(
            "cmake", "a tree", "cmake -B b && cmake --build b -j2", "cd b && ./check && ctest"
        )

    def test_meson(self):
        self.rewrite(
            "meson", "tree", "meson setup b && ninja -C b", "b/checker && meson test -C b"
        )


if __name__ == "__main__":
    unittest.main()
