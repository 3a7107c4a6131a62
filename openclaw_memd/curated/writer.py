"""The one writer of the curated files: no line of anybody is lost, and what a file was can be brought back.

Each rewrite is planned from the file as it is, noted in the ledger together with what the file was and with
who is behind its new lines, and then takes the file's place in one step. Where the file turns out to be
another by then, it goes back and is planned anew. Editors may still write to a version that is out of its
place: ``Asides`` looks at it again before it goes.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Final, Literal

import trio

from openclaw_memd.curated.asides import SETTLE_S, Asides
from openclaw_memd.curated.faults import unavailable
from openclaw_memd.curated.placement import Placement
from openclaw_memd.curated.revisions import Author, Draft, Drafting, Plan, Revision, Rewritten
from openclaw_memd.domain.stored_text import decode_stored, encode_stored
from openclaw_memd.errors import ConflictError, InvalidParamsError, TooLargeError
from openclaw_memd.files.curated import read_curated
from openclaw_memd.files.names import CURATED
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.rewrites import NewRewrite, RecordLines
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock

__all__ = ["Author", "CuratedWriter", "Plan", "Revision", "Rewritten"]

TRIES: Final = 5
"""How often a file that is changed meanwhile is planned anew."""

PAUSE_S: Final = 0.01
"""Before the next try, times the tries so far: an editor that is saving should be done by then."""


class CuratedWriter:
    """Rewrites MEMORY.md and USER.md of one workspace, one at a time.

    ``load`` comes before the first call; ``run`` goes on beside. ``turn`` is held while a file is replaced,
    by all who write to the workspace. ``on_written`` hears of each file that was rewritten.
    """

    def __init__(
        self,
        state: Store,
        roots: Roots,
        *,
        turn: trio.Lock,
        record: RecordLines,
        clock: Clock,
        file_bytes: int,
        on_written: Callable[[str], None] = lambda _file: None,
        settle_s: float = SETTLE_S,
    ) -> None:
        self._roots = roots
        self._turn = turn
        self._clock = clock
        self._file_bytes = file_bytes
        self._on_written = on_written
        self._thread = trio.CapacityLimiter(1)
        self.asides = Asides(state, roots, self._absorb, settle_s=settle_s)
        self._placement = Placement(state, roots, record, self.asides)

    async def load(self) -> None:
        """Finish or undo what the last end of the process cut off.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        await self._placement.load()

    async def run(self) -> None:
        """Look at versions that lost their place until nobody writes to them, until cancelled.

        Raises:
            DamagedError: the ledger is damaged.
        """
        await self.asides.run()

    @property
    def mode(self) -> Literal["exchange", "weak"]:
        """How the files are replaced: in one step, or in two where the file system knows no better."""
        return "weak" if self._placement.is_weak else "exchange"

    async def rewrite(self, file: str, plan: Plan, *, cause: str, author: Author) -> Rewritten:
        """Make of ``file`` what ``plan`` says, and keep what it was.

        ``cause`` is a word for the history, such as ``remember``; ``plan`` runs in a worker thread. Cancelled
        before the new version has the place, nothing is done; after that the answer is given. Byte
        order mark, line ends, the end of the last line, mode and owner stay as they are.

        Raises:
            InvalidParamsError: the file is no curated one.
            ConflictError: the file is changed by others faster than it can be rewritten (``changed``).
            DeniedError: a link or the like has its place, or it is no text (``reason`` tells what).
            TooLargeError: it is, or would be, longer than what is read (``file_bytes``).
            UnavailableError: the disk or the ledger cannot be used; the file is as it was.
            DamagedError: the ledger is damaged; the file is as it was.
        """

        def draft(before: bytes | None) -> Draft | None:
            revision = plan(None if before is None else decode_stored(before))
            if revision is None:
                return None
            return Draft(encode_stored(revision.text, before), revision.added)

        return await self.redraft(file, draft, cause=cause, author=author)

    async def redraft(
        self,
        file: str,
        draft: Drafting,
        *,
        cause: str,
        author: Author,
        absorbs: Mapping[str, bytes] | None = None,
    ) -> Rewritten:
        """The same by bytes. ``absorbs`` has, by token, versions aside whose lines come back with it.

        Errors as in ``rewrite``.
        """
        if file not in CURATED:
            raise InvalidParamsError("not a curated file", field="file", reason="value")
        for number in range(1, TRIES + 1):
            try:
                async with self._turn:
                    return await self._try(file, draft, cause, author, absorbs or {})
            except ConflictError as error:
                if error.reason != "changed" or number == TRIES:
                    raise
            except OSError as error:
                raise unavailable(error) from error
            await trio.sleep(PAUSE_S * number)
        raise AssertionError

    async def _try(
        self, file: str, draft: Drafting, cause: str, author: Author, absorbs: Mapping[str, bytes]
    ) -> Rewritten:
        def draw_up() -> NewRewrite | str:
            """The rewrite; the file's hash when there is none to be made."""
            before = read_curated(self._roots, file, self._file_bytes)
            made = draft(before)
            if made is None or made.after == before:
                return _hash(before or b"")
            if len(made.after) > self._file_bytes:
                raise TooLargeError("the file would be too large", reason="file_bytes")
            old, new = _lines(before or b""), _lines(made.after)
            return NewRewrite(
                token=token_hex(8),
                file=file,
                cause=cause,
                at=self._clock.now(),
                before=before,
                after=made.after,
                counts=((Counter(new) - Counter(old)).total(), (Counter(old) - Counter(new)).total()),
                lines=old,
                added=made.added,
                agent=author.agent,
                session_id=author.session_id,
                absorbs=absorbs,
            )

        rewrite = await trio.to_thread.run_sync(draw_up, abandon_on_cancel=True, limiter=self._thread)
        if isinstance(rewrite, str):
            return Rewritten(file, rewrite, None, changed=False)
        preimage_id = await self._placement.put(rewrite)
        self._on_written(file)
        return Rewritten(file, _hash(rewrite.after), preimage_id, changed=True)

    async def _absorb(self, file: str, draft: Drafting, absorbs: Mapping[str, bytes]) -> Rewritten:
        return await self.redraft(file, draft, cause="late", author=Author(), absorbs=absorbs)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _lines(data: bytes) -> list[str]:
    return [line for line in decode_stored(data).split("\n") if line.strip()]
