"""Answers of the last seconds, for a host that asks the same again in one turn."""

from collections.abc import Hashable
from typing import Final

from openclaw_memd.deep.types import DeepAnswer

KEPT_S: Final = 15.0  # this and the next are OpenClaw's values
MOST_ANSWERS: Final = 1_000


class RecentAnswers:
    """Keeps what says something, in monotonic seconds that the caller gives; the oldest gives way."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[float, DeepAnswer]] = {}
        self._version: Hashable = None

    def __len__(self) -> int:
        """How many are kept, the expired ones that nobody asked for again among them."""
        return len(self._kept)

    def follow(self, version: Hashable) -> None:
        """Forget everything when the memory has become another."""
        if version != self._version:
            self._kept.clear()
            self._version = version

    def get(self, key: Hashable, now_s: float) -> DeepAnswer | None:
        """The answer of at most ``KEPT_S`` ago."""
        at_s, answer = self._kept.get(key, (0.0, None))
        if answer is None:
            return None
        if now_s - at_s > KEPT_S:
            del self._kept[key]
            return None
        return answer

    def put(self, key: Hashable, answer: DeepAnswer, now_s: float) -> None:
        """Keep ``answer`` if it is one with a summary."""
        if answer.outcome != "ok" or not answer.summary:
            return
        self._kept.pop(key, None)
        while self._kept and (len(self._kept) >= MOST_ANSWERS or self._oldest_s() < now_s - KEPT_S):
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (now_s, answer)

    def _oldest_s(self) -> float:
        at_s, _ = next(iter(self._kept.values()))
        return at_s
