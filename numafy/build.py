# SPDX-License-Identifier: Apache-2.0
"""--build and --test: the user's commands in the rewritten tree, with the compiler wrappers.

The wrappers write down what they compile. That is how a build is caught that ignores CC, or that
compiles the original sources by an absolute path: it would succeed, and nothing would be on its
node.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Set

from . import project, record, runner
from .compdb import SOURCE_SUFFIXES
from .errors import EXIT_BUILD, NumafyError
from .files import real, shown
from .progress import Progress
from .report import Report

WRAPPERS = {"CC": "numafy-cc", "CXX": "numafy-c++"}
INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
REAL = {"CC": "NUMAFY_REAL_CC", "CXX": "NUMAFY_REAL_CXX"}
UMF = "NUMAFY_UMF"  # to the wrappers: 1 our pools, 0 numa_alloc_onnode


class Coverage(NamedTuple):
    """Which edited sources the wrappers compiled, by themselves or inside a unity build's file.

    Headers, and sources that other sources include some other way, have no compile command.
    """

    compiled: List[str]
    not_compiled: List[str]
    headers: List[str]

    def sentence(self) -> str:
        total = len(self.compiled) + len(self.not_compiled)
        also = f" ({len(self.headers)} edited headers come with them)" if self.headers else ""
        return (
            f"{len(self.compiled)} of {total} edited files compiled with numafy-cc/numafy-c++{also}"
        )


def environment(out: Optional[Path] = None) -> Dict[str, str]:
    """The environment of a build: the wrappers as CC and CXX, their folder first on PATH.

    Bare names, because make splits $(CC) at blanks and numafy may live in a path that has some.
    Compilers that the user has chosen stay the ones behind the wrappers. With ``out``, the
    rewritten tree, gcc, g++ and their like are wrapped under their own names too.
    """
    env = dict(os.environ)
    folder = project.wrapper_folder()
    if os.pathsep in str(folder):
        raise NumafyError(
            f"numafy's folder {shown(folder)} has a '{os.pathsep}' in its name: PATH cannot hold it"
        )
    env["PATH"] = os.pathsep.join([str(folder), env.get("PATH") or os.defpath])
    for variable, wrapper in WRAPPERS.items():
        chosen = env.get(variable)
        if chosen and os.path.basename(chosen) not in WRAPPERS.values():
            env.setdefault(REAL[variable], chosen)
        env[variable] = wrapper
    if out is not None:
        _wrap_by_name(out / ".numafy" / "compilers", env)
    return env


def _wrap_by_name(links: Path, env: Dict[str, str]) -> None:
    """Catch builds that call gcc or g++ whatever CC says: a folder of such names, first on PATH.

    The compilers behind the wrappers become absolute where they have such a name: they would be
    found here again. Others stay, since a path with a blank could not have arguments behind it.
    """
    shutil.rmtree(links, ignore_errors=True)
    links.mkdir(parents=True)
    for variable, usual in (("CC", "cc"), ("CXX", "c++")):
        given = env.get(REAL[variable], usual)
        first, blank, others = given.partition(" ")
        if not record.COMPILERS.fullmatch(first):
            continue
        found = shutil.which(given, path=env["PATH"]) or shutil.which(first, path=env["PATH"])
        if found and os.path.basename(found) == given:
            env[REAL[variable]] = found
        elif found and blank and os.path.basename(found) == first:
            env[REAL[variable]] = f"{found} {others}"
    for folder in reversed(env["PATH"].split(os.pathsep)):
        with contextlib.suppress(OSError):
            for name in os.listdir(folder or "."):
                program = os.path.join(os.path.abspath(folder), name)
                if record.COMPILERS.fullmatch(name) and os.access(program, os.X_OK):
                    _write_link(links / name, "CXX" if "++" in name else "CC", program)
    env["PATH"] = os.pathsep.join([str(real(links)), env["PATH"]])


def _write_link(link: Path, variable: str, compiler: str) -> None:
    wrapper = project.wrapper_folder() / WRAPPERS[variable]
    link.write_text(
        f"#!/bin/sh\n{REAL[variable]}={shlex.quote(compiler)} exec {shlex.quote(str(wrapper))} "
        '"$@"\n',
        encoding="utf-8",
        errors="surrogateescape",
    )
    link.chmod(0o755)


def run(
    what: str,
    command: str,
    out: Path,
    progress: Progress,
    variables: Optional[Dict[str, str]] = None,
) -> None:
    """Run the user's command in the out tree; NumafyError (EXIT_BUILD) if it fails.

    ``what`` is "build" or "test", as in the option and in the log's name; ``variables`` are added
    to the environment.
    """
    log = out / ".numafy" / f"{what}.log"
    env = {**environment(out), **(variables or {})}
    env["NUMAFY_CC_LOG"] = str(real(out) / ".numafy" / "compiled")
    with progress.step(f"{what} in {out}: {command}"):
        code = runner.logged(runner.shell(command), log, cwd=out, env=env, tick=progress.tick)
    if code:
        ended = f"exit status {code}" if code > 0 else f"signal {-code}"
        raise NumafyError(
            f"--{what} failed with {ended} (log: {shown(log)})", EXIT_BUILD, runner.tail(log)
        )


def forget_compiled(out: Path) -> None:
    """Start a new list of compiled files; before the build, not before the test."""
    (out / ".numafy" / "compiled").unlink(missing_ok=True)


def remember_compiled(out: Path, command: str) -> Set[str]:
    """What the wrappers compiled in this build, and what make had no reason to compile again.

    A second run of the same command over the same bytes compiles nothing; what an earlier one
    compiled still counts, as long as neither the command nor the file has changed since.
    """
    memory = out / ".numafy" / "compiled.json"
    try:
        known = json.loads(memory.read_text(encoding="utf-8", errors="surrogateescape"))
        earlier = dict(known["files"]) if known["command"] == command else {}
    except (OSError, ValueError, KeyError, TypeError):
        earlier = {}
    now = compiled_sources(out)
    files = {name: _digest(name) for name in now}
    for name, digest in earlier.items():
        if name not in files and digest and _digest(name) == digest:
            files[name] = digest
    text = json.dumps({"command": command, "files": files}, indent=1, sort_keys=True)
    memory.write_text(text + "\n", encoding="utf-8", errors="surrogateescape")
    return set(files)


def _digest(name: str) -> str:
    try:
        return hashlib.sha256(Path(name).read_bytes()).hexdigest()
    except (OSError, ValueError):  # gone, or a name that another locale wrote
        return ""


def compiled_sources(out: Path) -> Set[str]:
    """The real paths of what the wrappers compiled in this tree."""
    log = out / ".numafy" / "compiled"
    if not log.is_file():
        return set()
    fields = os.fsdecode(log.read_bytes()).split("\0")[:-1]
    return {
        os.path.realpath(os.path.join(folder, name))
        for folder, name in zip(fields[::2], fields[1::2])
    }


def coverage(out: Path, report: Report, command: str) -> Coverage:
    """Compare the edited files of the report with what --build ``command`` compiled."""
    done = remember_compiled(out, command)
    done |= _included_sources(done)
    units = report.edited_units()
    compiled = [
        name
        for name in report.edited()
        if str(real(out / name)) in done and (_is_source(name) or name in units)
    ]
    missed = [name for name in units if str(real(out / name)) not in done]
    known = {*compiled, *missed}
    return Coverage(compiled, missed, [name for name in report.edited() if name not in known])


def _is_source(name: str) -> bool:
    return name.endswith(SOURCE_SUFFIXES)


def _included_sources(compiled: Set[str]) -> Set[str]:
    """The real paths of the sources that the compiled ones include: a unity build's, mostly.

    Only what is named by an absolute path or from the includer's folder is found, which is how
    such files are made; who includes a source through a search path compiles it, too.
    """
    found: Set[str] = set()
    todo = list(compiled)
    while todo:
        includer = todo.pop()
        try:
            text = Path(includer).read_bytes()
        except (OSError, ValueError):
            continue
        for match in INCLUDED.finditer(text):
            name = os.fsdecode(match.group(1))
            path = os.path.realpath(os.path.join(os.path.dirname(includer), name))
            if _is_source(name) and path not in compiled and path not in found:
                found.add(path)
                todo.append(path)
    return found
