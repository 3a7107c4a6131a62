"""What was noted in some days, for questions that name a time and nothing else."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from typing import Final

from openclaw_memd.domain.passages import PASSAGE_CHARS
from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.errors import DeniedError, TooLargeError, UnavailableError
from openclaw_memd.index import readers
from openclaw_memd.index.readers import Filters
from openclaw_memd.index.rows import ChunkRow
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection, populated_tiers
from openclaw_memd.recall.candidates import TRUSTED, UNTRUSTED, scope_of
from openclaw_memd.recall.get import Get
from openclaw_memd.recall.hits import place_hit
from openclaw_memd.recall.types import GetRequest, Hit, SearchRequest

MOST_CHUNKS: Final = 200
"""How many chunks of the days are looked at, the last indexed."""


class Dated:
    """Lists passages by day. Never writes."""

    def __init__(self, index: Store, get: Get) -> None:
        self._index = index
        self._get = get

    async def find(self, request: SearchRequest) -> tuple[Hit, ...]:
        """At most ``max_results`` passages of the request's days, the latest day first, one of each in turn.

        Its query does not count. Trusted text comes before any other.

        Raises:
            UnavailableError: the index cannot be read.
        """
        hits: list[Hit] = []
        populated = self._index.read_now(populated_tiers)
        for tiers in (TRUSTED, UNTRUSTED):
            scope = scope_of(request, populated & tiers)
            rows = await self._index.read(partial(_rows, filters=scope.filters, tiers=scope.tiers))
            for row, start_line, text in _in_turn([row for row in rows if scope.passes(row)]):
                if len(hits) >= request.max_results:
                    return tuple(hits)
                hit = place_hit(row, start_line, start_line + text.count("\n"), text)
                if await self._is_there(hit, request):
                    hits.append(hit)
        return tuple(hits)

    async def _is_there(self, hit: Hit, request: SearchRequest) -> bool:
        """Whether the file still says so."""
        lines = hit.end_line - hit.start_line + 1
        asked = GetRequest(hit.path, from_line=hit.start_line, lines=lines, view=request.view)
        try:
            answer = await self._get.get(asked)
        except (DeniedError, TooLargeError, UnavailableError):
            return False
        return answer.text.rstrip("\n") == hit.text.rstrip("\n")


def _rows(connection: Connection, *, filters: Filters, tiers: Sequence[TrustTier]) -> list[ChunkRow]:
    found = [one for tier in tiers for one in readers.chunk_ids(connection, filters, tier)]
    return readers.chunks(connection, sorted(found)[-MOST_CHUNKS:])


def _in_turn(rows: Sequence[ChunkRow]) -> Iterator[tuple[ChunkRow, int, str]]:
    """A passage of each day in turn: chunk, first line and text."""
    by_day: dict[date, list[tuple[ChunkRow, int, str]]] = {}
    for row in sorted(rows, key=lambda row: (row.path, row.start_line)):
        if row.observed_on is not None:
            by_day.setdefault(row.observed_on, []).extend(_passages(row))
    waiting = [by_day[day] for day in sorted(by_day, reverse=True)]
    shown: dict[str, int] = {}
    while waiting:
        for passages in waiting:
            row, start_line, text = passages.pop(0)
            if start_line > shown.get(row.path, 0):  # chunks overlap
                shown[row.path] = start_line + text.count("\n")
                yield row, start_line, text
        waiting = [passages for passages in waiting if passages]


def _passages(row: ChunkRow) -> Iterator[tuple[ChunkRow, int, str]]:
    """Runs of whole lines that say something; a line that is too long alone is left to a search."""
    run: list[str] = []
    start = row.start_line
    for number, line in enumerate(row.text.split("\n"), start=row.start_line):
        says_nothing = not line.strip() or line.lstrip().startswith("#")
        if run and (says_nothing or len("\n".join((*run, line))) > PASSAGE_CHARS):
            yield row, start, "\n".join(run)
            run = []
        if not says_nothing and len(line) <= PASSAGE_CHARS:
            start = number if not run else start
            run.append(line)
    if run:
        yield row, start, "\n".join(run)
