"""When the keywords of an intent are in a message: words whole or in another ending, in any order. Pure."""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import add
from typing import Final

from openclaw_memd.domain.folding import fold, normalize
from openclaw_memd.domain.inflections import is_form_of
from openclaw_memd.domain.message_language import is_english
from openclaw_memd.domain.scripts import EMOJI_PATTERN
from openclaw_memd.domain.stemming import Stems
from openclaw_memd.domain.stopwords import (
    ACRONYMS,
    CHINESE_CHARACTERS,
    CHINESE_PHRASES,
    JAPANESE_PHRASES,
    KANA_PARTICLES,
)
from openclaw_memd.domain.triggers import (
    Word,
    cuts_word,
    differ_elsewhere,
    is_same_word,
    split_words,
    word_stems,
)

FORMS_VERSION: Final = 4
"""Grows whenever the forms of some keyword change."""

_EMOJI: Final = re.compile(EMOJI_PATTERN)
_SIGNED: Final = re.compile(r"(?<![\w.+#])(?:[^\W_]+(?:\+\+|\+(?!\w)|#(?!\w))|\.[^\W\d_]\w*)")
_CAPITALS: Final = re.compile(r"\b[A-Z]+\b")
_POSSESSIVE: Final = re.compile(r"(?<=[^\W_])'s\b", re.IGNORECASE)
_LEAST_SHOUTED: Final = 3
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Said:
    """What is in a message: its words by each of their forms, runs of unspaced scripts, and emoji.

    ``in_english`` as in ``triggers.is_same_word``.
    """

    by_form: dict[str, list[str]]
    runs: tuple[str, ...]
    in_english: bool = False

    @property
    def forms(self) -> list[str]:
        """Every form that the index of keywords is asked for."""
        pairs = (pair for run in self.runs for pair in (*run, *map(add, run, run[1:])))
        return list(dict.fromkeys([*self.by_form, *pairs]))


def read_message(text: str, stems: Stems) -> Said:
    """What is in the spoken text of a message."""
    by_form: dict[str, list[str]] = {}
    runs: list[str] = []
    whole = normalize(text)
    words = dict.fromkeys(split_words(whole, least_chars=1))
    for spelt, is_run in words:
        if is_run:
            runs.append(spelt)
        else:
            for form in word_stems(spelt, stems):
                by_form.setdefault(form, []).append(spelt)
    for word in dict.fromkeys(_marked(whole, _acronyms(whole))):
        if word not in words:
            for form in _forms(word.text, stems):
                by_form.setdefault(form, []).append(word.text)
    return Said(by_form, tuple(runs), is_english([spelt for spelt, _ in words], stems.other_latin))


def split_keyword(keyword: str) -> list[Word]:
    """The distinct words of a keyword, single characters and emoji too; none: it can never match.

    The ``'s`` of a possessive is an ending. A sign that belongs to a word is kept with it (``C++``, ``C#``,
    ``.env``), and so are the capitals of an acronym that is a common word in small letters (``IT``).
    """
    text = _POSSESSIVE.sub("", normalize(keyword))
    plain = _SIGNED.sub(" ", text)
    acronyms = _acronyms(plain)
    plain = _CAPITALS.sub(lambda found: " " if found[0] in acronyms else found[0], plain)
    found = dict.fromkeys(split_words(plain, least_chars=1))
    return list(found | dict.fromkeys(_marked(text, acronyms)))


def is_common(keyword: str, stop_words: Iterable[Container[str]]) -> bool:
    """Whether a keyword has nothing but words that most messages of one language have."""
    words = split_keyword(keyword)
    if not words:
        return False
    return any(all(_is_stop_word(word, common) for word in words) for common in stop_words)


def word_forms(word: Word, stems: Stems) -> Sequence[str]:
    """The forms of which a message that has ``word`` has at least one."""
    return (word.text[:_PAIR],) if word.is_run else tuple(dict.fromkeys(_forms(word.text, stems)))


def keyword_forms(keywords: Sequence[str], stems: Stems) -> list[list[Sequence[str]]]:
    """The forms of each word of each keyword, as the index of keywords has them."""
    return [[word_forms(word, stems) for word in split_keyword(keyword)] for keyword in keywords]


def is_said(words: Sequence[Word], said: Said, stems: Stems, *, in_any_form: bool = False) -> bool:
    """Whether every one of the ``words`` of a keyword is in the message.

    Several words tell together what they are about, and each may be there in any form of it (``flight
    booking`` in "book a flight"). A word that stands alone was chosen in its form: ``stage`` is said by
    "staging", and ``staging`` is not by "the stage", but for who asks for it ``in_any_form``.
    """
    is_alone = len(words) == 1 and not in_any_form
    return bool(words) and all(_has(said, word, stems, is_alone=is_alone) for word in words)


def find_said(keywords: Sequence[str], said: Said, stems: Stems, *, in_any_form: bool = False) -> str | None:
    """The first of ``keywords`` that is said."""
    return next(
        (
            keyword
            for keyword in keywords
            if is_said(split_keyword(keyword), said, stems, in_any_form=in_any_form)
        ),
        None,
    )


def _marked(text: str, acronyms: Collection[str]) -> Iterator[Word]:
    """What counts only as it stands: words with their signs, acronyms, emoji."""
    yield from (Word(fold(found), is_run=False) for found in _SIGNED.findall(text))
    yield from (Word(acronym, is_run=False) for acronym in acronyms)
    if not text.isascii():
        yield from (Word(emoji, is_run=False) for emoji in _EMOJI.findall(text))


def _acronyms(text: str) -> Collection[str]:
    """The acronyms of ``text``; none where all of it is in capitals."""
    if text.isupper() and len(list(split_words(text, least_chars=1))) >= _LEAST_SHOUTED:
        return ()
    return dict.fromkeys(found for found in _CAPITALS.findall(text) if found in ACRONYMS)


def _is_exact(text: str) -> bool:
    return text in ACRONYMS or _SIGNED.fullmatch(text) is not None


def _is_stop_word(word: Word, common: Container[str]) -> bool:
    if word.is_run:
        return (
            word.text in CHINESE_PHRASES
            or word.text in JAPANESE_PHRASES
            or word.text in KANA_PARTICLES
            or CHINESE_CHARACTERS.issuperset(word.text)
        )
    return word.text in common


def _forms(text: str, stems: Stems) -> Sequence[str]:
    return (text,) if _is_exact(text) else word_stems(text, stems)


def _has(said: Said, word: Word, stems: Stems, *, is_alone: bool) -> bool:
    if word.is_run:
        return any(_is_within(word.text, run) for run in said.runs)
    return any(
        other == word.text
        or (
            not _is_exact(word.text)
            and _says(other, word.text, stems, is_alone=is_alone, in_english=said.in_english)
        )
        for form in _forms(word.text, stems)
        for other in said.by_form.get(form, ())
    )


def _says(other: str, word: str, stems: Stems, *, is_alone: bool, in_english: bool) -> bool:
    if not is_alone or not (word.isascii() and other.isascii()):
        return is_same_word(word, other, stems, in_english=in_english)
    return is_form_of(other, word) or differ_elsewhere(word, other, stems, in_english=in_english)


def _is_within(word: str, run: str) -> bool:
    return any(not cuts_word(run, start, start + len(word)) for start in _starts(word, run))


def _starts(word: str, run: str) -> Iterator[int]:
    start = run.find(word)
    while start >= 0:
        yield start
        start = run.find(word, start + 1)
