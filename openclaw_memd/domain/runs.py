"""Runs of scripts without spaces between words: overlapping pairs for the index, fewer for a query."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add

from openclaw_memd.domain import stopwords
from openclaw_memd.domain.scripts import HANGUL, UNIT, UNIT_MARK

_FUNCTION_CHARACTERS = stopwords.CHINESE_CHARACTERS | stopwords.KANA_PARTICLES
_PHRASES = re.compile(
    "|".join(sorted({*stopwords.CHINESE_PHRASES, *stopwords.JAPANESE_PHRASES}, key=len, reverse=True))
)
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_MIN_KOREAN_STEM = 2


@dataclass(frozen=True, slots=True)
class QueryPiece:
    """A piece of a run that a query looks for; ``prefix``: everything that begins with it counts."""

    form: str
    prefix: bool
    stop: bool


def split_units(run: str) -> Sequence[str]:
    """The characters of a run, each with the marks that belong to it."""
    return UNIT.findall(run) if UNIT_MARK.search(run) else run


def index_pieces(units: Sequence[str]) -> list[str]:
    """Every overlapping pair of units, then the last unit alone.

    So the pairs of every substring are among the run's, and every unit begins a piece.
    """
    return [*map(add, units, units[1:]), units[-1]]


def query_pieces(run: str) -> list[QueryPiece]:
    """What a query that holds ``run`` looks for: its pairs, and single units that stand alone.

    ``stop`` marks what says nothing: pieces that touch a longer function word, and pairs of two function
    characters. A Korean word loses its particle.
    """
    if HANGUL.match(run):
        return _korean_pieces(run)
    units = split_units(run)
    if len(units) == 1:
        return [QueryPiece(run, prefix=True, stop=run in _FUNCTION_CHARACTERS)]
    in_phrase = _phrase_units(run, units)
    function = [marked or unit in _FUNCTION_CHARACTERS for marked, unit in zip(in_phrase, units, strict=True)]
    if _HIRAGANA.fullmatch(run) and not all(function):
        # Nothing tells function words from the syllables of other words here.
        return [QueryPiece(form, prefix=False, stop=False) for form in map(add, units, units[1:])]
    found: list[QueryPiece] = []
    for index, unit in enumerate(units):
        alone = not function[index] and all(
            function[max(0, index - 1) : index] + function[index + 1 : index + 2]
        )
        if alone:
            found.append(QueryPiece(unit, prefix=True, stop=False))
        if index + 1 < len(units):
            pair_stop = in_phrase[index] or in_phrase[index + 1] or (function[index] and function[index + 1])
            found.append(QueryPiece(unit + units[index + 1], prefix=False, stop=pair_stop))
    return found


def _phrase_units(run: str, units: Sequence[str]) -> list[bool]:
    """Which units lie within a function word of two characters or more."""
    covered = {position for match in _PHRASES.finditer(run) for position in range(*match.span())}
    marked: list[bool] = []
    position = 0
    for unit in units:
        marked.append(position in covered)
        position += len(unit)
    return marked


def _korean_pieces(run: str) -> list[QueryPiece]:
    stem = _strip_particle(run)
    stop = run in stopwords.LISTS["ko"] or stem in stopwords.LISTS["ko"]
    units = split_units(run if stop else stem)
    if len(units) == 1:
        return [QueryPiece(units[0], prefix=True, stop=stop)]
    return [QueryPiece(a + b, prefix=False, stop=stop) for a, b in pairwise(units)]


def _strip_particle(word: str) -> str:
    for particle in stopwords.KOREAN_PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= _MIN_KOREAN_STEM:
            return word[: -len(particle)]
    return word
