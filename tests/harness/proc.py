# SPDX-License-Identifier: Apache-2.0
"""The one place that starts other programs.

Responsible for time limits that hold for a program's children too, and for output that may be any bytes. Knows nothing
of tests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence, Union

Argument = Union[str, Path]


@dataclass(frozen=True)
class Result:
    """How a program ended. A status below 0 is the number of the signal that ended it, negated."""

    status: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    seconds: float

    @property
    def how(self) -> str:
        """The end in words, for messages."""
        if self.timed_out:
            return f"stopped after {self.seconds:.0f} s"
        if self.status < 0:
            return f"killed by {signal.Signals(-self.status).name}"
        return f"exit status {self.status}"


def run(
    argv: Sequence[Argument],
    *,
    cwd: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
    timeout_s: float = 120,
    merge: bool = False,
) -> Result:
    """Runs a program to its end without standard input; with merge its stderr is part of stdout.

    It leads a process group of its own, so that a time-out ends its children as well.
    """
    started = time.monotonic()
    with subprocess.Popen(
        [os.fspath(a) for a in argv],
        cwd=cwd,
        env=dict(os.environ, **env) if env else None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merge else subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout_s)
            timed_out = False
        except subprocess.TimeoutExpired:
            _kill_group(process.pid)
            out, err = process.communicate()
            timed_out = True
        except BaseException:
            _kill_group(process.pid)
            raise
    return Result(process.returncode, out, err or b"", timed_out, time.monotonic() - started)


def follow(
    argv: Sequence[Argument],
    on_line: Callable[[str], None],
    log: Path,
    *,
    cwd: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
    timeout_s: float = 600,
) -> Result:
    """Runs a program and hands each line of its standard output on as it comes; all that it prints goes to log.

    The result's stdout and stderr are empty: they are in the log.
    """
    started = time.monotonic()
    expired = threading.Event()
    with open(log, "ab") as sink, subprocess.Popen(
        [os.fspath(a) for a in argv],
        cwd=cwd,
        env=dict(os.environ, **env) if env else None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=sink,
        start_new_session=True,
    ) as process:

        def expire() -> None:
            expired.set()
            _kill_group(process.pid)

        timer = threading.Timer(timeout_s, expire)
        timer.start()
        try:
            assert process.stdout is not None
            for raw in process.stdout:
                sink.write(raw)
                sink.flush()
                on_line(raw.decode("utf-8", "replace"))
            status = process.wait()
        except BaseException:
            _kill_group(process.pid)
            raise
        finally:
            timer.cancel()
    return Result(status, b"", b"", expired.is_set(), time.monotonic() - started)


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass
