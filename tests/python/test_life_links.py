# SPDX-License-Identifier: Apache-2.0
"""Ways to link: statically, with jemalloc's archive, and units that do not belong together."""

from __future__ import annotations

import re
import shutil
import unittest

from life_build import BUILD, EXPORT, NODE_1, OFF, ROOT, Life
from harness import proc

MULDEFS = ("-DNUMAFY_STRONG", "-Wl,-z,muldefs")
POOLS = "1 1 -1 copied intact\n"
PLAIN = "-1 -1 -1 copied intact\n"


class Static(Life):
    def test_a_static_program_has_pools(self) -> None:
        program = self.build("static", "basic.c", "-static", *MULDEFS, "-ljemalloc", "-lstdc++")
        self.expect(POOLS, program, err=NODE_1)

    def test_a_static_pie_has_pools(self) -> None:
        program = self.build("pie", "basic.c", "-static-pie", "-fPIE", *MULDEFS, "-ljemalloc", "-lstdc++")
        self.expect(POOLS, program, err=NODE_1)

    def test_a_static_cxx_program_has_pools(self) -> None:
        program = self.build("staticxx", "basic.cpp", "-static", *MULDEFS, "-ljemalloc", cc="g++")
        self.expect("1 1 1 -1 1\n", program, err=NODE_1)

    def test_a_static_program_with_libnumafy_has_pools(self) -> None:
        program = self.build("staticlib", "basic.c", "-DNUMAFY_EXTERN", "-static", "-Wl,-z,muldefs",
                             BUILD / "lib" / "libnumafy.a", "-ljemalloc", "-lstdc++")
        self.expect(POOLS, program, err=NODE_1)

    def test_a_static_program_that_prefers_jemallocs_free_is_told_the_link_line(self) -> None:
        program = self.build("unlinked", "basic.c", "-static", "-ljemalloc", "-lstdc++")
        self.expect(PLAIN, program, err=OFF + ".*-DNUMAFY_STRONG.*-Wl,-z,muldefs.*\n")

    def test_jemallocs_archive_in_a_dynamic_program(self) -> None:
        words = ("basic.c", "-l:libjemalloc.a", "-lstdc++", EXPORT)
        self.expect(PLAIN, self.build("archive", *words), err=OFF + ".*-DNUMAFY_STRONG.*-Wl,-z,muldefs.*\n")
        self.expect(POOLS, self.build("strong", *MULDEFS, *words), err=NODE_1)

    def test_the_baseline_needs_a_dynamic_program(self) -> None:
        program = self.build("onnode", "basic.c", "-static", *MULDEFS, "-ljemalloc", "-lstdc++")
        self.expect(PLAIN, program, err=OFF + "NUMAFY_CACHE=onnode.*\n", NUMAFY_CACHE="onnode")


class Mixed(Life):
    def older(self) -> object:
        """The headers as another version would have them: another layout and other names."""
        folder = self.folder / "older"
        if not folder.exists():
            shutil.copytree(ROOT / "runtime", folder)
            for header in folder.rglob("*.h*"):
                text = header.read_text()
                text = re.sub(r"_v3\b", "_v9", text).replace("NUMAFY_LAYOUT 3", "NUMAFY_LAYOUT 9")
                header.write_text(text)
        return folder

    def test_an_older_header_beside_libnumafy(self) -> None:
        program = self.build("first", "basic.c", EXPORT, f"-L{BUILD / 'lib'}", f"-Wl,-rpath,{BUILD / 'lib'}",
                             "-Wl,--no-as-needed", "-lnumafy", "-ljemalloc", include=self.older())
        self.expect(POOLS, program, err=f"{OFF}[^\n]*another version of numa_alloc.h[^\n]*\n{NODE_1}")

    def test_a_library_with_an_older_header(self) -> None:
        library = self.build("libolder.so", "part.c", "-shared", "-fPIC", "-ljemalloc", include=self.older())
        program = self.build("second", "parts.c", EXPORT, library, "-ljemalloc")
        self.expect("1 1 1\n", program, err=f"{OFF}[^\n]*another version of numa_alloc.h[^\n]*\n{NODE_1}")

    def test_symbols_say_their_version(self) -> None:
        """What knows the layout carries its version: names.h."""
        fixed = set()
        for header in ("numafy/near.h", "numafy/site.h", "numa_alloc.h"):
            fixed |= set(re.findall(r"\b(numafy_\w+)\)?\s*\(", (ROOT / "runtime" / header).read_text()))
        listed = proc.run(["nm", "-D", "--defined-only", BUILD / "lib" / "libnumafy.so"])
        names = [line.split()[-1] for line in listed.stdout.decode().splitlines()]
        strange = [n for n in names if n.startswith("numafy_") and n not in fixed
                   and not re.search(r"_v\d+$", n) and n != "numafy_layout"]
        self.assertEqual(strange, [], "functions that know the layout go into names.h")

    def test_off_units_beside_pools(self) -> None:
        library = self.build("liboff.so", "part.c", "-DNUMAFY_OFF", "-shared", "-fPIC")
        program = self.build("replaced", "parts.c", library, EXPORT, "-ljemalloc")
        self.expect("1 -1 -1\n", program, err=NODE_1)
        program = self.build("unreplaced", "parts.c", "-DNUMAFY_NO_REPLACE", library, EXPORT, "-ljemalloc")
        self.expect("-1 -1 -1\n", program, err=OFF + ".*NUMAFY_OFF.*\n")

    def test_units_that_replace_beside_units_that_do_not(self) -> None:
        for first, second in (("", "-DNUMAFY_NO_REPLACE"), ("-DNUMAFY_NO_REPLACE", "")):
            with self.subTest(first=first):
                library = self.build("libmix.so", "part.c", *filter(None, [second]), "-shared", "-fPIC", "-ljemalloc")
                program = self.build("mix", "parts.c", *filter(None, [first]), library, EXPORT, "-ljemalloc")
                self.expect("1 1 1\n", program, err=NODE_1)


if __name__ == "__main__":
    unittest.main()
