# SPDX-License-Identifier: Apache-2.0
"""The headers compile without a warning by every compiler, in every standard, at every level of optimisation.

Compiling tests/unit/runtime_standard.c and .cpp is the test: object files only, since some warnings come from the
optimiser. They are compiled without the excuse of a system header (NUMAFY_TEST_WARNINGS).
"""

import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List, Tuple

from harness import proc

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "tests" / "unit"
C = ("gcc", "clang", "clang-19")
CXX = ("g++", "clang++", "clang++-19")
LEVELS = ("-O0", "-O2", "-Os")
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-DNUMAFY_TEST_WARNINGS")
MACROS = ("-include", str(UNIT / "runtime_macros.h"))
FULL = "-DSTANDARD_FULL"

Case = Tuple[str, ...]


def levels(compiler: str) -> List[Tuple[str, ...]]:
    """What a compiler is called with for each level. clang's optimiser warns of nothing here: what it compiles at -O2 it only
    looks through at the others, which differ by __OPTIMIZE__ and __OPTIMIZE_SIZE__."""
    look = () if compiler.startswith("g") else ("-fsyntax-only",)
    return [(level, *(() if level == "-O2" else look)) for level in LEVELS]


def cases() -> List[Case]:
    """All compilations, each compiler, flags and source."""
    c, cxx = str(UNIT / "runtime_standard.c"), str(UNIT / "runtime_standard.cpp")
    found: List[Case] = []
    for compiler in C:
        found += [(compiler, f"-std={s}", "-O2", c) for s in ("c90", "c99", "c2x")]
        found += [(compiler, "-std=c11", *how, FULL, c) for how in levels(compiler)]
        found.append((compiler, "-std=c17", "-O2", FULL, c))
        found += [(compiler, "-std=c11", "-O2", FULL, f"-DNUMAFY_{m}", c) for m in ("OFF", "EXTERN", "NO_REPLACE", "INLINE")]
        found += [(compiler, "-std=c90", "-O2", *MACROS, *off, c) for off in ((), ("-DNUMAFY_OFF",))]
    for compiler in CXX:
        for standard in ("11", "14", "17", "20", "2b"):
            # The bodies of the runtime are most of the time: by the oldest and the newest standard.
            full = (f"-std=c++{standard}", FULL) + (() if standard in ("11", "2b") else ("-DNUMAFY_EXTERN",))
            found += [(compiler, *full, *how, cxx) for how in levels(compiler)]
            found.append((compiler, *full, "-O2", "-fno-exceptions", "-fno-rtti", cxx))
        found += [(compiler, "-std=c++17", "-O2", FULL, f"-DNUMAFY_{m}", cxx) for m in ("OFF", "NO_REPLACE", "INLINE", "DEBUG=2")]
        found.append((compiler, "-std=c++17", "-O2", FULL, "-fsanitize=address", cxx))
        found += [(compiler, f"-std=c++{s}", "-O2", cxx) for s in ("98", "17")]
        found += [(compiler, f"-std=c++{s}", "-O2", *MACROS, cxx) for s in ("98", "11", "20")]
        found.append((compiler, "-std=c++17", "-O2", *MACROS, "-DNUMAFY_OFF", cxx))
    return found


def complaint(case: Case) -> str:
    """What the compiler says, empty if nothing."""
    # What edited files hold is clean under -Wcomma, too (gcc has none); the runtime's bodies need not be.
    comma = ("-Wcomma",) if case[0].startswith("clang") and FULL not in case else ()
    argv = [case[0], *case[1:-1], *STRICT, *comma, f"-I{ROOT / 'runtime'}", "-c", case[-1], "-o", os.devnull]
    result = proc.run(argv, merge=True, timeout_s=600)
    return result.stdout.decode("utf-8", "replace") or ("" if result.status == 0 else result.how)


class CompileMatrix(unittest.TestCase):
    def test_no_compiler_has_anything_to_say(self):
        with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
            for case, said in zip(cases(), pool.map(complaint, cases())):
                with self.subTest(case=" ".join(case[:-1])):
                    self.assertEqual(said[:3000], "")

    def test_a_warning_is_seen(self):
        for compiler in (*C, *CXX):
            source = UNIT / ("runtime_standard.c" if compiler in C else "runtime_standard.cpp")
            for how in levels(compiler):
                self.assertNotEqual(complaint((compiler, "-Dnumafy_size=char", *how, str(source))), "", (compiler, how))


if __name__ == "__main__":
    unittest.main()
