# SPDX-License-Identifier: Apache-2.0
"""What the layers' own runners share: their command line and a pool of workers. Knows no layer."""

from __future__ import annotations

import argparse
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Sequence, TypeVar

from . import proc, tap
from .cases import ROOT

Item = TypeVar("Item")


@dataclass(frozen=True)
class Options:
    """build: the build folder; jobs: workers; patterns: which cases; keep: leave the work folders behind."""

    build: Path
    jobs: int
    patterns: List[str]
    keep: bool


def options(description: str) -> Options:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--keep", action="store_true", help="leave the work folders in /tmp")
    parser.add_argument("pattern", nargs="*", help="beginnings of the names of the cases to run")
    found = parser.parse_args()
    proc.end_all_when_stopped()
    return Options(found.build.resolve(), max(1, found.jobs), found.pattern, found.keep)


def run_all(
    items: Sequence[Item], writer: tap.Writer, jobs: int, test: Callable[[Item, tap.Writer], None]
) -> int:
    """Calls test(item, writer) for every item on a pool of workers; returns the exit status of the runner.

    Whatever a test raises ends the stream early, which the collector counts as a failure.
    """
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for done in [pool.submit(test, item, writer) for item in items]:
            done.result()
    return 1 if writer.failed else 0


class WorkFolder:
    """An empty folder for one case, removed afterwards unless it is to be kept."""

    def __init__(self, name: str, keep: bool) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="numafy-" + name.replace("/", "-") + "-")
        self._keep = keep

    def __enter__(self) -> Path:
        return Path(os.path.realpath(self._folder.name))

    def __exit__(self, *_: object) -> None:
        if self._keep:
            self._folder._finalizer.detach()  # type: ignore[attr-defined]
        else:
            self._folder.cleanup()
