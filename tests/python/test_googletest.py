# SPDX-License-Identifier: Apache-2.0
"""googletest as Debian packages it: rewritten and built, some of its own tests end as they did."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, environment

sys.path.insert(0, str(ROOT))
from numafy import trees  # noqa: E402

BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
REWRITER = BUILD / "bin" / "numafy-rewrite"
PACKAGE = Path("/usr/src/googletest")

TARGETS = (
    "googletest-listener-test",
    "googletest-test-part-test",
    "sample3_unittest",
    "gmock-nice-strict_test",
)
# Those that have the types that are placed.
FEW = ("googletest-listener-test", "sample3_unittest")
PLACED = ("EventRecordingListener", "QueueNode")
# A test's time is no result.
RESULT = re.compile(r"^\[ +(?:OK|FAILED|PASSED) +\] .*?(?= \(\d+ ms\)|$)", re.M)


def build_command(folder, targets):
    return (
        f"cmake -S . -B {folder} -DCMAKE_CXX_FLAGS=-O0 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "
        "-Dgtest_build_tests=ON -Dgtest_build_samples=ON -Dgmock_build_tests=ON "
        f"&& cmake --build {folder} -j2 --target {' '.join(targets)}"
    )


def test_command(folder, targets):
    return " && ".join(f"$(find {folder} -type f -name {name})" for name in targets)


@unittest.skipUnless(PACKAGE.is_dir(), "Debian's package googletest is not installed")
@unittest.skipUnless(REWRITER.exists(), f"{REWRITER} is not built")
class Googletest(unittest.TestCase):
    def setUp(self):
        self.base = Path(os.path.realpath(tempfile.mkdtemp(prefix="numafy-googletest-")))
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        self.tree = self.base / "tree"
        shutil.copytree(PACKAGE, self.tree)

    def shell(self, command):
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.tree,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=600,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def object_of(self, entry):
        words = shlex.split(entry["command"])
        return words[words.index("-o") + 1]

    def original(self):
        """Build and test the tree outside of itself; returns the results of TARGETS and of FEW.

        The database is cut down to what was compiled: it has all of googletest's tests.
        """
        folder = self.base / "plain"
        self.shell(build_command(folder, TARGETS))
        entries = json.loads((folder / "compile_commands.json").read_text())
        entries = [e for e in entries if (Path(e["directory"]) / self.object_of(e)).exists()]
        self.assertEqual(len(entries), len(TARGETS) + 4)  # libgtest, libgmock and their main
        (self.base / "compile_commands.json").write_text(json.dumps(entries))
        return [RESULT.findall(self.shell(test_command(folder, t))) for t in (TARGETS, FEW)]

    def rewritten(self, name, targets, *options, **variables):
        """Rewrite into the folder NAME, build and test there; returns what the run has told.

        Results of the tests, sites executed, edited and executed on a node, bytes in pools by node.
        """
        out, stats = self.base / name, self.base / f"{name}.stats"
        shutil.rmtree(stats, ignore_errors=True)
        stats.mkdir()
        done = subprocess.run(
            [
                *(sys.executable, str(ROOT / "scripts" / "numafy.py"), str(self.tree)),
                *("-p", str(self.base), "--out", str(out), *options, "--sites"),
                *("--build", build_command("b", targets)),
                *("--test", test_command("b", targets)),
            ],
            env=environment(
                XDG_CACHE_HOME=self.base / "cache",
                NUMAFY_REWRITE=REWRITER,
                NUMAFY_STATS=stats / "%p.json",
                **variables,
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=600,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        totals = json.loads((out / ".numafy" / "report.json").read_text())["totals"]
        self.assertEqual((totals["lost"], totals["files_failed"]), (0, 0))
        ran = re.search(r"(\d+) of (\d+) edited sites executed, (\d+) on a node", done.stderr)
        print(f"# googletest, {name}{' '.join(('', *variables))}: {ran.group(0)}", file=sys.stderr)
        results = RESULT.findall((out / ".numafy" / "test.log").read_text())
        return (results, *map(int, ran.groups()), trees.placed(stats)["pool_bytes"])

    def test_own_tests(self):
        wanted, wanted_few = self.original()
        self.assertGreaterEqual(len(wanted_few), 10)
        self.assertGreater(len(wanted), len(wanted_few) + 30)

        results, executed, edited, on_node, pools = self.rewritten("all", TARGETS, "--all")
        self.assertEqual(results, wanted)
        self.assertGreater(executed, 15)
        self.assertEqual((on_node, pools), (0, {}))

        again = self.rewritten("all", TARGETS, "--all", NUMAFY_AMBIENT="1")
        self.assertEqual(again[:3], (wanted, executed, edited))
        self.assertGreater(again[3], 5)  # the owners of others are static objects
        self.assertGreater(again[4]["1"], 0)

        place = [word for name in PLACED for word in ("--place", f"{name}=1")]
        results, _, _, on_node, pools = self.rewritten("place", FEW, *place)
        self.assertEqual(results, wanted_few)
        self.assertGreaterEqual(on_node, len(PLACED))
        self.assertGreater(pools["1"], 0)


if __name__ == "__main__":
    unittest.main()
