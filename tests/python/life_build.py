# SPDX-License-Identifier: Apache-2.0
"""What the tests of process life share: small programs of tests/life, built in odd ways and run."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import ClassVar, Dict, NamedTuple, Optional

from harness import proc

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests" / "life"
BUILD = Path(os.environ.get("BUILD", ROOT / "build"))
LIBS = ("-lpthread", "-ldl", "-lm")
EXPORT = "-Wl,--export-dynamic-symbol=numafy_*"
COMPILERS = [c for c in ("gcc", "clang-14", "clang-19") if shutil.which(c)]


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Life(unittest.TestCase):
    """A folder per class; programs and libraries are built into it."""

    folder: ClassVar[Path]
    # How much each compiler optimises; -O0 where it is not named. Compiling the runtime into each program is what these
    # tests' time goes into, and -O1 takes four times as long.
    levels: ClassVar[Dict[str, str]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="life-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)

    def build(self, name: str, *words: object, include: Optional[Path] = None, cc: str = "gcc") -> Path:
        """The program or library `name`; words are sources of tests/life and options, in their order."""
        out = self.folder / name
        argv = [str(SOURCES / w) if re.fullmatch(r"[\w.]+\.(c|cpp)", str(w)) else str(w) for w in words]
        level = self.levels.get(cc, "-O0")
        done = proc.run([cc, level, f"-I{include or ROOT / 'runtime'}", *argv, "-o", out, *LIBS])
        self.assertEqual(done.status, 0, done.stderr.decode())
        return out

    def run_it(self, *words: object, **env: str) -> Done:
        """Runs a program with the caller's environment but for numafy's own settings."""
        keep = {n: v for n, v in os.environ.items() if not n.startswith("NUMAFY_") and n != "LD_PRELOAD"}
        argv = ["env", "-i", *(f"{n}={v}" for n, v in {**keep, **env}.items()), *words]
        done = proc.run([str(w) for w in argv], timeout_s=200)
        self.assertFalse(done.timed_out, f"{words}: hangs\n{done.stderr.decode()}")
        return Done(done.status, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))

    def expect(self, out: str, *words: object, err: Optional[str] = None, **env: str) -> Done:
        """Runs it to a good end with this output, and with this on standard error (a pattern)."""
        done = self.run_it(*words, **env)
        self.assertEqual((done.code, done.out), (0, out), done.err)
        if err is not None:
            self.assertRegex(done.err, rf"\A{err}\Z")
        return done


OFF = r"numafy: the pools are off, everything is plain malloc: "
NODE_1 = r"(numafy: node 1 does not exist.*: what goes there goes to node \d+\n)?"
