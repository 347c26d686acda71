# SPDX-License-Identifier: Apache-2.0
"""The whole way with the rewriter and the runtime of this build: a tree is rewritten, built, run."""

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

HEADER = """\
#pragma once
#include <string>
struct Node {
    std::string text;
    Node *next = nullptr;
};
class List {
public:
    ~List();
    void push(const char *text);
    Node *head = nullptr;
};
"""
LIST = """\
#include "list.h"
void List::push(const char *text)
{
    Node *n = new Node{text, head};
    head = n;
}
List::~List()
{
    while (Node *n = head) {
        head = n->next;
        delete n;
    }
}
"""
# Prints the pool node of the nodes, or "plain" where libnumafy is not linked.
MAIN = """\
#include "list.h"
#include <cstdio>
extern "C" __attribute__((weak)) int numafy_node_of(const void *);
int main()
{
    List list;
    for (int i = 0; i < 100; i++)
        list.push("a text that is longer than what fits into the string itself");
    int on = 0;
    for (Node *n = list.head; n; n = n->next)
        on += numafy_node_of && numafy_node_of(n) == 0 && numafy_node_of(n->text.data()) == 0;
    if (numafy_node_of)
        std::printf("%d on node 0\\n", on);
    else
        std::puts("plain");
    return 0;
}
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.13)
project(list CXX)
add_compile_options(-Wall -Wextra -Werror)
add_library(list SHARED list.cpp)
add_executable(prog main.cpp)
target_link_libraries(prog list)
"""
# A header of the tree's own that only the build puts where it is looked for, as jansson and others do.
PUBLISHED = """\
#include <item.h>
struct shelf {
    struct item *first;
};
void shelf_fill(struct shelf *s)
{
    s->first = item_new();
}
"""
ITEM = """\
#include <stdlib.h>
#include "item.h"
struct item *item_new(void)
{
    return malloc(sizeof(struct item));
}
"""
PUBLISHED_MAKEFILE = """\
all: b/include/item.h
\t$(CC) -c -Ib/include shelf.c -o b/shelf.o
\t$(CC) -c -Ib/include item.c -o b/item.o
b/include/item.h: item.h.in
\tmkdir -p b/include && cp item.h.in b/include/item.h
"""
MAKEFILE = """\
CXXFLAGS = -O2 -Wall -Wextra -Werror
prog: main.o list.o
\t$(CXX) -o $@ $^
"""


@unittest.skipUnless(REWRITER.exists(), f"{REWRITER} is not built")
class Real(unittest.TestCase):
    def setUp(self):
        self.base = Path(os.path.realpath(tempfile.mkdtemp(prefix="numafy real ")))
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        self.tree = self.base / "the tree"
        for name, text in (("list.h", HEADER), ("list.cpp", LIST), ("main.cpp", MAIN)):
            write(self.tree / name, text)

    def numafy(self, *arguments, expected=0):
        done = subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "numafy.py"), *arguments],
            cwd=self.base,
            env=environment(XDG_CACHE_HOME=self.base / "cache", NUMAFY_REWRITE=REWRITER),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=600,
        )
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return done

    def output_of(self, program):
        return subprocess.run(
            [str(program)], env=environment(), stdout=subprocess.PIPE, check=True, encoding="utf-8"
        ).stdout

    def test_cmake_and_a_shared_library(self):
        write(self.tree / "CMakeLists.txt", CMAKE)
        before = snapshot(self.tree)
        done = self.numafy(
            "the tree",
            *("--place", "Node=0", "--out", "out"),
            *("--build", "cmake -B b && cmake --build b", "--test", "b/prog >said"),
        )
        self.assertIn("1 of 1 edited files compiled with numafy-cc/numafy-c++", done.stderr)
        self.assertEqual((self.base / "out" / "said").read_text(), "100 on node 0\n")
        self.assertEqual((self.base / "out" / ".numafy" / "test.log").read_text().count("\n"), 1)
        self.assertEqual(snapshot(self.tree), before)
        self.assertEqual((self.base / "out" / "main.cpp").read_text(), MAIN)

    def test_over_libnuma(self):
        write(self.tree / "CMakeLists.txt", CMAKE)
        for umf, cache in (("0", "onnode"), ("1", "magazine")):
            with self.subTest(umf=umf):
                self.numafy(
                    "the tree",
                    *("--place", "Node=0", "--out", f"out{umf}", "--umf", umf),
                    *("--build", "cmake -B b && cmake --build b"),
                    *("--test", "NUMAFY_STATS=stats b/prog >said"),
                )
                out = self.base / f"out{umf}"
                self.assertEqual((out / "said").read_text(), "100 on node 0\n")
                self.assertEqual(json.loads((out / "stats").read_text())["cache"], cache)

    def test_headers_that_the_build_puts_in_place_are_no_librarys(self):
        for name in ("list.h", "list.cpp", "main.cpp"):
            (self.tree / name).unlink()
        write(self.tree / "Makefile", PUBLISHED_MAKEFILE)
        write(self.tree / "item.h.in", "struct item { int id; };\nstruct item *item_new(void);\n")
        write(self.tree / "item.c", ITEM)
        write(self.tree / "shelf.c", PUBLISHED)
        self.numafy("the tree", "--all", "--out", "out", "--build", "make")
        # The caller of the factory says whose the item is.
        self.assertIn("numafy_leave(item_new())", (self.base / "out" / "shelf.c").read_text())

    def test_make(self):
        write(self.tree / "Makefile", MAKEFILE)
        before = snapshot(self.tree)
        arguments = ("the tree", "--place", "Node=0", "--out", "out", "--build", "make", "-j", "1")
        self.numafy(*arguments)
        self.assertEqual(snapshot(self.tree), before)
        self.assertEqual(self.output_of(self.base / "out" / "prog"), "100 on node 0\n")
        first = snapshot(self.base / "out")
        self.numafy(*arguments)
        second = snapshot(self.base / "out")
        for name in first:
            if not name.startswith(".numafy/") or name.endswith(("report.json", "manifest.json")):
                self.assertEqual(second[name], first[name], name)

    def test_dry_run_check_and_diff(self):
        write(self.tree / "Makefile", MAKEFILE)
        before = snapshot(self.tree)
        done = self.numafy("the tree", "--place", "Node=0", "--report", "r.json")
        totals = json.loads((self.base / "r.json").read_text())["totals"]
        self.assertEqual((totals["sites"], totals["on"], totals["lost"]), (1, 1, 0))
        self.assertIn("list.cpp", done.stdout)
        self.numafy("the tree", "--place", "Node=0", "--check", expected=5)
        self.numafy("the tree", "--check")
        patch = self.numafy("the tree", "--place", "Node=0", "--diff").stdout
        self.assertEqual(snapshot(self.tree), before)
        subprocess.run(
            ["patch", "-s", "-p1", "-d", str(self.tree)], input=patch, encoding="utf-8", check=True
        )
        self.numafy("the tree", "--place", "Node=0", "--check")

    def test_in_place_and_undo(self):
        write(self.tree / "Makefile", MAKEFILE)
        before = snapshot(self.tree)
        self.numafy("the tree", "--place", "Node=0", "--in-place", "--build", "make")
        self.assertEqual(self.output_of(self.tree / "prog"), "100 on node 0\n")
        for name in ("prog", "main.o", "list.o"):
            (self.tree / name).unlink()
        self.numafy("the tree", "--undo")
        after = snapshot(self.tree)
        self.assertEqual({name: after[name] for name in before}, before)

    def test_a_broken_file(self):
        write(self.tree / "Makefile", MAKEFILE)
        write(self.tree / "bad.cpp", "int f( { return new int; }\n")
        write(
            self.tree / "compile_commands.json",
            json.dumps(
                [
                    {"directory": str(self.tree), "file": name, "command": f"c++ -c {name}"}
                    for name in ("list.cpp", "main.cpp", "bad.cpp")
                ]
            ),
        )
        done = self.numafy(
            "the tree", "--place", "Node=0", "--out", "out", "--build", "make", expected=2
        )
        self.assertIn("copied unchanged: bad.cpp", done.stderr)
        self.assertEqual(self.output_of(self.base / "out" / "prog"), "100 on node 0\n")

    def test_an_unknown_type(self):
        write(self.tree / "Makefile", MAKEFILE)
        done = self.numafy("the tree", "--place", "Nod=0", "--out", "out", expected=1)
        self.assertIn("Node", done.stderr.splitlines()[-1])
        self.assertFalse((self.base / "out").exists())


if __name__ == "__main__":
    unittest.main()
