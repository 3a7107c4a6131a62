"""What a soak asked for and what it was told: the books that the daemon's files are held against."""

import random
import threading
from collections import Counter
from dataclasses import dataclass, field

LETTERS = "bcdfghjklmnpqrstvwxz"  # no digits: an identifier like word123 is also found by its parts


@dataclass
class Books:
    """Filled by all threads. ``accepted`` and ``unsure`` are lines of notes and of MEMORY.md.

    ``unsure`` ones were asked for and not answered. ``current`` has the word of each edited file, ``old``
    words that no file holds any more, ``forgotten`` those that memd forgot. ``fires`` counts what each intent
    brought, ``late`` tells of answers that came too late, ``started_at`` is when the daemon last began.
    """

    rng: random.Random
    accepted: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    current: dict[str, str] = field(default_factory=dict)
    old: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    fires: Counter[str] = field(default_factory=Counter)
    late: list[str] = field(default_factory=list)
    started_at: float = 0.0
    slowest_ms: float = 0.0
    calls: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    internal: int = 0
    kills: int = 0
    corrupt: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def word(self) -> str:
        with self.lock:
            return "".join(self.rng.choices(LETTERS, k=16))

    def take(self, line: str, *, was_answered: bool) -> None:
        with self.lock:
            (self.accepted if was_answered else self.unsure).append(line)
