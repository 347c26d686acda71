# SPDX-License-Identifier: Apache-2.0
"""Libraries with the header that a program opens later, and closes."""

from __future__ import annotations

import sys
import unittest

from life_build import EXPORT, NODE_1, OFF, Life

PART = ("part.c", "-shared", "-fPIC", "-ljemalloc")
# Debian's libjemalloc wants more static TLS than glibc keeps for libraries that are opened later.
ROOM = {"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=16384"}
NODES = r"(numafy: node \d does not exist.*: what goes there goes to node \d+\n)?"


class Plugins(Life):
    def test_hidden_libraries_share_the_programs_pools(self) -> None:  # P59
        first = self.build("liba.so", *PART, "-fvisibility=hidden")
        second = self.build("libb.so", *PART, "-fvisibility=hidden")
        program = self.build("host", "plugins.c", "-DHOST", EXPORT, "-ljemalloc")
        self.expect("host 1 1 1 1 0 0 end\n", program, first, second, err=NODES)

    def test_hidden_libraries_that_are_linked_share_one_state(self) -> None:  # P59
        first = self.build("libc1.so", *PART, "-fvisibility=hidden")
        program = self.build("linked", "parts.c", "-fvisibility=hidden", first, EXPORT, "-ljemalloc")
        self.expect("1 1 1\n", program, err=NODE_1)

    def test_a_program_that_does_not_export_is_told_to(self) -> None:
        plugin = self.build("libd.so", *PART)
        program = self.build("silent", "plugins.c", "-DHOST", "-ljemalloc")
        self.expect("host 1 -1 -1 0 end\n", program, plugin,
                    err=f"{NODES}{OFF}.*-Wl,--export-dynamic-symbol=numafy_\\*.*\n")

    def test_a_plugin_of_a_plain_program_runs_without_pools(self) -> None:
        plugin = self.build("libe.so", *PART)
        program = self.build("plain", "plugins.c")
        self.expect("-1 -1 0 end\n", program, plugin, err=OFF + ".*\n", **ROOM)

    def test_a_plugin_that_replaces_nothing_has_pools_and_can_be_closed(self) -> None:
        plugin = self.build("libf.so", *PART, "-DNUMAFY_NO_REPLACE")
        program = self.build("closing", "plugins.c")
        self.expect("1 1 0 end\n", program, plugin, err=NODES, **ROOM)

    def test_a_thread_may_outlive_the_plugin(self) -> None:
        """Only threads use it, so that nothing but the pools themselves keeps it loaded."""
        plugin = self.build("libg.so", *PART, "-DNUMAFY_NO_REPLACE")
        program = self.build("threads", "outlive.c")
        self.expect("end\n", program, plugin, err=NODES, **ROOM)

    def test_a_constructor_may_allocate_while_others_begin(self) -> None:
        """Not a deadlock of the dynamic linker's lock and ours."""
        plugin = self.build("libj.so", "constructor.c", "-shared", "-fPIC", "-ljemalloc")
        program = self.build("loading", "loading.c", EXPORT, "-Wl,--export-dynamic", "-ljemalloc")
        self.expect("1 loaded\n", program, plugin, err=NODES)

    def test_python_loads_a_plugin(self) -> None:  # P61
        code = ("import ctypes, sys\n"
                "part = ctypes.CDLL(sys.argv[1])\n"
                "part.part_give.restype = ctypes.c_void_p\n"
                "part.part_give.argtypes = [ctypes.c_int, ctypes.c_ulong]\n"
                "part.part_node.argtypes = part.part_take.argtypes = [ctypes.c_void_p]\n"
                "block = part.part_give(1, 100)\n"
                "print(part.part_node(block))\n"
                "part.part_take(block)\n")
        plugin = self.build("libh.so", *PART, "-DNUMAFY_NO_REPLACE")
        self.expect("1\n", sys.executable, "-c", code, plugin, err=NODES, **ROOM)
        plugin = self.build("libi.so", *PART)
        self.expect("-1\n", sys.executable, "-c", code, plugin, err=OFF + ".*\n", **ROOM)


if __name__ == "__main__":
    unittest.main()
