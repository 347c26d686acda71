# SPDX-License-Identifier: Apache-2.0
"""Which cells the program of a seed has.

The cells are dealt like cards: every DEAL seeds in a row share all of them, in an order that the deal's number makes.
So N * DEAL programs have each cell N times, and a seed alone says what its program holds.
"""

from __future__ import annotations

import random
from typing import List, NamedTuple, Sequence

DEAL = 5
#: Seeds in a row that go into one tree.
GROUP = 25


class Cell(NamedTuple):
    construct: str
    context: str

    def __str__(self) -> str:
        return f"{self.construct} in {self.context}"


def dealt(cells: Sequence[Cell], seed: int, deal: int = DEAL) -> List[Cell]:
    """The cells of the program with this seed, if `deal` seeds in a row share all."""
    deck = list(cells)
    random.Random(f"deal {seed // deal}").shuffle(deck)
    return deck[seed % deal :: deal]
