# SPDX-License-Identifier: Apache-2.0
"""What NUMAFY_DEBUG costs where it is off, what it says of units that differ, and valgrind's view of the runtime."""

from __future__ import annotations

import re
import shutil
import unittest
from pathlib import Path
from typing import Dict

from life_build import BUILD, COMPILERS, EXPORT, LIBS, ROOT, SOURCES, Life
from harness import proc


# What the program calls all the time: typed.cpp's own functions, and what they and others reach.
HOT = ("_Z4makeP4Item", "_Z4dropPN6numafy4numaI4ItemLi1EEE", "_Z3getim", "_Z3putPv", "malloc", "free",
       "numafy_malloc", "numafy_free", "_Znwm", "_ZdlPv", "_ZdlPvm")


def bodies(assembly: str) -> Dict[str, str]:
    """The instructions of the functions of HOT, with local labels numbered from 0 in each."""
    found = {}
    for name in HOT:
        body = re.search(rf"^{name}:.*?^\s*\.cfi_endproc", assembly, re.M | re.S)
        labels: Dict[str, str] = {}
        if body:
            found[name] = re.sub(
                r"\.L\w+", lambda m: labels.setdefault(m.group(0), f".L{len(labels)}"), body.group(0))
    return found


class Levels(Life):
    def assembly(self, cc: str, *options: str, runtime: Path = ROOT / "runtime") -> Dict[str, str]:
        out = self.folder / "typed.s"
        cxx = {"gcc": "g++"}.get(cc, cc.replace("clang", "clang++"))
        argv = [cxx, "-std=c++17", "-O2", "-S", f"-I{runtime}", *options,
                SOURCES / "typed.cpp", "-o", out]
        done = proc.run(argv)
        self.assertEqual(done.status, 0, done.stderr.decode())
        found = bodies(out.read_text())
        self.assertEqual(len(found), len(HOT), sorted(found))
        return found

    def test_level_0_is_the_code_without_any_check(self) -> None:
        bare = self.without_checks()
        for cc in COMPILERS:
            with self.subTest(cc=cc):
                plain = self.assembly(cc, runtime=bare)
                self.assertEqual(self.assembly(cc), plain)
                self.assertEqual(self.assembly(cc, "-DNUMAFY_DEBUG=0"), plain)
                self.assertNotEqual(self.assembly(cc, "-DNUMAFY_DEBUG=1"), plain)

    def without_checks(self) -> Path:
        """A copy of the runtime whose headers call no check."""
        bare = self.folder / "bare"
        shutil.copytree(ROOT / "runtime", bare)
        for header in (bare / "numafy").glob("*.h*"):
            if header.name not in ("check.h", "check_slow.h"):
                text = header.read_text("utf-8")
                header.write_text(re.sub(r"\bnumafy_check_\w+_\([^;{}]*\);", ";", text), "utf-8")
        self.assertNotIn("numafy_check_given_", (bare / "numafy" / "cache.h").read_text("utf-8"))
        return bare

    def units(self, first: int, second: int) -> Path:
        other = self.folder / f"other{second}.o"
        argv = ["gcc", "-O1", "-c", f"-I{ROOT / 'runtime'}", "-DOTHER", f"-DNUMAFY_DEBUG={second}",
                SOURCES / "level.c", "-o", other]
        self.assertEqual(proc.run(argv).status, 0)
        return self.build(f"level{first}{second}", "level.c", other, f"-DNUMAFY_DEBUG={first}",
                          "-ljemalloc", EXPORT)

    def test_one_level_in_all_units_finds_a_double_free(self) -> None:
        done = self.run_it(self.units(1, 1))
        self.assertEqual((done.code, done.out), (-6, "to the end\n"))
        self.assertRegex(done.err, r"\Anumafy: double free: 0x\w+ \(node 0, blocks of 48 bytes\)\. .*\n\Z")

    def test_units_of_different_levels_are_told_and_not_checked(self) -> None:
        told = "numafy: units of this program have different NUMAFY_DEBUG: the checks are off\n"
        for first, second in ((0, 1), (1, 0), (1, 3)):
            with self.subTest(first=first, second=second):
                self.expect("to the end\n", self.units(first, second), err=told)

    def test_a_checked_unit_does_not_link_with_an_unchecked_library(self) -> None:
        argv = ["g++", "-std=c++17", "-O2", f"-I{ROOT / 'runtime'}", "-DNUMAFY_EXTERN", "-DNUMAFY_DEBUG=1",
                SOURCES / "typed.cpp", "-shared", "-fPIC", "-Wl,-z,defs", "-o", self.folder / "typed.so",
                f"-L{BUILD / 'lib'}", "-lnumafy", "-ljemalloc", *LIBS]
        done = proc.run(argv)
        self.assertNotEqual(done.status, 0)
        self.assertIn(b"numafy_check_", done.stderr)


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed (scripts/setup test)")
class Valgrind(Life):
    """The pools map their memory themselves, so their blocks are always readable for it; the plain heap is its own."""

    def memcheck(self, program: Path, *options: str) -> str:
        done = self.run_it("valgrind", "--error-exitcode=9", "--leak-check=full", *options, program)
        self.assertIn("ERROR SUMMARY", done.err)
        return f"{done.code} {done.out}{''.join(re.findall('ERROR SUMMARY: (.*?) from', done.err))}"

    def test_a_walk_through_all_functions_has_no_error(self) -> None:
        program = self.build("walk", "walk.c", "-ljemalloc", EXPORT)
        self.assertEqual(self.memcheck(program), "0 1\n0 errors0 errors")

    def test_nor_if_valgrind_leaves_malloc_alone(self) -> None:
        program = self.build("walk", "walk.c", "-ljemalloc", EXPORT)
        alone = "--soname-synonyms=somalloc=nouserintercepts"
        self.assertEqual(self.memcheck(program, alone), "0 1\n0 errors0 errors")

    def test_control_a_plain_block_that_is_read_too_far(self) -> None:
        program = self.build("walk_wrong", "walk.c", "-DWRONG", "-ljemalloc", EXPORT)
        self.assertRegex(self.memcheck(program), r"\A9 1\n")


if __name__ == "__main__":
    unittest.main()
