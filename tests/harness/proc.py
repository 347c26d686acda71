# SPDX-License-Identifier: Apache-2.0
"""The one place that starts other programs.

Responsible for time limits that hold for a program's children too, for leaving nothing behind when the run itself is
stopped, and for output that may be any bytes. Knows nothing of tests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence, Set, Union

Argument = Union[str, Path]


@dataclass(frozen=True)
class Result:
    """How a program ended. A status below 0 is the number of the signal that ended it, negated."""

    status: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    seconds: float
    # Of the program and of its children that it has waited for; only follow() counts it.
    cpu_s: float = 0.0

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
        _groups.add(process.pid)
        try:
            out, err = process.communicate(timeout=timeout_s)
            timed_out = False
        except subprocess.TimeoutExpired:
            _end_group(process.pid)
            out, err = process.communicate()
            timed_out = True
        except BaseException:
            _end_group(process.pid)
            raise
        finally:
            _groups.discard(process.pid)
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
            _end_group(process.pid)

        _groups.add(process.pid)
        timer = threading.Timer(timeout_s, expire)
        timer.start()
        try:
            assert process.stdout is not None
            for raw in process.stdout:
                sink.write(raw)
                sink.flush()
                on_line(raw.decode("utf-8", "replace"))
            _, ended, usage = os.wait4(process.pid, 0)
            status = process.returncode = os.waitstatus_to_exitcode(ended)
        except BaseException:
            _end_group(process.pid)
            raise
        finally:
            timer.cancel()
            _groups.discard(process.pid)
    cpu_s = usage.ru_utime + usage.ru_stime
    return Result(status, b"", b"", expired.is_set(), time.monotonic() - started, cpu_s)


# The process groups that are running. A group is asked to end first, so that a runner of ours can end its own.
_groups: Set[int] = set()
_GRACE_S = 2.0


def _end_group(leader: int) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(leader, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + _GRACE_S
        while number == signal.SIGTERM and time.monotonic() < deadline and _alive(leader):
            time.sleep(0.05)


def _alive(group: int) -> bool:
    """Whether a process of the group runs; one that has ended and was not waited for does not count."""
    try:
        with open(f"/proc/{group}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def end_all_when_stopped() -> None:
    """Makes SIGTERM, SIGINT and SIGHUP end every program that was started here, and then this one."""

    def stop(number: int, _: object) -> None:
        for leader in list(_groups):
            try:
                os.killpg(leader, signal.SIGTERM)
            except ProcessLookupError:
                pass
        for leader in list(_groups):
            _end_group(leader)
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
