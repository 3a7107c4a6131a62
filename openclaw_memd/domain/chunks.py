"""Chunks: the pieces of a file that are indexed and found, each an exact slice of it.

A *unit* is an entry with the headings, rules and lone comments above it. A *region* is a run of text that is
chunked by itself: one unit in a curated file; elsewhere a run of units without annotations, or one with them,
since what an entry says of itself must not pass to its neighbours. A region that is over the budget is cut
where it reads best near the budget: before a section, else a unit, else a line, else after a blank, else
anywhere between characters.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from openclaw_memd.domain.annotations import NO_ANNOTATIONS, Annotations
from openclaw_memd.domain.cuts import cut_pieces
from openclaw_memd.domain.lines import Lines, split_lines
from openclaw_memd.domain.markdown import Span, annotations_of, read_sections, read_spans
from openclaw_memd.domain.tokens import WEIGHT_PER_TOKEN, weigh

CHUNKING_VERSION = 4
"""Changes whenever the same file would give other chunks or dates; files are chunked anew then."""

_ABOVE = frozenset({"heading", "rule", "comment"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """An exact slice: ``text`` is the file's ``[start:end]``, in code points.

    Lines are counted from 1, both included; a chunk may begin and end within a line. ``heading_path`` holds
    at the chunk's start. ``annotations`` are those of the entry that the chunk is, or is part of.
    """

    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    heading_path: tuple[str, ...]
    annotations: Annotations


class _Unit(NamedTuple):
    """``text[start:end]``; the entry itself, without what stands above it, begins at ``entry_start``."""

    start: int
    entry_start: int
    end: int
    heading_path: tuple[str, ...]
    annotations: Annotations


class _Region(NamedTuple):
    """Where its units start, under which headings, and where the last one ends."""

    starts: list[int]
    heading_paths: list[tuple[str, ...]]
    end: int
    annotations: Annotations = NO_ANNOTATIONS


def chunk_text(
    text: str, *, per_entry: bool, tokens: int = 400, overlap: int = 80, breaks: frozenset[int] = frozenset()
) -> list[Chunk]:
    """The chunks of a Markdown text, in order; together they hold every character that is not blank.

    Each holds at most ``tokens`` (by ``tokens.estimate_tokens``) and repeats at most ``overlap`` of the one
    before it (the defaults are OpenClaw's). With ``per_entry`` every entry is chunked by itself. ``breaks``
    are lines, counted from 1, before which the text is taken to end and begin anew: no chunk, entry, fence or
    heading reaches over one, so that what stands on one side has no part in what is made of the other.

    Raises:
        ValueError: ``overlap`` is not below ``tokens``, or negative.
    """
    if not 0 <= overlap < tokens:
        raise ValueError("the overlap must be at least 0 and less than a chunk's tokens")
    budget = tokens * WEIGHT_PER_TOKEN
    lines = split_lines(text)
    chunks: list[Chunk] = []
    for first, stop in _between_breaks(len(lines.texts), breaks):
        if per_entry or text.find("<!--", lines.starts[first], lines.end(stop - 1)) >= 0:
            regions = _regions(text, _units(text, lines, first, stop), budget, per_entry=per_entry)
        else:
            regions = _whole(lines, first, stop)
        for region in regions:
            chunks += _region_chunks(text, lines, region, budget, overlap * WEIGHT_PER_TOKEN)
    return chunks


def _region_chunks(text: str, lines: Lines, region: _Region, budget: int, overlap: int) -> Iterator[Chunk]:
    starts, paths = region.starts, region.heading_paths
    sections = [
        start for start, above, path in zip(starts[1:], paths, paths[1:], strict=False) if path != above
    ]
    borders = (sections, starts)
    for start, end in cut_pieces(text, starts[0], region.end, borders, budget=budget, overlap=overlap):
        yield Chunk(
            start=start,
            end=end,
            start_line=lines.number_at(start),
            end_line=lines.number_at(end - 1),
            text=text[start:end],
            heading_path=paths[bisect_right(starts, start) - 1],
            annotations=region.annotations,
        )


def _between_breaks(count: int, breaks: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The runs that ``breaks`` divide ``count`` lines into, as indices ``first`` up to before ``stop``."""
    inner = sorted(line - 1 for line in breaks if 1 < line <= count)
    return pairwise([0, *inner, count])


def _whole(lines: Lines, first: int, stop: int) -> Iterator[_Region]:
    """What ``_regions`` makes of lines without comments, with nothing made for each of thousands of units."""
    starts = lines.starts[first:stop]
    found: list[int] = []
    paths: list[tuple[str, ...]] = []
    above: int | None = None
    path: tuple[str, ...] = ()
    last = first
    for path, parts in read_sections(lines.texts[first:stop], at_file_start=first == 0):
        for kind, begin, end in parts:
            last = first + end
            if above is None:
                above = starts[begin]
            if kind not in _ABOVE:
                found.append(above)
                paths.append(path)
                above = None
    if above is not None:
        found.append(above)
        paths.append(path)
    if found:
        yield _Region(found, paths, lines.end(last))


def _units(text: str, lines: Lines, first: int, stop: int) -> Iterator[_Unit]:
    texts, starts = lines.texts[first:stop], lines.starts[first:stop]  # a file has thousands
    above: list[Span] = []
    for span in read_spans(texts, at_file_start=first == 0):
        kind, begin, last, heading_path = span
        if kind in _ABOVE:
            above.append(span)
            continue
        start, line = starts[begin], texts[last]
        end = starts[last] + len(line) - line.endswith("\r")
        annotations = annotations_of(span, text, start, end)
        if above:
            yield _Unit(starts[above[0].first], start, end, heading_path, annotations)
            above = []
        else:
            yield _Unit(start, start, end, heading_path, annotations)
    if above:
        start, end = starts[above[0].first], lines.end(first + above[-1].last)
        yield _Unit(start, start, end, above[-1].heading_path, NO_ANNOTATIONS)


def _regions(text: str, units: Iterator[_Unit], budget: int, *, per_entry: bool) -> Iterator[_Region]:
    run: list[_Unit] = []
    for unit in units:
        if not per_entry and (unit.annotations is NO_ANNOTATIONS or unit.annotations == NO_ANNOTATIONS):
            run.append(unit)
            continue
        if run:
            yield _joined(run)
            run = []
        yield from map(_single, _alone(text, unit, budget))
    if run:
        yield _joined(run)


def _joined(units: list[_Unit]) -> _Region:
    return _Region([unit.start for unit in units], [unit.heading_path for unit in units], units[-1].end)


def _single(unit: _Unit) -> _Region:
    return _Region([unit.start], [unit.heading_path], unit.end, unit.annotations)


def _alone(text: str, unit: _Unit, budget: int) -> Iterator[_Unit]:
    """The unit by itself; as two when its entry fits the budget only without what stands above it."""
    with_above = weigh(text[unit.start : unit.end])
    if with_above > budget >= weigh(text[unit.entry_start : unit.end]):
        yield unit._replace(end=unit.entry_start, annotations=NO_ANNOTATIONS)
        yield unit._replace(start=unit.entry_start)
    else:
        yield unit
