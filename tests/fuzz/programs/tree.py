# SPDX-License-Identifier: Apache-2.0
"""Several programs in one source tree: a common header, a header and a source file for every group, and a main.

Every unit reads every header, so that each site in a header has a vote of every unit.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Sequence, Union

from . import c, cxx

Program = Union[c.Program, cxx.Program]


@dataclass(frozen=True)
class Layout:
    """How the files look. crlf: line ends; bom: a byte order mark; tabs: indentation."""

    crlf: bool = False
    bom: bool = False
    tabs: bool = False

    def bytes_of(self, text: str) -> bytes:
        if self.tabs:
            text = text.replace("    ", "\t")
        data = text.replace("\n", "\r\n") if self.crlf else text
        return (b"\xef\xbb\xbf" if self.bom else b"") + data.encode("utf-8")


class Tree:
    """The programs spread over `units` source files. Every program has the same language."""

    def __init__(self, programs: Sequence[Program], units: int, seed: int) -> None:
        self.programs = list(programs)
        self.language = programs[0].language
        rng = random.Random(f"tree {seed}")
        suffix = {"cxx": ("cpp", "hpp"), "c": ("c", "h")}[self.language]
        module = {"cxx": cxx, "c": c}[self.language]
        groups = [g for g in (self.programs[i::units] for i in range(units)) if g]
        headers = [f"group{i}.{suffix[1]}" for i in range(len(groups))]
        self.roots = any(p.roots for p in programs)
        common = module.COMMON.replace("@ROOTS", '#include "numa_alloc.h"' if self.roots else "")
        self.files: Dict[str, bytes] = {}
        self._owner: Dict[str, List[Program]] = {}
        self._add(f"common.{suffix[1]}", common, Layout(), [])
        includes = "".join(f'#include "{h}"\n' for h in headers)
        self.sources: List[str] = []
        for i, group in enumerate(groups):
            layout = Layout(rng.random() < 0.2, rng.random() < 0.2, rng.random() < 0.2)
            guard = rng.choice(("#pragma once\n", None))
            text = f'#include "common.{suffix[1]}"\n' + "".join(f"{p.header}\n" for p in group)
            if guard is None:
                text = f"#ifndef GROUP{i}\n#define GROUP{i}\n{text}#endif\n"
            else:
                text = guard + text
            self._add(headers[i], text, layout, group)
            self.sources.append(f"group{i}.{suffix[0]}")
            text = f"{includes}\n" + "".join(f"{p.source}\n" for p in group)
            self._add(self.sources[-1], text, layout, group)
        self.sources.append(f"main.{suffix[0]}")
        self._add(self.sources[-1], module.main(self.programs), Layout(), [])

    def _add(self, name: str, text: str, layout: Layout, group: Sequence[Program]) -> None:
        self.files[name] = layout.bytes_of(text)
        self._owner[name] = list(group)

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
