# SPDX-License-Identifier: Apache-2.0
"""suites/data_structures as its users build and call it: plain, with our pools, rewritten."""

from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any, ClassVar, Dict

import suite_build as sb

REWRITER = sb.ROOT / "build" / "bin" / "numafy-rewrite"
DENY = sb.ROOT / "build" / "tests" / "seccomp_deny"


class Folders(unittest.TestCase):
    """A temporary folder per class, whose name has a space."""

    folder: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="the suite ")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)

    def verified(self, program: Path, *arguments: str, code: int = 0) -> Dict[str, Any]:
        """Runs with -v and gives the JSON."""
        file = self.folder / "result.json"
        done = sb.run(program, "-v", "--json", file, *arguments)
        self.assertEqual(done.code, code, done.out + done.err)
        return json.loads(file.read_text())

    def dump(self, program: Path, *arguments: str) -> str:
        file = self.folder / "dump"
        done = sb.run(program, "--num_threads=1", "--ops=30000", "--keyspace=2000", "--dump", file, *arguments)
        self.assertEqual(done.code, 0, done.err)
        return file.read_text()


class Plain(Folders):
    program: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.program = sb.plain()

    def test_rows_are_cumulative_and_one_per_interval(self) -> None:
        for name in ("bst", "ll"):
            rows = sb.run(self.program, f"--DS_name={name}", "-D", "0.4", "-i", "0.1", "--keyspace=500").rows()
            self.assertEqual(len(rows), 4)
            totals = [int(row["total_ops"]) for row in rows]
            self.assertEqual(totals, sorted(totals))
            self.assertLess(0, totals[0])
            for row in rows:
                self.assertEqual(int(row["node0_ops"]) + int(row["node1_ops"]), int(row["total_ops"]))
                self.assertLess(0, int(row["node0_ops"]))
                self.assertLess(0, int(row["node1_ops"]))

    def test_a_duration_shorter_than_the_interval_gives_one_row(self) -> None:
        rows = sb.run(self.program, "-D", "0.1", "--keyspace=500").rows()
        self.assertEqual(len(rows), 1)
        self.assertLess(float(rows[0]["time_s"]), 5)

    def test_a_duration_that_is_no_multiple_is_rounded_up(self) -> None:
        rows = sb.run(self.program, "-D", "0.25", "-i", "0.1", "--keyspace=500").rows()
        self.assertEqual(len(rows), 3)

    def test_both_forms_of_options(self) -> None:
        equals = ["--DS_name=ll", "--th_config=regular", "--DS_config=regular", "--num_threads=3", "--num_DS=5",
                  "--keyspace=77", "--duration=0.1", "--interval=0.1"]
        spaced = [word for option in equals for word in option.split("=")]
        short = [*equals[:6], "-D0.1", "-i", "0.1"]
        for arguments in (equals, spaced, short):
            done = sb.run(self.program, *arguments)
            self.assertEqual(done.code, 0, done.err)
            row = done.rows()[0]
            self.assertEqual([row[name] for name in ("DS_name", "th_config", "DS_config", "num_threads", "num_DS",
                                                     "keyspace")], ["ll", "regular", "regular", "3", "5", "77"])

    def test_bad_options_are_one_line_and_1(self) -> None:
        for arguments in (["--DS_name=tree"], ["--th_config="], ["--num_threads=0"], ["--num_DS=-1"],
                          ["--keyspace=1e3"], ["--keyspace=99999999999999999999"], ["-D", "0"], ["-D", "nan"],
                          ["-D", "inf"], ["-i", "1s"], ["--interval"], ["--ops=0"], ["--verify=1"], ["--nodes=2"],
                          ["bst"], ["--dump", "/nonexistent/dump"], ["--json", "/nonexistent/json"]):
            done = sb.run(self.program, *arguments)
            self.assertEqual((done.code, done.out), (1, ""), arguments)
            self.assertRegex(done.err, r"\Adata_structures: [^\n]+\n\Z", arguments)

    def test_help_names_every_option(self) -> None:
        done = sb.run(self.program, "-h")
        self.assertEqual(done.code, 0)
        for option in ("--DS_name", "--th_config", "--DS_config", "--num_threads", "--num_DS", "--keyspace",
                       "--duration", "-D", "--interval", "-i", "--ops", "--seed", "--dump", "--verify", "--json"):
            self.assertIn(option, done.out)

    def test_same_seed_same_dump(self) -> None:
        first = self.dump(self.program)
        self.assertEqual(first, self.dump(self.program, "-v"))
        self.assertNotEqual(first, self.dump(self.program, "--seed=1"))

    def test_the_structures_agree(self) -> None:
        self.assertEqual(self.dump(self.program), self.dump(self.program, "--DS_name=ll"))

    def test_verification_without_runtime(self) -> None:
        for name in ("bst", "ll"):
            found = self.verified(self.program, f"--DS_name={name}", "--ops=50000", "--keyspace=300",
                                  "--num_threads=4")
            self.assertTrue(found["contents_ok"])
            self.assertEqual(found["placement"], "not built in")
            self.assertEqual(found["total_ops"], 50000)
            self.assertLess(50000, found["results_compared"])

    def test_fewer_structures_than_nodes(self) -> None:
        for count in ("1", "2", "3"):
            found = self.verified(self.program, f"--num_DS={count}", "--ops=5000", "--keyspace=50",
                                  "--num_threads=2")
            self.assertTrue(found["contents_ok"])


class CompileDatabase(Folders):
    def test_every_source_with_absolute_paths(self) -> None:
        suite = sb.copy(self.folder / "suite")
        file = self.folder / "database.json"
        done = sb.make(suite, "compile_commands.json", f"CDB={file}")
        self.assertEqual((done.code, done.out), (0, ""), done.err)
        entries = json.loads(file.read_text())
        self.assertEqual(sorted(entry["file"] for entry in entries), sorted(map(str, (suite / "src").glob("*.cpp"))))
        for entry in entries:
            self.assertEqual(entry["directory"], str(suite))
            self.assertIn(f"-I{suite}/include", entry["arguments"])
            self.assertIn(f"-I{sb.ROOT}/suites/common", entry["arguments"])
            self.assertNotIn("-DNUMAFY_OFF", entry["arguments"])
        compiled = sb.run(*entries[0]["arguments"], "-fsyntax-only", cwd="/")
        self.assertEqual(compiled.code, 0, compiled.err)

    def test_the_asked_variant(self) -> None:
        suite = sb.copy(self.folder / "variant")
        sb.make(suite, "compile_commands.json", "UMF=0")
        entries = json.loads((suite / "compile_commands.json").read_text())
        self.assertIn("-DNUMAFY_CACHE_ONNODE", entries[0]["arguments"])

    def test_an_unknown_variant_is_refused(self) -> None:
        done = sb.make(sb.copy(self.folder / "unknown"), "UMF=2")
        self.assertEqual(done.code, 2)
        self.assertIn("UMF=2: write UMF=1", done.err)


class NotRewritten(Folders):
    """The control of the verification: annotated objects are placed, what they allocate later is not."""

    def test_the_verification_sees_nodes_off_their_node(self) -> None:
        program = sb.built(sb.copy(self.folder / "control"), "UMF=1")
        found = self.verified(program, "--ops=1000", "--keyspace=200", code=2)
        kinds = {(kind["kind"], kind["node"]): kind for kind in found["kinds"]}
        for node in (0, 1):
            for placed in ("tree", "tree's ring buffer", "pointer array"):
                self.assertEqual(kinds[placed, node]["by_address_ok"], kinds[placed, node]["objects"], placed)
            self.assertEqual(kinds["tree node", node]["by_address_ok"], 0)
        self.assertEqual(found["wrong"], kinds["tree node", 0]["objects"] + kinds["tree node", 1]["objects"])
        self.assertTrue(found["contents_ok"])


@unittest.skipUnless(REWRITER.exists(), "build/bin/numafy-rewrite is not built")
class Rewritten(Folders):
    original: ClassVar[Path]
    rewritten: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        suite = sb.copy(cls.folder / "original")
        (cls.folder / "database").mkdir()
        sb.make(suite, "compile_commands.json", f"CDB={cls.folder}/database/compile_commands.json")
        done = sb.run(REWRITER, suite, "-p", cls.folder / "database", "--out", cls.folder / "rewritten")
        if done.code:
            raise AssertionError(done.out + done.err)
        cls.original = sb.plain()
        cls.rewritten = sb.built(cls.folder / "rewritten", "OPT=-O2")

    def test_identical_dumps(self) -> None:
        for name in ("bst", "ll"):
            for config in ("numa", "regular"):
                arguments = (f"--DS_name={name}", f"--DS_config={config}")
                self.assertEqual(self.dump(self.original, *arguments), self.dump(self.rewritten, *arguments))

    def test_every_object_is_on_its_node_by_address(self) -> None:
        for name in ("bst", "ll"):
            for config in ("numa", "regular"):
                found = self.verified(self.rewritten, f"--DS_name={name}", f"--DS_config={config}", "--ops=100000",
                                      "--keyspace=1000", "--num_threads=4", "--num_DS=8")
                self.assertEqual((found["wrong"], found["contents_ok"], found["placement"]), (0, True, "built in"))
                self.assertEqual(found["by_address_ok"], found["objects"])
                self.assertLess(2000, found["objects"])

    @unittest.skipUnless(DENY.exists(), "build/tests/seccomp_deny is not built")
    def test_where_binding_is_forbidden_the_kernel_column_says_so(self) -> None:
        file = self.folder / "denied.json"
        done = sb.run(DENY, "mbind,set_mempolicy,get_mempolicy,move_pages", self.rewritten, "-v", "--json", file,
                      "--ops=1000", "--keyspace=500")
        self.assertEqual(done.code, 0, done.err)
        found = json.loads(file.read_text())
        self.assertEqual((found["wrong"], found["by_address_ok"]), (0, found["objects"]))
        for kind in found["kinds"]:
            if kind["node"] == 0:
                self.assertIn("forbids binding memory", kind["resident_note"])

    def test_undefined_behaviour_sanitizer(self) -> None:
        program = sb.built(sb.copy_of(self.folder / "rewritten", self.folder / "sanitized"), "SANITIZE=undefined")
        for name in ("bst", "ll"):
            found = self.verified(program, f"--DS_name={name}", "--ops=50000", "--keyspace=500", "--num_threads=4")
            self.assertEqual(found["wrong"], 0)

    def test_other_compilers_and_levels_without_a_warning(self) -> None:
        for number, arguments in enumerate((["OPT=-Os"], ["CXX=clang++", "OPT=-O0"])):
            if arguments[0] == "CXX=clang++" and not shutil.which("clang++"):
                continue
            folder = sb.copy_of(self.folder / "rewritten", self.folder / f"level{number}")
            found = self.verified(sb.built(folder, *arguments), "--ops=5000", "--keyspace=200")
            self.assertEqual(found["wrong"], 0, arguments)

    def test_link_time_optimisation(self) -> None:
        program = sb.built(sb.copy_of(self.folder / "rewritten", self.folder / "lto"), "LTO=1")
        self.assertEqual(self.verified(program, "--ops=5000", "--keyspace=200")["wrong"], 0)

    def test_numa_alloc_onnode_gives_the_same(self) -> None:
        program = sb.built(sb.copy_of(self.folder / "rewritten", self.folder / "onnode"), "UMF=0")
        file = self.folder / "small"
        texts = []
        for each in (program, self.original):
            done = sb.run(each, "--num_threads=1", "--ops=2000", "--keyspace=200", "--dump", file)
            self.assertEqual(done.code, 0, done.err)
            texts.append(file.read_text())
        self.assertEqual(*texts)
        self.assertEqual(self.verified(program, "--ops=2000", "--keyspace=200")["wrong"], 0)


if __name__ == "__main__":
    unittest.main()
