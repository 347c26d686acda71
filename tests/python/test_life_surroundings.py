# SPDX-License-Identifier: Apache-2.0
"""What the kernel, jemalloc's settings and valgrind may do to the pools."""

from __future__ import annotations

import contextlib
import os
import shutil
import unittest
from pathlib import Path
from typing import ClassVar, Iterator

from life_build import EXPORT, OFF, Life

OVERCOMMIT = Path("/proc/sys/vm/overcommit_memory")

# Settings of jemalloc that change how it uses arenas, extents and thread caches.
SETTINGS = (
    "junk:true", "zero:true", "tcache:false", "narenas:1", "percpu_arena:percpu", "background_thread:true",
    "dirty_decay_ms:0,muzzy_decay_ms:0", "dirty_decay_ms:-1", "retain:false", "thp:always",
    "metadata_thp:always", "cache_oblivious:false", "tcache_max:1024", "lg_extent_max_active_fit:0",
    "oversize_threshold:0", "prof:true,prof_active:true,lg_prof_sample:10", "slab_sizes:1-4096:16",
)


@contextlib.contextmanager
def overcommit(mode: str) -> Iterator[None]:
    before = OVERCOMMIT.read_text()
    OVERCOMMIT.write_text(mode)
    try:
        yield
    finally:
        OVERCOMMIT.write_text(before)


class Surroundings(Life):
    program: ClassVar[Path]

    def setUp(self) -> None:
        if not (self.folder / "stress").exists():
            type(self).program = self.build("stress", "stress.c", EXPORT, "-ljemalloc")

    def test_settings_of_jemalloc(self) -> None:
        """DESIGN 4: what we rely on is checked, not assumed."""
        for setting in SETTINGS:
            with self.subTest(setting):
                self.expect("0 on\n", self.program, 3, 20000, NUMAFY_QUIET="1", MALLOC_CONF=setting)

    def test_a_setting_that_does_not_go_with_pools_is_told(self) -> None:
        """One thread: with several, jemalloc 5.3.0's hpa spins for ever now and then, without any code of ours, too."""
        self.expect("0 off\n", self.program, 1, 2000, MALLOC_CONF="hpa:true", err=OFF + ".*hpa:true.*\n")

    def test_address_space_limits(self) -> None:
        for mib in (1200, 3000, 20000):
            with self.subTest(mib):
                done = self.run_it(self.program, 2, 5000, mib, NUMAFY_QUIET="1")
                self.assertEqual(done.code, 0, done.err)
                self.assertIn(done.out, ("0 on\n",) if mib > 1200 else ("0 on\n", "0 off\n"))

    @unittest.skipUnless(os.access(OVERCOMMIT, os.W_OK), "vm.overcommit_memory cannot be set")
    def test_strict_overcommit(self) -> None:
        with overcommit("2"):
            done = self.run_it(self.program, 2, 5000, NUMAFY_QUIET="1")
        self.assertEqual((done.code, done.out), (0, "0 on\n"), done.err)

    def test_valgrind_sees_no_error(self) -> None:  # P65
        """memcheck refuses a reservation of a TiB per pool, so the ladder goes down to what it grants."""
        done = self.run_it("valgrind", "-q", "--error-exitcode=9", self.program, 2, 300, NUMAFY_QUIET="1")
        self.assertEqual((done.code, done.out), (0, "0 on\n"), done.err)

    def test_callgrind_runs_the_pools(self) -> None:
        out = self.folder / "callgrind"
        done = self.run_it("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", self.program, 2, 300,
                           NUMAFY_QUIET="1")
        self.assertEqual((done.code, done.out), (0, "0 on\n"), done.err)


if __name__ == "__main__":
    unittest.main()
