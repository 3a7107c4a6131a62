"""How well a message fits the trigger phrases of an entry, by words. Pure.

Scores are OpenClaw's. A word of a spaced script counts whole or in another ending of it; a word of an
unspaced script counts as a run of characters anywhere in the message.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import add
from typing import Final, NamedTuple

from openclaw_memd.domain.folding import fold, normalize
from openclaw_memd.domain.inflections import are_forms, hidden_singulars
from openclaw_memd.domain.message_language import is_english, names_doer
from openclaw_memd.domain.scripts import HANGUL, RUN_BODY, RUN_PATTERN, UNIT_MARK
from openclaw_memd.domain.stemming import Stems

ONE_WORD: Final = 0.85
COVERED: Final = 0.8
TWO_WORDS: Final = 0.2
TRIGGER_SHARE: Final = 0.8
RELEVANCE_SHARE: Final = 0.2

MOST_ENDING_CHARS: Final = 3
"""How many letters two Latin words of other languages than English may differ in after what they share."""

_SCAN: Final = re.compile(rf"(?P<run>{RUN_PATTERN})|(?:(?![{RUN_BODY}])\w)+")
_ASCII: Final = re.compile(r"\w+", re.ASCII)
_KATAKANA: Final = re.compile("[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]+")
_HAN: Final = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\ufa0e-\ufa29\U00020000-\U000323af]")
_LEAST_CHARS: Final = 2


def score_words(words: int, present: int) -> float:
    """The score of a phrase of ``words`` distinct words, of which ``present`` are in the message."""
    if not present:
        return 0.0
    if words == 1:
        return ONE_WORD
    return min(1.0, COVERED * present / words + TWO_WORDS * min(1.0, present / 2))


def score_match(trigger: float, relevance: float) -> float:
    """The score of an entry: by its best phrase, and by how relevant all of it is."""
    return TRIGGER_SHARE * trigger + RELEVANCE_SHARE * min(1.0, max(0.0, relevance))


class Word(NamedTuple):
    """A word of a phrase or a message, folded; ``is_run`` for one of an unspaced script."""

    text: str
    is_run: bool

    @property
    def weight(self) -> int:
        """How many words it counts for: two Han characters say as much as a word of another script."""
        if not self.is_run:
            return 1
        return max(1, len(_HAN.findall(self.text)) // 2 + len(_KATAKANA.findall(self.text)))


def split_words(text: str, *, least_chars: int = _LEAST_CHARS) -> Iterator[Word]:
    """The distinct words of ``text`` in order; what is shorter than ``least_chars`` is none."""
    whole = normalize(text)
    if whole.isascii():  # as most messages: has no runs, and is split in a quarter of the time
        words = dict.fromkeys(
            Word(word, is_run=False) for word in dict.fromkeys(_ASCII.findall(whole.lower()))
        )
    else:
        found = {match.group(): match["run"] is not None for match in _SCAN.finditer(whole)}
        words = dict.fromkeys(Word(fold(word), is_run) for word, is_run in found.items())
    return (word for word in words if len(word.text) >= least_chars)


class Phrases:
    """Many trigger phrases, by the words that they are made of; each is known by its number."""

    def __init__(self, phrases: Sequence[str], stems: Stems) -> None:
        self._stems = stems
        self._words: list[int] = []
        self._places: dict[str, list[tuple[int, int]]] = {}  # by word: the phrases, and what it counts for
        self._by_form: dict[str, list[str]] = {}
        self._by_start: dict[str, list[str]] = {}
        for number, phrase in enumerate(phrases):
            words = list(split_words(phrase))
            self._words.append(sum(word.weight for word in words))
            for word in words:
                if word.text not in self._places:
                    self._enter(word)
                self._places.setdefault(word.text, []).append((number, word.weight))

    def match(self, message: str) -> Mapping[int, float]:
        """The score of each phrase of which anything is in ``message``, by its number."""
        found: set[str] = set()
        words = list(split_words(message))
        in_english = is_english([word.text for word in words], self._stems.other_latin)
        for text, is_run in words:
            found.update(self._within(text) if is_run else self._like(text, in_english=in_english))
        present: dict[int, int] = {}
        for word in found:
            for number, weight in self._places[word]:
                present[number] = present.get(number, 0) + weight
        return {number: score_words(self._words[number], weight) for number, weight in present.items()}

    def _enter(self, word: Word) -> None:
        if word.is_run:
            self._by_start.setdefault(word.text[:_LEAST_CHARS], []).append(word.text)
        else:
            for form in word_stems(word.text, self._stems):
                self._by_form.setdefault(form, []).append(word.text)

    def _like(self, word: str, *, in_english: bool) -> Iterator[str]:
        for form in word_stems(word, self._stems):
            for other in self._by_form.get(form, ()):
                if other == word or is_same_word(word, other, self._stems, in_english=in_english):
                    yield other

    def _within(self, run: str) -> Iterator[str]:
        for start, pair in enumerate(map(add, run, run[1:])):
            for word in self._by_start.get(pair, ()):
                if run.startswith(word, start) and not cuts_word(run, start, start + len(word)):
                    yield word


def word_stems(word: str, stems: Stems) -> tuple[str, ...]:
    """The forms of a folded word by which another form of it is found; two words may share one by chance."""
    forms = stems.forms(word)
    hidden = hidden_singulars(word)
    return forms if not hidden else tuple(dict.fromkeys([*forms, *chain(*map(stems.forms, hidden))]))


def is_same_word(one: str, other: str, stems: Stems, *, in_english: bool = False) -> bool:
    """Whether two folded words that share a stem are one word in two forms.

    English derives (``import``, ``important``) with stems that only endings should share; the stemmers of
    other languages take endings off and little more. ``in_english`` says that a message in English has one.
    """
    if not (one.isascii() and other.isascii()):
        return True
    return are_forms(one, other) or differ_elsewhere(one, other, stems, in_english=in_english)


def differ_elsewhere(one: str, other: str, stems: Stems, *, in_english: bool = False) -> bool:
    """Whether two folded ASCII words are one in another language than English, in two endings."""
    if in_english and names_doer(one, other):
        return False
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if shared is None:
        shared = min(len(one), len(other))
    return len(one) + len(other) - 2 * shared <= MOST_ENDING_CHARS and stems.join_elsewhere(one, other)


def cuts_word(run: str, start: int, end: int) -> bool:
    """Whether ``run[start:end]`` is a part of a longer word, as far as the script tells.

    Katakana spell one word from end to end, so アート is not in スカート; Korean has spaces before its words.
    """
    before, after = run[start - 1 : start], run[end : end + 1]
    if UNIT_MARK.match(after):
        return True
    if HANGUL.match(run):
        return bool(before)
    return _joins(before, run[start]) or _joins(run[end - 1], after)


def _joins(left: str, right: str) -> bool:
    return bool(_KATAKANA.match(left) and _KATAKANA.match(right))
