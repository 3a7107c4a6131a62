"""Regular expressions that are compiled when they are first needed."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from re import Match, Pattern


class LatePattern:
    """A long pattern. To compile those of all languages takes some 0.1 s, which a start can do without."""

    def __init__(self, source: str) -> None:
        self.source = source

    @cached_property
    def compiled(self) -> Pattern[str]:
        """The pattern; it is compiled here, once."""
        return re.compile(self.source)

    def search(self, text: str, start: int = 0) -> Match[str] | None:
        """As of ``re.Pattern``."""
        return self.compiled.search(text, start)

    def finditer(self, text: str) -> Iterator[Match[str]]:
        """As of ``re.Pattern``."""
        return self.compiled.finditer(text)


def any_of(patterns: Iterable[str]) -> LatePattern:
    """One pattern for any of ``patterns``."""
    return LatePattern("|".join(f"(?:{pattern})" for pattern in patterns))
