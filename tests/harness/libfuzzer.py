# SPDX-License-Identifier: Apache-2.0
"""Runs the byte-driven fuzzers on their corpora and on new inputs from a fixed seed. Prints TAP.

What an input of the runtime means is in tests/fuzz/ops.c, of the rewriter in tests/fuzz/libfuzzer_tool.c. A corpus is copied, so that a run never adds to the repository;
scripts/nightly runs longer and says what it has found. `FUZZ_SECONDS` replaces the number of runs by a time.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from . import proc, tap
from .cases import ROOT
from .runner import Options, WorkFolder, options

_CORPUS = ROOT / "tests" / "fuzz" / "corpus"


@dataclass(frozen=True)
class Target:
    """part: of the program's and the corpus's name. runs: without FUZZ_SECONDS."""

    part: str
    name: str
    runs: int
    max_len: int


_TARGETS = (
    Target("runtime", "libFuzzer finds no input on which the runtime and the model disagree", 2000, 512),
    Target("tool", "libFuzzer finds no bytes that the rewriter's parts do not keep", 5000, 1024),
)
_DONE = re.compile(r"Done (\d+) runs")


def fuzz(opts: Options, target: Target, writer: tap.Writer) -> None:
    name = target.name
    program = opts.build / "tests" / f"libfuzzer_{target.part}"
    corpus = _CORPUS / target.part
    if not program.exists():
        writer.skip(name, "clang-19 with libclang-rt-19-dev is not here, or came after the build")
        return
    with WorkFolder("libfuzzer", opts.keep) as work:
        inputs = work / "inputs"
        shutil.copytree(corpus, inputs)
        seconds = int(os.environ.get("FUZZ_SECONDS", "0"))
        much = [f"-max_total_time={seconds}"] if seconds else [f"-runs={target.runs}", "-seed=1"]
        limits = [f"-max_len={target.max_len}", "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=0"]
        argv = [program, *much, *limits, f"-artifact_prefix={work}/", inputs]
        result = proc.run(
            argv, cwd=work, env={"NUMAFY_QUIET": "1"}, timeout_s=seconds + 200, merge=True
        )
        said = result.stdout.decode("utf-8", "replace")
        sys.stderr.write(said)
        done = _DONE.search(said)
        problem = ""
        if result.status != 0 or not done:
            problem = f"{result.how}\n{_kept(work, program)}{said[-4000:]}"
        elif int(done.group(1)) < len(list(corpus.iterdir())):
            problem = f"{done.group(0)}, the corpus alone has more"
        writer.report(name, problem)


def _kept(work: Path, program: Path) -> str:
    """The inputs that failed, saved where they outlive the run."""
    lines = ""
    for found in sorted(work.glob("*-*")):
        if found.is_file():
            kept = Path("/tmp") / f"numafy-fuzz-{found.name}"
            shutil.copy(found, kept)
            lines += f"again: {program} {kept}\n"
    return lines


def main() -> int:
    opts = options("Runs libFuzzer on the runtime and on the rewriter's parts.")
    writer = tap.Writer(len(_TARGETS))
    for target in _TARGETS:
        fuzz(opts, target, writer)
    return 1 if writer.failed else 0


if __name__ == "__main__":
    sys.exit(main())
