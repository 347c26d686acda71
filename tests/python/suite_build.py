# SPDX-License-Identifier: Apache-2.0
"""What the suite's tests share: copies of suites/data_structures in a folder of their own, built and run there."""

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
SUITE = ROOT / "suites" / "data_structures"


class Done(NamedTuple):
    code: int
    out: str
    err: str

    def rows(self) -> List[Dict[str, str]]:
        """The CSV on standard output, without the lines of the verification."""
        lines = [line for line in self.out.splitlines() if not line.startswith("#")]
        return list(csv.DictReader(io.StringIO("\n".join(lines))))


def run(*argv: object, cwd: object = None, **env: str) -> Done:
    done = subprocess.run([str(word) for word in argv], cwd=cwd, env={**os.environ, **env}, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def copy(folder: Path) -> Path:
    """The suite's sources in a new folder; never its programs."""
    return copy_of(SUITE, folder)


def copy_of(suite: Path, folder: Path) -> Path:
    shutil.copytree(suite, folder, ignore=shutil.ignore_patterns("bin", "obj", "compile_commands.json"))
    return folder


@functools.lru_cache(maxsize=None)
def plain() -> Path:
    """The plain program, built once for all tests."""
    folder = tempfile.mkdtemp(prefix="the plain suite ")
    atexit.register(shutil.rmtree, folder)
    return built(copy(Path(folder) / "suite"))


def make(folder: Path, *arguments: str) -> Done:
    return run("make", "-s", "-j2", "-C", folder, f"ROOT_DIR={ROOT}", *arguments)


def built(folder: Path, *arguments: str) -> Path:
    """The program, built with warnings as errors; without debug information, which takes half of the time."""
    done = make(folder, "CHECK=1", *([] if any(a.startswith("OPT=") for a in arguments) else ["OPT=-O0"]), *arguments)
    if done.code:
        raise AssertionError(f"make {' '.join(arguments)} failed:\n{done.err[-3000:]}")
    return folder / "bin" / "data_structures"
