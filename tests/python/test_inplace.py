# SPDX-License-Identifier: Apache-2.0
"""--in-place and --undo: the old bytes come back, and nothing is ever half done."""

import os
import unittest

from support import Project, database, snapshot, write

from numafy import inplace
from numafy.errors import NumafyError


class InPlace(Project):
    def setUp(self):
        super().setUp()
        odd = os.fsdecode(b"l\xe4t\nin.cpp")
        self.source = self.tree(
            **{odd: "int *p = new int;\r\n", "sub/c.cpp": b"\xef\xbb\xbfint *q = new int;"}
        )
        (self.source / "a.cpp").chmod(0o640)
        os.symlink("a.cpp", self.source / "link.cpp")
        database(self.source, "a.cpp")
        self.before = snapshot(self.source)

    def apply(self, *options):
        done = self.numafy("tree", "--in-place", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_there_and_back(self):
        done = self.apply("--place", "Node=1")
        self.assertIn("4 files of tree edited in place", done.stdout)
        self.assertTrue((self.source / "a.cpp").read_text().startswith("// rewritten Node=1\n"))
        self.assertEqual((self.source / "a.cpp").stat().st_mode & 0o777, 0o640)
        self.assertTrue((self.source / "link.cpp").is_symlink())
        done = self.numafy("tree", "--undo")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(snapshot(self.source), self.before)
        self.assertFalse((self.source / ".numafy").exists())
        self.assertOneLine(self.numafy("tree", "--undo"), 1, "not rewritten in place")

    def test_twice_is_refused(self):
        self.apply()
        after = snapshot(self.source)
        self.assertOneLine(
            self.numafy("tree", "--in-place"), 1, "already rewritten in place", "--undo"
        )
        self.assertEqual(snapshot(self.source), after)

    def test_undo_after_a_change_is_refused(self):
        self.apply()
        write(self.source / "sub" / "c.cpp", "mine now\n")
        after = snapshot(self.source)
        self.assertOneLine(
            self.numafy("tree", "--undo"),
            1,
            "c.cpp was changed after the rewrite",
            "nothing was undone",
        )
        self.assertEqual(snapshot(self.source), after)

    def test_undo_with_a_damaged_copy_is_refused(self):
        self.apply()
        write(self.source / ".numafy" / "original" / "a.cpp", "x")
        after = snapshot(self.source)
        self.assertOneLine(self.numafy("tree", "--undo"), 1, "damaged")
        self.assertEqual(snapshot(self.source), after)

    def test_an_interrupted_run_can_be_undone(self):
        rewritten = self.base / "rewritten"
        self.assertEqual(self.numafy("tree", "--out", rewritten).returncode, 0)
        real_replace, calls = inplace._replace, []

        def interrupted(path, data):
            if len(calls) == 2:
                raise KeyboardInterrupt
            calls.append(path)
            real_replace(path, data)

        inplace._replace = interrupted
        try:
            with self.assertRaises(KeyboardInterrupt):
                inplace.apply(self.source, rewritten)
        finally:
            inplace._replace = real_replace
        self.assertNotEqual(snapshot(self.source), self.before)
        self.assertEqual(len(inplace.undo(self.source)), 2)
        self.assertEqual(snapshot(self.source), self.before)

    def test_a_manifest_that_leads_out_of_the_tree_is_refused(self):
        self.apply()
        victim = write(self.base / "victim", "precious")
        manifest = self.source / ".numafy" / "in-place.json"
        write(manifest, manifest.read_bytes().replace(b'"a.cpp"', b'"../victim"'))
        self.assertOneLine(self.numafy("tree", "--undo"), 1, "outside the tree")
        self.assertEqual(victim.read_text(), "precious")

    def test_edits_behind_links_are_refused(self):
        rewritten = self.base / "rewritten"
        write(rewritten / "link.cpp", "int *x = new int; // edited through the link\n")
        with self.assertRaises(NumafyError) as caught:
            inplace.apply(self.source, rewritten)
        self.assertIn("symbolic link", caught.exception.message)
        self.assertEqual(snapshot(self.source), self.before)

    def test_nothing_to_do(self):
        for name in self.before:
            if name.endswith((".cpp", ".h")) and name != "link.cpp":
                write(self.source / name, "int nothing;\n")
        before = snapshot(self.source)
        self.assertIn("0 files", self.apply().stdout)
        self.assertEqual(snapshot(self.source), before)

    def test_a_failed_rewrite_changes_nothing(self):
        for code in (1, 6, 70):
            done = self.numafy("tree", "--in-place", env={"STAND_IN_EXIT": code})
            self.assertEqual(done.returncode, code)
            self.assertEqual(snapshot(self.source), self.before)

    def test_build_in_the_tree(self):
        self.apply("--build", "$CXX -c a.cpp -o /dev/null")
        self.assertTrue((self.source / ".numafy" / "build.log").is_file())
        self.assertEqual(self.numafy("tree", "--undo").returncode, 0)


if __name__ == "__main__":
    unittest.main()
