"""Whether two texts say the same with a filler more, or with two neighbouring parts turned round. Pure.

"The boathouse key hangs there" is "The key of the boathouse hangs there". Words that stand between two parts
tell otherwise: who goes from Graz to Linz does not go from Linz to Graz.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from openclaw_memd.domain.confusables import fold_words
from openclaw_memd.domain.similarity import find_signs, near_duplicate, outline
from openclaw_memd.domain.text import Analyzer

LEAST_CONTENT: Final = 4
"""A text of fewer content words is only what it is; two characters of a run count as a word."""

LEAST_SHARE: Final = 0.9

_DECIDES: Final = 1
_IS_CONTENT: Final = 2
_IS_UNIT: Final = 4
_FLAGS: Final = 7

# What may be there or not and changes nothing: of, and words such as just and each.
_FREE: Final = """
of just also already still now really each every its her his their our my your
von vom des der auch schon bereits noch jetzt gerade jeder jede jedes jeden jedem
de del do da dos das du des también ya todavía ahora cada também já ainda agora
aussi déjà encore maintenant chaque
тоже уже ещё сейчас каждый каждая каждое каждую
"""
_CACHED_TEXTS: Final = 4096
_CACHED_CHARS: Final = 1_024

Wording = tuple[int, ...]
"""The words of a text in their order, without those that are free: hashes with bits that tell their kind."""


def find_wording(text: str, analyzer: Analyzer) -> Wording:
    """The wording of a bare text."""
    return _wording(text, analyzer) if len(text) <= _CACHED_CHARS else _wording_anew(text, analyzer)


def says_almost(left: str, right: str, analyzer: Analyzer) -> bool:
    """Whether two bare texts are near-duplicates, or one is the other reworded."""
    if left == right:
        return True
    first, second = find_wording(left, analyzer), find_wording(right, analyzer)
    if is_reworded(first, second) and find_signs(left) == find_signs(right):
        return True
    return bool(outline(left, analyzer).words) and near_duplicate(left, right, analyzer)


def is_reworded(left: Wording, right: Wording) -> bool:
    """Whether one is the other with few words more, none of which decides anything, and at most two
    neighbouring parts turned round.
    """
    short, long = sorted((left, right), key=len)
    if len(short) < LEAST_SHARE * len(long) or _content(short) < LEAST_CONTENT:
        return False
    more = Counter(long) - Counter(short)
    if more.total() != len(long) - len(short) or any(word & _DECIDES for word in more):
        return False
    kept: list[int] = []
    for word in long:
        if more[word]:
            more[word] -= 1
        else:
            kept.append(word)
    return _is_turned(short, kept)


def _is_turned(left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether two sequences are equal but for two neighbouring parts that changed places."""
    first, end = 0, len(left)
    while first < end and left[first] == right[first]:
        first += 1
    while end > first and left[end - 1] == right[end - 1]:
        end -= 1
    middle, other = tuple(left[first:end]), tuple(right[first:end])
    return middle == other or any(middle[at:] + middle[:at] == other for at in range(1, len(middle)))


def _content(words: Wording) -> float:
    return sum(0.5 if word & _IS_UNIT else 1.0 for word in words if word & _IS_CONTENT)


def _wording_anew(text: str, analyzer: Analyzer) -> Wording:
    found = outline(fold_words(text), analyzer)
    kinds = {one.word: _IS_CONTENT | _DECIDES * one.decides | _IS_UNIT * one.is_unit for one in found.content}
    free = find_free(analyzer)
    return tuple(_hash(word) | kinds.get(word, 0) for word in found.words if word not in free)


_wording = lru_cache(maxsize=_CACHED_TEXTS)(_wording_anew)


@lru_cache(maxsize=8)
def find_free(analyzer: Analyzer) -> frozenset[str]:
    """The words, as ``outline`` gives them, that change nothing of what is said."""
    found = outline(_FREE, analyzer)
    return frozenset(found.words) - {one.word for one in found.content if one.decides}


@lru_cache(maxsize=8192)
def _hash(word: str) -> int:
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "little") & ~_FLAGS
