# SPDX-License-Identifier: Apache-2.0
"""scripts/trees, the evidence run, over a small tree of our own whose makefile names its compiler."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from support import ROOT, environment, write

sys.path.insert(0, str(ROOT))
from numafy import reach, report, trees  # noqa: E402
from numafy.errors import NumafyError  # noqa: E402

BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
REWRITER = BUILD / "bin" / "numafy-rewrite"

LIST = """\
#include "list.h"
#include <cstdio>
void List::push(int value)
{
    head = new Node{value, head};
}
int main()
{
    List *list = new List();
    int sum = 0;
    for (int i = 0; i < 100; i++)
        list->push(i);
    for (Node *n = list->head; n; n = n->next)
        sum += n->value;
    std::printf("sum %d\\n", sum);
    return sum != 4950;
}
"""
HEADER = """\
struct Node {
    int value;
    Node *next;
};
struct List {
    Node *head = nullptr;
    void push(int value);
};
"""
# Neither CC nor CXX is asked for.
MAKEFILE = "list: list.cpp list.h\n\tg++ -Wall -Wextra -Werror -o list list.cpp\n"
RECIPE = {
    "name": "list",
    "source": "tree",
    "build": "make",
    "test": "./list",
    "same": ["sum \\d+"],
    "place": ["List=1"],
    "root": ["main::list=1"],
}
# A rewriter that changes nothing, as a bug could make ours.
LAZY = """\
#!{python}
import json, os, shutil, sys
tree, out = sys.argv[1], sys.argv[sys.argv.index("--out") + 1] if "--out" in sys.argv else None
if out:
    shutil.copytree(tree, out)
report = sys.argv[sys.argv.index("--report") + 1]
os.makedirs(os.path.dirname(report), exist_ok=True)
totals = dict.fromkeys(("sites", "near", "on", "scope", "left", "lost"), 0)
json.dump({{"tree": tree, "files": [], "sites": [], "totals": totals}}, open(report, "w"))
"""


@unittest.skipUnless(REWRITER.exists(), "numafy-rewrite is not built")
class Evidence(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="numafy-test-")
        self.addCleanup(scratch.cleanup)
        self.base = Path(os.path.realpath(scratch.name))
        write(self.base / "tree" / "list.cpp", LIST)
        write(self.base / "tree" / "list.h", HEADER)
        write(self.base / "tree" / "Makefile", MAKEFILE)
        write(self.base / "list.json", json.dumps(RECIPE))

    def trees(self, *arguments, **variables):
        return subprocess.run(
            [sys.executable, ROOT / "scripts" / "trees", self.base / "list.json", *arguments],
            env=environment(NUMAFY_REWRITE=variables.get("rewriter", REWRITER)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            timeout=240,
        )

    def test_all_steps(self):
        done = self.trees("--keep", self.base / "work", "-j", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        line = done.stdout.splitlines()[-1]
        self.assertIn("| list | 1 | 2 | 1 / 0 / 0 / 1 | 2 + 0 scopes seen of 2: 100% |", line)
        self.assertIn("| pass, pass, pass, pass |", line)
        self.assertIn("| 2 of 2, 1 of 1 | 100.0%: 101 of 101, 0.0%, 1 blocks |", line)
        facts = json.loads((self.base / "work" / "list" / "facts.json").read_text())
        self.assertEqual(facts["place"]["tests"]["on_node"], 2)
        self.assertGreater(facts["place"]["tests"]["pool_bytes"]["1"], 0)
        self.assertEqual(facts["all"]["tests"]["pool_bytes"], {})
        self.assertTrue(facts["controls"]["hidden_is_lost"])
        self.assertEqual(facts["place"]["compiled"], 1)
        self.assertEqual(facts["reach"]["without_one"]["site"], "list.cpp:5")

    def test_a_rewriter_that_edits_nothing_is_caught(self):
        # The wrappers are looked for beside it.
        lazy = self.base / "bin" / "numafy-rewrite"
        write(lazy, LAZY.format(python=sys.executable), 0o755)
        for name in ("numafy-cc", "numafy-c++"):
            (lazy.parent / name).symlink_to(BUILD / "bin" / name)
        done = self.trees("--steps", "original,place", rewriter=lazy)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("list: place, tests: no process had a pool", done.stderr)

    def test_a_test_that_fails_as_it_is(self):
        write(self.base / "list.json", json.dumps({**RECIPE, "test": "./list && false"}))
        done = self.trees("--steps", "original")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("the original's own tests fail", done.stderr)


class Recipes(unittest.TestCase):
    def refused(self, fields, words):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "r.json"
            file.write_text(fields if isinstance(fields, str) else json.dumps(fields))
            with self.assertRaises(NumafyError) as caught:
                trees.load_recipe(file)
            self.assertIn(words, caught.exception.message)

    def test_what_is_wrong_is_named(self):
        self.refused("{", "is not JSON")
        self.refused([], "an object is expected")
        self.refused({**RECIPE, "plaec": []}, "unknown field plaec")
        self.refused({"name": "x", "build": "make"}, '"test" is missing')
        self.refused({**RECIPE, "same": "x"}, '"same" is not a list')
        self.refused({**RECIPE, "same": ["("]}, "(: ")

    def test_problems(self):
        tests = {"code": 0, "same": ["5 passed"], "pool_bytes": {"1": 4096}}
        facts = {"name": "x", "original": {"tests": tests}, "place": {"tests": dict(tests)}}
        self.assertEqual(trees.problems(facts), [])
        for change, words in (
            ({"same": ["4 passed"]}, "4 passed"),
            ({"code": 1}, "status 1"),
            ({"pool_bytes": {}}, "no process had a pool"),
            ({"edited": 3, "executed": 0}, "none of 3 edited sites"),
        ):
            facts["place"]["tests"] = {**tests, **change}
            self.assertIn(words, "\n".join(trees.problems(facts)))
        good = {"blocks": 10, "on_node": 10, "share": 1.0, "wanted": 0.95, "off_node": []}
        less = {"without": {"blocks": 10, "share": 0.0}, "without_one": {"site": "", "on_node": 9}}
        facts = {"name": "x", "reach": {**good, **less}}
        self.assertEqual(trees.problems(facts), [])
        for change, words in (
            ({"share": 0.94}, "10 of 10 blocks on the node"),
            ({"without": {"blocks": 10, "share": 0.1}}, "0.1 without the edits"),
            ({"without": {"blocks": 0, "share": 0.0}}, "name a variable as root"),
            ({"without_one": {"site": "a.c:1", "on_node": 10}}, "not lower without a.c:1"),
        ):
            facts["reach"] = {**good, **less, **change}
            self.assertIn(words, "\n".join(trees.problems(facts)))
        facts = {"original": {"tests": tests}, "place": {"tests": {**tests, "code": 1}}}
        self.assertIn("FAIL", trees.row({"name": "x", **facts}))

    def test_an_edit_that_another_covers_is_left_last(self):
        def site(line, kind, function, action, type_of="struct node"):
            fields = ("line", "kind", "function", "action", "type")
            values = (line, kind, function, action, type_of)
            return {"file": "/t/a.c", "column": 1, **dict(zip(fields, values))}

        made = report.Report(
            {
                "tree": "/t",
                "sites": [
                    site(1, "malloc", "node_new", "near"),
                    site(2, "node_new", "insert", "near"),
                    site(3, "malloc", "append", "near"),
                    site(4, "malloc", "never", "near"),
                    site(5, "store_new", "main", "on", "struct store"),
                    site(6, "malloc", "store_new", "scope", "struct store"),
                ],
            }
        )
        blocks = Counter({"a.c:1": 900, "a.c:3": 50, "a.c:4": 40, "a.c:6": 1})
        found = reach.Reached(1, 1000, 991, 0, blocks, 1, [])
        self.assertEqual(
            trees.edits_to_leave(made, found, ["a.c:4: struct node"]),
            ["a.c:3", "a.c:1", "a.c:5", "a.c:2"],
        )


if __name__ == "__main__":
    unittest.main()
