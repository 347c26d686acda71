# SPDX-License-Identifier: Apache-2.0
"""suites/allocator_test as its users build and call it: our pools, numa_alloc_onnode, plain, rewritten."""

from __future__ import annotations

import csv
import json
import os
import shutil
import statistics
import tempfile
import unittest
from pathlib import Path
from typing import Any, ClassVar, Dict, List, Tuple

import suite_build as sb

REWRITER = sb.ROOT / "build" / "bin" / "numafy-rewrite"
DENY = sb.ROOT / "build" / "tests" / "seccomp_deny"
CPUS = len(os.sched_getaffinity(0))
VERIFY_ONLY = ("bin/verify_allocator",)  # make's goal where nothing else is run
Json = Dict[str, Any]


class Programs(unittest.TestCase):
    """One variant, built once for its class, in a folder whose name has a space."""

    arguments: ClassVar[Tuple[str, ...]]
    folder: ClassVar[Path]
    programs: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="the suite ")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.programs = cls.build(sb.copy(cls.folder / "suite", "allocator_test")).parent

    @classmethod
    def build(cls, suite: Path) -> Path:
        return sb.built(suite, *cls.arguments, program="verify_allocator")

    def call(self, program: str, *arguments: str, code: int = 0) -> Tuple[sb.Done, Json]:
        file = self.folder / "result.json"
        file.unlink(missing_ok=True)
        done = sb.run(self.programs / program, *arguments, "--json", file)
        self.assertEqual(done.code, code, done.out + done.err)
        return done, json.loads(file.read_text()) if code != 1 else {}

    def verify(self, *arguments: str, code: int = 0) -> Json:
        return self.call("verify_allocator", "--times=no", *arguments, code=code)[1]

    def compare(self, *arguments: str, code: int = 0) -> Tuple[sb.Done, Json]:
        return self.call("throughput_compare", "-s", "0.001", *arguments, code=code)

    def kinds(self, check: Json) -> List[Json]:
        return [kind for generation in check["generations"] for kind in generation["kinds"]]

    def assert_all_right(self, found: Json, objects: int, nodes: Tuple[int, ...]) -> None:
        """At least so many objects in each check, on all the nodes, and every one where it belongs."""
        one, plain, eight = found["checks"][:3]
        self.assertEqual(found["wrong"], 0)
        for check in (one, plain, eight):
            self.assertEqual(len(check["generations"]), 2)
            for generation in check["generations"]:
                self.assertLessEqual(objects, generation["objects"])
                self.assertEqual(generation["by_address_ok"], generation["objects"])
            self.assertEqual(check["objects"], sum(kind["objects"] for kind in self.kinds(check)))
            for kind in self.kinds(check):
                if kind["resident_note"] == "":
                    self.assertEqual((kind["resident_ok"], kind["resident_unknown"]), (kind["objects"], 0))
        for check in (one, eight):
            placed = [kind for kind in self.kinds(check) if kind["kind"] == "placed"]
            self.assertEqual({kind["node"] for kind in placed}, set(nodes))
            for kind in placed:
                self.assertLessEqual(objects // len(nodes), kind["objects"])
            # Plain ones of the same threads are in between.
            self.assertLess(objects // 10, sum(k["objects"] for k in self.kinds(check) if k["node"] == -1))
        self.assertEqual({kind["node"] for kind in self.kinds(plain)}, {-1})

    def counted(self, check: Json, name: str) -> int:
        return sum(generation[name] for generation in check["generations"])


class Pools(Programs):
    arguments = ("UMF=1", "OPT=-O2")

    def test_every_object_is_right(self) -> None:
        self.assert_all_right(self.verify("--objects=20000"), 20000, (0, 1, 2, 3))

    def test_other_nodes_and_threads(self) -> None:
        found = self.verify("--objects=4000", "--nodes=9,0", "--threads=3")
        self.assert_all_right(found, 4000, (0, 9))
        self.assertEqual(found["checks"][2]["name"], "3 threads, nodes interleaved")

    def test_control_another_node_is_found_by_address(self) -> None:
        one, plain, eight = self.verify("--objects=8000", "--control=node", code=2)["checks"]
        for check in (one, eight):
            wrong = check["objects"] - self.counted(check, "by_address_ok") + check["strayed"]
            self.assertLess(100, wrong)
            self.assertEqual((check["wrong"], check["contents"], check["bound"]), (wrong, 0, 0))
        self.assertEqual(plain["wrong"], 0)

    def test_control_plain_blocks_from_a_pool_are_found(self) -> None:
        found = self.verify("--objects=8000", "--control=plain", code=2)
        for check in found["checks"]:
            wrong = check["objects"] - self.counted(check, "by_address_ok") + check["strayed"]
            self.assertEqual(check["wrong"], wrong)
            for kind in self.kinds(check):
                self.assertEqual(kind["wrong"] > 0, kind["kind"] == "plain", kind)

    def test_control_a_block_handed_out_twice_is_found(self) -> None:
        for check in self.verify("--objects=8000", "--control=shared", code=2)["checks"]:
            self.assertLess(100, check["contents"])
            self.assertEqual(check["wrong"], check["contents"] + check["overwritten"])

    def test_control_jemallocs_automatic_cache_is_found(self) -> None:
        """The seed's tempting wrong fix: frees through dallocx(p, 0) make plain malloc hand out nodes' memory."""
        found = self.verify("--objects=20000", "--control=tcache", code=2)
        plain = found["checks"][1]
        self.assertLess(self.counted(plain, "by_address_ok"), plain["objects"])
        self.assertEqual(plain["contents"], 0)

    def test_control_bound_plain_pages_are_found(self) -> None:
        done = sb.run(self.programs / "verify_allocator", "--times=no", "--objects=8000", "--control=bound",
                      "--json", self.folder / "bound.json")
        if done.code == 1:  # a container's filter
            self.assertRegex(done.err, r"\Averify_allocator: --control=bound: this system forbids binding memory\n")
            return
        self.assertEqual(done.code, 2, done.err)
        for check in json.loads((self.folder / "bound.json").read_text())["checks"]:
            self.assertLess(0, check["bound"])
            self.assertEqual(check["wrong"], check["bound"])
            self.assertEqual(self.counted(check, "by_address_ok"), check["objects"])

    def test_a_control_that_this_machine_cannot_do_is_refused(self) -> None:
        # Where there are two nodes tests/place/suite_allocator_test.sh sees what this control is for.
        done = sb.run(self.programs / "verify_allocator", "--times=no", "--objects=8000", "--control=pages")
        if done.code == 1:
            self.assertEqual(done.out, "")
            self.assertRegex(done.err, r"\Averify_allocator: --control=pages: this (machine|system) [^\n]+\n\Z")
        else:
            self.assertEqual(done.code, 2, done.err)

    @unittest.skipUnless(DENY.exists(), "build/tests/seccomp_deny is not built")
    def test_where_the_kernel_may_not_be_asked_addresses_decide(self) -> None:
        file = self.folder / "denied.json"
        done = sb.run(DENY, "mbind,set_mempolicy,get_mempolicy,move_pages", self.programs / "verify_allocator",
                      "--times=no", "--objects=4000", "--json", file)
        self.assertEqual(done.code, 0, done.err)
        found = json.loads(file.read_text())
        for check in found["checks"]:
            self.assertEqual(self.counted(check, "by_address_ok"), check["objects"])
            plain = sum(kind["objects"] for kind in self.kinds(check) if kind["node"] == -1)
            self.assertEqual((check["wrong"], check["policy_unknown"]), (0, plain))
        refused = sb.run(DENY, "mbind", self.programs / "verify_allocator", "--control=bound")
        self.assertEqual((refused.code, refused.out), (1, ""))

    def test_control_owners_are_not_followed_before_rewriting(self) -> None:
        found = self.verify("--objects=4000", "--owners", code=2)
        self.assertEqual([check["wrong"] for check in found["checks"]], [0, 0, 0, 4000])

    def test_the_table_of_times(self) -> None:
        done, found = self.call("verify_allocator", "--objects=200", "--time-threads=2,1", "-s", "0.001")
        self.assertEqual([(time["allocator"], time["threads"]) for time in found["times"]],
                         [("numa", 1), ("malloc", 1), ("numa", 2), ("malloc", 2)])
        for time in found["times"]:
            self.assertLess(0, time["alloc_ns"])
            self.assertLess(0, time["free_ns"])
            self.assertLess(0, time["elapsed_ns"])
        self.assertIn("new numa<T,k>, delete", done.out)
        self.assertEqual(self.verify("--objects=200")["times"], [])

    def test_bad_options_are_one_line_and_1(self) -> None:
        for program, arguments in (
                ("verify_allocator", (["--objects=99"], ["--nodes="], ["--nodes=0,"], ["--nodes=1024"], ["--threads=1"],
                                      ["--control=x"], ["--times=maybe"], ["-s", "0"], ["x"],
                                      ["--json", "/nonexistent/json"])),
                ("throughput_compare", (["--threads=0"], ["--threads=1;2"], ["--size=33"], ["--node=4"],
                                        ["--repeats=0"], ["--csv="], ["--csv", "/nonexistent/csv"],
                                        ["--json", "/nonexistent/json"], ["--control=tcache"]))):
            for words in arguments:
                done = sb.run(self.programs / program, *words)
                self.assertEqual((done.code, done.out), (1, ""), words)
                self.assertRegex(done.err, rf"\A{program}: [^\n]+\n\Z", words)

    def test_help_names_every_option(self) -> None:
        for program, options in (("verify_allocator", "nodes objects threads time-threads seconds seed json control "
                                                      "owners times"),
                                 ("throughput_compare", "threads size node repeats seconds csv json control")):
            done = sb.run(self.programs / program, "-h")
            self.assertEqual(done.code, 0)
            for option in options.split():
                self.assertIn(f"--{option} ", done.out)

    def test_a_sweep_in_csv_json_and_the_table(self) -> None:
        file = self.folder / "sweep.csv"
        done, found = self.compare("--threads=1,2", "--repeats=3", "--csv", str(file))
        with open(file, encoding="utf-8") as stream:
            repeats = list(csv.DictReader(stream))
        self.assertEqual(found["wrong"], 0)
        self.assertEqual({row["wrong"] for row in repeats}, {"0"})
        measured = [row for row in found["rows"] if "missing" not in row]
        self.assertEqual(len(repeats), 3 * len(measured))
        self.assertEqual([(row["pattern"], row["threads"]) for row in found["rows"] if row["allocator"] == "numa"],
                         [("batch", 1), ("batch", 2), ("cycle", 1), ("cycle", 2)])
        for name in ("numa", "numa_at", "by_node", "malloc", "no_thread_cache"):
            self.assertEqual(len([row for row in measured if row["allocator"] == name]), 4, name)
        for row in measured:
            self.assert_row_agrees_with_its_repeats(row, repeats)
        for fact in ("CPU", "CPUs", "governor", "kernel", "nodes with memory", "THP", "numa_balancing", "glibc",
                     "jemalloc", "compiler", "built"):
            self.assertIn(f"\n  {fact:<18} {found['environment'][fact]}\n", done.out)
        self.assertIn("UMF=1", found["environment"]["built"])

    def assert_row_agrees_with_its_repeats(self, row: Json, repeats: List[Dict[str, str]]) -> None:
        def of(name: str, figure: str) -> List[float]:
            return [float(each[figure]) for each in repeats
                    if (each["pattern"], each["threads"], each["allocator"]) ==
                    (row["pattern"], str(row["threads"]), name)]

        def assert_spread(spread: Json, values: List[float]) -> None:
            for key, value in (("median", statistics.median(values)), ("low", min(values)), ("high", max(values))):
                self.assertAlmostEqual(spread[key], value, delta=1e-3 * value, msg=f"{row} {key}")

        name = row["allocator"]
        for figure in ("pair_ns", "elapsed_ns", *(("alloc_ns", "free_ns") if row["pattern"] == "batch" else ())):
            assert_spread(row[figure], of(name, figure))
        assert_spread(row["times_malloc"],
                      [mine / other for mine, other in zip(of(name, "pair_ns"), of("malloc", "pair_ns"))])
        for ratio, figure in (("over_numa_alloc_onnode", "pair_ns"), ("over_numa_alloc_onnode_elapsed", "elapsed_ns")):
            onnode = of("numa_alloc_onnode", figure)
            self.assertEqual(ratio in row, bool(onnode))
            if onnode:
                assert_spread(row[ratio], [other / mine for mine, other in zip(of(name, figure), onnode)])

    def test_more_threads_than_cpus_are_labelled(self) -> None:
        done, found = self.compare(f"--threads=1,{CPUS + 1}", "--repeats=1")
        self.assertEqual({row["threads"]: row["time_sliced"] for row in found["rows"]}, {1: False, CPUS + 1: True})
        self.assertRegex(done.out, rf"(?m)^ +{CPUS + 1}\*  new numa<T,k>, delete ")
        self.assertRegex(done.out, r"(?m)^ +1   new numa<T,k>, delete ")
        self.assertIn(f"* more threads than the {CPUS} CPUs of this process", done.out)
        self.assertNotIn("more threads than", self.compare("--threads=1", "--repeats=1")[0].out)

    def test_the_seeds_figures_stand_beside_ours(self) -> None:
        done, found = self.compare("--threads=1,20", "--repeats=1")
        for row, seed in ((("numa", "batch", 20), "22.7 + 20.4 = 43.1, 1.30 x malloc"),
                          (("malloc", "batch", 20), "16.4 + 16.6 = 33.1"),
                          (("no_thread_cache", "batch", 20), "42,305 per alloc"),
                          (("numa", "cycle", 20), "45.0, 8,191 times as fast"),
                          (("numa", "cycle", 1), "26.0, 205 times as fast")):
            shown = [r.get("seed") for r in found["rows"] if (r["allocator"], r["pattern"], r["threads"]) == row]
            self.assertEqual(shown, [seed])
            self.assertIn(seed, done.out)
        # They are of 32 bytes.
        self.assertNotIn("x malloc\n", self.compare("--threads=20", "--repeats=1", "--size=64")[0].out)

    def test_control_objects_elsewhere_are_found(self) -> None:
        done, found = self.compare("--threads=2", "--repeats=1", "--control=node", code=2)
        for row in found["rows"]:
            ours = row["allocator"] in ("numa", "numa_at", "by_node")
            if ours or row["allocator"] == "malloc":
                self.assertEqual(row["wrong"], row["looked_at"] if ours else 0, row)
                self.assertLess(0, row["looked_at"])
        self.assertIn("WRONG: 2000 of 2000 objects elsewhere", done.out)
        self.assertIn("objects are not where they were asked for", done.err)

    def test_undefined_behaviour_sanitizer_and_another_compiler(self) -> None:
        suite = sb.copy(self.folder / "other", "allocator_test")
        compiler = ["CXX=clang++"] if shutil.which("clang++") else []
        program = sb.built(suite, "UMF=1", "SANITIZE=undefined", *compiler, *VERIFY_ONLY, program="verify_allocator")
        done = sb.run(program, "--objects=2000", "--time-threads=1", "-s", "0.001")
        self.assertEqual(done.code, 0, done.err)


class OverLibnuma(Programs):
    arguments = ("UMF=0",)

    def test_every_object_is_right(self) -> None:
        self.assert_all_right(self.verify("--objects=1000"), 1000, (0, 1, 2, 3))

    def test_control_another_node_is_found_by_address(self) -> None:
        one, plain, eight = self.verify("--objects=1000", "--control=node", code=2)["checks"]
        self.assertLess(0, one["wrong"])
        self.assertEqual(one["wrong"], one["objects"] - self.counted(one, "by_address_ok") + one["strayed"])
        self.assertEqual(plain["wrong"], 0)

    def test_the_automatic_cache_would_crash_and_is_refused(self) -> None:
        self.verify("--control=tcache", code=1)

    def test_a_sweep(self) -> None:
        done, found = self.compare("--threads=1", "--repeats=1")
        self.assertEqual(found["wrong"], 0)
        self.assertIn("UMF=0", found["environment"]["built"])
        self.assertIn("new numa<T,k> over libnuma", done.out)
        self.assertNotIn("seed", found["rows"][0])


class Plain(Programs):
    arguments = ()

    def test_says_that_placement_is_not_built_in(self) -> None:
        done, found = self.call("verify_allocator", "--times=no", "--objects=1000")
        self.assertEqual((found["wrong"], found["placement"]), (0, "not built in"))
        self.assertEqual(done.out.count("contents ok, placement not built in"), 3)

    def test_contents_are_checked_all_the_same(self) -> None:
        self.assertLess(0, self.verify("--objects=1000", "--control=shared", code=2)["wrong"])
        self.verify("--objects=1000", "--control=node", code=1)

    def test_rows_that_need_the_runtime_say_so(self) -> None:
        done, found = self.compare("--threads=1", "--repeats=1")
        missing = {row["allocator"]: row.get("missing") for row in found["rows"]}
        self.assertEqual(missing["by_node"], "this build has no runtime")
        self.assertEqual(missing["no_thread_cache"], "this build has no jemalloc")
        self.assertIsNone(missing["numa"])
        self.assertIn("not measured: this build has no jemalloc", done.out)


@unittest.skipUnless(REWRITER.exists(), "build/bin/numafy-rewrite is not built")
class Rewritten(Programs):
    arguments = ()  # in a rewritten copy: as UMF=1

    @classmethod
    def build(cls, suite: Path) -> Path:
        (cls.folder / "database").mkdir()
        sb.make(suite, "compile_commands.json", f"CDB={cls.folder}/database/compile_commands.json")
        done = sb.run(REWRITER, suite, "-p", cls.folder / "database", "--out", cls.folder / "rewritten")
        if done.code:
            raise AssertionError(done.out + done.err)
        return sb.built(cls.folder / "rewritten", "OPT=-O1", *VERIFY_ONLY, program="verify_allocator")

    def test_owners_are_followed(self) -> None:
        found = self.verify("--objects=4000", "--owners")
        self.assert_all_right(found, 4000, (0, 1, 2, 3))
        owners = found["checks"][3]
        self.assertEqual((owners["wrong"], owners["objects"]), (0, 4002))
        counts = {(kind["kind"], kind["node"]): kind["by_address_ok"] for kind in self.kinds(owners)}
        self.assertEqual(counts, {("chain", 0): 1, ("chain's link", 0): 1000, ("link's label", 0): 1000,
                                  ("chain", 1): 1, ("chain's link", 1): 1000, ("link's label", 1): 1000})


if __name__ == "__main__":
    unittest.main()
