"""The best passages of scored lines: whole lines, at most ``PASSAGE_CHARS``, no two of them overlapping."""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop
from typing import Final, NamedTuple

PASSAGE_CHARS: Final = 700  # OpenClaw's limit of a snippet
NEIGHBOUR_SHARE: Final = 0.25
"""How much each neighbour's score counts beside a line's own: an answer often stands next to its question."""


class Stretch(NamedTuple):
    """Consecutive lines of one file: the first is line ``start_line``; ``scores`` are 0..1.

    ``begins`` tells which lines are answers by themselves; the others only stand beside such a one.
    """

    start_line: int
    lines: Sequence[str]
    scores: Sequence[float]
    begins: Sequence[bool]


class Passage(NamedTuple):
    """Lines ``first`` up to before ``stop`` of a stretch; ``best`` is the line that gave the score."""

    stretch: int
    first: int
    stop: int
    best: int
    score: float


def smooth(scores: Sequence[float]) -> list[float]:
    """The mean of each line's score and its neighbours', who count ``NEIGHBOUR_SHARE``.

    Where there is no neighbour the line's own score takes the place, so a line alone keeps its score.
    """
    if not scores:
        return []
    before = [scores[0], *scores[:-1]]
    after = [*scores[1:], scores[-1]]
    return [
        (own + NEIGHBOUR_SHARE * (left + right)) / (1 + 2 * NEIGHBOUR_SHARE)
        for own, left, right in zip(scores, before, after, strict=True)
    ]


def pick_passages(stretches: Sequence[Stretch], *, limit_chars: int = PASSAGE_CHARS) -> Iterator[Passage]:
    """Passages by falling score.

    Each is the best line that is left and may begin one, grown by the better of its neighbours as long as
    they fit. Blank lines begin none, and none ends in them.
    """
    heap = [
        (-score, stretch, line)
        for stretch, one in enumerate(stretches)
        for line, score in enumerate(one.scores)
        if score > 0 and one.begins[line]
    ]
    heapify(heap)
    used = [[False] * len(one.lines) for one in stretches]
    while heap:
        negative, stretch, line = heappop(heap)
        taken = used[stretch]
        if taken[line] or not stretches[stretch].lines[line].strip():
            continue
        first, stop = _grow(stretches[stretch], taken, line, limit_chars)
        for inner in range(first, stop):
            taken[inner] = True
        first, stop = _trim(stretches[stretch].lines, first, stop)
        yield Passage(stretch, first, stop, line, -negative)


def cut_around(line: str, position: int, limit_chars: int = PASSAGE_CHARS) -> str:
    """At most ``limit_chars`` of ``line`` around ``position``, between words where one ends near."""
    if len(line) <= limit_chars:
        return line
    start = max(0, min(position - limit_chars // 2, len(line) - limit_chars))
    stop = start + limit_chars
    slack = limit_chars // 8
    if start:
        blank = line.find(" ", start, min(start + slack, position))
        start = blank + 1 if blank >= 0 else start
    if stop < len(line):
        blank = line.rfind(" ", max(stop - slack, position + 1), stop)
        stop = blank if blank >= 0 else stop
    return line[start:stop]


def _grow(stretch: Stretch, taken: Sequence[bool], line: int, limit_chars: int) -> tuple[int, int]:
    lines, scores = stretch.lines, stretch.scores
    above, below = line - 1, line + 1
    size = len(lines[line])
    while True:
        up = above >= 0 and not taken[above] and size + 1 + len(lines[above]) <= limit_chars
        down = below < len(lines) and not taken[below] and size + 1 + len(lines[below]) <= limit_chars
        if up and (not down or scores[above] >= scores[below]):
            size += 1 + len(lines[above])
            above -= 1
        elif down:
            size += 1 + len(lines[below])
            below += 1
        else:
            return above + 1, below


def _trim(lines: Sequence[str], first: int, stop: int) -> tuple[int, int]:
    while not lines[first].strip():
        first += 1
    while not lines[stop - 1].strip():
        stop -= 1
    return first, stop
