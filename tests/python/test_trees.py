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

from support import ROOT, environment, snapshot, write

BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
REWRITER = BUILD / "bin" / "numafy-rewrite"
TREES = ROOT / "tests" / "trees"

# One header, precompiled; no source includes it. One source lies outside of the tree.
PRECOMPILED = {
    "list.h": """\
#ifndef LIST_H
#define LIST_H
struct Node {
    Node *next = nullptr;
    int value = 0;
};
struct List {
    Node *first = nullptr;
    void add(int value);
    void more() { add(1); first = new Node{first, 5}; }
    int sum() const;
};
extern "C" __attribute__((weak)) int numafy_node_of(const void *);
int outside(List &list);
#endif
""",
    "list.cpp": """\
void List::add(int value)
{
    Node *n = new Node;
    n->value = value;
    n->next = first;
    first = n;
}
""",
    "sum.cpp": """\
int List::sum() const
{
    int result = 0;
    for (const Node *n = first; n; n = n->next)
        result += n->value;
    return result;
}
""",
    "main.cpp": """\
extern "C" int printf(const char *, ...);
int main()
{
    List *list = new List;
    for (int i = 0; i < 10; i++)
        list->add(i);
    list->more();
    int on_node = 0, outer = outside(*list);
    for (Node *n = list->first; n; n = n->next)
        on_node += numafy_node_of && numafy_node_of(n) == 1;
    printf("%d %d %d\\n", list->sum(), outer, on_node);
    return 0;
}
""",
    "../outside/outside.cpp": """\
int outside(List &list)
{
    Node *own = new Node;
    int result = list.first->value + own->value;
    delete own;
    return result;
}
""",
    "CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.16)
project(odd CXX)
add_executable(odd main.cpp list.cpp sum.cpp ${OUTSIDE}/outside.cpp)
target_precompile_headers(odd PRIVATE list.h)
set_target_properties(odd PROPERTIES UNITY_BUILD ${UNITY})
""",
}


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

    def precompiled(self, compiler, flags, unity):
        tree = self.base / "b\u00e4ume"
        for name, text in PRECOMPILED.items():
            write(tree / name, text)
        (tree / "list.cpp").chmod(0o444)
        options = f"-DOUTSIDE='{self.base}/outside' -DUNITY={unity} -DCMAKE_CXX_FLAGS={flags}"
        done = subprocess.run(
            [
                *(sys.executable, str(ROOT / "scripts" / "numafy.py"), str(tree), "--out", "out"),
                *("--place", "List=1", "--place", "Node=1", "--test", "b/odd"),
                *("--build", f"cmake -B b {options} && cmake --build b"),
            ],
            cwd=self.base,
            env=environment(XDG_CACHE_HOME=self.base / "cache", NUMAFY_REWRITE=REWRITER, CXX=compiler),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=600,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("51 5 12\n", (self.base / "out" / ".numafy" / "test.log").read_text())

    def test_a_precompiled_header_of_gcc(self):
        self.precompiled("g++", "-fno-gnu-unique", "OFF")  # a flag that only gcc has

    def test_a_precompiled_header_of_clang_and_a_unity_build(self):
        self.precompiled("clang++", "-O1", "ON")


if __name__ == "__main__":
    unittest.main()
