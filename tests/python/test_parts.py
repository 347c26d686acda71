# SPDX-License-Identifier: Apache-2.0
"""The small modules: exit codes, files, running commands, what was built, progress."""

import ast
import io
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import ROOT, Project, database, write

from numafy import build, errors, files, progress, project, runner
from numafy.errors import NumafyError, worst

REWRITER = Path(os.environ.get("BUILD", ROOT / "build")) / "bin" / "numafy-rewrite"


class Codes(unittest.TestCase):
    def test_precedence(self):
        order = [70, 6, 4, 2, 7, 1, 3, 5, 0]
        for index, code in enumerate(order):
            self.assertEqual(worst(reversed(order[index:])), code)
        self.assertEqual(worst([]), 0)

    def test_undocumented_codes_are_bugs(self):
        for code in (-11, 9, 127, 255):
            self.assertEqual(worst([0, code, 6]), 70)

    def test_numbers_are_those_of_the_documentation(self):
        names = {
            "OK": 0,
            "USAGE": 1,
            "UNPARSED": 2,
            "LEFT": 3,
            "CONFLICT": 4,
            "CHANGES": 5,
            "WRITE": 6,
            "BUILD": 7,
            "BUG": 70,
        }
        page = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
        for name, code in names.items():
            self.assertEqual(getattr(errors, f"EXIT_{name}"), code)
            self.assertIn(f"| {code} |", page)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(os.path.realpath(folder.name))

    def test_shown(self):
        self.assertEqual(files.shown("a\nb\tc\x1b[1m\udcff é"), "a\\nb\\tc\\x1b[1m\\xff é")

    def test_atomic_write(self):
        target = self.folder / "f"
        files.write_atomically(target, b"one")
        files.write_atomically(target, b"two")
        self.assertEqual(target.read_bytes(), b"two")
        mask = os.umask(0o027)
        try:
            files.write_atomically(target, b"three")
        finally:
            os.umask(mask)
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(self.folder), ["f"])

    def test_a_write_that_fails_leaves_the_old_file(self):
        target = write(self.folder / "f", "old")
        for failure in (OSError(28, "No space left on device"), KeyboardInterrupt()):
            with mock.patch("os.replace", side_effect=failure), self.assertRaises(
                (NumafyError, KeyboardInterrupt)
            ):
                files.write_atomically(target, b"new")
            self.assertEqual(target.read_text(), "old")
            self.assertEqual(os.listdir(self.folder), ["f"])

    def test_inside(self):
        os.symlink(self.folder, self.folder / "self")
        self.assertTrue(files.is_inside(self.folder / "self" / "new", self.folder))
        self.assertTrue(files.is_inside(self.folder, self.folder))
        self.assertFalse(files.is_inside(f"{self.folder}x", self.folder))
        self.assertFalse(files.is_inside(self.folder, self.folder / "sub"))

    def test_cache_folder(self):
        with mock.patch.dict(
            os.environ, {"XDG_CACHE_HOME": str(self.folder / "c"), "TMPDIR": str(self.folder)}
        ):
            first = files.cache_folder("/usr/include")
            self.assertEqual(first, files.cache_folder("/usr/../usr/include"))
            self.assertNotEqual(first, files.cache_folder("/usr/share"))
            self.assertTrue(files.is_inside(first, self.folder / "c"))
            # A cache inside the tree would be copied into itself.
            self.assertFalse(
                files.is_inside(files.cache_folder(self.folder / "c"), self.folder / "c")
            )
        blocked = write(self.folder / "file")
        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(blocked)}):
            self.assertFalse(files.is_inside(files.cache_folder("/usr/include"), blocked))

    def test_json_keeps_bytes(self):
        data = b'["\xff\\n"]'
        file = write(self.folder / "j", data)
        value = files.read_json(file)
        self.assertEqual(files.dump_json(value).split(), [b"[", b'"\xff\\n"', b"]"])


class Running(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_only_one_module_starts_processes(self):
        for file in (ROOT / "numafy").glob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            names = {
                alias.name
                for node in ast.walk(tree)
                if isinstance(node, ast.Import)
                for alias in node.names
            }
            names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
            self.assertEqual("subprocess" in names, file.name == "runner.py", file.name)
            self.assertNotIn("os.system", file.read_text(encoding="utf-8"))

    def test_the_package_is_valid_for_the_oldest_python(self):
        for file in [*(ROOT / "numafy").glob("*.py"), ROOT / "scripts" / "numafy.py"]:
            ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 9))

    def test_log_has_command_and_both_outputs(self):
        log = self.folder / "deep" / "log"
        code = runner.logged(runner.shell("echo out; echo err >&2; exit 3"), log)
        self.assertEqual(code, 3)
        self.assertEqual(log.read_text().splitlines()[1:], ["out", "err"])
        self.assertIn("/bin/sh -c", log.read_text().splitlines()[0])

    def test_tail_is_safe_to_print(self):
        log = write(
            self.folder / "log",
            b"".join(b"%d\n" % number for number in range(100)) + b"\x1b[1m\xff\n",
        )
        self.assertEqual(runner.tail(log, 2), "99\n\\x1b[1m\\xff")

    def test_ticks_while_waiting(self):
        ticks = []
        runner.logged(["sleep", "0.7"], self.folder / "log", tick=lambda: ticks.append(1))
        self.assertGreaterEqual(len(ticks), 2)

    def test_missing_program(self):
        with self.assertRaises(NumafyError) as caught:
            runner.capture(["/no/such/program"])
        self.assertIn("/no/such/program", caught.exception.message)


class Built(Project):
    def setUp(self):
        super().setUp()
        self.source = self.tree()
        database(self.source, "a.cpp")
        self.out = self.base / "out"

    def run_build(self, command, **env):
        return self.numafy("tree", "--out", "out", "--build", command, env=env)

    def test_everything_compiled(self):
        done = self.run_build("mkdir -p o && cd o && $CXX -c ../a.cpp")
        self.assertIn(
            "1 of 1 edited files compiled with numafy-cc/numafy-c++ (1 edited headers", done.stderr
        )
        self.assertNotIn("warning", done.stderr)

    def test_a_unity_build_compiles_what_it_includes(self):
        unity = "mkdir -p o && echo '#include \"{}/a.cpp\"' >o/unity.cxx && $CXX -c o/unity.cxx"
        done = self.run_build(unity.format(self.out))
        self.assertIn("1 of 1 edited files compiled", done.stderr)
        self.assertNotIn("warning: not compiled", done.stderr)
        done = self.run_build(unity.format(self.source))
        self.assertIn("warning: not compiled, e.g. a.cpp", done.stderr)

    def test_a_recorded_unity_build(self):
        (self.source / "compile_commands.json").unlink()
        done = self.run_build("echo '#include \"a.cpp\"' >unity.cxx && $CXX -c unity.cxx")
        self.assertIn("1 of 1 edited files compiled", done.stderr)

    def test_a_build_that_ignores_cc(self):
        compiler = shutil.which("c++")  # by its path: a name would be found on PATH, and ours first
        done = self.run_build(f"{compiler} -c a.cpp")
        self.assertEqual(done.returncode, 0)
        self.assertIn("0 of 1 edited files compiled", done.stderr)
        self.assertIn("warning: not compiled, e.g. a.cpp", done.stderr)

    def test_a_build_of_the_original_sources(self):
        done = self.run_build(f"$CXX -c '{self.source}/a.cpp'")
        self.assertIn("0 of 1 edited files compiled", done.stderr)

    def test_an_earlier_build_does_not_count(self):
        self.run_build("$CXX -c a.cpp")
        self.assertIn("0 of 1 edited files compiled", self.run_build("true").stderr)

    def test_what_make_had_no_reason_to_compile_again_counts(self):
        command = "cmp -s a.cpp made || { $CXX -c a.cpp && cp a.cpp made; }"
        self.assertIn("1 of 1 edited files compiled", self.run_build(command).stderr)
        again = self.run_build(command)
        self.assertIn("1 of 1 edited files compiled", again.stderr)
        self.assertNotIn("warning", again.stderr)

    def test_what_was_compiled_before_an_edit_does_not_count(self):
        command = "test -e a.o || $CXX -c a.cpp"
        self.assertIn("1 of 1 edited files compiled", self.run_build(command).stderr)
        with (self.source / "a.cpp").open("a", encoding="utf-8") as file:
            file.write("// edited\n")
        self.assertIn("0 of 1 edited files compiled", self.run_build(command).stderr)

    def test_the_users_compiler_is_behind_the_wrapper(self):
        write(self.base / "bin" / "mycc", '#!/bin/sh\necho "mycc $*"\n', 0o755)
        path = f"{self.base}/bin:{os.environ['PATH']}"
        self.run_build("$CC -c a.cpp", CC="mycc -m64", PATH=path)
        self.assertIn("mycc -m64 -isystem", (self.out / ".numafy" / "build.log").read_text())

    def test_make_uses_the_wrapper_by_itself(self):
        write(self.source / "Makefile", "all: a.o\n")
        done = self.run_build("make")
        self.assertIn("1 of 1 edited files compiled", done.stderr)

    def test_failures(self):
        done = self.run_build("echo the reason; exit 9")
        self.assertOneLine(done, 7, "--build failed with exit status 9", "build.log")
        self.assertIn("the reason", done.stderr)
        self.assertOneLine(self.run_build("kill -9 $$"), 7, "signal 9")
        done = self.numafy("tree", "--out", "out", "--test", "false")
        self.assertOneLine(done, 7, "--test failed", "test.log")

    def test_no_test_after_a_failed_build(self):
        self.numafy("tree", "--out", "out", "--build", "false", "--test", "touch tested")
        self.assertFalse((self.out / "tested").exists())

    def test_missing_wrappers(self):
        (self.bin / "numafy-cc").unlink()
        self.assertOneLine(self.run_build("true"), 1, "numafy-cc", "cmake --build")

    def test_a_colon_in_the_project_path(self):
        with mock.patch.object(
            project, "wrapper_folder", return_value=Path("/a:b")
        ), self.assertRaises(NumafyError):
            build.environment()


class Display(unittest.TestCase):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def test_plain_lines(self):
        stream = io.StringIO()
        shower = progress.Progress(stream)
        with shower.step("work\n"):
            shower.tick()
        self.assertEqual(stream.getvalue(), "numafy: work\\n\n")

    def test_terminal(self):
        stream = self.Terminal()
        shower = progress.Progress(stream)
        with mock.patch("time.monotonic", side_effect=[0, 0, 5, 9]), shower.step("work"):
            shower.tick()
        self.assertIn("work (5 s) ...", stream.getvalue())
        self.assertTrue(stream.getvalue().endswith("numafy: work (9 s)\n"))

    def test_a_count_on_a_terminal_shows_the_time_left_and_goes_away(self):
        stream = self.Terminal()
        shower = progress.Progress(stream)
        with mock.patch("time.monotonic", side_effect=[0, 0.5, 4, 12]):
            with shower.counted("work", "units") as tell:
                tell(1, 4)
                tell(2, 8)
                tell(8, 8)
                self.assertEqual(
                    stream.getvalue(),
                    "\r\x1b[Knumafy: work\n\r\x1b[Knumafy: 2 of 8 units, about 12 s left ...\r\x1b[K",
                )

    def test_a_count_elsewhere_is_a_line_now_and_then(self):
        stream = io.StringIO()
        shower = progress.Progress(stream)
        with mock.patch("time.monotonic", side_effect=[0, 4, 10, 12, 30, 40]):
            with shower.counted("work", "units") as tell:
                for done in (1, 2, 3, 6, 12):
                    tell(done, 12)
        self.assertEqual(
            stream.getvalue(),
            "numafy: work\nnumafy: 2 of 12 units, about 50 s left\nnumafy: 6 of 12 units, about 30 s left\n",
        )

    def test_the_rewriter_tells_how_far_it_is(self):
        told = []
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.c", "b.c", "c.c"):
                write(Path(folder) / name, "int x;\n")
            base = database(folder, "a.c", "b.c", "c.c", "gone.c")
            argv = [str(REWRITER), folder, "-p", str(base), "--no-cache"]
            done = runner.counting(argv, lambda *at: told.append(at), os.environ, True)
        self.assertEqual((done.code, told[-1]), (2, (4, 4)))


if __name__ == "__main__":
    unittest.main()
