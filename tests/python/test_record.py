# SPDX-License-Identifier: Apache-2.0
"""What is made of recorded commands and of generators' files: compile and link commands."""

import os
import tempfile
import unittest
from pathlib import Path

from support import write

from numafy import links, record


def command(text, tool="numafy-cc", directory="/t", program="gcc"):
    return record.Command(directory, tool, program.split(), text.split())


class Lines(unittest.TestCase):
    """A command line: sources, linked files, output."""

    CASES = [
        ("-c a.c", ["a.c"], [], ""),
        ("-c a.c -o x/a.o", ["a.c"], [], "x/a.o"),
        ("-ca.o a.c -ox", ["a.c"], [], "x"),
        ("-o a.c b.o", [], ["b.o"], "a.c"),
        ("-I -c a.c", ["a.c"], [], ""),
        ("-include b.c -c a.c", ["a.c"], [], ""),
        ("-x c++ a.txt -x none b.o -o p", ["a.txt"], ["b.o"], "p"),
        ("-x c-header a.h", [], ["a.h"], ""),
        ("a.c b.cc c.o libd.a -Lx -le -l f -o p", ["a.c", "b.cc"],
         ["c.o", "libd.a", "-Lx", "-le", "-lf"], "p"),
        ("-D -o a.c", ["a.c"], [], ""),
        ("-- -odd.c", ["-odd.c"], [], ""),
    ]  # fmt: skip

    def test_parts(self):
        for text, sources, linked, output in self.CASES:
            with self.subTest(text=text):
                words = text.split()
                line = record.take_apart(words)
                self.assertEqual(
                    ([words[i] for i in line.sources], line.linked, line.output),
                    (sources, linked, output),
                )

    def test_compilations(self):
        entries = record.compilations(
            [
                command("a.c b.c c.o -O2 -o p", program="ccache gcc"),
                command("-c sub/d.c"),
                command("-E e.c"),
                command("--version f.c"),
                command("-c conftest.c"),
                command("-c x.c", directory="/t/b/CMakeFiles/CMakeScratch/TryCompile-1"),
                command("-c /t/b/CMakeFiles/p.dir/Unity/unity_0.c"),
                command("qc lib.a x.c", tool="ar"),
            ]
        )
        self.assertEqual(
            [(e["file"], " ".join(e["arguments"]), e.get("output")) for e in entries],
            [
                ("a.c", "ccache gcc a.c -O2 -o p", None),
                ("b.c", "ccache gcc b.c -O2 -o p", None),
                ("sub/d.c", "gcc -c sub/d.c", "d.o"),
                (
                    "/t/b/CMakeFiles/p.dir/Unity/unity_0.c",
                    "gcc -c /t/b/CMakeFiles/p.dir/Unity/unity_0.c",
                    "unity_0.o",
                ),
            ],
        )

    def test_links(self):
        found = record.links(
            [
                command("-c a.c"),
                command("a.o -lm"),
                command("-shared a.o -o liba.so"),
                command("-r a.o b.o -o ab.o"),
                command("rcs lib.a x.o y.o", tool="ar"),
                command("t lib.a", tool="ar"),
                command("-r z.o -o zz.o", tool="ld"),
                command("conftest.o -o conftest"),
            ]
        )
        self.assertEqual(
            [(link["kind"], link["output"], link["inputs"]) for link in found],
            [
                ("program", "a.out", ["a.o"]),
                ("shared", "liba.so", ["a.o"]),
                ("object", "ab.o", ["a.o", "b.o"]),
                ("archive", "lib.a", ["x.o", "y.o"]),
                ("object", "zz.o", ["z.o"]),
            ],
        )


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="numafy record ")
        self.addCleanup(folder.cleanup)
        self.base = Path(os.path.realpath(folder.name))

    def test_half_a_record_does_not_count(self):
        whole = b"/d\0numafy-cc\0gcc\0002\0-c\0a.c\0end\0"
        write(self.base / "records" / "1", whole)
        for length in range(len(whole)):
            write(self.base / "records" / "2", whole[:length])
            self.assertEqual(len(record.commands(self.base)), 1, length)

    def test_libraries_by_name(self):
        write(self.base / "l" / "libx.so")
        found = record.links([command("a.o -L l -lx -lm -o p", directory=str(self.base))])
        self.assertEqual(found[0]["inputs"], ["a.o", "l/libx.so"])

    def test_link_texts_of_cmake(self):
        target = self.base / "sub" / "CMakeFiles"
        write(target / "p.dir" / "link.txt", "/usr/bin/c++ -O2 x.o @objects.rsp -o p liba.a -lm\n")
        write(self.base / "sub" / "objects.rsp", "'y z.o'\n")
        write(target / "a.dir" / "link.txt", "/usr/bin/ar qc liba.a a.o\n/usr/bin/ranlib liba.a\n")
        found = links.of_build_folder(self.base)
        sub = f"{self.base}/sub"
        self.assertEqual(
            [(link["kind"], link["output"], link["inputs"]) for link in found],
            [
                ("archive", f"{sub}/liba.a", [f"{sub}/a.o"]),
                ("program", f"{sub}/p", [f"{sub}/x.o", f"{sub}/y z.o", f"{sub}/liba.a"]),
            ],
        )

    def test_link_statements_of_ninja(self):
        write(
            self.base / "build.ninja",
            "rule CXX_EXECUTABLE_LINKER__p_\n  command = x\n"
            "build a$ b/x.o: CXX_COMPILER__p_ x.cpp\n"
            "build p: CXX_EXECUTABLE_LINKER__p_ a$ b/x.o | $\n  libs.so /usr/lib/libm.so || order\n"
            "build libs.so: CXX_SHARED_LIBRARY_LINKER__s_ s.o\n"
            "build liba.a: C_STATIC_LIBRARY_LINKER__a_ a.o\n"
            "build q: cpp_LINKER q.p/q.cpp.o | liba.a\n"
            "build libt.so: c_LINKER t.o\n"
            "build libu.a: STATIC_LINKER u.o\n",
        )
        found = {
            os.path.basename(link["output"]): (
                link["kind"],
                [os.path.relpath(name, self.base) for name in link["inputs"]],
            )
            for link in links.of_build_folder(self.base)
        }
        self.assertEqual(found["p"][0], "program")
        self.assertEqual(found["p"][1][:2], ["a b/x.o", "libs.so"])
        self.assertNotIn("order", found["p"][1])
        self.assertEqual(
            {name: found[name] for name in found if name != "p"},
            {
                "libs.so": ("shared", ["s.o"]),
                "liba.a": ("archive", ["a.o"]),
                "q": ("program", ["q.p/q.cpp.o", "liba.a"]),
                "libt.so": ("shared", ["t.o"]),
                "libu.a": ("archive", ["u.o"]),
            },
        )


if __name__ == "__main__":
    unittest.main()
