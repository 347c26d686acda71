# SPDX-License-Identifier: Apache-2.0
"""Suites: discovered by their Makefile, rewritten into Output/, built there."""

import json
import unittest

from support import Project, snapshot, write


class Suites(Project):
    def setUp(self):
        super().setUp()
        self.one = self.suite("one")
        self.suite("other_two")
        write(self.root / "suites" / "common" / "suite.mk")
        write(self.root / "suites" / "common" / "Makefile")
        write(self.root / "suites" / "notes" / "README")
        self.output = self.root / "Output"

    def test_one(self):
        before = snapshot(self.one)
        done = self.numafy("one")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.output / "one"
        self.assertTrue((out / "a.cpp").read_text().startswith("// rewritten"))
        self.assertEqual((out / "built").read_text(), "1\n")
        self.assertEqual(
            json.loads((out / ".numafy" / "report.json").read_text())["totals"]["near"], 1
        )
        self.assertIn("building UMF=1 ROOT_DIR=../..", (out / ".numafy" / "build.log").read_text())
        self.assertEqual(snapshot(self.one), before)
        self.assertEqual(self.rewriter_database()[0]["directory"], str(self.one))

    def test_from_any_folder_and_again(self):
        for cwd in ("/", self.root / "suites", self.one):
            self.assertEqual(self.numafy("one", cwd=cwd).returncode, 0)

    def test_umf(self):
        self.assertEqual(self.numafy("one", "--umf", "0").returncode, 0)
        self.assertEqual((self.output / "one" / "built").read_text(), "0\n")

    def test_all(self):
        done = self.numafy("all", "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            sorted(folder.name for folder in self.output.iterdir()), ["one", "other_two"]
        )
        self.assertTrue((self.base / "r-one.json").is_file())
        self.assertTrue((self.base / "r-other_two.json").is_file())

    def test_all_goes_on_after_a_failure(self):
        write(self.one / "fail")
        done = self.numafy("all")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertTrue((self.output / "other_two" / "built").is_file())

    def test_a_failed_build_shows_its_log(self):
        write(self.one / "fail")
        done = self.numafy("one")
        self.assertOneLine(done, 7, "Output/one", "build.log")
        self.assertIn("building UMF=1", done.stderr)

    def test_code_of_the_rewriter_joins_that_of_the_build(self):
        write(self.one / "fail")
        self.assertEqual(self.numafy("one", env={"STAND_IN_EXIT": 2}).returncode, 2)
        self.assertEqual(self.numafy("one", env={"STAND_IN_EXIT": 3}).returncode, 7)

    def test_check_and_diff_write_nothing(self):
        for option, code in (("--check", 5), ("--diff", 0)):
            done = self.numafy("one", option, env={"STAND_IN_EXIT": code})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertFalse(self.output.exists())

    def test_own_build_and_test_commands(self):
        done = self.numafy(
            "one", "--build", "echo $CC $CXX >cc", "--test", "test -e cc && echo fine >tested"
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.output / "one" / "cc").read_text(), "numafy-cc numafy-c++\n")
        self.assertTrue((self.output / "one" / "tested").is_file())

    def test_objects_of_the_sources_are_not_taken_for_those_of_the_copy(self):
        write(self.one / "a.o", "stale")
        rules = self.one / "Makefile"
        write(
            rules, rules.read_text().replace("all:\n", "all: a.o\n").replace("rm -f", "rm -f a.o")
        )
        self.assertEqual(self.numafy("one").returncode, 0)
        self.assertNotEqual((self.output / "one" / "a.o").read_bytes(), b"stale")

    def test_a_second_build_keeps_the_objects_of_the_first(self):
        self.numafy("one")
        write(self.output / "one" / "a.o", "of the first")
        self.numafy("one")
        self.assertEqual((self.output / "one" / "a.o").read_text(), "of the first")

    def test_names(self):
        self.assertOneLine(self.numafy("othertwo"), 1, "othertwo", "did you mean other_two?")
        self.assertOneLine(self.numafy("zzz"), 1, "zzz", "suites: one, other_two")
        self.assertOneLine(self.numafy("common"), 1, "common")
        self.assertOneLine(self.numafy("notes"), 1, "notes")
        self.assertOneLine(self.numafy("aal"), 1, "did you mean all?")

    def test_a_folder_of_a_suites_name(self):
        self.tree("one")
        self.assertEqual(self.numafy("one").returncode, 0)
        self.assertTrue((self.output / "one").is_dir())
        self.assertOneLine(self.numafy("./one"), 1, "no compile database for one")

    def test_a_suites_folder_as_a_tree(self):
        done = self.numafy(self.one)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rewriter_database()[0]["directory"], str(self.one))
        self.assertFalse(self.output.exists())

    def test_options_that_are_for_trees(self):
        for options in (["-p", "x"], ["--in-place"], ["--undo"]):
            self.assertOneLine(self.numafy("one", *options), 1, "for trees")
        self.assertOneLine(self.numafy("all", "--out", "x"), 1, "--out")
        self.assertOneLine(self.numafy("one", "--out", self.one / "x"), 1, "inside the tree")

    def test_out_where_make_cannot_name_the_project(self):
        self.assertOneLine(self.numafy("one", "--out", self.base / "out"), 1, "make cannot name")
        self.assertFalse((self.base / "out").exists())
        self.assertEqual(self.numafy("one", "--out", self.root / "my_out").returncode, 0)

    def test_no_database(self):
        write(
            self.one / "Makefile",
            "all:\ncompile_commands.json:\n\t@echo no database today; exit 3\n",
        )
        done = self.numafy("one")
        self.assertOneLine(done, 1, "suite one", "compile_commands.json")
        self.assertIn("no database today", done.stderr)

    def test_no_suites(self):
        import shutil

        shutil.rmtree(self.root / "suites")
        self.assertOneLine(self.numafy("all"), 1, "no suite")
        self.assertOneLine(self.numafy("one"), 1, "suites: none")


if __name__ == "__main__":
    unittest.main()
