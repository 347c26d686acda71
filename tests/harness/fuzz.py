# SPDX-License-Identifier: Apache-2.0
"""Feeds the rewriter broken inputs that are derived from the golden ones. Prints TAP.

Derivations, all from fixed seeds, FUZZ_SEEDS of them (one in scripts/test, 10 in scripts/nightly): `chop` cuts a file's
end off, `slap` its beginning, `noise` deletes, doubles or swaps some characters. Whatever comes of it: the exit status is one that the manual has for bad input (70, a signal and a
time-out are failures), the input tree stays as it was, and every input file is a subsequence of its output, so
that no byte of the user's is lost.
"""

from __future__ import annotations

import os
import random
import sys
from functools import partial
from typing import Callable, Dict, List, Tuple

from . import tap
from .cases import Case, find_cases, snapshot
from .golden import rewrite
from .runner import Options, WorkFolder, options, run_all

# Done, unknown type in --place (its class is gone), cannot be parsed, conflict.
_GOOD_STATUSES = (0, 1, 2, 4)
_SEEDS = range(1, 1 + int(os.environ.get("FUZZ_SEEDS", "1")))


def chop(text: bytes, rng: random.Random) -> bytes:
    return text[: rng.randrange(len(text) + 1)]


def slap(text: bytes, rng: random.Random) -> bytes:
    return text[rng.randrange(len(text) + 1) :]


def noise(text: bytes, rng: random.Random) -> bytes:
    changed = bytearray(text)
    for _ in range(1 + len(text) // 200):
        if not changed:
            break
        at = rng.randrange(len(changed))
        action = rng.randrange(3)
        if action == 0:
            del changed[at]
        elif action == 1:
            changed.insert(at, changed[rng.randrange(len(changed))])
        else:
            other = rng.randrange(len(changed))
            changed[at], changed[other] = changed[other], changed[at]
    return bytes(changed)


Derivation = Callable[[bytes, random.Random], bytes]
DERIVATIONS: List[Derivation] = [chop, slap, noise]


def is_subsequence(short: bytes, long: bytes) -> bool:
    at = 0
    for byte in short:
        at = long.find(byte, at) + 1
        if at == 0:
            return False
    return True


def test_one(opts: Options, item: Tuple[Case, Derivation, int], writer: tap.Writer) -> None:
    case, derive, seed = item
    name = f"{case.name} {derive.__name__} {seed}"
    with WorkFolder(f"fuzz-{case.name}-{derive.__name__}-{seed}", opts.keep) as work:
        tree, out = work / "tree", work / "out"
        case.copy_input(tree)
        rng = random.Random(f"{case.name} {seed}")
        for path in sorted(tree.rglob("*")):
            if path.is_file() and not path.is_symlink():
                path.write_bytes(derive(path.read_bytes(), rng))
        case.write_database(tree, work / "build", case.uses_runtime)
        before = snapshot(tree)
        result = rewrite(case, opts, tree, work / "build", out)
        problems = []
        if result.timed_out or result.status not in _GOOD_STATUSES:
            problems.append(f"{result.how}\n{result.stderr.decode('utf-8', 'replace')[-2000:]}")
        if snapshot(tree) != before:
            problems.append("the input tree was changed")
        if result.status in (0, 2):
            problems += _lost_bytes(before, snapshot(out))
        writer.report(name, "\n".join(problems))


def _lost_bytes(before: Dict[str, bytes], after: Dict[str, bytes]) -> List[str]:
    if before.keys() != after.keys():
        return [f"files differ: {sorted(before.keys() ^ after.keys())}"]
    return [f"{n} lost bytes" for n in before if not is_subsequence(before[n], after[n])]


def main() -> int:
    opts = options("Feeds the rewriter inputs that were broken from fixed seeds.")
    items = [(c, d, s) for c in find_cases(opts.patterns) for d in DERIVATIONS for s in _SEEDS]
    return run_all(items, tap.Writer(len(items)), opts.jobs, partial(test_one, opts))


if __name__ == "__main__":
    sys.exit(main())
