"""Forgetting: what was said and written goes from every place that memd keeps it in.

Tombstones come first, so that nothing comes back; then the files, since they are the memory; then what was
made from them. What the rest is found by goes last, so a call that was cut off is simply made again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog
import trio

from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.forgetting import Selectors, Wanted, cut_text
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.provenance import TrustTier
from openclaw_memd.domain.text import Analyzer, Term
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.files.roots import Roots
from openclaw_memd.index import readers
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.ledger import forgetting as ledger
from openclaw_memd.index.ledger.forgetting import LedgerCounts
from openclaw_memd.index.ledger.forgotten_appends import WaitingRow, load_waiting, replace_waiting
from openclaw_memd.index.ledger.forgotten_sessions import transcripts_of
from openclaw_memd.index.ledger.scopes import Scope
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.ledger.tombstones import bury_lines
from openclaw_memd.index.leftovers import sweep_aside
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_pruning import count_dead, delete_dead
from openclaw_memd.intents.forgetting import IntentForgetting
from openclaw_memd.jobs import Progress
from openclaw_memd.notes.writer import NoteWriter
from openclaw_memd.ops.choosing import Chosen, choose_files, read_paths
from openclaw_memd.ops.preimages import PreimageScrubber
from openclaw_memd.ops.scrubbing import SETTLE_S, Kept, Scrubbed, Scrubber
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.forgetting import SaidToForget
from openclaw_memd.sessions.paths import PartName, format_path
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.forget")

STEPS: Final = (
    "tombstones",
    "spool",
    "files",
    "history",
    "intents",
    "sessions",
    "index",
    "ledger",
    "vectors",
    "databases",
)
"""What is done, in this order. A call that ended before any of them is made again from the start."""


ASIDES_S: Final = 10.0
"""How long earlier versions of curated files are waited for that an editor may still write to."""

_OPEN: Final = (".memd-*", "earlier versions of curated files that an editor writes to; they go when it ends")
_TRANSCRIPT: Final = "a transcript that somebody else writes; nothing of it is taken in again"


@dataclass(frozen=True, slots=True)
class Receipt:
    """How much went, or would go, from each store.

    ``files_changed``, ``files_removed`` and ``lines`` are of the memory files, ``sessions`` lost everything
    that was said in them, ``messages`` counts what was kept of all. ``spooled`` texts waited to be written.
    ``preimages`` are earlier versions of curated files that lost lines, or went; ``intents`` are standing
    ones of any state.
    ``chunks`` are those of the changed files and sessions, which the index makes anew; ``vectors`` those of
    texts that are in no chunk any more, whatever made them so; what would go are at most so many, as chunks
    of a changed file may come out the same. The rest are rows of the ledger; ``leftovers`` files of damaged
    or half-built databases.
    """

    files_changed: int = 0
    files_removed: int = 0
    lines: int = 0
    sessions: int = 0
    messages: int = 0
    spooled: int = 0
    spans: int = 0
    appends: int = 0
    request_keys: int = 0
    flush_texts: int = 0
    observed_writes: int = 0
    chunks: int = 0
    vectors: int = 0
    leftovers: int = 0
    preimages: int = 0
    intents: int = 0


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The receipt, and what stays all the same."""

    dry_run: bool
    receipt: Receipt
    kept: tuple[Kept, ...]


@dataclass(slots=True)
class _Work:
    """One call: what it is to take, and what it found so far."""

    wanted: Wanted
    chosen: Chosen
    said: SaidToForget
    scope: Scope
    kept: list[Kept] = field(default_factory=list)

    def wanted_of(self, path: str) -> Wanted:
        return self.wanted.whole() if self.chosen.takes(path) else self.wanted


class Forgetting:
    """Forgets in one workspace, one call at a time.

    ``rebuild_turn`` is held while an index is built. ``backups`` is the folder of archives that were made
    before. ``on_forgotten`` drops what is remembered in memory only; ``on_step`` hears what is done next.
    """

    def __init__(
        self,
        *,
        state: Store,
        indexer: Indexer,
        vectors: Store,
        rebuild_turn: trio.Lock,
        notes: NoteWriter,
        curated: CuratedWriter,
        sessions: Sessions,
        intents: IntentForgetting,
        roots: Roots,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
        backups: Path | None = None,
        on_forgotten: Callable[[], None] = lambda: None,
        on_step: Callable[[str], None] = lambda _step: None,
        settle_s: float = SETTLE_S,
    ) -> None:
        self._state = state
        self._indexer = indexer
        self._vectors = vectors
        self._rebuild_turn = rebuild_turn
        self._notes = notes
        self._curated = curated
        self._sessions = sessions
        self._intents = intents
        self._roots = roots
        self._analyzer = analyzer
        self._clock = clock
        self._zone = zone
        self._backups = backups
        self._on_forgotten = on_forgotten
        self._on_step = on_step
        self._scrubber = Scrubber(state, roots, analyzer, notes.turn, settle_s=settle_s)
        self._preimages = PreimageScrubber(state, analyzer)
        self._turn = trio.Lock()

    async def recover(self) -> None:
        """Take away old versions of files that a call which was cut off has left; for the start.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        async with self._turn:
            await self._scrubber.finish(lambda _path: Wanted())

    async def plan(self, agent: str, selectors: Selectors) -> Forgotten:
        """What ``forget`` would do now. Nothing at all is written.

        Raises:
            InvalidParamsError: nothing is selected, or the query has no words.
            DeniedError: a path is none of a memory file.
            UnavailableError, DamagedError: a database cannot be read.
        """
        work = await self._begin(agent, selectors)
        waiting = await self._cut_waiting(work)
        files = await self._scrubber.look(work.chosen.paths, work.wanted_of)
        preimages = await self._preimages.look(work.wanted_of)
        paths = self._indexed_paths(work, files)
        affected, live = await self._find_chunks(paths)
        counts = await self._state.read(partial(ledger.count_ledger, scope=work.scope))
        receipt = self._receipt(work, files, counts, len(waiting))
        receipt = replace(receipt, preimages=preimages, intents=await self._intents.count(work.wanted))
        vectors = await count_dead(self._vectors, live.difference(affected))
        await self._name_kept(work, files)
        return _answer(replace(receipt, chunks=len(affected), vectors=vectors), work, files, dry_run=True)

    async def forget(
        self, agent: str, selectors: Selectors, progress: Progress = lambda _done, _total=None: None
    ) -> Forgotten:
        """Forget what is selected, and say what stays. Errors as in ``plan``; made again, it goes on.

        Raises:
            UnavailableError: the disk is full or fails.
        """
        selectors.check()
        read_paths(selectors.paths)
        async with self._turn, self._rebuild_turn:
            await self._indexer.sync()  # so that the ledger knows where lines were moved to
            work = await self._begin(agent, selectors)
            await self._state.write(partial(ledger.settle_interrupted, scope=work.scope))
            steps = iter(enumerate(STEPS))

            def begin_step() -> None:
                number, name = next(steps)
                progress(number, len(STEPS))
                self._on_step(name)

            begin_step()
            await self._sessions.forgetting.bury(work.said, work.scope.until)
            self._notes.forget_heard()
            begin_step()
            spooled = await self._forget_waiting(work)
            begin_step()
            await self._scrubber.finish(work.wanted_of)
            if not await self._curated.asides.settled(ASIDES_S):
                work.kept.append(Kept(*_OPEN))
            chunks = await self._indexer.store.read(readers.chunk_counts)  # the index follows each change
            files = await self._scrubber.scrub(
                work.chosen.paths, work.wanted_of, work.scope.until, lambda: None
            )
            affected = self._indexed_paths(work, files)
            begin_step()
            preimages = await self._preimages.scrub(work.wanted_of)
            begin_step()
            intents = await self._intents.forget(work.wanted)
            begin_step()
            counted = self._sessions.forgetting.count(work.said)
            await self._sessions.forgetting.forget(work.said)
            begin_step()
            await self._indexer.sync()
            await self._intents.forget_answers()
            begin_step()
            scope = replace(work.scope, failed=frozenset(files.failed))
            counts = await self._state.write(partial(ledger.forget_ledger, scope=scope))
            begin_step()
            _, live = await self._find_chunks(())
            vectors = await delete_dead(self._vectors, live)
            begin_step()
            leftovers = await trio.to_thread.run_sync(sweep_aside, self._state.path.parent)
            await self._state.scrub()
            await self._indexer.store.scrub()
            await self._vectors.empty_log()  # no text is in it, and a copy of it may be large
            await self._name_kept(work, files)
            self._on_forgotten()
            progress(len(STEPS))
        receipt = replace(
            self._receipt(work, files, counts, spooled),
            sessions=counted[0],
            messages=counted[1],
            chunks=sum(chunks.get(path, 0) for path in affected),
            vectors=vectors,
            leftovers=leftovers,
            preimages=preimages,
            intents=intents,
        )
        log.info("forgotten", files=receipt.files_changed + receipt.files_removed, rows=receipt.spans)
        return _answer(receipt, work, files, dry_run=False)

    async def _begin(self, agent: str, selectors: Selectors) -> _Work:
        """What is to be done, by what is known now."""
        selectors.check()
        last = await self._state.read(ledger.last_recorded)
        now = self._clock.now()
        until = now if last is None else max(now, last)
        chosen = read_paths(selectors.paths)
        keys = {SessionKey(agent, session_id) for session_id in selectors.session_ids} | chosen.sessions
        if selectors.participant is not None:
            keys |= await self._sessions.forgetting.of_participant(agent, selectors.participant)
        wanted = self._wanted(selectors, frozenset(keys), until)
        scope = Scope(frozenset(keys), frozenset(), wanted.is_everything, since=wanted.since, until=until)
        recorded = await self._state.read(partial(ledger.paths_in, scope=scope))
        chosen = await trio.to_thread.run_sync(
            partial(
                choose_files,
                chosen,
                self._indexer.corpus,
                wanted,
                self._analyzer,
                recorded=recorded,
            )
        )
        said = await self._sessions.forgetting.find(
            frozenset(keys),
            wanted.since,
            partial(wanted.takes_text, analyzer=self._analyzer) if wanted.terms else None,
            is_everything=wanted.is_everything,
        )
        whole = frozenset(path for path in chosen.paths if chosen.takes(path))
        return _Work(wanted, chosen, said, replace(scope, paths=whole), list(chosen.kept))

    def _wanted(self, selectors: Selectors, keys: frozenset[SessionKey], now: datetime) -> Wanted:
        terms: tuple[Term, ...] = ()
        if selectors.query is not None:
            terms = tuple(self._analyzer.query_terms(selectors.query))
            if not terms:
                raise InvalidParamsError("the query has no words", field="query", reason="value")
        since = selectors.since
        if since is not None and not isinstance(since, datetime):
            since = datetime.combine(since, time(), self._zone.at(now).tzinfo)
        others = selectors.session_ids or selectors.paths or terms or selectors.participant
        return Wanted(
            sessions=frozenset(keys),
            terms=terms,
            since=since,
            since_day=None if since is None else self._zone.day(since),
            is_everything=not others,
        )

    async def _cut_waiting(self, work: _Work) -> list[tuple[WaitingRow, str, tuple[bytes, ...]]]:
        """Accepted texts that wait, with what is to be left of them and hashes of what goes."""
        found = []
        for row in await self._state.read(load_waiting):
            left, hashes = self._cut_row(work, row)
            if left != row.text:
                found.append((row, left, hashes))
        return found

    def _cut_row(self, work: _Work, row: WaitingRow) -> tuple[str, tuple[bytes, ...]]:
        wanted = work.wanted
        if not wanted.is_recent(row.accepted_at, None):
            return row.text, ()
        if row.session in wanted.sessions or wanted.is_everything or work.chosen.takes(row.path):
            return "", ()
        by_text = Wanted(terms=wanted.terms)
        cut = cut_text(row.text, (), by_text, self._analyzer, note_date(row.path))
        return (cut.text if cut.text.strip() else ""), cut.hashes

    async def _forget_waiting(self, work: _Work) -> int:
        async with self._notes.turn:
            rows = await self._cut_waiting(work)
            if rows:
                await self._state.write(partial(_replace_waiting, rows=rows, at=work.scope.until))
        if rows:
            await self._notes.reconcile()
        return len(rows)

    def _receipt(self, work: _Work, files: Scrubbed, counts: LedgerCounts, spooled: int) -> Receipt:
        sessions, messages = self._sessions.forgetting.count(work.said)
        return Receipt(
            files_changed=files.changed,
            files_removed=files.removed,
            lines=files.lines,
            sessions=sessions,
            messages=messages,
            spooled=spooled,
            spans=counts.spans,
            appends=counts.appends,
            request_keys=counts.request_keys,
            flush_texts=counts.flush_texts,
            observed_writes=counts.observed_writes,
        )

    def _indexed_paths(self, work: _Work, files: Scrubbed) -> Sequence[str]:
        return sorted({*files.touched, *self._sessions.forgetting.paths(work.said)})

    async def _find_chunks(self, paths: Sequence[str]) -> tuple[list[bytes], set[bytes]]:
        """The texts of the chunks of these files, and those of all chunks there are."""
        live: set[bytes] = set()
        for tier in TrustTier:
            live.update(await self._indexer.store.read(partial(readers.live_hashes, tier=tier)))
        affected: list[bytes] = []
        for path in paths:
            rows = await self._indexer.store.read(partial(readers.file_chunks, path=path))
            affected += [row.text_hash for row in rows]
        return affected, live

    async def _name_kept(self, work: _Work, files: Scrubbed) -> None:
        """What is not memd's to change, or is not known to belong to it."""
        forgetting = self._sessions.forgetting
        from_folders = forgetting.from_folders(work.said.keys)
        transcripts = await self._state.read(partial(transcripts_of, keys=from_folders))
        work.kept += [Kept(path, _TRANSCRIPT) for path in transcripts]
        work.kept += [
            Kept(format_path(PartName(key, 1)), "it descends from a forgotten session; name it to forget it")
            for key in forgetting.kin(work.scope.sessions)
        ]
        place = self._roots.place("workspace")
        if files.touched and any((folder / ".git").exists() for folder in (place, *place.parents)):
            work.kept.append(Kept(".git", "git may still hold earlier versions of the files"))
        touched = files.touched or work.said.keys
        if touched and self._backups is not None and await trio.to_thread.run_sync(_has_files, self._backups):
            work.kept.append(Kept("backups", "archives that were made before hold what was there then"))


def _answer(receipt: Receipt, work: _Work, files: Scrubbed, *, dry_run: bool) -> Forgotten:
    return Forgotten(dry_run, receipt, tuple(dict.fromkeys((*files.kept, *work.kept))))


def _replace_waiting(
    connection: Any, *, rows: Sequence[tuple[WaitingRow, str, tuple[bytes, ...]]], at: datetime
) -> None:
    for row, left, hashes in rows:
        bury_lines(connection, row.path, hashes, at)
        replace_waiting(connection, row.id, left, hash_text(left.rstrip("\n")))


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())
