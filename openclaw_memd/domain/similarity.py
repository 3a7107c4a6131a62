"""Whether two texts say the same: the overlap of their words, and the strict rule for near-duplicates."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from openclaw_memd.domain import sense
from openclaw_memd.domain.folding import normalize
from openclaw_memd.domain.runs import split_units
from openclaw_memd.domain.scripts import RUN_BODY
from openclaw_memd.domain.text import Analyzer, Token

NEAR_DUPLICATE_JACCARD = 0.9

_CACHED_PIECES = 8192
_CACHED_CHARS = 24

Shingles = frozenset[tuple[str, ...]]

_WORDS = re.compile(f"[^\\W{RUN_BODY}]+|[{RUN_BODY}]")


def shingles(text: str) -> Shingles:
    """The pairs of neighbouring words of ``text``, without stems; one word alone is a shingle by itself.

    In scripts without spaces a character counts as a word.
    """
    return _pair(_WORDS.findall(normalize(text).casefold()))


def jaccard(left: Set[object], right: Set[object]) -> float:
    """The share of common shingles in all shingles, 0 to 1; two empty sets are equal."""
    union = len(left | right)
    return len(left & right) / union if union else 1.0


def near_duplicate(left: str, right: str, analyzer: Analyzer) -> bool:
    """Whether two texts say the same in almost the same words.

    Their pairs of analysed words have a Jaccard index of at least 0.9, and they hold the same numbers,
    identifiers and negations in the same order. Punctuation, articles and particles do not count.
    """
    if left == right:
        return True
    first, second = outline(left, analyzer), outline(right, analyzer)
    return (
        first.decisive == second.decisive
        and jaccard(first.shingles, second.shingles) >= NEAR_DUPLICATE_JACCARD
    )


@dataclass(frozen=True, slots=True)
class Outline:
    """The words of a text that count, and those among them that decide what it says."""

    words: tuple[str, ...]
    decisive: tuple[str, ...]

    @property
    def shingles(self) -> Shingles:
        """The pairs of neighbouring words."""
        return _pair(self.words)


def outline(text: str, analyzer: Analyzer) -> Outline:
    """What near-duplicates have in common: the words of ``text`` without articles and particles."""
    words: list[str] = []
    decisive: list[str] = []
    for piece in text.split():  # no token holds white space, and pieces come again
        found = _outline(piece, analyzer) if len(piece) <= _CACHED_CHARS else _outline_anew(piece, analyzer)
        words += found.words
        decisive += found.decisive
    return Outline(tuple(words), tuple(decisive))


def _outline_anew(text: str, analyzer: Analyzer) -> Outline:
    words: list[str] = []
    decisive: list[str] = []
    for token in analyzer.tokens(text):
        whole = token.forms[0]
        word = split_units(whole)[0] if token.kind == "run" else _stem(token)
        if whole in sense.ARTICLES or word in sense.PARTICLE_UNITS:
            continue
        words.append(word)
        if _decides(token, word):
            decisive.append(whole if token.kind != "run" or whole in sense.NEGATION_PAIRS else word)
    return Outline(tuple(words), tuple(decisive))


_outline = lru_cache(maxsize=_CACHED_PIECES)(_outline_anew)


def _stem(token: Token) -> str:
    """The first other form of a word, which is a stem; the whole of an identifier."""
    return token.forms[:2][-1] if token.kind == "word" else token.forms[0]


def _decides(token: Token, word: str) -> bool:
    whole = token.forms[0]
    match token.kind:
        case "identifier":
            return True
        case "run":
            return word in sense.NUMBER_UNITS or word in sense.NEGATION_UNITS or whole in sense.NEGATION_PAIRS
        case "word":
            return (
                whole[0].isdecimal()
                or whole in sense.NEGATIONS
                or whole in sense.NUMBER_WORDS
                or whole.endswith("n't")
            )


def _pair(words: Sequence[str]) -> Shingles:
    if len(words) == 1:
        return frozenset([tuple(words)])
    return frozenset(pairwise(words))
