# SPDX-License-Identifier: Apache-2.0
"""--in-place and --undo: replaces edited files in the tree itself, and brings the old bytes back.

TREE/.numafy/original/ holds the old files and TREE/.numafy/in-place.json what was done, both
complete on disk before the first file of the tree changes. A run that is interrupted at any point
can therefore be undone.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path
from typing import Any, Dict, List

from .errors import EXIT_USAGE, EXIT_WRITE, NumafyError
from .files import dump_json, is_inside, read_json, real, sha256, shown, write_atomically

STATE = ".numafy"
MANIFEST = "in-place.json"
ORIGINAL = "original"


def refuse_twice(tree: Path) -> None:
    if (tree / STATE / MANIFEST).exists():
        raise NumafyError(
            f"{shown(tree)} is already rewritten in place; undo that first: --undo {shown(tree)}"
        )


def changed_files(tree: Path, rewritten: Path) -> List[str]:
    """The files that differ between the tree and its rewritten copy, relative names in order."""
    changed = []
    for folder, folders, names in os.walk(rewritten):
        if Path(folder) == rewritten:
            folders[:] = [name for name in folders if name != STATE]
        for name in names:
            new = Path(folder) / name
            below = os.path.relpath(new, rewritten)
            old = tree / below
            if new.is_symlink() or not new.is_file() or not old.is_file():
                continue
            if new.read_bytes() != old.read_bytes():
                changed.append(below)
    return sorted(changed)


def apply(tree: Path, rewritten: Path) -> List[str]:
    """Bring the edits of the rewritten copy into the tree; returns the changed files."""
    refuse_twice(tree)
    names = changed_files(tree, rewritten)
    if not names:
        return []
    for name in names:
        if (tree / name).is_symlink() or not is_inside(tree / name, tree):
            raise NumafyError(
                f"{shown(tree / name)} is reached through a symbolic link: use --out instead of "
                "--in-place"
            )
    state = tree / STATE
    entries: List[Dict[str, Any]] = []
    try:
        shutil.rmtree(state / ORIGINAL, ignore_errors=True)
        for name in names:
            kept = state / ORIGINAL / name
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / name, kept)
            entries.append(
                {
                    "path": name,
                    "before": sha256(kept.read_bytes()),
                    "after": sha256((rewritten / name).read_bytes()),
                }
            )
    except OSError as error:
        shutil.rmtree(state / ORIGINAL, ignore_errors=True)
        raise NumafyError(
            f"cannot keep the old files in {shown(state)}: {error.strerror}; nothing was changed",
            EXIT_WRITE,
        ) from error
    write_atomically(state / MANIFEST, dump_json({"version": 1, "files": entries}))
    for name in names:
        _replace(tree / name, (rewritten / name).read_bytes())
    return names


def undo(tree: Path) -> List[str]:
    """Give the tree its old bytes back; refuses, untouched, if a file was changed since."""
    state = tree / STATE
    try:
        entries = read_json(state / MANIFEST)["files"]
    except FileNotFoundError:
        raise NumafyError(
            f"{shown(tree)} was not rewritten in place: it has no {STATE}/{MANIFEST}"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NumafyError(f"{shown(state / MANIFEST)} cannot be used: {error}") from error
    names = [entry["path"] for entry in entries if _needs_undo(tree, state, entry)]
    for name in names:
        _replace(tree / name, (state / ORIGINAL / name).read_bytes())
        shutil.copystat(state / ORIGINAL / name, tree / name)
    (state / MANIFEST).unlink()
    shutil.rmtree(state / ORIGINAL)
    with contextlib.suppress(OSError):  # not ours alone: logs of a build may be there
        state.rmdir()
    return names


def _needs_undo(tree: Path, state: Path, entry: Dict[str, Any]) -> bool:
    path, kept = tree / entry["path"], state / ORIGINAL / entry["path"]
    if not is_inside(real(path), tree):
        raise NumafyError(
            f"{shown(path)} is outside the tree: {STATE}/{MANIFEST} is not ours", EXIT_USAGE
        )
    if not kept.is_file() or sha256(kept.read_bytes()) != entry["before"]:
        raise NumafyError(f"the kept copy {shown(kept)} is damaged; nothing was undone")
    now = sha256(path.read_bytes()) if path.is_file() else ""
    if now == entry["before"]:
        return False
    if now != entry["after"]:
        raise NumafyError(
            f"{shown(path)} was changed after the rewrite; nothing was undone "
            f"(its old bytes are in {shown(kept)})"
        )
    return True


def _replace(path: Path, data: bytes) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    write_atomically(path, data)
    os.chmod(path, mode)
