"""Taking back what a run wrote, and keeping out what nobody wants."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.deletions import Deletions
from openclaw_memd.curated.history import History
from openclaw_memd.curated.revisions import Author, Revision
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.curated_files import USER, is_active, scope_of
from openclaw_memd.domain.curated_plan import mark_superseded
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.markdown import Entry, parse_entries
from openclaw_memd.domain.stored_text import decode_stored
from openclaw_memd.domain.taking_out import take_out
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.traces import trace_text
from openclaw_memd.dreaming.checking import Signals
from openclaw_memd.errors import ConflictError, NotFoundError
from openclaw_memd.index.ledger import promotions as ledger
from openclaw_memd.index.ledger.curated_entries import bury_entries
from openclaw_memd.index.ledger.preimages import Preimage, load_preimage
from openclaw_memd.index.store import Store

CAUSE: Final = "undo"


@dataclass(frozen=True, slots=True)
class Undone:
    """The files that were rewritten, and how many entries went."""

    run_id: str
    files: tuple[str, ...]
    undone: int


class Undoing:
    """Undoes runs of one workspace; ``turn`` is that of who writes what nights choose."""

    def __init__(
        self,
        *,
        state: Store,
        core: CuratedCore,
        writer: CuratedWriter,
        history: History,
        deletions: Deletions,
        signals: Signals,
        analyzer: Analyzer,
        turn: trio.Lock,
    ) -> None:
        self._state = state
        self._core = core
        self._writer = writer
        self._history = history
        self._deletions = deletions
        self._signals = signals
        self._analyzer = analyzer
        self._turn = turn

    async def undo(self, run_id: str | None, now: datetime) -> Undone:
        """Take back what a run wrote, the last one that wrote anything if none is named.

        A file that nobody but the run changed since is what it was before, byte for byte. Else the run's own
        entries go, as far as they are there unchanged, what they replaced comes back, and all the rest stays.
        What they said stays out from now on.

        Raises:
            NotFoundError: there is no such run, or nothing of it is left.
            ConflictError, DeniedError, TooLargeError: as in ``CuratedWriter.rewrite``.
            UnavailableError, DamagedError: the disk or the ledger cannot be used.
        """
        async with self._turn:
            if run_id is None:
                run_id = await self._state.read(ledger.last_run)
                if run_id is None:
                    raise NotFoundError("no night has written anything that is still there")
            written = await self._state.read(partial(ledger.promotions_of, run_id=run_id))
            if not written:
                raise NotFoundError(
                    "no run of this id has written anything that is still there", field="run_id"
                )
            files: list[str] = []
            undone = 0
            for file in sorted({one.file for one in written}):
                own = [one for one in written if one.file == file]
                texts, said = await self._take_back(run_id, file, frozenset(one.entry for one in own))
                await self.keep_out([one.key for one in own], said, now)
                await self._state.write(partial(ledger.undo_promotions, run_id=run_id, file=file))
                files += [file] if texts else []
                undone += len(texts)
            return Undone(run_id, tuple(files), undone)

    async def keep_out(self, keys: Collection[str], texts: Sequence[str], now: datetime) -> None:
        """Note that nobody wants these claims, nor what says the same, until the owner says otherwise."""
        await self._core.refresh()
        await self._deletions.settle()
        traces = await trio.to_thread.run_sync(lambda: [trace_text(text, self._analyzer) for text in texts])
        await self._state.write(partial(bury_entries, traces=traces, at=now))
        await self._signals.mark_rejected(keys, now)

    async def _take_back(self, run_id: str, file: str, hashes: frozenset[str]) -> tuple[list[str], list[str]]:
        """Take the entries out of a file: the texts of those that went, and of all that the run wrote there,
        for one that was cut off behind this has nothing left to take out.
        """
        ids = await self._state.read(partial(ledger.rewrites_of, run_id=run_id, file=file))
        loaded = [await self._state.read(partial(load_preimage, preimage_id=number)) for number in ids]
        taken = _TakeOut(hashes, [one for one in loaded if one is not None])
        state = await self._core.refresh()
        text = state.files[file].text if file in state.files else ""
        texts = [entry.text for entry in parse_entries(text) if taken.is_own(entry)]
        for preimage_id in reversed(ids):
            try:
                await self._history.undo(preimage_id, unedited=True)
            except ConflictError as error:
                if error.reason != "edited":
                    raise
                break
        await self._writer.rewrite(file, taken.plan, cause=CAUSE, author=Author())
        gone = dict.fromkeys([*texts, *taken.texts])
        return list(gone), list(gone | dict.fromkeys(taken.written))


class _TakeOut:
    """Plans a file without the entries of a run; ``texts`` are those that the last plan left out, ``written``
    those that the rewrites of the run brought.

    What an entry took the place of comes back there, as far as the rewrites of the run tell.
    """

    def __init__(self, hashes: frozenset[str], rewrites: Sequence[Preimage]) -> None:
        self.texts: list[str] = []
        self.written: list[str] = []
        self._hashes = hashes
        self._returning: dict[str, tuple[str, ...]] = {}
        for rewrite in rewrites:
            own = list(filter(self.is_own, parse_entries(decode_stored(rewrite.after))))
            self.written += [entry.text for entry in own]
            if rewrite.before is not None:
                before = parse_entries(decode_stored(rewrite.before))
                self._returning |= _find_replaced(rewrite.file, before, own)

    def is_own(self, entry: Entry) -> bool:
        """Whether the entry is one of the run's."""
        return hash_text(entry.text) in self._hashes

    def plan(self, current: str | None) -> Revision | None:
        new, gone = take_out(
            current or "",
            lambda entry: self.is_own(entry) or entry.text in self._returning,
            lambda entry: self._returning.get(entry.text, ()),
        )
        self.texts = [entry.text for entry in gone if self.is_own(entry)]
        return Revision(new) if gone else None


def _find_replaced(file: str, before: Sequence[Entry], own: Sequence[Entry]) -> dict[str, tuple[str, ...]]:
    """What comes back, by the text of the entry in the place of which it does.

    In USER.md that is the entry itself, which is marked as superseded; in MEMORY.md the one that replaced it.
    """
    found: dict[str, tuple[str, ...]] = {}
    for new in own:
        for old in before:
            if not is_active(old) or new.annotations.key is None or not _is_about(file, old, new):
                continue
            if file == USER:
                found["\n".join(mark_superseded(old.text))] = (old.text,)
            else:
                found[new.text] = (*found.get(new.text, ()), old.text)
    return found


def _is_about(file: str, old: Entry, new: Entry) -> bool:
    return old.annotations.key == new.annotations.key and scope_of(file, old.annotations) == scope_of(
        file, new.annotations
    )
