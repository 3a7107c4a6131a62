"""Chunks of a file that touch or overlap, put together again: passages may reach across their borders."""

from collections.abc import Sequence
from dataclasses import dataclass

from openclaw_memd.domain.provenance import Tier
from openclaw_memd.index.rows import ChunkRow
from openclaw_memd.recall.chunk_scores import ScoredChunk


@dataclass(slots=True)
class Joined:
    """Consecutive lines of one file, each once, with their scores.

    ``owners`` tell for each line the chunk whose score it has, and its place in that chunk. The first
    line is the end of a longer one with ``cut_start``, the last the start of one with ``cut_end``.
    """

    start_line: int
    lines: list[str]
    scores: list[float]
    owners: list[tuple[int, int]]
    cut_start: bool
    cut_end: bool


def join_chunks(chunks: Sequence[ScoredChunk]) -> list[Joined]:
    """The lines of all chunks. A line that several chunks have takes the highest of its scores.

    Curated entries, and entries that say something of themselves, stay alone.
    """
    order = sorted(range(len(chunks)), key=lambda one: (chunks[one].row.path, chunks[one].row.ordinal))
    joined: list[Joined] = []
    last: ChunkRow | None = None
    for number in order:
        row = chunks[number].row
        if last is None or not _may_join(last, row) or not _extend(joined[-1], number, chunks[number]):
            joined.append(_begin(number, chunks[number]))
        last = row
    return joined


def _begin(number: int, chunk: ScoredChunk) -> Joined:
    return Joined(
        start_line=chunk.row.start_line,
        lines=list(chunk.text.lines),
        scores=list(chunk.scores),
        owners=[(number, line) for line in range(len(chunk.text.lines))],
        cut_start=chunk.row.cut_start,
        cut_end=chunk.row.cut_end,
    )


def _may_join(left: ChunkRow, right: ChunkRow) -> bool:
    return (
        left.path == right.path
        and left.ordinal + 1 == right.ordinal
        and (left.origin, left.session_kind, left.observed_on)
        == (right.origin, right.session_kind, right.observed_on)
        and not _speaks_for_itself(left)
        and not _speaks_for_itself(right)
    )


def _speaks_for_itself(row: ChunkRow) -> bool:
    return row.tier is Tier.CURATED or bool(
        row.importance or row.triggers or row.projects or row.supersedes_key or row.expires_on or row.status
    )


def _extend(joined: Joined, number: int, chunk: ScoredChunk) -> bool:
    """Add ``chunk`` behind; False when its lines do not go on from those that are there."""
    lines = chunk.text.lines
    start = chunk.row.start_line - joined.start_line
    overlap = len(joined.lines) - start
    if not 0 <= overlap <= min(len(joined.lines), len(lines)):
        return False
    if not _repeats(joined.lines[start:], lines[:overlap]):
        return False
    for line in range(overlap):
        place = start + line
        if len(lines[line]) > len(joined.lines[place]):
            joined.lines[place] = lines[line]
        if chunk.scores[line] > joined.scores[place]:
            joined.scores[place] = chunk.scores[line]
            joined.owners[place] = (number, line)
    joined.cut_end = chunk.row.cut_end or (joined.cut_end and overlap == len(lines))
    joined.lines += lines[overlap:]
    joined.scores += chunk.scores[overlap:]
    joined.owners += [(number, line) for line in range(overlap, len(lines))]
    return True


def _repeats(there: Sequence[str], again: Sequence[str]) -> bool:
    """Whether ``again`` is the same lines, but for beginning within the first and reaching on in the last."""
    if len(there) < 2:
        return not there or there[0].endswith(again[0]) or again[0].startswith(there[0])
    return (
        there[0].endswith(again[0])
        and list(there[1:-1]) == list(again[1:-1])
        and again[-1].startswith(there[-1])
    )
