"""Accepting a text before it is written, and writing it exactly once, whatever ends the process between."""

import errno
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

import structlog
import trio

from openclaw_memd.domain.note_entries import is_apart
from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.notes import (
    Addition,
    Landing,
    ObstacleError,
    append_note,
    complete_note,
    measure_note,
)
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger import appends
from openclaw_memd.index.ledger.appends import AppendRow, Call, RecordLines, WaitingText
from openclaw_memd.index.store import Store, Work
from openclaw_memd.notes.drafts import Draft
from openclaw_memd.notes.places import Author, Places, Target
from openclaw_memd.notes.types import Appended, NoteLimits, answer_from

log = structlog.get_logger("memd.notes")

T = TypeVar("T")

FIRST_RETRY_S: Final = 1.0
LONGEST_RETRY_S: Final = 60.0

_REASONS: Final = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EROFS: "read_only",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
}


class WriteAhead:
    """Everything between an accepted text and its bytes in a note of one workspace.

    ``turn`` is the workspace's append lock, which the caller of ``accept`` holds. ``waiting`` counts accepted
    texts that are not known to be in their notes. ``on_written`` hears of each note that was added to.
    """

    def __init__(
        self,
        state: Store,
        roots: Roots,
        *,
        record: RecordLines,
        limits: NoteLimits,
        on_written: Callable[[str], None],
    ) -> None:
        self.turn = trio.Lock()
        self.waiting = 0
        self._state = state
        self._roots = roots
        self._places = Places(state, roots, limits.file_bytes)
        self._record = record
        self._limits = limits
        self._on_written = on_written
        self._thread = trio.CapacityLimiter(1)
        self._spooled = trio.Event()

    async def accept(
        self,
        drafts: Sequence[Draft],
        target: Target,
        author: Author,
        at: datetime,
        book: Callable[[int], Work[None]],
    ) -> Appended:
        """Accept ``drafts`` in one transaction, then write each to its note.

        ``book`` gives what else belongs into that transaction, for the number of the call. Once it is
        committed nothing undoes it: what cannot be written now is spooled.

        Raises:
            DeniedError: a link, a folder or the like has the note's place (``reason`` tells what).
            TooLargeError: the day has too many full notes.
            UnavailableError: the ledger cannot be written, or too much waits already; nothing was accepted.
        """
        texts = await self._places.place(drafts, target, author)

        accept = partial(
            appends.accept_call,
            call=Call(tuple(texts), author.agent, author.session_id, at),
            record=self._record,
            book=book,
            most_texts=self._limits.spool_texts,
            most_bytes=self._limits.spool_bytes,
        )
        ids = await self._state.write(accept)
        with trio.CancelScope(shield=True):
            self.waiting += len(ids)
            landings: dict[int, Landing] = {}
            for path in dict.fromkeys(text.path for text in texts):
                landings |= await self._settle(path, fresh_from=ids[0])
        rows = [
            AppendRow(
                text.path,
                text.provenance.origin,
                text.text_hash,
                append_id in landings,
                landings[append_id].start_line if append_id in landings else None,
                landings[append_id].end_line if append_id in landings else None,
            )
            for append_id, text in zip(ids, texts, strict=True)
        ]
        return answer_from(rows, appended=True)

    async def reconcile(self) -> None:
        """Write what was accepted before the last end of the process and is not in its note.

        Raises:
            UnavailableError: the ledger cannot be read.
        """
        async with self.turn:
            await self._settle_all()

    async def replay(self) -> None:
        """Try spooled texts again, at first after a second, then at intervals that double up to 60 s.

        Runs until cancelled.
        """
        delay_s = FIRST_RETRY_S
        while True:
            await self._spooled.wait()
            await trio.sleep(delay_s)
            delay_s = min(delay_s * 2, LONGEST_RETRY_S)
            async with self.turn:
                if await self._settle_all():
                    self._spooled = trio.Event()
                    delay_s = FIRST_RETRY_S

    async def _settle_all(self) -> bool:
        """Settle every note that texts wait for; whether none waits any more."""
        with trio.CancelScope(shield=True):
            for path in await self._state.read(appends.waiting_paths):
                await self._settle(path)
            self.waiting = await self._state.read(appends.count_waiting)
        return self.waiting == 0

    async def _settle(self, path: str, fresh_from: int | None = None) -> dict[int, Landing]:
        """Write what waits for ``path``, in its order; where each text stands that is in the note now.

        Texts from the id ``fresh_from`` on were never tried. A failure ends it, and what is left is spooled.
        """
        landings: dict[int, Landing] = {}
        reason: str | None = None
        try:
            while text := await self._state.read(partial(appends.first_waiting, path=path)):
                is_fresh = fresh_from is not None and text.id >= fresh_from and text.size_before is not None
                landing = await (self._write(text) if is_fresh else self._complete(text))
                landings[text.id] = landing
                self._on_written(path)
                await self._state.write(
                    partial(
                        appends.mark_written,
                        text=text,
                        end=landing.offset + len(text.text.encode()),
                        start_line=landing.start_line,
                        end_line=landing.end_line,
                    )
                )
                self.waiting -= 1
        except (OSError, ObstacleError) as error:
            reason = _reason(error)
        except (UnavailableError, DamagedError):
            # An equal text must not be written before the ledger knows where this one is. It is looked for
            # in the note when the ledger can be written again.
            reason = "ledger"
        if reason is not None:
            await self._spool(path, reason)
        return landings

    async def _write(self, text: WaitingText) -> Landing:
        return await self._in_thread(partial(append_note, self._roots, text.path, _addition(text)))

    async def _complete(self, text: WaitingText) -> Landing:
        since = text.size_before
        if since is None:
            since = await self._in_thread(partial(measure_note, self._roots, text.path)) or 0
            await self._state.write(partial(appends.set_size, append_id=text.id, size_before=since))
        work = partial(complete_note, self._roots, text.path, _addition(text), since)
        return await self._in_thread(work)

    async def _spool(self, path: str, reason: str) -> None:
        log.warning("note not written", path=path, reason=reason)
        self._spooled.set()
        try:
            await self._state.write(partial(appends.mark_spooled, path=path, reason=reason))
        except (UnavailableError, DamagedError) as error:  # it waits all the same
            log.warning("spooled note not marked", path=path, error_type=type(error).__name__)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(work, limiter=self._thread)


def _addition(text: WaitingText) -> Addition:
    return Addition(text.text.encode(), text.header.encode(), is_apart(text.text))


def _reason(error: OSError | ObstacleError) -> str:
    if isinstance(error, ObstacleError):
        return error.obstacle.value
    return _REASONS.get(error.errno or 0, "disk_error")
