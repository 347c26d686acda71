# SPDX-License-Identifier: Apache-2.0
"""Runs the byte-driven fuzzer of the runtime on its corpus and on new inputs from a fixed seed. Prints TAP.

What an input means is in tests/fuzz/ops.c. The corpus is copied, so that a run never adds to the repository;
scripts/nightly runs longer and says what it has found. `FUZZ_SECONDS` replaces the number of runs by a time.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from . import proc, tap
from .cases import ROOT
from .runner import Options, WorkFolder, options

_CORPUS = ROOT / "tests" / "fuzz" / "corpus" / "runtime"
_RUNS = 2000
_DONE = re.compile(r"Done (\d+) runs")


def fuzz(opts: Options, writer: tap.Writer) -> None:
    name = "libFuzzer finds no input on which the runtime and the model disagree"
    program = opts.build / "tests" / "libfuzzer_runtime"
    if not program.exists():
        writer.skip(name, "clang-19 with libclang-rt-19-dev is not here, or came after the build")
        return
    with WorkFolder("libfuzzer", opts.keep) as work:
        inputs = work / "inputs"
        shutil.copytree(_CORPUS, inputs)
        seconds = int(os.environ.get("FUZZ_SECONDS", "0"))
        much = [f"-max_total_time={seconds}"] if seconds else [f"-runs={_RUNS}", "-seed=1"]
        limits = ["-max_len=512", "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=0"]
        argv = [program, *much, *limits, f"-artifact_prefix={work}/", inputs]
        result = proc.run(
            argv, cwd=work, env={"NUMAFY_QUIET": "1"}, timeout_s=seconds + 200, merge=True
        )
        said = result.stdout.decode("utf-8", "replace")
        sys.stderr.write(said)
        done = _DONE.search(said)
        problem = ""
        if result.status != 0 or not done:
            problem = f"{result.how}\n{_kept(work)}{said[-4000:]}"
        elif int(done.group(1)) < len(list(_CORPUS.iterdir())):
            problem = f"{done.group(0)}, the corpus alone has more"
        writer.report(name, problem)


def _kept(work: Path) -> str:
    """The inputs that failed, saved where they outlive the run."""
    lines = ""
    for found in sorted(work.glob("*-*")):
        if found.is_file():
            kept = Path("/tmp") / f"numafy-fuzz-{found.name}"
            shutil.copy(found, kept)
            lines += f"again: tests/fuzz_runtime {kept} (in the build folder)\n"
    return lines


def main() -> int:
    writer = tap.Writer(1)
    fuzz(options("Runs libFuzzer on the runtime."), writer)
    return 1 if writer.failed else 0


if __name__ == "__main__":
    sys.exit(main())
