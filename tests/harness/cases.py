# SPDX-License-Identifier: Apache-2.0
"""A golden case: one folder tests/golden/<area>/<case>, read and turned into a tree with a compile database.

Knows the folder's files (tests/README.md lists them) and nothing of what is tested with them.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
SUPPORT = GOLDEN / "support"
RUNTIME = ROOT / "runtime"

_SOURCE_SUFFIXES = {".c": "cc", ".cpp": "c++", ".cc": "c++", ".cxx": "c++"}
_DEFAULT_STANDARD = {"cc": "-std=c11", "c++": "-std=c++17"}
_MAIN = re.compile(rb"\bmain\s*\(")


@dataclass(frozen=True)
class Unit:
    """One compilation: a source path inside the tree, its flags, and "cc" or "c++"."""

    source: str
    flags: Tuple[str, ...]
    language: str


class Case:
    """One folder of tests/golden."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.relative_to(GOLDEN).as_posix()
        self.input = folder / "input"
        self.expected = folder / "expected"
        self.args: List[str] = self._lines("args")
        self.exit = int(self.text("exit", "0"))
        # A reason why the input is not to be compiled, empty if it is.
        self.no_compile_back = self.text("no-compile-back", "").strip()
        self.units: List[Unit] = self._units()

    def text(self, name: str, default: str) -> str:
        """A file of the case, or the default if the case has none."""
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else default

    def _lines(self, name: str) -> List[str]:
        return [line for line in self.text(name, "").splitlines() if line]

    def _units(self) -> List[Unit]:
        listed = self._lines("units")
        if not listed:
            listed = sorted(
                shlex.quote(p.relative_to(self.input).as_posix())
                for p in self.input.rglob("*")
                if p.suffix in _SOURCE_SUFFIXES and not p.is_symlink()
            )
        units = []
        for line in listed:
            source, *flags = shlex.split(line)
            language = _SOURCE_SUFFIXES[Path(source).suffix]
            if not any(f.startswith("-std=") for f in flags):
                flags.insert(0, _DEFAULT_STANDARD[language])
            units.append(Unit(source, tuple(flags), language))
        return units

    @property
    def uses_runtime(self) -> bool:
        """Whether the input itself includes the runtime's header, as a tree with numa<T,k> in its source does."""
        return any(
            b'"numa_alloc.h"' in p.read_bytes() for p in self.input.rglob("*") if p.is_file()
        )

    @property
    def has_main(self) -> bool:
        return any(_MAIN.search((self.input / u.source).read_bytes()) for u in self.units)

    def copy_input(self, tree: Path) -> None:
        shutil.copytree(self.input, tree, symlinks=True)

    def write_database(self, tree: Path, build: Path, with_runtime: bool) -> None:
        """Writes BUILD/compile_commands.json for the copy in TREE."""
        include = [f"-I{SUPPORT}"] + ([f"-I{RUNTIME}"] if with_runtime else [])
        entries: List[Dict[str, object]] = [
            {
                "directory": str(tree),
                "file": str(tree / unit.source),
                "arguments": [unit.language, *unit.flags, *include, "-c", unit.source],
            }
            for unit in self.units
        ]
        build.mkdir(parents=True, exist_ok=True)
        (build / "compile_commands.json").write_text(json.dumps(entries, indent=1), "utf-8")


def find_cases(patterns: List[str]) -> List[Case]:
    """All cases, or those whose name begins with one of the patterns."""
    folders = sorted(p.parent for p in GOLDEN.glob("*/*/input") if p.is_dir())
    cases = [Case(folder) for folder in folders]
    if not patterns:
        return cases
    return [c for c in cases if any(c.name.startswith(p) for p in patterns)]


def snapshot(tree: Path) -> Dict[str, bytes]:
    """Every file of a tree with its bytes; a symbolic link stands for where it points. Our own .numafy is left out."""
    found: Dict[str, bytes] = {}
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree).as_posix()
        if name.split("/")[0] == ".numafy":
            continue
        if path.is_symlink():
            found[name] = b"-> " + str(path.readlink()).encode()
        elif path.is_file():
            found[name] = path.read_bytes()
    return found
