"""What a language's wishes to be reminded at a time look like."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from openclaw_memd.domain.folding import fold
from openclaw_memd.domain.late_patterns import LatePattern, any_of

CLOCK: Final = r"(?<![\d:.])(?:[01]?\d|2[0-3])[:h][0-5]\d(?!\d)"
"""A time as a digital clock shows it."""


@dataclass(frozen=True, slots=True)
class ReminderGrammar:
    """Patterns of one language over folded text with single blanks.

    ``asks`` finds a verb of reminding, ``times`` a time to come. What the wish waits for, or is about, may
    name a time as well and is left out: from what ``opens`` finds to the end of a clause, and up to what
    ``closes`` finds.
    """

    language: str
    asks: LatePattern
    times: LatePattern
    opens: LatePattern
    closes: LatePattern | None = None

    def matches(self, clauses: Iterable[str]) -> bool:
        """Whether the sentence of these clauses is such a wish."""
        own = ", ".join(map(self._own_part, clauses))
        return self.asks.search(own) is not None and self.times.search(own) is not None

    def compile(self) -> None:
        """Make the patterns now, which ``matches`` would do when it first needs them."""
        for pattern in (self.asks, self.times, self.opens, self.closes):
            _ = pattern and pattern.compiled

    def _own_part(self, clause: str) -> str:
        start = 0
        if self.closes is not None:
            for found in self.closes.finditer(clause):
                start = found.end()
        opened = self.opens.search(clause, start)
        return clause[start : None if opened is None else opened.start()]


def folded(*patterns: str) -> LatePattern:
    """One pattern for any of ``patterns``, which are written as people spell."""
    return any_of(map(fold, patterns))
