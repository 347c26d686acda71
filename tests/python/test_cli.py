# SPDX-License-Identifier: Apache-2.0
"""numafy.py's command line: exit codes, options, dry runs, odd names, interrupts."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from support import Project, database, environment, snapshot, write


class Tree(Project):
    def setUp(self):
        super().setUp()
        self.source = self.tree()
        database(self.source, "a.cpp", "b.cpp")
        self.out = self.base / "out"

    def test_dry_run_writes_nothing(self):
        before = snapshot(self.source)
        done = self.numafy("tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a.cpp", done.stdout)
        self.assertIn("NF1002", done.stdout)
        self.assertEqual(snapshot(self.source), before)
        self.assertNotIn("--out", self.rewriter_arguments())

    def test_report_wants_a_file_not_a_format(self):
        done = self.numafy("tree", "--report", "html")
        self.assertOneLine(done, 1, "--report FILE.html")
        self.assertFalse((self.base / "html").exists())

    def test_out(self):
        done = self.numafy(
            "tree",
            "--out",
            "out",
            "--place",
            "Node=1",
            "--place",
            "Edge=2",
            "--root",
            "v=0",
            "--all",
            "--strict",
            "--force-alloc",
            "-j",
            "3",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.out / "a.cpp").read_text().startswith("// rewritten Node=1,Edge=2\n"))
        words = self.rewriter_arguments()
        self.assertEqual(words[:2], ["tree", "-p"])
        text = " ".join(words)
        for part in (
            "--out out",
            "--place Node=1",
            "--place Edge=2",
            "--root v=0",
            "--all",
            "--strict",
            "--force-alloc",
            "-j 3",
        ):
            self.assertIn(part, text)
        self.assertEqual(
            json.loads((self.out / ".numafy" / "report.json").read_text())["totals"]["near"], 2
        )

    def test_exit_codes_pass_through(self):
        for code in (0, 1, 2, 3, 4, 5, 6, 70):
            with self.subTest(code=code):
                done = self.numafy("tree", env={"STAND_IN_EXIT": code})
                self.assertEqual(done.returncode, code, done.stderr)

    def test_undocumented_end_is_a_bug(self):
        self.assertOneLine(
            self.numafy("tree", env={"STAND_IN_EXIT": -11}), 70, "signal 11", "SIGSEGV"
        )

    def test_build_result_joins_by_precedence(self):
        # rewriter's code, build command, expected: 4 > 2 > 7 > 3
        for rewriter, command, expected in (
            (0, "false", 7),
            (3, "false", 7),
            (2, "false", 2),
            (4, "false", 4),
            (3, "true", 3),
            (0, "true", 0),
        ):
            with self.subTest(rewriter=rewriter, command=command):
                done = self.numafy(
                    "tree", "--out", "out", "--build", command, env={"STAND_IN_EXIT": rewriter}
                )
                self.assertEqual(done.returncode, expected, done.stderr)

    def test_no_build_without_a_tree(self):
        done = self.numafy("tree", "--out", "out", "--build", "touch ran", env={"STAND_IN_EXIT": 6})
        self.assertEqual(done.returncode, 6)
        self.assertFalse((self.out / "ran").exists())

    def test_diff_is_alone_on_stdout(self):
        done = self.numafy("tree", "--diff")
        self.assertEqual(done.stdout, "--- a\n+++ b\n")
        self.assertIn("NF1002", done.stderr)

    def test_usage_errors(self):
        cases = [
            (["tree", "--out", "tree/sub"], "inside the tree"),
            (["tree", "--out", "."], "contains the tree"),
            (["tree", "--out", "tree"], "inside the tree"),
            (["tree", "--umf", "0"], "--umf says how to build: it needs --build, or a suite"),
            (["tree", "--umf", "7"], "--umf"),
            (["tree", "--check", "--out", "out"], "--check"),
            (["tree", "--build", "make", "-p", "tree"], "--out"),
            (["tree", "--test", "make"], "--out"),
            (["tree", "-j", "0"], "-j"),
            (["tree", "-j", "many"], "-j"),
            (["tree", "--nonsense"], "--nonsense"),
            (["tree", "--undo", "--all"], "--undo"),
            (["tree", "--undo"], "not rewritten in place"),
            (["tree", "--in-place", "--out", "out"], "--in-place"),
            ([], "TREE"),
            (["./nowhere"], "no such folder"),
            (["tree/a.cpp"], "is a file"),
            (["tree", "-p", "nowhere"], "no such file"),
        ]
        for arguments, words in cases:
            with self.subTest(arguments=arguments):
                done = self.numafy(*arguments)
                self.assertOneLine(done, 1, words)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertFalse(self.out.exists())

    def test_out_inside_the_tree_through_a_link(self):
        os.symlink(self.source, self.base / "link")
        self.assertOneLine(self.numafy("tree", "--out", "link/new"), 1, "inside the tree")

    def test_later_subcommands_and_folders_of_their_names(self):
        for name in ("suggest", "doctor", "top"):
            self.assertOneLine(self.numafy(name), 1, name, f"./{name}")
        database(self.tree("top"), "a.cpp")
        self.assertOneLine(self.numafy("top"), 1, "later version")
        self.assertEqual(self.numafy("./top").returncode, 0)

    def test_missing_rewriter_says_how_to_build_it(self):
        (self.bin / "numafy-rewrite").unlink()
        self.assertOneLine(
            self.numafy("tree"), 1, "cmake --preset release && cmake --build --preset release"
        )
        self.assertOneLine(
            self.numafy("tree", env={"NUMAFY_REWRITE": "/nowhere"}), 1, "NUMAFY_REWRITE", "/nowhere"
        )

    def test_rewriter_by_environment(self):
        other = self.base / "else where" / "rw"
        write(other, (self.bin / "numafy-rewrite").read_bytes(), 0o755)
        (self.bin / "numafy-rewrite").unlink()
        self.assertEqual(self.numafy("tree", env={"NUMAFY_REWRITE": other}).returncode, 0)

    def test_report_files(self):
        done = self.numafy("tree", "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.base / "r.json").read_text())["totals"]["left"], 2)
        self.numafy("tree", "--report", "r.html")
        page = (self.base / "r.html").read_text()
        self.assertIn("Odd&lt;&amp;&#x27;&quot;&gt;", page)
        self.assertOneLine(self.numafy("tree", "--report", "no/such/r.json"), 6, "no/such/r.json")

    def test_help_and_version(self):
        done = self.numafy("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("--place", "--in-place", "examples:", "exit codes:", "NUMAFY_REWRITE"):
            self.assertIn(word, done.stdout)
        self.assertEqual(self.numafy("--version").returncode, 0)

    def test_a_reader_that_leaves_does_not_stop_the_build(self):
        settings = environment(XDG_CACHE_HOME=self.cache)
        script = str(self.root / "scripts" / "numafy.py")
        read, pipe = os.pipe()
        os.close(read)
        done = subprocess.run(
            [sys.executable, script, "tree", "--out", "out", "--build", "touch ran"],
            cwd=self.base,
            env=settings,
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=60,
        )
        os.close(pipe)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.out / "ran").exists())

    def test_python_m(self):
        done = subprocess.run(
            [sys.executable, "-m", "numafy", "tree"],
            cwd=self.base,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(XDG_CACHE_HOME=self.cache, PYTHONPATH=self.root),
            timeout=60,
        )
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"a.cpp", done.stdout)

    def test_through_a_link_to_the_script(self):
        os.symlink(self.root / "scripts" / "numafy.py", self.base / "n")
        done = subprocess.run(
            [sys.executable, "n", "tree"],
            cwd=self.base,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(XDG_CACHE_HOME=self.cache),
            timeout=60,
        )
        self.assertEqual(done.returncode, 0)


class OddNames(Project):
    def check(self, name, **env):
        source = self.tree(name)
        database(source, "a.cpp", "b.cpp")
        out = self.base / f"{name} out"
        done = self.numafy(
            f"./{name}",
            "--out",
            out,
            "--build",
            "$CXX -c a.cpp -o a.o",
            "--report",
            "r.html",
            env=env,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((out / "a.cpp").read_bytes().startswith(b"// rewritten"))
        self.assertIn("1 of 1 edited files compiled", done.stderr)
        return done

    def test_space(self):
        self.check("a tree")

    def test_newline(self):
        done = self.check("a\ntree")
        self.assertIn("a\\ntree", done.stderr)

    def test_quotes_and_dollar(self):
        self.check("a'\"$tree")

    def test_not_utf8(self):
        done = self.check(os.fsdecode(b"tr\xe9e"))
        self.assertIn("tr\\xe9e", done.stderr)

    def test_not_utf8_in_the_c_locale(self):
        for locale in (
            {"LANG": "C"},
            {"LC_ALL": "C"},
            {"LC_ALL": "POSIX"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        ):
            with self.subTest(locale=locale):
                self.check(os.fsdecode(b"tr\xe9e\xc3\xa9"), **locale)

    def test_odd_source_names(self):
        source = self.tree()
        names = ["sp ace.cpp", "new\nline.cpp", os.fsdecode(b"l\xe4tin.cpp")]
        for name in names:
            write(source / name, "int *h() { return new int; }\n")
        database(source, *names)
        done = self.numafy(
            "tree",
            "--out",
            "out",
            "--report",
            "r.html",
            "--build",
            'for f in *.cpp; do $CXX -c "$f" -o x.o; done',
            env={"LANG": "C"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 of 4 edited files compiled", done.stderr)
        self.assertIn("l\\xe4tin.cpp", done.stdout)
        self.assertIn("new\\nline.cpp", done.stdout)
        self.assertIn("l\\xe4tin.cpp", (self.base / "r.html").read_text())

    def test_other_working_folders(self):
        source = self.tree()
        database(source, "a.cpp")
        for cwd in ("/", source, self.root / "scripts", self.root / "numafy"):
            with self.subTest(cwd=cwd):
                self.assertEqual(self.numafy(source, cwd=cwd).returncode, 0)


class Interrupt(Project):
    def setUp(self):
        super().setUp()
        database(self.tree(), "a.cpp")

    def start(self, *arguments, **env):
        settings = environment(XDG_CACHE_HOME=self.cache, TMPDIR=self.base / "tmp", **env)
        (self.base / "tmp").mkdir()
        process = subprocess.Popen(
            [sys.executable, str(self.root / "scripts" / "numafy.py"), *arguments],
            cwd=self.base,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            # A shell starts background jobs with SIGINT ignored, and they pass that on.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.addCleanup(process.communicate)
        return process

    def wait_for(self, path):
        deadline = time.monotonic() + 30
        while not path.exists():
            self.assertLess(time.monotonic(), deadline, f"{path} did not appear")
            time.sleep(0.02)

    def end(self, process, number):
        os.killpg(process.pid, number)
        _, stderr = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertEqual(stderr.splitlines()[-1], b"numafy: interrupted")
        self.assertEqual(os.listdir(self.base / "tmp"), [], "temporary files were left")

    def test_while_rewriting_in_place(self):
        before = snapshot(self.base / "tree")
        process = self.start("tree", "--in-place", STAND_IN_SLEEP=self.base / "asleep")
        self.wait_for(self.base / "asleep")
        self.end(process, signal.SIGINT)
        self.assertEqual(snapshot(self.base / "tree"), before)

    def test_ends_the_grandchildren_of_a_build(self):
        process = self.start(
            "tree",
            "--out",
            "out",
            "--build",
            f'sh -c \'echo $$ >"{self.base}/pid.tmp"; mv "{self.base}/pid.tmp" "{self.base}/pid";'
            " sleep 60; true'; true",
        )
        self.wait_for(self.base / "pid")
        self.end(process, signal.SIGTERM)
        pid = int((self.base / "pid").read_text())
        deadline = time.monotonic() + 10
        while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(Path(f"/proc/{pid}").exists(), "the build's child still runs")


if __name__ == "__main__":
    unittest.main()
