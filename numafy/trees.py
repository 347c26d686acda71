# SPDX-License-Identifier: Apache-2.0
"""The evidence run over a tree that nobody here wrote: built, rewritten and tested several times.

A recipe (docs/trees.md has its form) says how the tree is built and tested; recipes and trees stay
outside of this repository. The steps:

    original  built and tested as it is; its build is recorded
    all       rewritten with --all; its tests without a root, and with NUMAFY_AMBIENT=1
    place     rewritten with the recipe's placements; its tests
    reach     how much of what the placed data reach is on their node, and that without the edits,
              or without one of them, it is less; rewrites what ``place`` left
    controls  one site hidden: the soundness check must fail
    cost      CPU time of the rewriter against clang -fsyntax-only over the same units

Every step's result is a plain dict; ``row`` makes the line for the table of docs/trees.md of them.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import build, compdb, links, project, reach, report, rewrite, runner, sites
from .errors import EXIT_BUILD, EXIT_USAGE, NumafyError, worst
from .files import dump_json, is_inside, real, read_json, shown, temporary_folder, write_atomically
from .progress import Progress

STEPS = ("original", "all", "place", "reach", "controls", "cost")
CLANG = ("clang-19", "clang")
REACH_WANTED = {"c": 0.9, "c++": 0.95}
HIDDEN = ("new", "new[]", "malloc", "calloc", "realloc")  # words that are accounted for
IN_DIRECTIVE = "NF1010"  # in a macro's body: accounted for without being a site
REACH_OFF = 0.1  # what is on the node without the edits is below
LEFT_OUT = 5  # edits that are left out in turn until one is missed
TEST_LIMIT_S = 1800  # a test that hangs is a result too
Result = Dict[str, Any]


class Recipe(NamedTuple):
    """How to handle one tree. Commands are /bin/sh lines, run in the tree's top folder."""

    name: str
    build: str
    test: str
    repository: str = ""
    commit: str = ""
    source: str = ""
    same: Tuple[str, ...] = ()
    """Patterns: what they match in the output of the tests must be the same every time."""
    reach: str = ""
    """The command whose reach is counted, if the tests are too much for it."""
    place: Tuple[str, ...] = ()
    root: Tuple[str, ...] = ()
    leave: str = ""
    """FILE:LINE of the edit that the second control leaves, if not the one that made most."""
    only: str = ""
    """A pattern for the paths of the units to rewrite; empty: all that the build compiles."""


def load_recipe(path: Path) -> Recipe:
    """Read a recipe. NumafyError names what is wrong with it."""
    try:
        fields = read_json(path)
    except OSError as error:
        raise NumafyError(f"cannot read {shown(path)}: {error.strerror}") from error
    except ValueError as error:
        raise NumafyError(f"{shown(path)} is not JSON: {error}") from error
    if not isinstance(fields, dict):
        raise NumafyError(f"{shown(path)}: an object is expected")
    unknown = sorted(set(fields) - set(Recipe._fields))
    if unknown:
        raise NumafyError(f"{shown(path)}: unknown field {shown(unknown[0])}")
    for name in ("name", "build", "test"):
        if not isinstance(fields.get(name), str) or not fields[name]:
            raise NumafyError(f'{shown(path)}: "{name}" is missing')
    for name in ("same", "place", "root"):
        value = fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise NumafyError(f'{shown(path)}: "{name}" is not a list of texts')
        fields[name] = tuple(value)
    for pattern in (*fields["same"], str(fields.get("only", ""))):
        try:
            re.compile(pattern)
        except re.error as error:
            raise NumafyError(f"{shown(path)}: {shown(pattern)}: {error}") from error
    return Recipe(**fields)


class Run:
    """One tree's evidence run in a folder of its own; every method is one step."""

    def __init__(self, recipe: Recipe, tree: Path, work: Path, jobs: int, progress: Progress):
        self.recipe = recipe
        self.tree = real(tree)
        self.work = real(work)
        self.jobs = jobs
        self.progress = progress
        self.facts: Result = {"name": recipe.name, "commit": recipe.commit}

    @property
    def database(self) -> Path:
        return self.work / compdb.NAME

    @property
    def links(self) -> Path:
        return self.work / links.NAME

    def _options(self, **more: Any) -> rewrite.Options:
        known = self.links if self.links.is_file() else None
        return rewrite.Options(jobs=self.jobs, links=known, **more)

    # ---- the original ----------------------------------------------------------------------

    def original(self) -> Result:
        """Build a copy as it is, test it, and have the build of another one recorded."""
        copy = self.work / "original" / self.tree.name
        shutil.rmtree(copy, ignore_errors=True)
        compdb.copy_tree(self.tree, copy)
        log = self.work / "logs" / "build-original.log"
        with self.progress.step(f"{self.recipe.name}: building the original"):
            code = runner.logged(
                runner.shell(self.recipe.build),
                log,
                cwd=copy,
                env=_plain_environment(),
                tick=self.progress.tick,
            )
        if code:
            raise NumafyError(
                f"{self.recipe.name}: the original does not build (log: {shown(log)})",
                EXIT_BUILD,
                runner.tail(log),
            )
        self._record()
        self._select_units()
        tests = self._test(copy, "original", _plain_environment())
        if tests["code"]:
            raise NumafyError(
                f"{self.recipe.name}: the original's own tests fail "
                f"(log: {shown(self._log('original'))})",
                EXIT_BUILD,
                runner.tail(self._log("original")),
            )
        return {"units": len(compdb.load(self.database)), "tests": tests}

    def _record(self) -> None:
        with compdb.of_tree(
            self.tree, None, self.recipe.build, self.jobs, self.progress, build.environment
        ) as database:
            shutil.copy2(database.file, self.database)
            if database.links is not None:
                shutil.copy2(database.links, self.links)

    def _select_units(self) -> None:
        if not self.recipe.only:
            return
        wanted = re.compile(self.recipe.only)
        entries = [
            entry
            for entry in compdb.load(self.database)
            if wanted.search(os.path.relpath(compdb.source_of(entry), self.tree))
        ]
        if not entries:
            raise NumafyError(f"{self.recipe.name}: \"only\" leaves no unit of the build")
        write_atomically(self.database, dump_json(entries))

    # ---- rewritten -------------------------------------------------------------------------

    def all(self) -> Result:
        """--all: the tests without a root, then as a whole inside node 1's scope."""
        result = self._rewritten("all", self._options(all=True))
        out = self.work / "all"
        result["tests"] = self._test(out, "all", self._environment(out))
        log = self._log("ambient").with_suffix(".sites")
        log.unlink(missing_ok=True)
        environment = {
            **self._environment(out),
            **sites.environment_of_run(log),
            "NUMAFY_AMBIENT": "1",
        }
        result["ambient"] = self._test(out, "ambient", environment)
        result["ambient"].update(self._executed(out, log))
        return result

    def place(self) -> Result:
        """The recipe's types and variables on their nodes; the tests."""
        if not (self.recipe.place or self.recipe.root):
            return {"skipped": "the recipe places nothing"}
        options = self._options(place=self.recipe.place, root=self.recipe.root)
        result = self._rewritten("place", options)
        out = self.work / "place"
        log = self._log("place").with_suffix(".sites")
        log.unlink(missing_ok=True)
        environment = {**self._environment(out), **sites.environment_of_run(log)}
        result["tests"] = self._test(out, "place", environment)
        result["tests"].update(self._executed(out, log))
        both = self._options(all=True, place=self.recipe.place, root=self.recipe.root)
        result["with_all"] = dict(
            Counter(
                site["action"] if site["allocates"] else "no_allocation"
                for site in self._dry("with-all", {}, both).sites
            )
        )
        return result

    # ---- reach -----------------------------------------------------------------------------

    def reach(self) -> Result:
        """Objects, not edits: what the placed data reach, with the edits and without them."""
        if not (self.recipe.place or self.recipe.root):
            return {"skipped": "the recipe places nothing"}
        made = report.Report.load(self.work / "place" / ".numafy" / "report.json")
        cxx = any(not compdb.source_of(e).endswith(".c") for e in compdb.load(self.database))
        ran = self._log("reach-place").with_suffix(".sites")
        ran.unlink(missing_ok=True)
        found = self._reached(made, "place", sites.environment_of_run(ran))
        result: Result = {
            "wanted": REACH_WANTED["c++" if cxx else "c"],
            **_reach_facts(found),
            "others": found.others,
            "scopes_seen": found.scopes_seen,
            "off_node": found.off_node,
            "without": _reach_facts(self._reached_without(made, "*")),
        }
        idle = self._executed(self.work / "place", ran)["not_executed"]
        named = [self.recipe.leave] if self.recipe.leave else []
        for site in named or edits_to_leave(made, found, idle):
            one = self._reached_without(made, f"{self.tree}/{site}")
            result["without_one"] = {"site": site, **_reach_facts(one)}
            if one.on_node < found.on_node:
                break  # else a caller's edit covers it
        return result

    def _reached(
        self, made: report.Report, name: str, more: Optional[Mapping[str, str]] = None
    ) -> reach.Reached:
        out = self.work / name
        log = self._log(f"reach-{name}").with_suffix(".json")
        log.unlink(missing_ok=True)
        environment = {**self._environment(out), **reach.environment_of_run(log), **(more or {})}
        self._run_tests(out, f"reach-{name}", environment, self.recipe.reach or self.recipe.test)
        return reach.count(made, out, reach.read(log))

    def _reached_without(self, made: report.Report, edits: str) -> reach.Reached:
        """Rewrites once more, but leaves that line, or all (``*``)."""
        options = self._options(place=self.recipe.place, root=self.recipe.root)
        self._rewritten("less", options, {"NUMAFY_TEST_LEAVE": edits})
        return self._reached(made, "less")

    def _rewritten(
        self,
        name: str,
        options: rewrite.Options,
        variables: Optional[Mapping[str, str]] = None,
    ) -> Result:
        """Rewrite the tree into the folder ``name`` and build that with the tree's own command."""
        out = self.work / name
        shutil.rmtree(out, ignore_errors=True)  # what an earlier run built would stay
        before = _children_cpu_s()
        outcome = rewrite.run(
            self.tree, self.database, out, options, self.work, self.progress, variables
        )
        if outcome.report is None or outcome.code not in rewrite.WROTE_TREE:
            raise NumafyError(
                f"{self.recipe.name}: the rewriter ended with {outcome.code}", outcome.code
            )
        made = outcome.report
        result: Result = {
            "rewriter_cpu_s": round(_children_cpu_s() - before, 2),
            "totals": made.totals,
            "left": report.left_by_reason(made),
            "failed": [made.name_of(f["path"]) for f in made.files if f["status"] == "failed"],
            "edited": made.edited(),
        }
        build.forget_compiled(out)
        tell = sites.environment_of_build()
        build.run("build", self.recipe.build, out, self.progress, tell)
        covered = build.coverage(out, made, self.recipe.build)
        result["compiled"] = len(covered.compiled)
        result["not_compiled"] = covered.not_compiled
        return result

    def _environment(self, out: Path) -> Dict[str, str]:
        # A machine of one node warns that node 1 is served by node 0: no output of the tree's own.
        return {**build.environment(out), "NUMAFY_QUIET": "1"}

    def _executed(self, out: Path, log: Path) -> Result:
        ran = sites.read(log)
        covered = sites.coverage(report.Report.load(out / ".numafy" / "report.json"), out, ran)
        return {
            "executed": len(covered.executed),
            "edited": len(covered.edited),
            "on_node": len(covered.on_node),
            "not_executed": [
                f"{site['file']}:{site['line']}: {site['type']}" for site in covered.not_executed
            ],
        }

    # ---- controls and cost -----------------------------------------------------------------

    def controls(self) -> Result:
        """Hide one site: it must be counted as lost, or the soundness check sees nothing."""
        plain = self._dry("plain", {})
        mains = {os.path.relpath(compdb.source_of(e), self.tree) for e in compdb.load(self.database)}
        words = [s for s in plain.sites if s["kind"] in HIDDEN and s["id"] != IN_DIRECTIVE]
        line = next((s["line"] for s in words if plain.name_of(s["file"]) in mains), None)
        if line is None:
            return {"hidden_is_lost": None}
        hidden = self._dry("hidden", {"NUMAFY_TEST_HIDE_SITE": str(line)})
        return {"hidden_is_lost": hidden.totals["lost"] > plain.totals["lost"]}

    def _dry(
        self, name: str, environment: Mapping[str, str], given: Optional[rewrite.Options] = None
    ) -> report.Report:
        file = self.work / f"{name}.json"
        options = given or self._options(all=True)
        argv = [
            str(project.rewriter()),
            *rewrite.arguments(self.tree, self.database, None, options, file),
            *([] if given else ["--no-cache"]),
        ]
        done = runner.capture(argv, env={**os.environ, **environment})
        if done.code not in rewrite.REPORTED:
            raise NumafyError(f"{self.recipe.name}: the rewriter ended with {done.code}", done.code)
        return report.Report.load(file)

    def cost(self) -> Result:
        """CPU seconds of a dry run and of clang's parser, one process at a time, in turns."""
        clang = next((found for found in map(shutil.which, CLANG) if found), None)
        if clang is None:
            raise NumafyError(f"the cost needs {CLANG[0]}")
        start = _children_cpu_s()
        self._dry("cost", {})
        ours = _children_cpu_s() - start
        start = _children_cpu_s()
        with self.progress.step(f"{self.recipe.name}: {clang} -fsyntax-only"):
            for entry in compdb.load(self.database):
                runner.capture(
                    _syntax_only(entry, clang), Path(entry["directory"]), _plain_environment()
                )
        theirs = _children_cpu_s() - start
        return {
            "rewriter_cpu_s": round(ours, 2),
            "clang_cpu_s": round(theirs, 2),
            "ratio": round(ours / theirs, 2) if theirs else None,
        }

    # ---- tests -----------------------------------------------------------------------------

    def _log(self, name: str) -> Path:
        return self.work / "logs" / f"test-{name}.log"

    def _test(self, folder: Path, name: str, environment: Mapping[str, str]) -> Result:
        """The tree's own tests: exit status, what "same" finds in the output, how much was placed.

        Each process of the rewritten tree leaves its statistics in a file of its own.
        """
        log = self._log(name)
        stats = self.work / "stats" / name
        shutil.rmtree(stats, ignore_errors=True)
        stats.mkdir(parents=True)
        if name != "original":
            environment = {**environment, "NUMAFY_STATS": str(stats / "%p.json")}
        code = self._run_tests(folder, name, environment, self.recipe.test)
        text = log.read_bytes().decode("utf-8", "surrogateescape")
        found = [
            match.group(0)
            for pattern in self.recipe.same
            for match in re.finditer(pattern, text, re.M)
        ]
        if self.recipe.same and not found and not code:
            raise NumafyError(
                f'{self.recipe.name}: "same" matches nothing in the output of the tests'
            )
        return {"code": code, "same": found, **placed(stats)}


    def _run_tests(
        self, folder: Path, name: str, environment: Mapping[str, str], command: str
    ) -> int:
        limit = ["timeout", "-k", "10", str(TEST_LIMIT_S)]
        with self.progress.step(f"{self.recipe.name}: tests, {name}"):
            return runner.logged(
                [*limit, *runner.shell(command)],
                self._log(name),
                cwd=folder,
                env=environment,
                tick=self.progress.tick,
            )


def edits_to_leave(made: report.Report, found: reach.Reached, idle: Sequence[str]) -> List[str]:
    """Executed edits that blocks on the node are due to, those first that no other edit covers.

    An edit inside a function that an edited call enters a node for is covered by that call. Where
    only callers were edited, the calls for the type that most blocks have stand for them. ``idle``
    are those that did not run.
    """
    by_place = {f"{made.name_of(s['file'])}:{s['line']}": s for s in made.sites}
    ran = [
        place
        for place, site in sorted(by_place.items())
        if site["action"] in ("near", "on") and f"{place}: {site['type']}" not in idle
    ]
    entered = {by_place[place]["kind"] for place in ran}
    most = [place for place, _ in found.by_site.most_common() if place in by_place]
    makers = [place for place in most if place in ran]
    alone = [place for place in makers if by_place[place]["function"] not in entered]
    stated = [place for place in ran if by_place[place]["action"] == "on"]
    types = [by_place[place]["type"] for place in most[:1]]
    callers = [place for place in ran if by_place[place]["type"] in types]
    order = [*alone[:2], *makers[:1], *stated[:2], *callers]
    return list(dict.fromkeys(order))[:LEFT_OUT]


def _reach_facts(found: reach.Reached) -> Result:
    return {
        "processes": found.processes,
        "blocks": found.blocks,
        "on_node": found.on_node,
        "share": round(found.share, 4),
    }


def placed(folder: Path) -> Result:
    """What the processes of a test run had in pools: from the statistics they left at their end."""
    result: Result = {"processes": 0, "with_pools": 0, "pool_bytes": {}}
    for file in sorted(folder.glob("*.json")):
        try:
            one = read_json(file)
        except (OSError, ValueError):
            continue  # of a process that was ended while it wrote
        result["processes"] += 1
        result["with_pools"] += bool(one["nodes"])
        for node in one["nodes"]:
            name = str(node["node"])
            result["pool_bytes"][name] = result["pool_bytes"].get(name, 0) + node["opened"]
    return result


def _plain_environment() -> Dict[str, str]:
    """The user's own compilers, and nothing of numafy's."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMAFY_")}
    env.setdefault("CC", "cc")
    env.setdefault("CXX", "c++")
    return env


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _syntax_only(entry: compdb.Entry, clang: str) -> List[str]:
    """The entry's command for clang's parser alone, as the rewriter's own parser gets it."""
    given = entry.get("arguments") or shlex.split(entry["command"])
    cxx = "++" in os.path.basename(given[0]) or not compdb.source_of(entry).endswith(".c")
    result = [clang, "--driver-mode=g++" if cxx else "--driver-mode=gcc"]
    skip = False
    for argument in given[1:]:
        if skip or argument in ("-o", "-MF", "-MT", "-MQ"):
            skip = not skip
        elif argument not in ("-c", "-MD", "-MMD", "-MP") and not argument.startswith("-Werror"):
            result.append(argument)
    return [*result, "-w", "-fsyntax-only"]


# ---- verdict -----------------------------------------------------------------------------------


def problems(facts: Result) -> List[str]:
    """What of the evidence does not hold; empty: the tree is as it should be."""
    found = []
    wanted = facts.get("original", {}).get("tests")
    for step, run in (("all", "tests"), ("all", "ambient"), ("place", "tests")):
        tests = facts.get(step, {}).get(run)
        if not tests or not wanted:
            continue
        label = f"{step}, {run}"
        if (tests["code"], tests["same"]) != (wanted["code"], wanted["same"]):
            found.append(
                f"{label}: status {tests['code']}, {tests['same'][:3]}; the original: "
                f"status {wanted['code']}, {wanted['same'][:3]}"
            )
        if (step, run) != ("all", "tests") and not tests["pool_bytes"]:
            found.append(f"{label}: no process had a pool")
        if tests.get("edited") and not tests["executed"]:
            found.append(f"{label}: none of {tests['edited']} edited sites was executed")
    for step in ("all", "place"):
        result = facts.get(step, {})
        if result.get("not_compiled"):
            found.append(f"{step}: edited but not compiled: {result['not_compiled'][:3]}")
        if result.get("failed"):
            found.append(f"{step}: not parsed: {result['failed'][:3]}")
        if result.get("totals", {}).get("lost"):
            found.append(f"{step}: {result['totals']['lost']} lost")
    found += _reach_problems(facts.get("reach", {}))
    if facts.get("controls", {}).get("hidden_is_lost") is False:
        found.append("controls: a hidden site was not counted as lost")
    return found


def _reach_problems(facts: Result) -> List[str]:
    if "share" not in facts:
        return []
    found = []
    if facts["share"] < facts["wanted"]:
        first = facts["off_node"][:3]
        found.append(
            f"reach: {facts['on_node']} of {facts['blocks']} blocks on the node; not: {first}"
        )
    less = facts["without"]
    if not less["blocks"]:
        found.append("reach: without the edits nothing is reached: name a variable as root")
    elif less["share"] >= REACH_OFF:
        found.append(f"reach: {less['share']} without the edits")
    if facts.get("without_one", {"on_node": -1})["on_node"] >= facts["on_node"]:
        found.append(f"reach: not lower without {facts['without_one']['site']}")
    return found


HEADING = (
    "| tree | units | sites | near / on / scope / left | --all and placed, of sites that allocate | own tests: before, "
    "no root, placed, inside node 1 | sites executed of edited: placed, inside node 1 | reach, without edits, without one | "
    "parse cost |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def row(facts: Result) -> str:
    """The line for docs/trees.md; a step that was not made is a dash."""

    def actions(step: str, names: Sequence[str]) -> str:
        totals = facts.get(step, {}).get("totals")
        return " / ".join(str(totals[name]) for name in names) if totals else "-"

    def verdict(step: str, run: str) -> str:
        tests = facts.get(step, {}).get(run)
        if not tests:
            return "-"
        wanted = facts.get("original", {}).get("tests", tests)
        same = (tests["code"], tests["same"]) == (wanted["code"], wanted["same"])
        return "pass" if same else "FAIL"

    def executed(step: str, run: str, scopes: int) -> str:
        tests = facts.get(step, {}).get(run, {})
        return f"{tests['executed'] + scopes} of {tests['edited']}" if "edited" in tests else "-"

    covered = facts.get("reach", {}).get("scopes_seen", 0)
    cells = [
        facts["name"],
        str(facts.get("original", {}).get("units", "-")),
        actions("all", ("sites",)),
        actions("all", ("near", "on", "scope", "left")),
        _sites_cell(facts.get("place", {}).get("with_all"), covered),
        ", ".join(
            verdict(*run)
            for run in (
                ("original", "tests"),
                ("all", "tests"),
                ("place", "tests"),
                ("all", "ambient"),
            )
        ),
        f"{executed('place', 'tests', covered)}, {executed('all', 'ambient', 0)}",
        _reach_cell(facts.get("reach", {})),
        str(facts.get("cost", {}).get("ratio", "-")),
    ]
    return "| " + " | ".join(cells) + " |"


def _sites_cell(found: Optional[Mapping[str, int]], seen: int) -> str:
    """Sites that have the edit, and scopes that were seen on the node, of those that allocate."""
    if not found:
        return "-"
    edited = found.get("near", 0) + found.get("on", 0)
    all_sites = edited + found.get("scope", 0) + found.get("left", 0)
    share = (edited + seen) / all_sites if all_sites else 0.0
    return f"{edited} + {seen} scopes seen of {all_sites}: {share:.0%}"


def _reach_cell(facts: Result) -> str:
    if "share" not in facts:
        return "-"
    less = facts["without"]["share"]
    one = facts.get("without_one", {"on_node": "-"})["on_node"]
    return f"{facts['share']:.1%}: {facts['on_node']} of {facts['blocks']}, {less:.1%}, {one} blocks"


# ---- command line ------------------------------------------------------------------------------


def _options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/trees",
        description="Build, rewrite and test trees as their recipes say (docs/trees.md).",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("recipes", metavar="RECIPE.json", nargs="+", type=Path)
    add("--from", dest="source", metavar="DIR", type=Path, help="the tree of a single recipe")
    add("--keep", metavar="DIR", type=Path, help="work in DIR/NAME, and leave it there")
    add("--steps", default=",".join(STEPS), help="some of " + ",".join(STEPS))
    add("-j", dest="jobs", metavar="N", type=int, default=len(os.sched_getaffinity(0)))
    result = parser.parse_args(list(argv))
    result.steps = result.steps.split(",")
    for step in result.steps:
        if step not in STEPS:
            parser.error(f"no such step: {step}")
    if result.source and len(result.recipes) > 1:
        parser.error("--from is for one recipe")
    return result


def _tree_of(recipe: Recipe, given: Optional[Path], file: Path) -> Path:
    tree = given or (file.parent / recipe.source if recipe.source else None)
    if tree is None:
        raise NumafyError(f"{recipe.name}: name its tree with --from, or as \"source\"")
    if not tree.is_dir():
        raise NumafyError(f"{recipe.name}: no such folder: {shown(tree)}")
    return tree


def _one(file: Path, options: argparse.Namespace, work: Path, progress: Progress) -> int:
    recipe = load_recipe(file)
    tree = _tree_of(recipe, options.source, file)
    folder = work / recipe.name
    if is_inside(folder, project.ROOT) or is_inside(folder, tree):
        raise NumafyError(f"{shown(folder)}: choose a folder outside of the tree and of numafy")
    folder.mkdir(parents=True, exist_ok=True)
    facts_file = folder / "facts.json"
    run = Run(recipe, tree, folder, options.jobs, progress)
    if "original" not in options.steps and facts_file.is_file():
        run.facts = read_json(facts_file)
    for step in options.steps:
        run.facts[step] = getattr(run, step)()
        write_atomically(facts_file, dump_json(run.facts))
    found = problems(run.facts)
    for line in found:
        progress.say(f"{recipe.name}: {line}")
    print(row(run.facts), flush=True)
    return EXIT_BUILD if found else 0


def main(argv: Sequence[str]) -> int:
    """Run the evidence of every recipe; 0 if all of it holds."""
    options = _options(argv)
    progress = Progress()
    codes = []
    print(HEADING, flush=True)
    with temporary_folder("numafy-trees-") as scratch:
        for file in options.recipes:
            try:
                codes.append(_one(file, options, options.keep or scratch, progress))
            except NumafyError as error:
                if error.detail:
                    print(error.detail, file=sys.stderr)
                progress.say(error.message)
                codes.append(error.code)
    return worst(codes)
