# SPDX-License-Identifier: Apache-2.0
"""Where the parts of numafy are: project folder, rewriter, compiler wrappers, suites."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Dict

from .errors import EXIT_USAGE, NumafyError
from .files import shown

ROOT = Path(os.path.realpath(__file__)).parent.parent
SUITES = ROOT / "suites"
OUTPUT = ROOT / "Output"
BUILD_HINT = "cmake --preset release && cmake --build --preset release"


def rewriter() -> Path:
    """The numafy-rewrite program: $NUMAFY_REWRITE, or the one in the project's build folder."""
    given = os.environ.get("NUMAFY_REWRITE")
    if given:
        found = shutil.which(given)
        if not found:
            raise NumafyError(f"NUMAFY_REWRITE names no program: {shown(given)}", EXIT_USAGE)
        return Path(os.path.abspath(found))
    program = ROOT / "build" / "bin" / "numafy-rewrite"
    if not os.access(program, os.X_OK):
        raise NumafyError(
            f"{shown(program)} is not built; in {shown(ROOT)}: {BUILD_HINT}", EXIT_USAGE
        )
    return program


def wrapper_folder() -> Path:
    """The folder with numafy-cc and numafy-c++: the rewriter's, else the project's build/bin."""
    candidates = [ROOT / "build" / "bin"]
    if os.environ.get("NUMAFY_REWRITE"):
        candidates.insert(0, rewriter().parent)
    for folder in candidates:
        if all(os.access(folder / name, os.X_OK) for name in ("numafy-cc", "numafy-c++")):
            return folder
    raise NumafyError(
        f"numafy-cc and numafy-c++ are not built; in {shown(ROOT)}: {BUILD_HINT}", EXIT_USAGE
    )


def suites() -> Dict[str, Path]:
    """The suites by name: folders of suites/ with a Makefile. common/ holds shared files."""
    if not SUITES.is_dir():
        return {}
    return {
        folder.name: folder
        for folder in sorted(SUITES.iterdir())
        if folder.name != "common" and (folder / "Makefile").is_file()
    }
