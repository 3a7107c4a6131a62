"""What people delete from the curated files stays deleted, until its owner wants it again.

An entry that is gone was deleted, unless memd itself took it out, it was edited, or it stands in the other
file. A file that is gone or cannot be read tells nothing: somebody may be renaming it. An entry that stands
in a file again, by the hand of somebody who is trusted, is wanted again.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256

import trio

from openclaw_memd.curated.entries import CuratedState, CuratedText
from openclaw_memd.domain.curated_files import CURATED_FILES, hash_memory
from openclaw_memd.domain.deletions import (
    Step,
    Trace,
    find_deleted,
    find_returned,
    trace_entries,
    trace_text,
)
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.stored_text import decode_stored
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.index.ledger import curated_entries as ledger
from openclaw_memd.index.ledger.curated_entries import Rewriting
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.ports import Clock


class Deletions:
    """What was deleted from the curated files of one workspace, in the ledger ``state``.

    ``hear`` is told of each change, ``run`` takes it up.
    """

    def __init__(self, state: Store, analyzer: Analyzer, clock: Clock) -> None:
        self._state = state
        self._analyzer = analyzer
        self._clock = clock
        self._latest: CuratedState | None = None
        self._heard = trio.Event()
        self._turn = trio.Lock()

    def hear(self, _before: CuratedState, now: CuratedState) -> None:
        """Take note that the files are as ``now`` says."""
        self._latest = now
        self._heard.set()

    async def run(self) -> None:
        """Take up what is heard, until cancelled.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be written.
        """
        while True:
            if self._latest is None:
                self._heard = trio.Event()
                await self._heard.wait()
            await self.settle()

    async def settle(self) -> None:
        """Take up what was heard so far. Errors as in ``run``."""
        async with self._turn:
            state = self._latest
            if state is not None:
                now = await trio.to_thread.run_sync(self._trace, state.files)
                await self._state.write(partial(self._compare, files=state.files, now=now))
                if self._latest is state:
                    self._latest = None

    async def is_deleted(self, text: str) -> bool:
        """Whether an entry that says this, or almost, was deleted and is not wanted again.

        Errors as in ``run``.
        """
        await self.settle()
        return await self._state.read(partial(self._is_deleted, text=text))

    def _is_deleted(self, connection: Connection, text: str) -> bool:
        trace = trace_text(text, self._analyzer)
        return bool(find_returned(ledger.deleted_like(connection, trace), [trace]))

    def _trace(self, files: Mapping[str, CuratedText]) -> dict[str, list[Trace]]:
        return {
            file: trace_entries(file, (entry.entry for entry in text.entries), self._analyzer)
            for file, text in files.items()
        }

    def _compare(
        self, connection: Connection, files: Mapping[str, CuratedText], now: Mapping[str, list[Trace]]
    ) -> None:
        """Store what was deleted since the last look, and what returned. ``now`` has the traces."""
        known: dict[str, list[Trace] | None] = {
            file: ledger.read_entries(connection, file) for file in CURATED_FILES
        }
        for file, traces in now.items():
            before = known[file]
            steps, look = self._own_work(connection, files[file])
            if before is not None:
                others = [other for other in CURATED_FILES if other != file]
                elsewhere = [trace for other in others for trace in now.get(other, known[other] or ())]
                deleted = find_deleted(before, steps, traces, elsewhere)
                ledger.bury_entries(connection, deleted, self._clock.now())
            ledger.store_entries(connection, file, traces, look)
        vouched = {
            hash_memory(entry.entry.text)
            for text in files.values()
            for entry in text.entries
            if is_trusted(entry.provenance.origin)
        }
        present = [trace for traces in now.values() for trace in traces if trace.hash in vouched]
        ledger.unbury_entries(connection, find_returned(ledger.read_deleted(connection), present))

    def _own_work(self, connection: Connection, text: CuratedText) -> tuple[list[Step], int]:
        """What memd did to a file from the last look on until it was as in ``text``, and the last of that."""
        look = ledger.read_look(connection, text.file) or 0
        rewritings = ledger.read_rewritings(connection, text.file, look)
        count = _count_done(rewritings, bytes.fromhex(text.hash))
        steps = [
            Step(self._read(text.file, one.before), self._read(text.file, one.after))
            for one in rewritings[:count]
        ]
        return steps, rewritings[count - 1].id if count else look

    def _read(self, file: str, data: bytes) -> list[Trace]:
        with suppress(UnicodeDecodeError):
            return trace_entries(file, parse_entries(decode_stored(data)), self._analyzer)
        return []


def _count_done(rewritings: Sequence[Rewriting], content_hash: bytes) -> int:
    """How many of these a file with this content has behind it: all, unless it is one of the versions."""
    afters = [sha256(one.after).digest() for one in rewritings]
    befores = [sha256(one.before).digest() for one in rewritings]
    if content_hash in afters:
        return len(afters) - afters[::-1].index(content_hash)
    return befores.index(content_hash) if content_hash in befores else len(rewritings)
