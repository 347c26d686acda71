# SPDX-License-Identifier: Apache-2.0
"""The link commands of a build folder, from what its generator wrote: CMake's link.txt, build.ninja.

A compile database does not say which units make which program. Every list here has the form that
the rewriter's --links takes (docs/cli-rewrite.md); paths are absolute. What cannot be read is left
out: then the whole database counts as one program.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any, Dict, Iterator, List

from . import record

NAME = "link_commands.json"
NINJA_RULE = re.compile(
    r"(?:C|CXX|c|cpp)?_?(?P<kind>EXECUTABLE|SHARED|STATIC|MODULE)_(?:LIBRARY_)?LINKER.*"
    r"|(?:c|cpp)_LINKER(?:_RSP)?|STATIC_LINKER(?:_RSP)?"
)

Link = Dict[str, Any]


def of_build_folder(folder: Path) -> List[Link]:
    """What CMake (Makefile or Ninja generator) or meson links in this folder; empty if unknown."""
    found = list(_link_texts(folder)) or list(_ninja(folder))
    return sorted(found, key=lambda link: (link["output"], link["inputs"]))


def _link_texts(folder: Path) -> Iterator[Link]:
    """CMakeFiles/TARGET.dir/link.txt of each folder: command lines, run in that folder."""
    for file in sorted(folder.rglob("CMakeFiles/*.dir/link.txt")):
        directory = file.parent.parent.parent
        commands = []
        for line in _text(file).splitlines():
            words = shlex.split(line)
            if len(words) > 2:
                tool = "ar" if record.ARCHIVERS.fullmatch(os.path.basename(words[0])) else "cc"
                responses = [w for word in words[1:] for w in _response(word, directory)]
                commands.append(record.Command(str(directory), tool, words[:1], responses))
        for link in record.links(commands):
            yield _absolute(link)


def _response(word: str, directory: Path) -> List[str]:
    file = directory / word[1:]
    return shlex.split(_text(file)) if word.startswith("@") and file.is_file() else [word]


def _absolute(link: Link) -> Link:
    def path(name: str) -> str:
        return os.path.realpath(os.path.join(link["directory"], name))

    return {**link, "output": path(link["output"]), "inputs": [path(i) for i in link["inputs"]]}


def _ninja(folder: Path) -> Iterator[Link]:
    """The link statements of build.ninja: inputs, and libraries among the implicit ones."""
    text = _text(folder / "build.ninja").replace("$\n", " ")
    for line in text.splitlines():
        if not line.startswith("build "):
            continue
        parts = _ninja_words(line[len("build ") :])
        if ":" not in parts:
            continue
        colon = parts.index(":")
        rule = parts[colon + 1] if colon + 1 < len(parts) else ""
        matched = NINJA_RULE.fullmatch(rule)
        if not matched or not colon:
            continue
        names = parts[colon + 2 :]
        names = names[: names.index("||")] if "||" in names else names
        inputs = [name for name in names if name != "|"]
        kind = _kind(rule, matched.group("kind"), parts[0])
        yield _absolute(
            {"directory": str(folder), "kind": kind, "output": parts[0], "inputs": inputs}
        )


def _kind(rule: str, named: str, output: str) -> str:
    if named == "STATIC" or rule.startswith("STATIC"):
        return "archive"
    shared = named in ("SHARED", "MODULE") or re.search(r"\.so(\.[\d.]+)?$", output)
    return "shared" if shared else "program"


def _ninja_words(text: str) -> List[str]:
    """Split a build statement: blanks separate, `$` quotes, a bare colon is a word of its own."""
    words, word, position = [], "", 0
    while position < len(text):
        char = text[position]
        if char == "$" and position + 1 < len(text):
            position += 1
            word += text[position]
        elif char in " \t":
            words.append(word)
            word = ""
        elif char == ":":
            words += [word, ":"]
            word = ""
        else:
            word += char
        position += 1
    return [part for part in [*words, word] if part]


def _text(file: Path) -> str:
    try:
        return os.fsdecode(file.read_bytes())
    except OSError:
        return ""
