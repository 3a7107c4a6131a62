"""Folders of transcripts: what is new in them goes to their sessions, what is gone from them goes there too.

A look every few seconds is enough, since nobody waits for a transcript to be searchable, and it costs one
``stat`` a file. Each file is read on from where the last look ended, as long as that part is proven to be the
same; otherwise its sessions are made anew. How far a file was read is stored with the messages that were
read, so that an end at any moment loses none and doubles none.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import structlog
import trio

from openclaw_memd.index.ledger import transcripts as ledger
from openclaw_memd.index.ledger.transcripts import Transcript
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Rng
from openclaw_memd.sessions.formats.names import TranscriptSkip
from openclaw_memd.sessions.ingesting import Ingestion, Intake
from openclaw_memd.sessions.listing import FoundFile
from openclaw_memd.sessions.watched import FolderState, TranscriptFolder, WatchedFolder

POLL_S: Final = 5.0
_JITTER: Final = 0.2
_LOOK_SHARE: Final = 0.02  # of the time, at most, goes into looks

_log = structlog.get_logger("memd.transcripts")


class TranscriptFolders:
    """The transcript folders of one workspace."""

    def __init__(
        self,
        store: Store,
        intake: Intake,
        folders: Sequence[TranscriptFolder],
        rng: Rng,
        *,
        archives: bool = False,
        poll_s: float = POLL_S,
    ) -> None:
        self._store = store
        self._folders = {folder.id: folder for folder in folders}
        self._rng = rng
        self._archives = archives
        self._poll_s = poll_s
        self._limiter = trio.CapacityLimiter(1)
        self._ingestion = Ingestion(store, intake, self._limiter)
        self._turn = trio.Lock()
        self._hinted = trio.Event()
        self._watched: list[WatchedFolder] | None = None
        self._look_took_s = 0.0

    @property
    def states(self) -> tuple[FolderState, ...]:
        """The folders as they are known now, as they are configured; none before the first look."""
        return tuple(one.state() for one in self._watched or ())

    def hint(self) -> None:
        """Have a look soon."""
        self._hinted.set()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Look again and again, until cancelled; ``task_status`` is told after the first look.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        is_started = False
        while True:
            self._hinted = trio.Event()
            await self.look()
            if not is_started:
                task_status.started()
                is_started = True
            jitter = 1 + _JITTER * (2 * self._rng.random() - 1)
            with trio.move_on_after(max(self._poll_s * jitter, self._look_took_s / _LOOK_SHARE)):
                await self._hinted.wait()

    async def look(self) -> None:
        """Bring the sessions to what the folders hold now. Errors as in ``run``."""
        async with self._turn:
            watched = await self._load()
            began_at = trio.current_time()
            for one in watched:
                await trio.to_thread.run_sync(
                    partial(one.list, archives=self._archives), limiter=self._limiter
                )
            self._look_took_s = trio.current_time() - began_at
            # Before anything is read: a file may go on under another name.
            dropped = [await self._drop_vanished(one) for one in watched]
            if any(dropped):
                await self._store.checkpoint()  # else the log would keep what was said
            for one in watched:
                await self._take_in(one)

    async def _load(self) -> list[WatchedFolder]:
        """What is known of the folders; of those that are not configured any more nothing stays."""
        if self._watched is None:
            gone = await self._store.read(ledger.load_folders) - self._folders.keys()
            for stale in gone:
                for path in await self._rows(stale):
                    await self._ingestion.drop(stale, path)
            if gone:
                await self._store.checkpoint()  # else the log would keep what was said
            self._watched = [
                WatchedFolder(
                    folder, id_, await self._store.read(partial(ledger.load_transcripts, folder=id_))
                )
                for id_, folder in self._folders.items()
            ]
        return self._watched

    async def _rows(self, folder: str) -> dict[str, Transcript]:
        return await self._store.read(partial(ledger.load_transcripts, folder=folder))

    async def _drop_vanished(self, one: WatchedFolder) -> int:
        """Take away what files were of that are gone; how many."""
        there = {file.path for file in one.found.files}
        vanished = [path for path in one.rows if path not in there and not one.found.hides(path)]
        for path in vanished:
            await self._ingestion.drop(one.id, path)
            del one.rows[path]
            one.compared.discard(path)
        return len(vanished)

    async def _take_in(self, one: WatchedFolder) -> None:
        """Read what is due, one file after another. What cannot be read stays as it was."""
        known, one.unreadable = one.unreadable, {}
        while one.due:
            file = one.due[0]
            try:
                await self._read(one, file)
            except FileNotFoundError:
                pass  # the next look sees what became of it
            except OSError as error:
                one.unreadable[file.path] = TranscriptSkip.UNREADABLE
                if file.path not in known:
                    _log.warning("a transcript cannot be read", agent=one.folder.agent, errno=error.errno)
            one.due.remove(file)

    async def _read(self, one: WatchedFolder, file: FoundFile) -> None:
        def stored(row: Transcript) -> None:
            one.rows[file.path] = row

        opened = await trio.to_thread.run_sync(partial(one.open, file), limiter=self._limiter)
        if opened is None:
            return
        try:
            manner = one.manner(file)
            await self._ingestion.read(
                opened,
                one.rows.get(file.path),
                Transcript(one.id, file.path, manner.name, opened.stamp, facts=manner.facts),
                manner,
                doubted=file.path not in one.compared,
                stored=stored,
            )
            one.compared.add(file.path)
        finally:
            opened.close()
