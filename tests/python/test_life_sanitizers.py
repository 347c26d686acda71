# SPDX-License-Identifier: Apache-2.0
"""AddressSanitizer with the pools on and off, LeakSanitizer, ThreadSanitizer."""

from __future__ import annotations

import re
import shutil
import unittest
from pathlib import Path

from life_build import COMPILERS, EXPORT, NODE_1, OFF, ROOT, Life

ASAN = ("-fsanitize=address", "-fno-omit-frame-pointer", EXPORT, "-ljemalloc")
TSAN = ("-fsanitize=thread", EXPORT, "-ljemalloc")
POOLS = ("-DNUMAFY_SANITIZE_POOLS", "-DNUMAFY_STRONG")
QUIET = {"NUMAFY_QUIET": "1"}
# What a sanitizer watches depends on what the optimiser leaves of it: two compilers with, one without.
LEVELS = {"gcc": "-O1", "clang-19": "-O1"}
WARNING = OFF + r".*NUMAFY_SANITIZE=pass.*\n"


class Pools(Life):
    """NUMAFY_SANITIZE_POOLS: blocks of the pools are watched as the sanitizer's own are."""

    levels = LEVELS

    def bugs(self, cc: str) -> Path:
        path = self.folder / f"bugs-{cc}"
        return path if path.exists() else self.build(path.name, "bugs.c", *ASAN, *POOLS, cc=cc)

    def reported(self, bug: str, what: str) -> None:
        for cc in COMPILERS:
            with self.subTest(cc):
                done = self.run_it(self.bugs(cc), bug, **QUIET)
                self.assertNotEqual(done.code, 0)
                self.assertNotIn("end", done.out)
                self.assertIn(f"AddressSanitizer: {what}", done.err)

    def clean(self, what: str) -> None:
        for cc in COMPILERS:
            with self.subTest(cc):
                self.expect("end\n", self.bugs(cc), what, err="", **QUIET)

    def test_use_after_free_is_reported(self) -> None:  # P65
        self.reported("use-after-free", "use-after-poison")

    def test_use_after_realloc_is_reported(self) -> None:
        self.reported("use-after-realloc", "use-after-poison")

    def test_overflows_are_reported(self) -> None:  # P65
        for bug in ("overflow", "overflow-class", "overflow-large"):
            self.reported(bug, "use-after-poison")
        self.reported("plain-overflow", "heap-buffer-overflow")

    def test_double_free_is_reported(self) -> None:
        self.reported("double-free", "use-after-poison")

    def test_a_block_that_only_a_pool_points_to_is_no_leak(self) -> None:  # P65
        self.clean("held")

    def test_a_leak_is_one(self) -> None:
        """The control: what a freed block points to is lost."""
        for cc in COMPILERS:
            with self.subTest(cc):
                done = self.run_it(self.bugs(cc), "lost", **QUIET)
                self.assertNotEqual(done.code, 0)
                self.assertIn("LeakSanitizer: detected memory leaks", done.err)

    def test_correct_use_is_not_reported(self) -> None:
        self.clean("nothing")

    def test_blocks_are_on_their_nodes(self) -> None:
        for cc in COMPILERS:
            with self.subTest(cc):
                self.expect("1 1 -1 copied intact\n", self.build(f"basic-{cc}", "basic.c", *ASAN, *POOLS, cc=cc),
                            err=NODE_1)
                program = self.build(f"basicxx-{cc}", "-xc++", "basic.cpp", *ASAN, *POOLS, "-lstdc++", cc=cc)
                self.expect("1 1 1 -1 1\n", program, err=NODE_1)

    def test_threads(self) -> None:
        self.expect("0 on\n", self.build("stress", "stress.c", *ASAN, *POOLS), 4, 4000, err="", **QUIET)

    def test_owners_that_end_late(self) -> None:  # P58, P66
        for cc in COMPILERS:
            with self.subTest(cc):
                program = self.build(f"owners-{cc}", "-xc++", "-std=c++17", "-fsized-deallocation", "owners.cpp", *ASAN, *POOLS, "-lstdc++",
                                     cc=cc)
                self.expect("2 1 1 3\n", program, err="", **QUIET)

    def test_pass_turns_them_off(self) -> None:
        done = self.run_it(self.bugs("gcc"), "use-after-free", NUMAFY_SANITIZE="pass")
        self.assertIn("AddressSanitizer: heap-use-after-free", done.err)

    def test_units_need_strong_functions_once(self) -> None:
        """Two units, one of them with NUMAFY_STRONG; clang's runtime would win over weak ones alone."""
        for cc in COMPILERS:
            with self.subTest(cc):
                part = self.build(f"part-{cc}.o", "-c", "part.c", "-fsanitize=address", "-DNUMAFY_SANITIZE_POOLS",
                                  cc=cc)
                self.expect("1 1 1\n", self.build(f"both-{cc}", "parts.c", part, *ASAN, *POOLS, cc=cc), err=NODE_1)
        weak = self.build("weak", "basic.c", *ASAN, "-DNUMAFY_SANITIZE_POOLS", cc="clang-14")
        self.expect("-1 -1 -1 copied intact\n", weak, err=OFF + ".*NUMAFY_STRONG.*\n")


class Races(Life):
    """ThreadSanitizer with the pools on, for programs that free by numafy_free."""

    levels = LEVELS
    WORDS = ("stress.c", *TSAN, "-DNUMAFY_SANITIZE_POOLS", "-DNUMAFY_NO_REPLACE", "-w")

    def test_no_data_race(self) -> None:
        for cc in COMPILERS:
            program = self.build(f"races-{cc}", *self.WORDS, cc=cc)
            for cache in ("magazine", "tcache"):
                with self.subTest(cc, cache=cache):
                    self.expect("0 on\n", program, 6, 5000, err="", NUMAFY_CACHE=cache, **QUIET)

    def test_a_missing_lock_is_one(self) -> None:
        """The control: the same without the locks of the depots."""
        folder = self.folder / "unlocked"
        shutil.copytree(ROOT / "runtime", folder)
        depot = folder / "numafy" / "depot.h"
        text = re.sub(r"numafy_(un)?lock\(&d->lock\);", "", depot.read_text())
        self.assertNotEqual(text, depot.read_text())
        depot.write_text(text)
        # The first race is enough: what it spoils may go round in a circle for ever.
        done = self.run_it(self.build("unlocked-races", *self.WORDS, include=folder), 6, 5000,
                           TSAN_OPTIONS="halt_on_error=1", **QUIET)
        self.assertIn("ThreadSanitizer: data race", done.err)


class Pass(Life):
    """Without it everything is the sanitizer's own memory, and one line says so."""

    levels = LEVELS

    def test_address_sanitizer(self) -> None:
        for cc in COMPILERS:
            with self.subTest(cc):
                program = self.build(f"basic-{cc}", "basic.c", *ASAN, cc=cc)
                self.expect("-1 -1 -1 copied intact\n", program, err=WARNING)
                self.expect("-1 -1 -1 copied intact\n", program, err="", NUMAFY_SANITIZE="pass")
                done = self.run_it(self.build(f"bugs-{cc}", "bugs.c", *ASAN, cc=cc), "use-after-free", **QUIET)
                self.assertIn("AddressSanitizer: heap-use-after-free", done.err)

    def test_owners_that_end_late(self) -> None:  # P58, P66
        program = self.build("owners", "-xc++", "-std=c++17", "-fsized-deallocation", "owners.cpp", *ASAN, "-lstdc++")
        self.expect("-1 1 -1 -1\n", program, err="", NUMAFY_SANITIZE="pass")

    def test_thread_sanitizer(self) -> None:
        for cc in COMPILERS:
            with self.subTest(cc):
                program = self.build(f"threads-{cc}", "stress.c", *TSAN, *POOLS[:1], cc=cc)
                self.expect("0 off\n", program, 4, 3000, err=WARNING)

    def test_undefined_behaviour_sanitizer_has_pools(self) -> None:
        program = self.build("undefined", "basic.c", "-fsanitize=undefined", "-fno-sanitize-recover=all", EXPORT,
                             "-ljemalloc")
        self.expect("1 1 -1 copied intact\n", program, err=NODE_1)


if __name__ == "__main__":
    unittest.main()
