"""When the keywords of an intent are in a message: words whole or in another ending, in any order. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add
from typing import Final

from openclaw_memd.domain.folding import normalize
from openclaw_memd.domain.scripts import EMOJI_PATTERN
from openclaw_memd.domain.stemming import Stems
from openclaw_memd.domain.triggers import Word, cuts_word, is_same_word, split_words

_EMOJI: Final = re.compile(EMOJI_PATTERN)
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Said:
    """What is in a message: its words by each of their forms, runs of unspaced scripts, and emoji."""

    by_form: dict[str, list[str]]
    runs: tuple[str, ...]

    @property
    def forms(self) -> list[str]:
        """Every form that the index of keywords is asked for."""
        pairs = (pair for run in self.runs for pair in (*run, *map(add, run, run[1:])))
        return list(dict.fromkeys([*self.by_form, *pairs]))


def read_message(text: str, stems: Stems) -> Said:
    """What is in the spoken text of a message."""
    by_form: dict[str, list[str]] = {}
    runs: list[str] = []
    for word in split_keyword(text):
        if word.is_run:
            runs.append(word.text)
        else:
            for form in stems.forms(word.text):
                by_form.setdefault(form, []).append(word.text)
    return Said(by_form, tuple(runs))


def split_keyword(keyword: str) -> list[Word]:
    """The distinct words of a keyword, single characters and emoji too; none: it can never match."""
    found = dict.fromkeys(split_words(keyword, least_chars=1))
    found |= dict.fromkeys(Word(emoji, is_run=False) for emoji in _EMOJI.findall(normalize(keyword)))
    return list(found)


def word_forms(word: Word, stems: Stems) -> Sequence[str]:
    """The forms of which a message that has ``word`` has at least one."""
    return (word.text[:_PAIR],) if word.is_run else tuple(dict.fromkeys(stems.forms(word.text)))


def keyword_forms(keywords: Sequence[str], stems: Stems) -> list[list[Sequence[str]]]:
    """The forms of each word of each keyword, as the index of keywords has them."""
    return [[word_forms(word, stems) for word in split_keyword(keyword)] for keyword in keywords]


def is_said(words: Sequence[Word], said: Said, stems: Stems) -> bool:
    """Whether every one of the ``words`` of a keyword is in the message."""
    return bool(words) and all(_has(said, word, stems) for word in words)


def find_said(keywords: Sequence[str], said: Said, stems: Stems) -> str | None:
    """The first of ``keywords`` that is said."""
    return next((keyword for keyword in keywords if is_said(split_keyword(keyword), said, stems)), None)


def _has(said: Said, word: Word, stems: Stems) -> bool:
    if word.is_run:
        return any(_is_within(word.text, run) for run in said.runs)
    return any(
        other == word.text or is_same_word(word.text, other)
        for form in stems.forms(word.text)
        for other in said.by_form.get(form, ())
    )


def _is_within(word: str, run: str) -> bool:
    return any(not cuts_word(run, start, start + len(word)) for start in _starts(word, run))


def _starts(word: str, run: str) -> Iterator[int]:
    start = run.find(word)
    while start >= 0:
        yield start
        start = run.find(word, start + 1)
