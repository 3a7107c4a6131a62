"""What a language's questions about the past look like."""

import re
from dataclasses import dataclass
from re import Pattern
from typing import Final

from openclaw_memd.domain.late_patterns import LatePattern

LATIN: Final = re.compile("[a-z]")
CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
HAN_OR_KANA: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
HANGUL: Final = re.compile("[\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class RecallGrammar:
    """Patterns of one language over casefolded text with single blanks.

    ``asks`` finds a question about the past; ``ahead`` a time to come; ``over`` what can only be over, which
    makes a question of a sentence that speaks of both. A sentence without a letter of ``script`` is not
    looked at.
    """

    language: str
    asks: LatePattern
    ahead: LatePattern
    over: LatePattern
    script: Pattern[str] = LATIN

    def matches(self, sentence: str) -> bool:
        """Whether the sentence asks about the past."""
        if self.script.search(sentence) is None or self.asks.search(sentence) is None:
            return False
        return self.ahead.search(sentence) is None or self.over.search(sentence) is not None

    def compile(self) -> None:
        """Make the patterns now, which ``matches`` would do when it first needs them."""
        for pattern in (self.asks, self.ahead, self.over):
            _ = pattern.compiled


def words(*patterns: str) -> str:
    """Any of ``patterns`` as whole words."""
    return rf"\b(?:{'|'.join(patterns)})\b"
