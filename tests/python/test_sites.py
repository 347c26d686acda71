# SPDX-License-Identifier: Apache-2.0
"""numafy/sites.py: programs built with NUMAFY_CC_SITES=1 tell which edited sites ran, and on which node."""

import os
import tempfile
import unittest
from pathlib import Path

from harness import proc
from numafy import sites
from numafy.errors import NumafyError
from numafy.report import Report

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "bin"

C_SOURCE = """\
#include "numafy/near.h"
#include <stdlib.h>
struct item { struct item *next; };
static struct item *make(void) { return (struct item *)malloc(sizeof(struct item)); }
static void fill(struct item **out) { *out = make(); }
int use(struct item *o, int argc);
int use(struct item *o, int argc)
{
    NUMAFY_SCOPE(o);
    o->next = NUMAFY_NEW(struct item, 1);
    o->next->next = (struct item *)numafy_malloc_near(o, sizeof *o);
    o->next->next = (struct item *)numafy_calloc_near(
        o,
        1, sizeof *o);
    o = ((void)numafy_enter(o->next), (struct item *)numafy_leave(make()));
    ((void)numafy_enter_on(2), (void)fill(&o->next), (void)numafy_leave(0));
    if (argc > 5)
        o->next = (struct item *)numafy_realloc_near(o, 0, sizeof *o);
    return !o->next;
}
"""
C_SITES = [(9, "scope"), (10, "on"), (11, "near"), (12, "near"), (15, "near"), (16, "on"), (18, "near")]
CXX_SOURCE = """\
#include "numafy/near.h"
struct Item {
    Item *next, *far;
    explicit Item(Item *n) : next(n) {}
    void grow()
    {
        next = ::new (::numafy::near(this)) Item(0);
        next = ::new (::numafy::numa<Item, 1>::at) Item(
            next);
        next = ::numafy::done(::new (::numafy::near(next).ctor()) Item(0));
        next = ((void)::numafy::enter(next), ::numafy::leave(make()));
        if (!next)
            next = ::new (::numafy::on(1)) Item(0);
    }
    static Item *make() { return new Item(0); }
};
extern "C" int use(Item *, int);
int main(int argc, char **)
{
    Item *root = ::new (::numafy::on(1)) Item(0), *list = new Item(0);
    list->grow();
    return use(root, argc) + !list->next;
}
"""
CXX_SITES = [(7, "near"), (8, "on"), (10, "near"), (11, "near"), (13, "on"), (20, "on")]
EXECUTED_NOT = {("a b.c", 18), ("m.cc", 13)}
OFF_NODE = {("m.cc", 7)}  # list is plain


def report(*, cut: int = 0) -> Report:
    places = [("src/a b.c", *site) for site in C_SITES] + [("src/m.cc", *site) for site in CXX_SITES]
    rows = [{"file": name, "line": line, "action": action} for name, line, action in places[cut:]]
    return Report({"tree": "/elsewhere", "sites": rows + [{"file": "src/m.cc", "line": 15, "action": "left"}]})


class Sites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='numafy "sites\\ ')
        self.addCleanup(folder.cleanup)
        self.out = Path(os.path.realpath(folder.name))
        (self.out / "src").mkdir()
        (self.out / "src" / "a b.c").write_text(C_SOURCE)
        (self.out / "src" / "m.cc").write_text(CXX_SOURCE)
        self.log = self.out / "sites"

    def run_tool(self, argv, **env):
        base = {k: v for k, v in os.environ.items() if not k.startswith("NUMAFY_")}
        done = proc.run([str(a) for a in argv], cwd=self.out, env={**base, "NUMAFY_QUIET": "1", **env}, timeout_s=120)
        self.assertEqual((done.status, done.stderr), (0, b""), argv)

    def build(self, c: str, cxx: str, *flags: str, told: bool = True) -> None:
        env = {"NUMAFY_REAL_CC": c, "NUMAFY_REAL_CXX": cxx, **(sites.environment_of_build() if told else {})}
        self.run_tool([BIN / "numafy-cc", *flags, "-c", "src/a b.c", "-o", "a.o"], **env)
        self.run_tool([BIN / "numafy-c++", *flags, "src/m.cc", "a.o", "-o", "program"], **env)

    def test_what_ran_on_which_node(self):
        for c, cxx in (("gcc", "g++"), ("clang", "clang++")):
            for level in ("-O0", "-O2"):
                with self.subTest(compiler=c, level=level):
                    self.log.unlink(missing_ok=True)
                    self.build(c, cxx, level, "-Wall", "-Wextra", "-Werror")
                    for _ in range(2):
                        self.run_tool(["./program"], **sites.environment_of_run(self.log))
                    ran = sites.read(self.log)
                    found = sites.coverage(report(), self.out, ran)
                    missing = {(os.path.basename(s["file"]), s["line"]) for s in found.not_executed}
                    here = {(os.path.basename(s["file"]), s["line"]) for s in found.on_node}
                    executed = {(os.path.basename(s["file"]), s["line"]) for s in found.executed}
                    self.assertEqual((missing, found.strangers), (EXECUTED_NOT, []))
                    self.assertEqual(executed - here, OFF_NODE)
                    self.assertEqual(found.sentence(), "11 of 13 edited sites executed, 10 on a node")
                    self.assertIn(2, {one.node for one in ran})
                    # A site that the report lacks is seen, unless another one stands close above it.
                    self.assertEqual([one.line for one in sites.coverage(report(cut=1), self.out, ran).strangers], [9])

    def test_units_leave_their_mark(self):
        self.build("gcc", "g++", "-O2", "-Wl,--gc-sections", "-ffunction-sections", "-fdata-sections")
        both = ["src/a b.c", "src/m.cc"]
        self.assertEqual(sites.not_compiled(both, self.out, [self.out / "program"]), [])
        self.assertEqual(sites.not_compiled(both, self.out, [self.out / "a.o"]), both[1:])
        self.assertEqual(sites.not_compiled(both, self.out, [self.out / "src" / "m.cc"]), both)

    def test_without_the_switch_nothing_is_told(self):
        self.build("gcc", "g++", "-O2", told=False)
        self.run_tool(["./program"], **sites.environment_of_run(self.log))
        self.assertEqual(sites.read(self.log), set())
        self.assertEqual(sites.compiled_into(self.out / "program"), set())

    def test_a_damaged_log_is_refused(self):
        for text in (b"1\0two\0/\0a.c\0", b"1\0", b"text"):
            self.log.write_bytes(text)
            with self.assertRaises(NumafyError):
                sites.read(self.log)


if __name__ == "__main__":
    unittest.main()
