"""Where the terms of a query occur in analysed text, and how much of the query each line answers.

Analysed text is one line of blank-separated forms for each line of text, as the index stores it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from openclaw_memd.domain.scoring import saturate

CONTEXT_CHARS: Final = 300  # how far a line's surroundings reach to each side: about half a passage


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """A query term: any of ``forms`` is a match, with ``prefix`` also what begins with one.

    ``weight`` is its inverse frequency in the texts that are searched.
    """

    forms: tuple[str, ...]
    prefix: bool
    weight: float


class AnalysedText(NamedTuple):
    """One chunk: its ``lines``, the terms of each, and the terms of its path, heading and triggers."""

    lines: Sequence[str]
    term_lines: Sequence[str]
    context: str


class TextMatch(NamedTuple):
    """What a chunk has of a query.

    ``counts`` are, for each term, how often each line has it; ``in_context`` which terms its context
    has. ``shares`` say how much of the query each line answers, 0..1.
    """

    counts: Sequence[Mapping[int, int]]
    in_context: Sequence[bool]
    shares: Sequence[float]

    @property
    def matches(self) -> bool:
        """Whether any term is there."""
        return any(self.counts) or any(self.in_context)

    @property
    def lines(self) -> frozenset[int]:
        """The lines that have any term."""
        return frozenset().union(*self.counts)

    @property
    def has_all(self) -> bool:
        """Whether every term is there, and there is one."""
        return bool(self.counts) and all(
            counts or there for counts, there in zip(self.counts, self.in_context, strict=True)
        )

    def holds_all(self, first: int, stop: int) -> bool:
        """Whether every term is in the lines from ``first`` up to before ``stop``, or in the context."""
        return all(there or self.holds(term, first, stop) for term, there in enumerate(self.in_context))

    def holds(self, term: int, first: int, stop: int) -> bool:
        """Whether one term is in these lines."""
        return any(first <= line < stop for line in self.counts[term])


def match_texts(texts: Sequence[AnalysedText], terms: Sequence[WeightedTerm]) -> Iterator[TextMatch]:
    """What each text has of the query, one after the other.

    A line's share is the mean of three BM25 sums, each over the largest sum that it could be: of the line, of
    the line with its surroundings, and of its chunk with its context. Lengths count in the first and the
    last, against the mean of ``texts``.
    """
    needles = [
        (number, f" {form}" if term.prefix else f" {form} ")
        for number, term in enumerate(terms)
        for form in term.forms
    ]
    sizes = [list(map(len, text.lines)) for text in texts]
    filled = [size for lines in sizes for size in lines if size]
    measures = _Measures(
        chunk=max(1.0, sum(filled) / max(1, len(texts))),
        line=max(1.0, sum(filled) / max(1, len(filled))),
        total=3 * sum(term.weight for term in terms) or 1.0,
    )
    for text, lines in zip(texts, sizes, strict=True):
        yield _weigh(*_find(text, needles, len(terms)), terms, lines, measures)


@dataclass(frozen=True, slots=True)
class _Measures:
    """Mean characters of a chunk and of a line, and the largest sum that a line could have."""

    chunk: float
    line: float
    total: float


def _find(
    text: AnalysedText, needles: Sequence[tuple[int, str]], terms: int
) -> tuple[list[dict[int, int]], list[bool]]:
    """The counts of each term by line, and which are in the context.

    ``needles`` come with the number of their term; a line counts what it has most of.
    """
    padded = " " + " \n ".join(text.term_lines) + " "
    context = f" {text.context} "
    counts: list[dict[int, int]] = [{} for _ in range(terms)]
    in_context = [False] * terms
    for term, needle in needles:
        if needle in context:
            in_context[term] = True
        position = padded.find(needle)
        if position < 0:
            continue
        found = _count_by_line(padded, needle, position)
        by_line = counts[term]
        if by_line:
            for line, count in found.items():
                by_line[line] = max(count, by_line.get(line, 0))
        else:
            counts[term] = found
    return counts, in_context


def _count_by_line(padded: str, needle: str, position: int) -> dict[int, int]:
    """How often each line has ``needle``, which is at ``position`` first."""
    counts: dict[int, int] = {}
    line = seen = 0
    while position >= 0:
        line += padded.count("\n", seen, position)
        counts[line] = counts.get(line, 0) + 1
        seen = position
        position = padded.find(needle, position + len(needle) - 1)
    return counts


def _weigh(
    counts_by_term: Sequence[Mapping[int, int]],
    in_context: Sequence[bool],
    terms: Sequence[WeightedTerm],
    sizes: Sequence[int],
    measures: _Measures,
) -> TextMatch:
    sums = [0.0] * len(sizes)
    whole = 0.0
    length_ratio = sum(sizes) / measures.chunk
    ends = list(accumulate(sizes, lambda end, size: end + size + 1, initial=0))
    for term, counts, there in zip(terms, counts_by_term, in_context, strict=True):
        if not counts and not there:
            continue
        weight = term.weight
        whole += weight * saturate(sum(counts.values()) + there, length_ratio)
        for line, count in counts.items():
            sums[line] += weight * saturate(count, sizes[line] / measures.line)
        for first, stop, near in _near(counts, ends):
            share = weight * saturate(near, 0.0)
            for line in range(first, stop):
                sums[line] += share
    total = measures.total
    return TextMatch(counts_by_term, in_context, [(own + whole) / total for own in sums])


def _near(counts: Mapping[int, int], ends: Sequence[int]) -> list[tuple[int, int, int]]:
    """Lines, from the first to where they stop, with how often a term is near each of them."""
    reaches = [(*_surroundings(line, ends), count) for line, count in counts.items()]
    if len(reaches) < 2:  # as it mostly is
        return reaches
    changes: dict[int, int] = {}
    for first, stop, count in reaches:
        changes[first] = changes.get(first, 0) + count
        changes[stop] = changes.get(stop, 0) - count
    places = sorted(changes)
    nears = accumulate(changes[place] for place in places)
    return [(first, stop, near) for (first, stop), near in zip(pairwise(places), nears, strict=False) if near]


def _surroundings(line: int, ends: Sequence[int]) -> tuple[int, int]:
    """The lines within ``CONTEXT_CHARS`` of a line, and itself: the first, and where they stop.

    ``ends`` are how many characters all lines before each one have together, with their line ends.
    """
    first = bisect_left(ends, ends[line] - CONTEXT_CHARS, 0, line)
    return first, bisect_right(ends, ends[line + 1] + CONTEXT_CHARS, line + 1) - 1
