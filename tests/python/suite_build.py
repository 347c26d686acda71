# SPDX-License-Identifier: Apache-2.0
"""What the suites' tests share: copies of a suite in a folder of their own, built and run there."""

from __future__ import annotations

import atexit
import csv
import functools
import io
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT / "suites"


class Done(NamedTuple):
    code: int
    out: str
    err: str

    def rows(self) -> List[Dict[str, str]]:
        """The CSV on standard output, without the lines of the verification."""
        lines = [line for line in self.out.splitlines() if not line.startswith("#")]
        return list(csv.DictReader(io.StringIO("\n".join(lines))))


def run(*argv: object, cwd: object = None, **env: str) -> Done:
    done = subprocess.run([str(word) for word in argv], cwd=cwd, env={**os.environ, **env}, timeout=600,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def copy(folder: Path, name: str = "data_structures") -> Path:
    """A suite's sources in a new folder; never its programs."""
    return copy_of(SUITES / name, folder)


def copy_of(suite: Path, folder: Path) -> Path:
    shutil.copytree(suite, folder, ignore=shutil.ignore_patterns("bin", "obj", "compile_commands.json"))
    return folder


@functools.lru_cache(maxsize=None)
def plain() -> Path:
    """The plain data_structures, built once for all tests."""
    folder = tempfile.mkdtemp(prefix="the plain suite ")
    atexit.register(shutil.rmtree, folder)
    return built(copy(Path(folder) / "suite"))


def make(folder: Path, *arguments: str) -> Done:
    return run("make", "-s", "-j2", "-C", folder, f"ROOT_DIR={ROOT}", *arguments)


def built(folder: Path, *arguments: str, program: str = "data_structures") -> Path:
    """All programs, built with warnings as errors; without debug information, which takes half of the time;
    the path of one of them."""
    done = make(folder, "CHECK=1", *([] if any(a.startswith("OPT=") for a in arguments) else ["OPT=-O0"]), *arguments)
    if done.code:
        raise AssertionError(f"make {' '.join(arguments)} failed:\n{done.err[-3000:]}")
    return folder / "bin" / program
