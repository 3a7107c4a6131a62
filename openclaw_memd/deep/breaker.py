"""A model that kept silent several times in a row is left alone for a while."""

from typing import Final

TIMEOUTS: Final = 3  # this and the next are OpenClaw's values
COOLDOWN_S: Final = 60.0


class Breaker:
    """Counts silences by key, in monotonic seconds that the caller gives.

    After ``TIMEOUTS`` in a row it is open; every ``COOLDOWN_S`` one attempt passes, and closes it unless it
    ends in silence as well.
    """

    def __init__(self) -> None:
        self._silences: dict[str, tuple[int, float]] = {}

    def admits(self, key: str, now_s: float) -> bool:
        """Whether to ask now; who is told to counts as the attempt of this while."""
        count, last_s = self._silences.get(key, (0, now_s))
        if count < TIMEOUTS:
            return True
        if now_s - last_s < COOLDOWN_S:
            return False
        self._silences[key] = (count, now_s)
        return True

    def note_timeout(self, key: str, now_s: float) -> None:
        """There was no answer in time."""
        count, _ = self._silences.get(key, (0, now_s))
        self._silences[key] = (count + 1, now_s)

    def note_answer(self, key: str) -> None:
        """There was an answer, be it a failure."""
        self._silences.pop(key, None)
