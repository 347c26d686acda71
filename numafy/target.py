# SPDX-License-Identifier: Apache-2.0
"""What cmake/NumafyTarget.cmake runs: rewrites one target's sources, compiles the copy.

    python3 -m numafy.target rewrite TARGET TREE BUILD OUT REWRITER [option...]
    python3 -m numafy.target compile TREE OUT -- COMPILER argument...

CMake goes on naming the original sources, so that its dependencies, include folders and flags stay
what they are; only the compiler sees the copy instead.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import List

from . import compdb, rewrite, runner
from .errors import EXIT_USAGE, NumafyError
from .files import dump_json, read_json, sha256, shown, write_atomically

# Options whose value may be glued to them and is a path.
PATH_OPTIONS = ("-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros")


def rewrite_target(
    target: str, tree: Path, build: Path, out: Path, rewriter: Path, options: List[str]
) -> int:
    """Rewrite the sources of one target; returns the rewriter's status, 0 if nothing has changed."""
    mark = re.compile(rf"(^|[/ \"]){re.escape(f'CMakeFiles/{target}.dir/')}")
    entries = [
        entry
        for entry in compdb.load(build / compdb.NAME)
        if mark.search(entry.get("output") or entry.get("command", ""))
    ]
    if not entries:
        raise NumafyError(f"{shown(build / compdb.NAME)} has no command of target {target}")
    database, state = build / f"numafy-{target}.json", build / f"numafy-{target}.state.json"
    report = build / f"numafy-{target}.report.json"
    if (out / ".numafy").is_dir() and _unchanged(state, _key(entries, options, rewriter)):
        return 0
    state.unlink(missing_ok=True)
    write_atomically(database, dump_json(entries))
    argv = [str(rewriter), str(tree), "-p", str(database), "--out", str(out)]
    done = runner.capture([*argv, "--report", str(report), *options], keep_stderr=False)
    if done.code not in rewrite.WROTE_TREE:
        return done.code
    files = [tree / file["path"] for file in read_json(report)["files"]]
    times = {str(file): _time(file) for file in files}
    write_atomically(
        state, dump_json({"key": _key(entries, options, rewriter), "files": times})
    )
    return 0


def _key(entries: List[compdb.Entry], options: List[str], rewriter: Path) -> str:
    return sha256(os.fsencode(repr((entries, options, str(rewriter), _time(rewriter)))))


def _time(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _unchanged(state: Path, key: str) -> bool:
    """Whether all files that the last run has read are as old as then."""
    try:
        known = read_json(state)
        return known["key"] == key and all(
            _time(Path(name)) == time for name, time in known["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def in_copy(argument: str, tree: str, out: str, build: str) -> str:
    """The argument with a path of the tree turned into that of its copy, if the copy has it."""
    option = next((o for o in PATH_OPTIONS if argument.startswith(o + "/")), "")
    path = argument[len(option) :]
    if path != tree and not path.startswith(tree + "/"):
        return argument
    copied = out + path[len(tree) :]
    is_built = path == build or path.startswith(build + "/")
    return option + copied if not is_built and os.path.exists(copied) else argument


def compile_copy(tree: str, out: str, command: List[str]) -> int:
    """Compile the rewritten copy; returns the compiler's status.

    The object also depends on the originals: what the rewriter changes in this very build, the
    build tool has looked at before, and an original's change is what makes it compile again.
    """
    build = os.path.dirname(os.path.dirname(out))
    words = [command[0], *(in_copy(word, tree, out, build) for word in command[1:])]
    code = runner.passthrough(words)
    if not code and "-MF" in words[:-1]:
        file = Path(words[words.index("-MF") + 1])
        if file.is_file():
            file.write_bytes(_with_originals(file.read_bytes(), tree, out))
    return code if code >= 0 else 128 - code


def _with_originals(text: bytes, tree: str, out: str) -> bytes:
    """A depfile with the original beside each file of the copy."""
    copied, original = (os.fsencode(path).replace(b" ", b"\\ ") for path in (out, tree))
    names = re.findall(re.escape(copied) + rb"(/(?:\\.|[^\s\\])*)", text)
    added = b"".join(b" " + original + name for name in dict.fromkeys(names))
    return re.sub(rb":(?=\s)", lambda _: b":" + added, text, count=1)


def main(argv: List[str]) -> int:
    if argv[:1] == ["compile"] and "--" in argv[3:4]:
        return compile_copy(argv[1], argv[2], argv[4:])
    if argv[:1] == ["rewrite"] and len(argv) >= 6:
        tree, build, out, rewriter = map(Path, argv[2:6])
        try:
            return rewrite_target(argv[1], tree, build, out, rewriter, argv[6:])
        except NumafyError as error:
            print(f"numafy: {error.message}", file=sys.stderr)
            return error.code
    print(__doc__, file=sys.stderr)
    return EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
