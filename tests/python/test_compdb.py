# SPDX-License-Identifier: Apache-2.0
"""Where compile databases come from, and that the tree stays untouched. O22, P79."""

import json
import os
import shutil
import unittest
from pathlib import Path

from support import Project, database, snapshot, write

from numafy import compdb


def sources(entries):
    return sorted(compdb.source_of(entry) for entry in entries)


class Found(Project):
    def setUp(self):
        super().setUp()
        self.source = self.tree()

    def found(self, *arguments):
        done = self.numafy("tree", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [os.path.relpath(name, self.source) for name in sources(self.rewriter_database())]

    def test_order(self):
        database(self.source, "b.cpp", folder=self.source / "build")
        self.assertEqual(self.found(), ["b.cpp"])
        database(self.source, "a.cpp")
        self.assertEqual(self.found(), ["a.cpp"])
        database(self.source, "a.cpp", "b.cpp", folder=self.base / "elsewhere")
        self.assertEqual(self.found("-p", "elsewhere"), ["a.cpp", "b.cpp"])

    def test_a_file_of_another_name(self):
        folder = database(self.source, "b.cpp", folder=self.base / "elsewhere")
        (folder / "compile_commands.json").rename(folder / "cdb.json")
        self.assertEqual(self.found("-p", "elsewhere/cdb.json"), ["b.cpp"])

    def test_relative_folders_begin_at_the_database(self):
        folder = database(self.source, "b.cpp", folder=self.source / "build")
        file = folder / "compile_commands.json"
        entries = [{**one, "directory": "..", "file": "b.cpp"} for one in compdb.load(file)]
        file.write_text(json.dumps(entries), encoding="utf-8")
        done = self.numafy("tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sources(compdb.load(file)), [str(self.source / "b.cpp")])

    def test_any_build_folder(self):
        database(self.source, "a.cpp", folder=self.source / "build-debug")
        self.assertEqual(self.found(), ["a.cpp"])

    def test_several_are_a_question(self):
        database(self.source, "a.cpp", folder=self.source / "build-debug")
        database(self.source, "a.cpp", folder=self.source / "build")
        self.assertOneLine(
            self.numafy("tree"), 1, "2 compile databases", "build, build-debug", "-p"
        )

    def test_none(self):
        self.assertOneLine(self.numafy("tree"), 1, "no compile database", "-p", "--build")

    def test_unusable(self):
        for text, words in (
            ("", "not JSON"),
            ("[", "not JSON"),
            ("{}", "array"),
            ("[]", "is empty"),
            ('[{"directory":"/"}]', "entry 0"),
            ('[{"directory":"/","file":"a"}]', "neither"),
            ('[{"directory":"/x","file":"a.c","command":"cc a.c"}]', "none of its 1 sources"),
        ):
            with self.subTest(text=text):
                write(self.source / "compile_commands.json", text)
                self.assertOneLine(self.numafy("tree"), 1, words, "compile_commands.json")

    def test_folder_without_a_database(self):
        (self.base / "empty").mkdir()
        self.assertOneLine(
            self.numafy("tree", "-p", "empty"), 1, "-p empty", "CMAKE_EXPORT_COMPILE_COMMANDS"
        )

    def test_missing_and_generated_sources_are_said(self):
        write(self.source / "build" / "CMakeCache.txt")
        write(self.source / "build" / "gen.cpp")
        database(self.source, "a.cpp", "gone.cpp", "build/gen.cpp")
        done = self.numafy("tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 generated sources are read but not edited", done.stderr)
        self.assertIn("1 sources of the database do not exist", done.stderr)


@unittest.skipUnless(shutil.which("cmake"), "cmake is not installed")
class CMake(Project):
    LISTS = (
        "cmake_minimum_required(VERSION 3.13)\nproject(x CXX)\n"
        "add_library(x STATIC a.cpp sub/c.cpp)\n"
    )

    def setUp(self):
        super().setUp()
        self.source = self.tree("a tree", **{"CMakeLists.txt": self.LISTS, "sub/c.cpp": "int c;\n"})

    def test_export(self):
        before = snapshot(self.source)
        for _ in range(2):  # the second time the folder exists
            done = self.numafy("a tree")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(
                sources(self.rewriter_database()),
                [f"{self.source}/a.cpp", f"{self.source}/sub/c.cpp"],
            )
            self.assertIn("configuring a tree with CMake in", done.stderr)
        self.assertEqual(snapshot(self.source), before)

    def test_the_arguments_are_the_same_each_time(self):
        self.numafy("a tree")
        first = self.rewriter_arguments()[:3]
        self.numafy("a tree")
        self.assertEqual(self.rewriter_arguments()[:3], first)

    def test_a_foreign_cache_is_replaced(self):
        self.numafy("a tree")
        (cache,) = self.cache.glob("numafy/a_tree-*/cmake/CMakeCache.txt")
        cache.write_text(cache.read_text().replace(str(self.source), "/somewhere/else"))
        self.assertEqual(self.numafy("a tree").returncode, 0)

    def test_a_failing_configuration(self):
        write(self.source / "CMakeLists.txt", self.LISTS + 'message(FATAL_ERROR "no such thing")\n')
        done = self.numafy("a tree")
        self.assertOneLine(done, 1, "cmake cannot configure", "-p")
        self.assertIn("no such thing", done.stderr)

    def test_no_target(self):
        write(
            self.source / "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.13)\nproject(x NONE)\n",
        )
        self.assertOneLine(self.numafy("a tree"), 1, "compile_commands.json")

    def test_without_cmake(self):
        self.assertOneLine(
            self.numafy("a tree", env={"PATH": "/nonexistent"}), 1, "cmake is not installed"
        )

    def test_build_with_the_wrappers(self):
        done = self.numafy(
            "a tree",
            "--out",
            "the out",
            "--build",
            "cmake -B b && cmake --build b -v",
            env={"NUMAFY_REAL_CXX": "c++"},
        )
        log = (self.base / "the out" / ".numafy" / "build.log").read_text()
        self.assertEqual(done.returncode, 0, log)
        self.assertIn("1 of 1 edited files compiled", done.stderr)
        self.assertIn("numafy-c++", log)


class Recorded(Project):
    MAKEFILE = """\
all: prog
gen.h: gen.in
\tcp gen.in gen.h
obj/a.o: a.cpp gen.h
\tmkdir -p obj && cd obj && $(CXX) -I.. -I../inc -c ../a.cpp -o a.o
gen.c: gen.in
\techo 'int generated;' >gen.c
gen.o: gen.c
\t$(CC) -c gen.c -o gen.o
prog: obj/a.o gen.o main.cpp
\t$(CXX) -I"$(CURDIR)/inc" main.cpp obj/a.o gen.o -o prog
clean:
\trm -rf obj prog gen.o
"""

    def setUp(self):
        super().setUp()
        self.source = self.tree(
            "a tree",
            **{
                "Makefile": self.MAKEFILE,
                "gen.in": "#define GEN 1\n",
                "inc/i.h": "#define I 2\n",
                "a.cpp": '#include "gen.h"\n#include "i.h"\nint a() { return GEN + I; }\n',
                "main.cpp": "int a(); int main() { return a() - 3; }\n",
            },
        )

    def test_paths_are_those_of_the_tree(self):
        before = snapshot(self.source)
        done = self.numafy("a tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(snapshot(self.source), before)
        entries = {Path(compdb.source_of(entry)).name: entry for entry in self.rewriter_database()}
        self.assertEqual(set(entries), {"a.cpp", "main.cpp", "gen.c"})
        self.assertEqual(compdb.source_of(entries["a.cpp"]), f"{self.source}/a.cpp")
        self.assertIn(
            f"-I{self.source}/inc", entries["a.cpp"]["arguments"]
        )  # obj/ is gone: made absolute
        self.assertIn(f"-I{self.source}/inc", entries["main.cpp"]["arguments"])
        self.assertNotIn("/copy/", json.dumps(list(entries.values())))
        self.assertIn("1 generated sources are read but not edited", done.stderr)
        self.assertEqual([], list(self.cache.glob("numafy/*/copy")), "the copy was left")

    def test_units_parse_with_generated_headers(self):
        """The mapped commands work on the original tree, which has no gen.h."""
        self.numafy("a tree")
        for entry in self.rewriter_database():
            arguments = [word for word in entry["arguments"] if word != "-c"] + ["-fsyntax-only"]
            if "-o" in arguments:
                del arguments[arguments.index("-o") : arguments.index("-o") + 2]
            with self.subTest(file=entry["file"]):
                import subprocess

                done = subprocess.run(arguments, cwd=entry["directory"], stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_same_database_twice(self):
        self.numafy("a tree")
        first = self.rewriter_database()
        self.assertEqual(first, sorted(first, key=lambda entry: entry["file"]))
        self.numafy("a tree")
        self.assertEqual(self.rewriter_database(), first)

    def test_a_built_tree_is_built_again(self):
        import subprocess

        subprocess.run(["make", "-s"], cwd=self.source, check=True, stdout=subprocess.DEVNULL)
        before = snapshot(self.source)
        done = self.numafy("a tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rewriter_database()), 3)
        self.assertEqual(snapshot(self.source), before)

    def test_absolute_paths_and_links_lead_into_the_copy(self):
        write(
            self.source / "Makefile",
            f"all:\n\tcd '{self.source}' && $(CXX) -c '{self.source}/main.cpp' -o made.o\n"
            "\t$(CXX) -c abs/../main.cpp -o abs/made.o\n",
        )
        (self.source / "inside").mkdir()
        os.symlink(self.source / "inside", self.source / "abs")
        before = snapshot(self.source)
        done = self.numafy("a tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(snapshot(self.source), before)
        self.assertNotIn("warning", done.stderr)

    def test_a_build_that_writes_into_the_tree_is_said(self):
        part = str(self.source)
        write(
            self.source / "Makefile",
            "all:\n\t$(CXX) -c main.cpp -o x.o\n"
            f"\tp='{part[:5]}'; touch \"$$p\"'{part[5:]}/leak'\n",
        )
        done = self.numafy("a tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: a tree changed", done.stderr)

    def test_a_failing_build(self):
        write(self.source / "main.cpp", "this is no C++\n")
        done = self.numafy("a tree")
        self.assertOneLine(done, 1, "failed in an unchanged copy", "-p")
        self.assertIn("main.cpp", done.stderr)

    def test_a_build_that_compiles_nothing(self):
        write(self.source / "Makefile", "all:\n\t@true\n")
        self.assertOneLine(self.numafy("a tree"), 1, "no compiler was seen")

    def test_the_build_command(self):
        (self.source / "Makefile").unlink()
        write(self.source / "gen.h", "#define GEN 1\n")
        done = self.numafy("a tree", "--build", "c++ -Iinc -c a.cpp && c++ -c main.cpp")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            sources(self.rewriter_database()), [f"{self.source}/a.cpp", f"{self.source}/main.cpp"]
        )

    def test_a_recording_is_used_again(self):
        self.numafy("a tree")
        first = self.rewriter_database()
        done = self.numafy("a tree")
        self.assertIn("was recorded before", done.stderr)
        self.assertEqual(self.rewriter_database(), first)
        write(self.source / "gen.in", "#define GEN 2\n")
        self.assertNotIn("was recorded before", self.numafy("a tree").stderr)
        done = self.numafy("a tree", env={"CXXFLAGS": "-O1"})
        self.assertNotIn("was recorded before", done.stderr)

    def test_link_commands(self):
        self.numafy("a tree")
        arguments = self.rewriter_arguments()
        links = json.loads(Path(arguments[arguments.index("--links") + 1]).read_text())
        (link,) = links
        self.assertEqual((link["kind"], link["output"]), ("program", f"{self.source}/prog"))
        self.assertEqual(
            link["inputs"],
            [f"{self.source}/main.cpp", f"{self.source}/obj/a.o", f"{self.source}/gen.o"],
        )
        outputs = {entry.get("output") for entry in self.rewriter_database()}
        self.assertEqual(outputs, {f"{self.source}/obj/a.o", f"{self.source}/gen.o", None})


class Mapping(unittest.TestCase):
    COPY, TREE = Path("/c/x-0123/copy/t"), Path("/home/u/t")

    def mapped(self, *arguments, **more):
        entry = {
            "directory": "/c/x-0123/copy/t",
            "file": "/c/x-0123/copy/t/a.c",
            "arguments": list(arguments),
            **more,
        }
        return compdb.map_entry(entry, self.COPY, Path("/"), Path("/none"), [])["arguments"]

    def test_prefixes(self):
        for text, expected in (
            ("-I/c/x-0123/copy/t/inc", "-I//inc"),
            ("-I/c/x-0123/copy/tt", "-I/c/x-0123/copy/tt"),
            ('-DP="/c/x-0123/copy/t"', '-DP="/"'),
            ("/c/x-0123/copy/t", "/"),
            ("-Wl,-rpath,/c/x-0123/copy/t/l:/c/x-0123/copy/t/m", "-Wl,-rpath,//l://m"),
        ):
            with self.subTest(text=text):
                self.assertEqual(self.mapped(text), [expected])

    def test_command_strings(self):
        entry = {"directory": "/c/x-0123/copy/t", "file": "a.c", "command": "cc '-DX=a b' -c a.c"}
        result = compdb.map_entry(entry, self.COPY, Path("/"), Path("/none"), [])
        self.assertEqual(result["arguments"], ["cc", "-DX=a b", "-c", "a.c"])
        self.assertNotIn("command", result)

    def test_a_path_in_a_configured_file(self):
        pattern = compdb._path_pattern(Path("/src/t"))
        for text, hit in (
            (b"cd /src/t && x", True),
            (b"-I/src/t/inc", True),
            (b"A=/src/t", True),
            (b"'/src/t'", True),
            (b"/usr/src/t/x", False),
            (b"/src/tree", False),
            (b"/src/t-2", False),
            (b"x/src/t", False),
        ):
            with self.subTest(text=text):
                self.assertEqual(bool(pattern.search(text)), hit)


class Copy(Project):
    def test_everything_but_history_and_special_files(self):
        source = self.tree(
            **{".git/HEAD": "x", "run.sh": "#!/bin/sh\n", "sub/deep/f": "1", "sub/.git/x": "y"}
        )
        (source / "run.sh").chmod(0o755)
        os.utime(source / "a.cpp", (1000000000, 1000000000))
        os.mkfifo(source / "pipe")
        os.symlink("a.cpp", source / "relative")
        os.symlink(source / "a.cpp", source / "absolute")
        os.symlink("../outside", source / "out of it")
        os.symlink("/nowhere", source / "dangling")
        (source / "sub").chmod(0o555)
        self.addCleanup((source / "sub").chmod, 0o755)
        write(self.base / "outside", "o")
        write(source / os.fsdecode(b"\xff\n"), "odd")
        target = self.base / "elsewhere" / "deep" / "copy"
        compdb.copy_tree(source, target)
        self.assertEqual(
            sorted(os.listdir(target)),
            sorted(
                [
                    "a.cpp",
                    "b.cpp",
                    "a.h",
                    "run.sh",
                    "sub",
                    "relative",
                    "absolute",
                    "out of it",
                    "dangling",
                    os.fsdecode(b"\xff\n"),
                ]
            ),
        )
        self.assertFalse((target / "sub" / ".git").exists())
        self.assertEqual((target / "sub" / "deep" / "f").read_text(), "1")
        self.assertTrue(os.access(target / "run.sh", os.X_OK))
        self.assertEqual((target / "a.cpp").stat().st_mtime, 1000000000)
        self.assertEqual(os.readlink(target / "relative"), "a.cpp")
        self.assertEqual(os.readlink(target / "absolute"), str(target / "a.cpp"))
        self.assertEqual((target / "out of it").read_text(), "o")

    def test_configured_files_keep_their_times(self):
        source = self.tree()
        write(source / "config.status", f"srcdir='{source}'\n", 0o555)
        os.utime(source / "config.status", (1000000000, 1000000000))
        compdb.copy_tree(source, self.base / "copy")
        copied = self.base / "copy" / "config.status"
        self.assertEqual(copied.read_text(), f"srcdir='{self.base}/copy'\n")
        self.assertEqual(copied.stat().st_mtime, 1000000000)


if __name__ == "__main__":
    unittest.main()
