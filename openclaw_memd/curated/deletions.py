"""What people delete from the curated files stays deleted, until its owner wants it again.

An entry that is gone was deleted, unless memd itself took it out, it was edited, or it stands in the other
file. A file that is gone or cannot be read tells nothing: somebody may be renaming it. An entry that stands
in a file again, by the hand of somebody who is trusted, is wanted again.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import chain

import trio

from openclaw_memd.curated.entries import CuratedState, CuratedText
from openclaw_memd.domain.curated_files import CURATED_FILES, MOST_ENTRIES, is_memory
from openclaw_memd.domain.deletions import Step, find_deleted, find_returned, trace_entries
from openclaw_memd.domain.markdown import Entry, parse_entries
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.stored_text import decode_stored
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.traces import Trace, trace_text
from openclaw_memd.index.ledger import curated_entries as ledger
from openclaw_memd.index.ledger.curated_entries import Rewriting
from openclaw_memd.index.store import Store
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.interpreter import made_to_last
from openclaw_memd.ports import Clock


class Deletions:
    """What was deleted from the curated files of one workspace, in the ledger ``state``.

    ``hear`` is told of each change, ``run`` takes it up.
    """

    def __init__(
        self, state: Store, analyzer: Analyzer, clock: Clock, spare: trio.CapacityLimiter | None = None
    ) -> None:
        """``spare`` is that of the ``CuratedCore``."""
        self._spare = spare or trio.CapacityLimiter(1)
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
                files = {name: text for name, text in state.files.items() if _is_followed(text)}
                known = await self._state.read(partial(_look_up, files=files))
                compare = partial(self._compare, files, known)
                # Long files take long: no transaction waits for that.
                found = await trio.to_thread.run_sync(compare, limiter=self._spare)
                await self._state.write(partial(_store, found=found, at=self._clock.now()))
                if self._latest is state:
                    self._latest = None

    async def is_deleted(self, text: str) -> bool:
        """Whether an entry that says this, if need be reworded, was deleted and is not wanted again.

        Errors as in ``run``.
        """
        await self.settle()
        return await self._state.read(partial(self._is_deleted, text=text))

    def _is_deleted(self, connection: Connection, text: str) -> bool:
        trace = trace_text(text, self._analyzer)
        return any(map(trace.is_reworded, ledger.deleted_like(connection, trace)))

    def _compare(self, files: Mapping[str, CuratedText], known: "_Known") -> "_Found":
        """What was deleted since the last look, and what returned."""
        entries = sum(len(text.entries) for text in files.values())
        with made_to_last(entries):  # what is made of a text is kept
            now = {
                file: trace_entries(file, (entry.entry for entry in text.entries), self._analyzer)
                for file, text in files.items()
            }
        deleted: list[Trace] = []
        looks: dict[str, int] = {}
        for file, traces in now.items():
            before = known.entries[file]
            steps, looks[file] = self._own_work(files[file], known)
            if before is not None:
                others = [other for other in CURATED_FILES if other != file]
                held = [now.get(other, known.entries[other] or ()) for other in others]
                elsewhere = list(chain.from_iterable(held))
                deleted += find_deleted(before, steps, traces, elsewhere)
        returned: list[Trace] = []
        if buried := [*known.deleted, *deleted]:
            present = [
                trace_text(entry.entry.text, self._analyzer)
                for text in files.values()
                for entry in text.entries
                if is_memory(entry.entry) and is_trusted(entry.provenance.origin)
            ]
            returned = find_returned(buried, present)
        return _Found(now, looks, deleted, returned)

    def _own_work(self, text: CuratedText, known: "_Known") -> tuple[list[Step], int]:
        """What memd did to a file from the last look on until it was as in ``text``, and the last of that."""
        rewritings = known.rewritings[text.file]
        count = _count_done(rewritings, bytes.fromhex(text.hash))
        like = [entry.entry for entry in text.entries]
        steps = [
            Step(self._read(text.file, one.before, like), self._read(text.file, one.after, like))
            for one in rewritings[:count]
        ]
        return steps, rewritings[count - 1].id if count else known.looks[text.file]

    def _read(self, file: str, data: bytes, like: Sequence[Entry]) -> list[Trace]:
        with suppress(UnicodeDecodeError):
            return trace_entries(file, parse_entries(decode_stored(data), like=like), self._analyzer)
        return []


@dataclass(frozen=True, slots=True)
class _Known:
    """What the ledger has, by file, and everything that was deleted."""

    entries: Mapping[str, list[Trace] | None]
    looks: Mapping[str, int]
    rewritings: Mapping[str, Sequence[Rewriting]]
    deleted: Sequence[Trace]


@dataclass(frozen=True, slots=True)
class _Found:
    """What each file holds ``now`` and up to which rewrite that is known; what was deleted, what returned."""

    now: Mapping[str, Sequence[Trace]]
    looks: Mapping[str, int]
    deleted: Sequence[Trace]
    returned: Sequence[Trace]


def _look_up(connection: Connection, files: Collection[str]) -> _Known:
    looks = {file: ledger.read_look(connection, file) or 0 for file in files}
    return _Known(
        entries={file: ledger.read_entries(connection, file) for file in CURATED_FILES},
        looks=looks,
        rewritings={file: ledger.read_rewritings(connection, file, look) for file, look in looks.items()},
        deleted=ledger.read_deleted(connection),
    )


def _store(connection: Connection, found: _Found, at: datetime) -> None:
    ledger.bury_entries(connection, found.deleted, at)
    for file, traces in found.now.items():
        ledger.store_entries(connection, file, traces, found.looks[file])
    ledger.unbury_entries(connection, found.returned)


def _is_followed(text: CuratedText) -> bool:
    """Whether its deletions are: in a file with more entries than are of use nobody looks for them."""
    return len(text.entries) <= MOST_ENTRIES


def _count_done(rewritings: Sequence[Rewriting], content_hash: bytes) -> int:
    """How many of these a file with this content has behind it: all, unless it is one of the versions."""
    afters = [sha256(one.after).digest() for one in rewritings]
    befores = [sha256(one.before).digest() for one in rewritings]
    if content_hash in afters:
        return len(afters) - afters[::-1].index(content_hash)
    return befores.index(content_hash) if content_hash in befores else len(rewritings)
