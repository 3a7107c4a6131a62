"""The end of a session: the note about it, and what is archived."""

from dataclasses import replace
from functools import partial
from itertools import groupby

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.turns import End, advance
from openclaw_memd.index.ledger.session_rows import Changes, Session
from openclaw_memd.index.ledger.sessions import mark_captured
from openclaw_memd.ports import Clock
from openclaw_memd.sessions.book import SessionBook
from openclaw_memd.sessions.capturing import Capture, Heard, compose_note
from openclaw_memd.sessions.messages import MessageKind, Role
from openclaw_memd.sessions.outcomes import CaptureWish, Ended, EndReason
from openclaw_memd.zones import Zone

_ARCHIVING = frozenset({EndReason.RESET, EndReason.NEW})


class SessionEnds:
    """Ends sessions of ``book``."""

    def __init__(self, book: SessionBook, clock: Clock, zone: Zone) -> None:
        self._book = book
        self._clock = clock
        self._zone = zone

    async def end(
        self,
        caller: Caller,
        session: Session,
        reason: EndReason,
        wish: CaptureWish | None,
        capture: Capture | None,
    ) -> Ended:
        """End ``session``; no messages of it may come meanwhile. ``capture`` writes the note that is wished.

        Raises:
            UnavailableError, DamagedError: the note or the ledger cannot be written.
        """
        captured, note_path = session.captured_through, None
        if wish is not None and capture is not None:
            captured = session.last_seq
            note_path = await self._write_note(capture, caller, session, reason, wish)
            self._book.known.put([replace(session, captured_through=captured)])
        now = self._clock.now()

        def close(before: Session | None, _known: frozenset[str]) -> Changes | None:
            if before is None:
                return None
            after = replace(before, captured_through=captured)
            if reason is not EndReason.COMPACT:
                after = replace(after, turn=advance(before.turn, End(), now), ended_at=now)
            if reason in _ARCHIVING:
                following = before.parts[-1].number + 1 if before.parts else before.open_part
                after = replace(
                    after, first_part=following, open_part=following, captured_through=before.last_seq
                )
            return Changes(after)

        ended = await self._book.change(session.key, (), close)
        return Ended(ended.kept if ended else 0, note_path)

    async def _write_note(
        self, capture: Capture, caller: Caller, session: Session, reason: EndReason, wish: CaptureWish
    ) -> str | None:
        note = compose_note(
            session.key,
            await self._hear(session),
            through=session.last_seq,
            reason=reason.value,
            messages=wish.messages,
            slug=wish.slug,
            at=self._clock.now(),
            zone=self._zone,
        )
        if note is None:
            return None
        captured = partial(mark_captured, key=session.key, through=session.last_seq)
        return (await capture.capture(caller, note, captured)).path

    async def _hear(self, session: Session) -> list[Heard]:
        """What may be shown of the messages since the last capture."""
        known = self._book.known
        shown = known.show(session)
        heard: list[Heard] = []
        said = await self._book.read_after(session.key, session.captured_through)
        for _, pieces in groupby(said, key=lambda piece: piece.seq):
            first, *others = pieces
            provenance = known.provenance(first, shown)
            if provenance is not None:
                texts = tuple(piece.text for piece in (first, *others))
                heard.append(Heard(Role(first.role), MessageKind(first.kind), provenance, texts))
        return heard
