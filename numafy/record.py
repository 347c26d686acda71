# SPDX-License-Identifier: Apache-2.0
"""What a build did: reads the commands that the wrappers kept, as compile and link commands.

The build runs with numafy-cc as CC, numafy-c++ as CXX, and a folder first on PATH in which every
other compiler's name, ar and ld lead to the same recorder, so that a build that names gcc itself
is seen as well. Knows command lines, not trees: paths are those of the build.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .errors import NumafyError

COMPILERS = re.compile(r"(cc|c89|c99|gcc|clang)(-\d+(\.\d+)*)?|(c\+\+|g\+\+|clang\+\+)(-\d+)?")
ARCHIVERS = re.compile(r"(gcc-|llvm-)?ar(-\d+)?")
LINKERS = re.compile(r"ld(\.bfd|\.gold)?|ld\.lld(-\d+)?")

SOURCE = re.compile(r".*\.(c|cc|cpp|cxx|c\+\+|cp|CPP|C|m|mm|cppm|ixx)", re.DOTALL)
# Options whose value is the next word; scripts/numafy-cc.in has the same list.
VALUED = frozenset(
    "-o -I -L -l -D -U -B -T -u -z -e -F -G -A -h --output -include -include-pch -imacros -isystem "
    "-idirafter -iquote -iprefix -iwithprefix -iwithprefixbefore -isysroot -imultilib "
    "-cxx-isystem --sysroot -MF -MT -MQ -MJ -Xassembler -Xpreprocessor -Xclang -Xanalyzer -mllvm "
    "-target -arch -framework -param --param -aux-info -wrapper -specs -dumpbase -dumpbase-ext "
    "-dumpdir --serialize-diagnostics -gcc-toolchain -Tbss -Tdata -Ttext -x -Xlinker".split()
)
NO_OUTPUT = frozenset(
    "-E -M -MM -S -fsyntax-only --preprocess --dependencies --version --help -dumpversion "
    "-dumpmachine -dumpfullversion -emit-ast --precompile".split()
)
# What CMake, autoconf and meson compile to learn about the compiler is no part of the tree.
PROBE = re.compile(
    r"/CMakeFiles/([^/]+/CompilerId|CMakeScratch/|CMakeTmp/|ShowIncludes/)|/meson-private/"
    r"|/conftest[^/]*$|/conf[0-9]+(file|subs|dir)[^/]*$"
)


class Command(NamedTuple):
    """One recorded command line, its response files read."""

    directory: str
    tool: str  # numafy-cc, numafy-c++, ar or ld
    program: List[str]  # what the wrapper ran: a path, or words (ccache gcc)
    arguments: List[str]


class Line(NamedTuple):
    """A compiler's command line, taken apart. Positions are those in the arguments."""

    sources: List[int]
    linked: List[str]  # objects, archives and libraries, in order
    output: str  # "" if none is named
    compiles: bool  # -c
    silent: bool  # makes neither object nor program: -E, --version
    shared: bool
    relocatable: bool


def environment(base: Mapping[str, str], folder: Path) -> Dict[str, str]:
    """The environment of a recorded build; makes ``folder`` with the records and the recorders."""
    env = dict(base)
    records, names = folder / "records", folder / "names"
    records.mkdir(parents=True)
    names.mkdir()
    path = env.get("PATH") or os.defpath
    for name, program in _programs(path.split(os.pathsep)):
        _recorder(names / name, name, program)
    env["PATH"] = os.pathsep.join([str(names), path])
    env["NUMAFY_RECORD"] = str(records)
    env["CCACHE_DISABLE"] = "1"  # what comes out of a cache is not compiled, so not seen
    return env


def _programs(folders: Sequence[str]) -> Iterator[Tuple[str, str]]:
    """Each compiler's, archiver's and linker's name on PATH, with its path."""
    seen = set()
    for folder in folders:
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:
            continue
        for name in names:
            known = any(kind.fullmatch(name) for kind in (COMPILERS, ARCHIVERS, LINKERS))
            path = os.path.join(os.path.abspath(folder), name)
            if known and name not in seen and os.access(path, os.X_OK) and os.path.isfile(path):
                seen.add(name)
                yield name, path


def _recorder(file: Path, name: str, program: str) -> None:
    """A script of that name: it records what it is given and runs the program."""
    if COMPILERS.fullmatch(name):
        plus = "++" in name
        wrapper, variable = ("numafy-c++", "CXX") if plus else ("numafy-cc", "CC")
        setting = f"NUMAFY_REAL_{variable}={shlex.quote(program)}"
    else:
        kind = "ar" if ARCHIVERS.fullmatch(name) else "ld"
        wrapper = "numafy-cc"
        setting = f"NUMAFY_RECORD_AS={kind} NUMAFY_REAL_CC={shlex.quote(program)}"
    file.write_text(
        "#!/bin/sh\n"
        f'[ -n "${{NUMAFY_RECORD:-}}" ] || exec {shlex.quote(program)} "$@"\n'
        f'{setting} exec {wrapper} "$@"\n',
        encoding="utf-8",
        errors="surrogateescape",
    )
    file.chmod(0o755)


# ---- reading -----------------------------------------------------------------------------------


def commands(folder: Path) -> List[Command]:
    """The recorded commands; in no order that means anything."""
    records = folder / "records"
    names = [name for name in sorted(os.listdir(records)) if "." not in name]
    return [command for name in names for command in _command(records / name)]


def _command(file: Path) -> Iterator[Command]:
    fields = os.fsdecode(file.read_bytes()).split("\0")[:-1]
    if len(fields) < 5 or fields[-1] != "end" or fields[3] != str(len(fields) - 5):
        return  # its process was ended while it wrote; so the compiler never ran
    directory, tool, program = fields[:3]
    arguments: List[str] = []
    for index, word in enumerate(fields[4:-1], 1):
        kept = Path(f"{file}.{index}")
        arguments += _response(kept.read_bytes(), directory, 0) if kept.is_file() else [word]
    yield Command(directory, tool, _words(program), arguments)


def _words(program: str) -> List[str]:
    """NUMAFY_REAL_CC is the path of a program, or a command of several words."""
    return [program] if os.path.isfile(program) else program.split() or [program]


def _response(text: bytes, directory: str, depth: int) -> List[str]:
    """The words of a response file, and of those that it names."""
    try:
        words = shlex.split(os.fsdecode(text))
    except ValueError as error:
        raise NumafyError(f"a response file of the build cannot be read: {error}") from error
    result = []
    for word in words:
        inner = Path(os.path.join(directory, word[1:]))
        if word.startswith("@") and depth < 8 and inner.is_file():
            result += _response(inner.read_bytes(), directory, depth + 1)
        else:
            result.append(word)
    return result


def take_apart(arguments: Sequence[str]) -> Line:
    """Tell sources, linked files and the output of a compiler's command line."""
    sources: List[int] = []
    linked: List[str] = []
    output, language, only_inputs = "", "", False
    for index, (before, word) in enumerate(zip(["", *arguments], arguments)):
        valued = before in VALUED and not only_inputs and not _is_value(arguments, index - 1)
        if valued:
            if before in ("-o", "--output"):
                output = word
            elif before == "-x":
                language = word
            elif before in ("-l", "-L"):
                linked.append(before + word)
        elif only_inputs or not word.startswith("-"):
            is_source = SOURCE.fullmatch(word) if language in ("", "none") else True
            if language.endswith("-header") or language.startswith(("assembler", "cpp-output")):
                is_source = False
            if is_source:
                sources.append(index)
            else:
                linked.append(word)
        elif word == "--":
            only_inputs = True
        elif word.startswith("-o") and word not in VALUED:
            output = word[2:]
        elif word.startswith("-x") and word not in VALUED:
            language = word[2:]
        elif word.startswith(("-l", "-L")) and word not in VALUED:
            linked.append(word)
    options = [word for index, word in enumerate(arguments) if not _is_value(arguments, index)]
    return Line(
        sources,
        linked,
        output,
        "-c" in options or "--compile" in options,
        any(word in NO_OUTPUT or word.startswith(("-print-", "--print-")) for word in options),
        any(word in ("-shared", "--shared", "-Bshareable", "-dynamiclib") for word in options),
        "-r" in options or "-i" in options or "--relocatable" in options,
    )


def _is_value(arguments: Sequence[str], index: int) -> bool:
    """Whether the word is the value of the option before it (which may be a value itself)."""
    count = 0
    while index > 0 and arguments[index - 1] in VALUED:
        count, index = count + 1, index - 1
    return count % 2 == 1


# ---- compile commands --------------------------------------------------------------------------


def compilations(recorded: Sequence[Command]) -> List[Dict[str, Any]]:
    """The entries of a compile database: one for each source of each command.

    A command that compiles several sources, or links at once, gives every source the same options
    and no input but itself.
    """
    entries = []
    for command in recorded:
        if command.tool not in ("numafy-cc", "numafy-c++"):
            continue
        line = take_apart(command.arguments)
        if line.silent:
            continue
        for index in line.sources:
            source = command.arguments[index]
            if source == "-" or _is_probe(command.directory, source):
                continue
            inputs = {i for i in line.sources if i != index} | set(_linked_words(command.arguments))
            words = [word for i, word in enumerate(command.arguments) if i not in inputs]
            entry = {
                "directory": command.directory,
                "file": source,
                "arguments": [*command.program, *words],
            }
            output = _object_of(line, source)
            if output:
                entry["output"] = output
            entries.append(entry)
    return entries


def _is_probe(directory: str, name: str) -> bool:
    return bool(PROBE.search(f"{directory}/") or PROBE.search(os.path.join(directory, name)))


def _linked_words(arguments: Sequence[str]) -> Iterator[int]:
    """Objects, archives and shared libraries: gone with the build, and none of the parser's."""
    for index, word in enumerate(arguments):
        linked = word.endswith((".o", ".lo", ".obj", ".a")) or re.search(r"\.so(\.[\d.]+)?$", word)
        if linked and not word.startswith("-") and not _is_value(arguments, index):
            yield index


def _object_of(line: Line, source: str) -> str:
    """The object file that a source becomes; "" in a command that links at once."""
    if not line.compiles:
        return ""
    return line.output or os.path.splitext(os.path.basename(source))[0] + ".o"


# ---- link commands -----------------------------------------------------------------------------


def links(recorded: Sequence[Command]) -> List[Dict[str, Any]]:
    """What was linked or archived of what, see docs/cli-rewrite.md (--links).

    ``-lx`` stands as the file that the -L folders of its command have; libraries of the system are
    left out.
    """
    result = []
    for command in recorded:
        link = _archive(command) if command.tool == "ar" else _link(command)
        if link and not any(_is_probe(command.directory, name) for name in link["inputs"]):
            result.append({"directory": command.directory, **link})
    return result


def _archive(command: Command) -> Optional[Dict[str, Any]]:
    words = [word for word in command.arguments if word != "--" and not word.startswith("--")]
    if len(words) < 3 or not set("rq") & set(words[0]):
        return None
    return {"kind": "archive", "output": words[1], "inputs": words[2:]}


def _link(command: Command) -> Optional[Dict[str, Any]]:
    line = take_apart(command.arguments)
    if line.compiles or line.silent:
        return None
    inputs = [command.arguments[index] for index in line.sources]
    inputs += _resolved(command.directory, line.linked)
    if not inputs:
        return None
    kind = "shared" if line.shared else "object" if line.relocatable else "program"
    return {"kind": kind, "output": line.output or "a.out", "inputs": inputs}


def _resolved(directory: str, linked: Sequence[str]) -> List[str]:
    folders = [word[2:] for word in linked if word.startswith("-L")]
    files = []
    for word in linked:
        if word.startswith("-L"):
            continue
        if not word.startswith("-l"):
            files.append(word)
            continue
        for folder in folders:
            names = [os.path.join(folder, f"lib{word[2:]}{ending}") for ending in (".so", ".a")]
            found = [name for name in names if os.path.exists(os.path.join(directory, name))]
            if found:
                files.append(found[0])
                break
    return files
