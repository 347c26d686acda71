# SPDX-License-Identifier: Apache-2.0
"""What cmake/NumafyTarget.cmake runs: rewrites one target's sources, compiles the copy.

    python3 -m numafy.target rewrite TARGET TREE BUILD OUT REWRITER [--keep-going] [option...]
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

from . import compdb, runner
from .errors import EXIT_CONFLICT, EXIT_UNPARSED, EXIT_USAGE, NumafyError
from .files import dump_json, shown, write_atomically

KEEP_GOING = "--keep-going"  # files that cannot be rewritten are compiled as they are


def rewrite_target(
    target: str, tree: Path, build: Path, out: Path, rewriter: Path, options: List[str]
) -> int:
    """Rewrite the sources of one target; returns the rewriter's status.

    The rewriter itself knows which units have not changed, new headers that hide others included,
    and leaves what it wrote before as it is.
    """
    mark = re.compile(rf"(^|[/ \"]){re.escape(f'CMakeFiles/{target}.dir/')}")
    entries = [
        entry
        for entry in compdb.load(build / compdb.NAME)
        if mark.search(entry.get("output") or entry.get("command", ""))
    ]
    if not entries:
        raise NumafyError(f"{shown(build / compdb.NAME)} has no command of target {target}")
    keep_going = KEEP_GOING in options
    database = build / f"numafy-{target}.json"
    write_atomically(database, dump_json(entries))
    argv = [str(rewriter), str(tree), "-p", str(database), "--out", str(out)]
    argv += [option for option in options if option != KEEP_GOING]
    done = runner.capture(argv, keep_stderr=False)
    if done.code not in (EXIT_UNPARSED, EXIT_CONFLICT):
        return done.code
    hint = "the build goes on" if keep_going else "KEEP_GOING in numafy_target builds it all the same"
    print(f"numafy: target {target}: files above are not rewritten; {hint}", file=sys.stderr)
    return 0 if keep_going else done.code


def in_copy(argument: str, tree: str, out: str, build: str) -> str:
    """The argument with a path of the tree turned into that of its copy, if the copy has it."""
    option = next((o for o in compdb.PATH_OPTIONS if argument.startswith(o + "/")), "")
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
