"""Whether one line holds what another one says, or is what became of it, told from their sketches."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from openclaw_memd.domain.sketches import DECIDES, DENIES, IS_UNIT, Sketch, near_duplicate_sketches

LEAST_CONTENT: Final = 5
"""A text of fewer content words is held by others by chance; two characters of a run count as a word."""

LEAST_EDITED: Final = 3
EDITED_SHARE: Final = 0.7
"""An edit in place keeps so much of the content words of the shorter one of the two."""

_PAIRS_SHARE: Final = 0.7
_HELD_PERCENT: Final = 95
_MOST_BETWEEN: Final = 8
"""So many other words may be strewn in."""

_FEW: Final = 32
"""Up to so many content words every width is tried; of a long text few are, since each costs its length."""

MOST_JOINED: Final = 3
"""A text that is wrapped over more lines is not looked for."""


def is_copy(found: Sketch, recorded: Sketch) -> bool:
    """Whether a line says what was recorded, holds all of it beside other text, or is a good part of it.

    Words may be swapped in pieces, left out or strewn in. Somewhere in the longer one there are the content
    words of the shorter one with all its numbers, identifiers and negations, and no other negation.
    """
    if near_duplicate_sketches(found, recorded):
        return True
    short, long = (recorded, found) if len(recorded.terms) <= len(found.terms) else (found, recorded)
    return holds(long, short)


def holds(long: Sketch, short: Sketch) -> bool:
    """Whether ``long`` has in it what ``short`` says."""
    if _content(short.terms) < LEAST_CONTENT or len(long.terms) < _needed(short.terms):
        return False
    if len(long.shingles & short.shingles) < _PAIRS_SHARE * len(short.shingles):
        return False
    size = len(short.terms)
    widest = min(size + min(max(2, size // 4), _MOST_BETWEEN), len(long.terms))
    narrowest = min(size, widest)
    widths = {*range(narrowest, widest, 1 + size // _FEW), widest}
    return any(_has_window(long.terms, short.terms, width) for width in sorted(widths))


def is_edit(found: Sketch, vanished: Sketch) -> bool:
    """Whether a line may be what became of one that vanished from its place: most content words are the same.

    Numbers, identifiers and negations are words like others here: an edit may well change them.
    """
    if near_duplicate_sketches(found, vanished):
        return True
    if not vanished.terms:  # it was kept before terms were
        shared = len(found.shingles & vanished.shingles)
        return shared >= LEAST_EDITED and 2 * shared >= min(len(found.shingles), len(vanished.shingles))
    size = min(len(found.terms), len(vanished.terms))
    shared = (Counter(found.terms) & Counter(vanished.terms)).total()
    return size >= LEAST_EDITED and shared >= EDITED_SHARE * size


def wraps(
    texts: Sequence[str],
    index: int,
    recorded: Sketch,
    sketch: Callable[[str], Sketch],
) -> bool:
    """Whether lines that follow each other say together what was recorded, and not without ``texts[index]``.

    ``texts`` are a few; ``sketch`` makes the sketch of one.
    """
    pairs = [sketch(text).shingles & recorded.shingles for text in texts]
    for first, end in _windows(index, len(texts)):
        joints = end - first - 1
        if sum(map(len, pairs[first:end])) + joints < _PAIRS_SHARE * len(recorded.shingles):
            continue
        if not holds(sketch(" ".join(texts[first:end])), recorded):
            continue
        rest = [texts[place] for place in range(first, end) if place != index]
        if not holds(sketch(" ".join(rest)), recorded):
            return True
    return False


def _windows(index: int, number: int) -> Iterator[tuple[int, int]]:
    """The ranges of two and three lines that ``index`` is in."""
    for size in range(2, MOST_JOINED + 1):
        for first in range(max(0, index - size + 1), min(index, number - size) + 1):
            yield first, first + size


def _content(terms: Sequence[int]) -> float:
    return sum(0.5 if term & IS_UNIT else 1 for term in terms)


def _needed(short: Sequence[int]) -> int:
    """How many of the terms must be there."""
    return len(short) - len(short) * (100 - _HELD_PERCENT) // 100


def _has_window(long: Sequence[int], short: Sequence[int], width: int) -> bool:
    """Whether among ``width`` terms of ``long`` in a row are nearly all of ``short``, and whatever decides.

    More may be there, but no other negation.
    """
    wanted = Counter(short)
    needed = _needed(short)
    have: Counter[int] = Counter()
    shared = 0
    odd = sum(1 for term in short if term & DECIDES)
    for end, term in enumerate(long, 1):
        if have[term] < wanted[term]:
            shared += 1
            odd -= bool(term & DECIDES)
        else:
            odd += bool(term & DENIES)
        have[term] += 1
        if end > width:
            old = long[end - width - 1]
            have[old] -= 1
            if have[old] < wanted[old]:
                shared -= 1
                odd += bool(old & DECIDES)
            else:
                odd -= bool(old & DENIES)
        if end >= width and shared >= needed and odd == 0:
            return True
    return False
