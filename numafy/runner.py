# SPDX-License-Identifier: Apache-2.0
"""The only module that starts processes.

Arguments are always lists; the one shell command line is the user's own --build or --test.
Interrupting numafy ends what it started, also a build's grandchildren.
"""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Callable, List, Mapping, NamedTuple, Optional, Sequence

from .errors import EXIT_USAGE, EXIT_WRITE, NumafyError
from .files import shown

POLL_S = 0.2  # how often a progress display is refreshed while a command runs
GRACE_S = 5.0  # how long an interrupted command may take to end by itself


class Finished(NamedTuple):
    code: int  # exit status; -N when signal N ended the process
    stdout: bytes
    stderr: bytes


def command_text(argv: Sequence[str]) -> str:
    """The command as a user would type it, on one line."""
    return shown(" ".join(shlex.quote(word) for word in argv))


def capture(
    argv: Sequence[str],
    cwd: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
    keep_stderr: bool = True,
) -> Finished:
    """Run a command and return its output; with keep_stderr=False stderr goes where ours goes."""
    process = _start(
        argv, cwd, env, stdout=subprocess.PIPE, stderr=subprocess.PIPE if keep_stderr else None
    )
    try:
        stdout, stderr = process.communicate()
    except BaseException:
        _end(process, group=False)
        raise
    return Finished(process.returncode, stdout, stderr or b"")


def passthrough(
    argv: Sequence[str], cwd: Optional[Path] = None, env: Optional[Mapping[str, str]] = None
) -> int:
    """Run a command on our own standard streams and return its exit status."""
    process = _start(argv, cwd, env)
    try:
        return process.wait()
    except BaseException:
        _end(process, group=False)
        raise


def counting(
    argv: Sequence[str],
    tell: Callable[[int, int], None],
    env: Mapping[str, str],
    keep_stdout: bool,
) -> Finished:
    """Run a command that writes "done total" lines to the descriptor that NUMAFY_PROGRESS names.

    ``tell`` gets the last of them a few times a second, until the command closes the descriptor.
    Its standard error is ours, and so is its output unless it is kept.
    """
    reader, writer = os.pipe()
    with open(reader, "rb", buffering=0) as lines:
        with open(writer, "wb", buffering=0):
            process = _start(
                argv,
                None,
                {**env, "NUMAFY_PROGRESS": str(writer)},
                stdout=subprocess.PIPE if keep_stdout else None,
                pass_fds=(writer,),
            )
        try:
            last, text = (0, 0), b""
            while True:
                if select.select([lines], [], [], POLL_S)[0]:
                    data = lines.read(4096)
                    if not data:
                        break
                    *whole, text = (text + data).split(b"\n")
                    if whole:
                        done, total = whole[-1].split()
                        last = (int(done), int(total))
                tell(*last)
            stdout, _ = process.communicate()
        except BaseException:
            _end(process, group=False)
            raise
    return Finished(process.returncode, stdout or b"", b"")


def logged(
    argv: Sequence[str],
    log: Path,
    cwd: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
    tick: Optional[Callable[[], None]] = None,
) -> int:
    """Run a command without input, both its outputs in the file ``log``.

    ``tick`` is called a few times a second. The command gets a session of its own, so that an
    interrupt can end all that it has started.
    """
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        stream = open(log, "wb")
    except OSError as error:
        raise NumafyError(
            f"cannot write the log {shown(log)}: {error.strerror}", EXIT_WRITE
        ) from error
    with stream:
        stream.write(b"+ " + os.fsencode(command_text(argv)) + b"\n")
        stream.flush()
        process = _start(
            argv,
            cwd,
            env,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            while True:
                try:
                    return process.wait(timeout=POLL_S)
                except subprocess.TimeoutExpired:
                    if tick:
                        tick()
        except BaseException:
            _end(process, group=True)
            raise


def shell(command: str) -> List[str]:
    """The argv that runs the user's own command line."""
    return ["/bin/sh", "-c", command]


def tail(log: Path, lines: int = 20) -> str:
    """The last lines of a log, safe to print."""
    try:
        text = log.read_bytes()[-65536:].decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    return "\n".join(shown(line.replace("\t", "    ")) for line in text.splitlines()[-lines:])


def _start(
    argv: Sequence[str], cwd: Optional[Path], env: Optional[Mapping[str, str]], **options: object
) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(list(argv), cwd=cwd, env=env, **options)  # type: ignore
    except OSError as error:
        raise NumafyError(f"cannot run {shown(argv[0])}: {error.strerror}", EXIT_USAGE) from error


def _end(process: "subprocess.Popen[bytes]", group: bool) -> None:
    """End a process that was interrupted: politely, then not."""
    for number, wait_s in (
        (signal.SIGINT, GRACE_S),
        (signal.SIGTERM, GRACE_S),
        (signal.SIGKILL, None),
    ):
        try:
            if group:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        except ProcessLookupError:
            pass
        try:
            process.wait(timeout=wait_s)
            return
        except subprocess.TimeoutExpired:
            continue
