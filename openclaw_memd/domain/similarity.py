"""Whether two texts say the same: the overlap of their words, and the strict rule for near-duplicates."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from openclaw_memd.domain import sense
from openclaw_memd.domain.confusables import fold_words
from openclaw_memd.domain.folding import normalize
from openclaw_memd.domain.runs import split_units
from openclaw_memd.domain.scripts import RUN_BODY
from openclaw_memd.domain.stopwords import LISTS
from openclaw_memd.domain.text import Analyzer, Token

NEAR_DUPLICATE_JACCARD = 0.9

_CACHED_PIECES = 8192
_CACHED_CHARS = 24
_STOP_WORDS = frozenset[str]().union(*LISTS.values())

Shingles = frozenset[tuple[str, ...]]

_WORDS = re.compile(f"[^\\W{RUN_BODY}]+|[{RUN_BODY}]")

_MAYBE_SIGNS = re.compile(r"[<>=|+\-\u2190-\u21ff\u2200-\u22ff\u27f0-\u27ff±×÷−]")
_NO_SIGNS = re.compile(
    r"<!--.*?(?:-->|$)|</?[a-zA-Z][^<>\n]*>"  # comments, tags and links
    r"|^(?:[ \t]|>(?=[ \t>])|[-*+](?=[ \t]))+|^[-=|: \t]+$",  # marks of lists and quotations, rules
    re.MULTILINE | re.DOTALL,
)
_SIGNS = re.compile(
    r"<?[-=]{1,2}>|<--?(?![-\w])|[<>!:=+\-*/]?==?(?!=)|<>|<+|>+"
    r"|[\u2190-\u21ff\u2200-\u22ff\u27f0-\u27ff±×÷]"
    r"|(?<!\S)\+(?!\S)|(?:(?<=[\d)][ \t])|(?<=\b\w[ \t]))[-−](?=[ \t])|(?<=[ \t])[-−](?=[ \t]+(?:\d|\w\b))"
)
_TABLE = re.compile(r"\|[ \t]*:?-+:?[ \t]*\|")


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
    identifiers, negations and signs in the same order. Other punctuation, articles, particles and letters
    that only look like Latin ones do not count.
    """
    if left == right:
        return True
    left, right = fold_words(left), fold_words(right)
    if find_signs(left) != find_signs(right):
        return False
    first, second = outline(left, analyzer), outline(right, analyzer)
    return (
        first.decisive == second.decisive
        and jaccard(first.shingles, second.shingles) >= NEAR_DUPLICATE_JACCARD
    )


def find_signs(text: str) -> tuple[str, ...]:
    """What tells two texts of the same words apart: comparisons, assignments, arrows, plus and minus in their
    order, and for a table how many words each of its cells has.
    """
    if not _MAYBE_SIGNS.search(text):
        return ()
    signs = _SIGNS.findall(_NO_SIGNS.sub(" ", text))
    if _TABLE.search(text):
        signs.append("|".join(str(len(cell.split())) for cell in text.split("|")))
    return tuple(signs)


class ContentWord(NamedTuple):
    """A word that is no stop word: whether it decides what is said, denies it, and is one unit of a run."""

    word: str
    decides: bool
    denies: bool
    is_unit: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """The words of a text that count, and those among them that decide what it says; ``content`` are those
    that are no stop words in any language, each in its order.
    """

    words: tuple[str, ...]
    decisive: tuple[str, ...]
    content: tuple[ContentWord, ...]

    @property
    def shingles(self) -> Shingles:
        """The pairs of neighbouring words."""
        return _pair(self.words)


def outline(text: str, analyzer: Analyzer) -> Outline:
    """What near-duplicates have in common: the words of ``text`` without articles and particles."""
    words: list[str] = []
    decisive: list[str] = []
    content: list[ContentWord] = []
    for piece in text.split():  # no token holds white space, and pieces come again
        found = _outline(piece, analyzer) if len(piece) <= _CACHED_CHARS else _outline_anew(piece, analyzer)
        words += found.words
        decisive += found.decisive
        content += found.content
    return Outline(tuple(words), tuple(decisive), tuple(content))


def _outline_anew(text: str, analyzer: Analyzer) -> Outline:
    words: list[str] = []
    decisive: list[str] = []
    content: list[ContentWord] = []
    for token in analyzer.tokens(text):
        whole = token.forms[0]
        word = split_units(whole)[0] if token.kind == "run" else _stem(token)
        if whole in sense.ARTICLES or word in sense.PARTICLE_UNITS:
            continue
        words.append(word)
        decides = _decides(token, word)
        if decides:
            decisive.append(whole if token.kind != "run" or whole in sense.NEGATION_PAIRS else word)
        if decides or whole not in _STOP_WORDS:
            content.append(ContentWord(word, decides, _denies(token, word), token.kind == "run"))
    return Outline(tuple(words), tuple(decisive), tuple(content))


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
            return word in sense.NUMBER_UNITS or _denies(token, word)
        case "word":
            return whole[0].isdecimal() or whole in sense.NUMBER_WORDS or _denies(token, word)


def _denies(token: Token, word: str) -> bool:
    whole = token.forms[0]
    if token.kind == "run":
        return word in sense.NEGATION_UNITS or whole in sense.NEGATION_PAIRS
    return token.kind == "word" and (whole in sense.NEGATIONS or whole.endswith("n't"))


def _pair(words: Sequence[str]) -> Shingles:
    if len(words) == 1:
        return frozenset([tuple(words)])
    return frozenset(pairwise(words))
