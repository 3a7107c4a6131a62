"""Kills in batches, each with a workspace and a daemon of its own: what is looked through stays short, and
several processes can share them.
"""

import os
import random
from dataclasses import dataclass

KILLS = int(os.environ.get("MEMD_CRASH_ROUNDS", "2"))
FEWER_KILLS = max(2, KILLS // 3)
SEED = int(os.environ.get("MEMD_CRASH_SEED", "20260111"))
BATCH_KILLS = 25


@dataclass(frozen=True, slots=True)
class Batch:
    """The ``number``-th batch, of ``kills`` kills."""

    number: int
    kills: int

    def __str__(self) -> str:
        return f"{self.number}"

    def random(self) -> random.Random:
        """What the batch does; the same for the same seed."""
        return random.Random(f"{SEED} {self.number}")


def batches(kills: int) -> list[Batch]:
    """The batches of so many kills."""
    return [
        Batch(number, min(BATCH_KILLS, kills - start))
        for number, start in enumerate(range(0, kills, BATCH_KILLS))
    ]
