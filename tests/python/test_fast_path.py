# SPDX-License-Identifier: Apache-2.0
"""The typed fast path calls nothing: read from the machine code that -O2 alone and -flto make of it.

A function's instructions are a graph; somewhere in it must be a way from the entry to a return that
calls nothing and writes to memory (a block that is taken or put back moves the top of a bin). Every
call is then on another way. x86-64, as objdump prints it.
"""

import re
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from harness import proc

ROOT = Path(__file__).resolve().parents[2]
COMPILERS = {c: c.replace("gcc", "g++").replace("clang", "clang++") for c in ("gcc", "clang-14", "clang-19")}

TYPED = """
#include "numa_alloc.h"
struct Item { long key; Item *next; };
extern "C" {
__attribute__((noinline)) Item *make() { return new numa<Item, 0>; }
__attribute__((noinline)) void drop(numa<Item, 0> *p) { delete p; }
__attribute__((noinline)) void *control() { return numafy_aligned_alloc(0, 64, 64); }
}
int main() { numa<Item, 0> *p = static_cast<numa<Item, 0> *>(make()); drop(p); return control() == 0; }
"""
TWIN = """
#include "numa_alloc.h"
struct item { long key; struct item *next; };
__attribute__((noinline)) struct item *make(void) { return numafy_malloc(0, sizeof(struct item)); }
__attribute__((noinline)) void *control(void) { return numafy_aligned_alloc(0, 64, 64); }
int main(void) { struct item *p = make(); numafy_free(p); return control() == 0; }
"""


class Instruction(NamedTuple):
    mnemonic: str
    operands: str
    after: Optional[int]  # address of the next one in this function


def functions_of(text: str) -> Dict[str, Dict[int, Instruction]]:
    """The functions of an `objdump -d --no-show-raw-insn`, each by address."""
    found: Dict[str, Dict[int, Instruction]] = {}
    for block in re.split(r"\n(?=[0-9a-f]+ <)", text):
        head = re.match(r"[0-9a-f]+ <([\w.]+)>:\n", block)
        lines = re.findall(r"^ +([0-9a-f]+):\t(?:bnd |lock |rep |notrack )*(\S+) *([^#\n]*)", block, re.M)
        if head:
            ends = [int(at, 16) for at, _, _ in lines][1:] + [None]
            found[head.group(1)] = {
                int(at, 16): Instruction(name, rest.strip(), after)
                for (at, name, rest), after in zip(lines, ends)
            }
    return found


def has_way_without_call(function: Dict[int, Instruction]) -> bool:
    todo: List[Tuple[int, bool]] = [(min(function), False)]
    seen: Set[Tuple[int, bool]] = set()
    while todo:
        address, wrote = todo.pop()
        if (address, wrote) in seen or address not in function:
            continue  # a jump out of the function is a call
        seen.add((address, wrote))
        name, operands, after = function[address]
        if name.startswith("ret"):
            if wrote:
                return True
            continue
        if name.startswith("call"):
            continue
        target = re.match(r"([0-9a-f]+) <", operands)
        if name.startswith("j") and target:
            todo.append((int(target.group(1), 16), wrote))
        if name != "jmp" and after is not None:
            # A write through a register other than the stack's: the destination comes last.
            writes = re.search(r"\((?!%rsp|%rbp|%rip)%\w+[^)]*\)$", operands)
            todo.append((after, wrote or bool(writes and re.match(r"mov|add|sub|inc|dec", name))))
    return False


class FastPath(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="fast-path-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def code(self, compiler: str, source: str, suffix: str, *options: str) -> Dict[str, Dict[int, Instruction]]:
        file, out = self.folder / f"a{suffix}", self.folder / "out"
        file.write_text(source, encoding="utf-8")
        libs = ["-ljemalloc", "-lpthread", "-ldl"]
        done = proc.run([compiler, f"-I{ROOT / 'runtime'}", "-O2", *options, file, "-o", out, *libs])
        self.assertEqual(done.status, 0, done.stderr.decode())
        return functions_of(proc.run(["objdump", "-d", "--no-show-raw-insn", out]).stdout.decode())

    def check(self, compiler: str, source: str, suffix: str, names: List[str], *options: str) -> None:
        functions = self.code(compiler, source, suffix, *options)
        for name in names:
            with self.subTest(compiler=compiler, options=options, function=name):
                self.assertTrue(has_way_without_call(functions[name]), functions[name])
        self.assertFalse(has_way_without_call(functions["control"]), "the check sees no call")

    def test_new_and_delete_of_a_type_call_nothing(self) -> None:
        for compiler in COMPILERS.values():
            if shutil.which(compiler):
                self.check(compiler, TYPED, ".cpp", ["make", "drop"])
        self.check("g++", TYPED, ".cpp", ["make", "drop"], "-flto")

    def test_malloc_of_a_constant_size_calls_nothing_in_c(self) -> None:
        for compiler in COMPILERS:
            if shutil.which(compiler):
                self.check(compiler, TWIN, ".c", ["make"])
        self.check("gcc", TWIN, ".c", ["make"], "-flto")


class Controls(unittest.TestCase):
    """The search for a way sees what it is for."""

    def way(self, text: str) -> bool:
        return has_way_without_call(functions_of(f"0000000000000000 <f>:\n{text}")["f"])

    def test_a_call_on_the_only_way(self) -> None:
        self.assertFalse(self.way("   0:\tmov    %rax,(%rdi)\n   3:\tcall   9 <g>\n   8:\tret\n"))

    def test_a_way_that_takes_nothing_is_none(self) -> None:
        self.assertFalse(self.way("   0:\tje     8 <f+0x8>\n   3:\tcall   9 <g>\n   8:\tret\n"))

    def test_a_tail_call_is_a_call(self) -> None:
        self.assertFalse(self.way("   0:\tmov    %rax,(%rdi)\n   3:\tjmp    99 <g>\n"))

    def test_a_call_behind_a_branch(self) -> None:
        text = "   0:\tje     9 <f+0x9>\n   3:\tmov    %rax,(%rdi)\n   8:\tret\n   9:\tcall   99 <g>\n   a:\tret\n"
        self.assertTrue(self.way(text))


if __name__ == "__main__":
    unittest.main()
