"""Forgetting accepted texts that wait to be written."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.forgetting import Wanted, cut_text
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.index.ledger.forgotten_appends import WaitingRow, load_waiting, replace_waiting
from openclaw_memd.index.ledger.tombstones import bury_lines
from openclaw_memd.index.store import Store
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ops.work import Work

Cut = tuple[WaitingRow, str, tuple[bytes, ...]]
"""A text that waits, what is to be left of it, and hashes of the lines that go."""


class WaitingTexts:
    """Those of one workspace; what is left of them is written."""

    def __init__(self, state: Store, notes: NoteWriter) -> None:
        self._state = state
        self._notes = notes

    async def count(self, work: Work) -> Mapping[str, int]:
        """How many ``forget`` would change now."""
        return {"spooled": len(await self._find(work))}

    async def forget(self, work: Work) -> Mapping[str, int]:
        """Cut what waits."""
        async with self._notes.turn:
            rows = await self._find(work)
            if rows:
                await self._state.write(partial(_replace, rows=rows, at=work.scope.until))
        if rows:
            await self._notes.reconcile()
        return {"spooled": len(rows)}

    async def _find(self, work: Work) -> list[Cut]:
        found = []
        for row in await self._state.read(load_waiting):
            left, hashes = _cut(work, row)
            if left != row.text:
                found.append((row, left, hashes))
        return found


def _cut(work: Work, row: WaitingRow) -> tuple[str, tuple[bytes, ...]]:
    wanted = work.wanted
    if not wanted.is_recent(row.accepted_at, None):
        return row.text, ()
    if row.session in wanted.sessions or wanted.is_everything or work.chosen.takes(row.path):
        return "", ()
    by_text = Wanted(terms=wanted.terms)
    cut = cut_text(row.text, (), by_text, work.analyzer, note_date(row.path))
    return (cut.text if cut.text.strip() else ""), cut.hashes


def _replace(connection: Any, *, rows: Sequence[Cut], at: datetime) -> None:
    for row, left, hashes in rows:
        bury_lines(connection, row.path, hashes, at)
        replace_waiting(connection, row.id, left, hash_text(left.rstrip("\n")))
