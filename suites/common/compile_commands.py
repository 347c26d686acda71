#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the compile database of a suite: compile_commands.py FILE SOURCE... -- COMPILER FLAG...

Called by suite.mk in the suite's folder, which becomes each entry's directory. The shell has already split the
flags, so that every argument, one with spaces too, arrives as one word and is written as one word.
"""
import json
import os
import sys
from typing import Dict, List, Union


def absolute_include(flag: str, directory: str) -> str:
    """-I folders made absolute, so that an entry means the same wherever it is read."""
    if flag.startswith("-I") and len(flag) > 2:
        return "-I" + os.path.normpath(os.path.join(directory, flag[2:]))
    return flag


def entries(sources: List[str], command: List[str],
            directory: str) -> List[Dict[str, Union[str, List[str]]]]:
    flags = [absolute_include(flag, directory) for flag in command]
    return [{"directory": directory, "file": os.path.join(directory, source),
             "arguments": flags + ["-c", os.path.join(directory, source)]}
            for source in sources]


def main() -> int:
    try:
        cut = sys.argv.index("--")
        out, sources, command = sys.argv[1], sys.argv[2:cut], sys.argv[cut + 1:]
    except (ValueError, IndexError):
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 1
    try:
        with open(out, "w", encoding="utf-8") as stream:
            json.dump(entries(sources, command, os.getcwd()), stream, indent=1)
            stream.write("\n")
    except OSError as error:
        print(f"compile_commands.py: {out}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
