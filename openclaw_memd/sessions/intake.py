"""What becomes of messages that come: who is behind each, what is kept of it, in which part. Pure."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from openclaw_memd.domain.admission import AdmissionRules, Exclusion
from openclaw_memd.domain.callers import Caller, Sender
from openclaw_memd.domain.classification import origin_of_answer, origin_of_question
from openclaw_memd.domain.instants import EARLIEST, clamp_instant
from openclaw_memd.domain.provenance import Origin, SessionKind, join
from openclaw_memd.domain.turns import Question, SetAside, Step, Turn, TurnEvent, advance, tainted_until
from openclaw_memd.index.ledger.session_rows import Changes, MessageRow, Part, PieceRow, Place, Session
from openclaw_memd.sessions.known import Ancestry
from openclaw_memd.sessions.messages import Message, MessageKind, Role
from openclaw_memd.sessions.outcomes import SkippedMessage
from openclaw_memd.sessions.rendering import clean_text, cut_pieces, render_lines
from openclaw_memd.sessions.skips import MessageSkip

PART_BYTES: Final = 1_048_576
"""The most rendered text in one document: a chunk of it that changes means that all of it is read again."""

_SCAFFOLDING = frozenset({MessageKind.SYSTEM, MessageKind.CRON, MessageKind.HEARTBEAT, MessageKind.RECALLED})
_SET_ASIDE = {MessageKind.HEARTBEAT: SetAside.HEARTBEAT, MessageKind.RECALLED: SetAside.RECALLED}
_SKIPPED_KINDS = {
    MessageKind.COMMAND: MessageSkip.COMMAND,
    MessageKind.INTER_SESSION: MessageSkip.INTER_SESSION,
    MessageKind.HEARTBEAT: MessageSkip.HEARTBEAT,
    MessageKind.RECALLED: MessageSkip.RECALLED,
}
_SKIPPED_SESSIONS = {SessionKind.CRON: MessageSkip.CRON, SessionKind.HEARTBEAT: MessageSkip.HEARTBEAT}
_SPEAKERS = (Role.USER, Role.ASSISTANT)
_NO_PLACE = -1


def clean_messages(messages: Sequence[Message]) -> dict[str, str]:
    """What can be kept of each message, by its id. Takes long for long texts: use a thread."""
    texts: dict[str, str] = {}
    for message in messages:
        if message.role in _SPEAKERS and message.id not in texts:
            texts[message.id] = clean_text(message.text)
    return texts


@dataclass(slots=True)
class Intake:
    """Takes messages of one call into a session.

    ``replayed`` messages happened when they say and not now. ``known`` are the ids of those among them that
    came before, ``texts`` what `clean_messages` made of them. ``heard_at`` is when text that nobody vouches
    for was handed to the session, ``recalled_at`` when any memory was, until that is taken into account;
    ``outside_at`` is when text that nobody vouches for last came, whatever came since.
    ``is_beneath_taint`` says that a session above it is tainted. ``is_buried`` tells of an id whether the
    message was forgotten.
    """

    session: Session
    known: frozenset[str]
    texts: Mapping[str, str]
    caller: Caller
    ancestry: Ancestry
    rules: AdmissionRules
    now: datetime
    replayed: bool = False
    heard_at: datetime | None = None
    recalled_at: datetime | None = None
    outside_at: datetime | None = None
    is_beneath_taint: bool = False
    is_buried: Callable[[str], bool] = lambda _id: False
    accepted: int = 0
    skipped: list[SkippedMessage] = field(default_factory=list)
    _rows: list[MessageRow] = field(default_factory=list)
    _pieces: list[PieceRow] = field(default_factory=list)
    _tainted_until: datetime | None = None

    def take(self, messages: Sequence[Message]) -> Changes:
        """The changes that ``messages`` make, in their order."""
        place = Place(
            kind=self.caller.session_kind,
            channel=self.caller.channel,
            chat_type=self.caller.chat_type,
            project_key=self.caller.project_key,
            writer=self.caller.writer,
        )
        excluded = self.rules.exclude_place(self.ancestry.session_ids, place.channel, place.chat_type)
        seen = set(self.known)
        for message in messages:
            if message.id in seen:
                self.skipped.append(SkippedMessage(message.id, MessageSkip.REPEATED))
            else:
                seen.add(message.id)
                self._take(message, place, excluded)
        if self.heard_at is not None:
            self._taint(self.heard_at)
        if self.caller.tainted and not self._rows:
            self._taint(self.now)
        return Changes(self.session, tuple(self._rows), tuple(self._pieces), self._tainted_until)

    def _take(self, message: Message, place: Place, excluded: Exclusion | None) -> None:
        at = clamp_instant(message.at, self.now)
        happened_at = at if self.replayed else self.now
        if self.heard_at is not None and self.heard_at <= happened_at:
            self._taint(self.heard_at)
            self.heard_at = None
        before = self.session
        turn = advance(before.turn, self._event(message, at), happened_at)
        self._note_end(before.turn, turn, happened_at)
        if excluded is not None:
            turn = replace(turn, asker=None)
        origin = _origin(message.role, turn)
        asker = self._asker(message, turn)
        exclusion = excluded or self.rules.exclude_participant(asker)
        if self.is_buried(message.id):
            exclusion = Exclusion.FORGOTTEN
        text = ""
        skip: str | None = exclusion or self._skip(message, turn)
        if skip is None:
            text = self.texts[message.id]
            skip = None if text else MessageSkip.EMPTY
        seq = before.last_seq + 1
        cycle = [origin] if message.role in _SPEAKERS else []
        self.session = replace(
            before,
            turn=turn,
            last_seq=seq,
            last_at=max(before.last_at, at) if self.replayed else self.now,
            ended_at=None,
            kept=before.kept + (skip is None),
            cycle_origin=_worst(before.cycle_origin, *cycle, *([Origin.UNTRUSTED] if turn.tainted else [])),
            excluded=exclusion,
            exclusions=_count(before.exclusions, exclusion),
        )
        number = _NO_PLACE if exclusion else self._place(place)
        sender = None if exclusion else asker
        self._rows.append(
            MessageRow(seq, message.id, message.role, message.kind, origin, at, number, sender, skip)
        )
        if skip is None:
            self.accepted += 1
            self._keep(self._rows[-1], message.role, text)
        else:
            self.skipped.append(SkippedMessage(message.id, skip))

    def _taint(self, at: datetime) -> None:
        turn = advance(self.session.turn, Step(network=True), at)
        self.session = replace(self.session, turn=turn, cycle_origin=Origin.UNTRUSTED)

    def _note_end(self, before: Turn, after: Turn, at: datetime) -> None:
        until = tainted_until(before)
        if until is not None and not after.tainted:
            self._tainted_until = max(min(until, at), self._tainted_until or EARLIEST)

    def _event(self, message: Message, at: datetime) -> TurnEvent:
        network = message.tool_network or message.tainted or self.caller.tainted or self.is_beneath_taint
        if message.role is not Role.USER:
            is_recalled = self._was_recalled(at) or message.brings_memory
            return Step(network, SetAside.RECALLED if is_recalled else None)
        if message.at is not None:  # else a host may tell of a turn when it is over
            self._was_recalled(at)
            is_late = not self.replayed and self.outside_at is not None and at < self.outside_at
            network = network or is_late  # what was handed out since is in the turn that this begins
        sender = message.sender or self._context_sender(message)
        origin = origin_of_question(sender, is_scaffolding=message.kind in _SCAFFOLDING)
        return Question(origin, sender.id, _SET_ASIDE.get(message.kind), network)

    def _was_recalled(self, at: datetime) -> bool:
        """Whether memory was handed to the session before ``at``; asked again, it was not."""
        if self.recalled_at is None or at < self.recalled_at:
            return False
        self.recalled_at = None
        return True

    def _context_sender(self, message: Message) -> Sender:
        """Whoever the call is for did not write what another session sent."""
        return Sender() if message.kind is MessageKind.INTER_SESSION else self.caller.sender

    def _asker(self, message: Message, turn: Turn) -> str | None:
        if message.role is Role.USER or turn.asker is not None:
            return turn.asker
        return self.caller.sender.id

    def _skip(self, message: Message, turn: Turn) -> MessageSkip | None:
        if message.role not in _SPEAKERS:
            return MessageSkip.ROLE
        session = _SKIPPED_SESSIONS.get(self.ancestry.kind_of(self.caller.session_kind))
        turned = MessageSkip(turn.set_aside.value) if turn.set_aside else None
        return session or _SKIPPED_KINDS.get(message.kind) or turned

    def _place(self, place: Place) -> int:
        places = self.session.places
        if place not in places:
            self.session = replace(self.session, places=(*places, place))
            return len(places)
        return places.index(place)

    def _keep(self, row: MessageRow, role: Role, text: str) -> None:
        for piece in cut_pieces(text):
            size = sum(len(line.encode()) + 1 for line in render_lines(role, piece))
            part = self._part_for(size, row.at)
            self._pieces.append(PieceRow(part.number, row.seq, piece))
            grown = replace(
                part,
                bytes=part.bytes + size,
                fingerprint=_fingerprint(part.fingerprint, row, self.session.places[row.place], piece),
                last_at=row.at,
            )
            others = tuple(other for other in self.session.parts if other.number != part.number)
            self.session = replace(self.session, parts=(*others, grown), open_part=part.number)

    def _part_for(self, size: int, at: datetime) -> Part:
        """The part that grows, or the next one when it would be too large."""
        last = self.session.parts[-1] if self.session.parts else None
        if last is None or last.number < self.session.open_part:
            return Part(self.session.open_part, 0, 0, at)
        return last if last.bytes + size <= PART_BYTES else Part(last.number + 1, 0, 0, at)


def _origin(role: Role, turn: Turn) -> Origin:
    match role:
        case Role.USER:
            return turn.origin
        case Role.ASSISTANT:
            return origin_of_answer(turn.origin, tainted=turn.tainted)
        case Role.TOOL:
            return Origin.UNTRUSTED
        case Role.SYSTEM:
            return Origin.SYSTEM


def _worst(before: Origin | None, *origins: Origin) -> Origin | None:
    known = [origin for origin in (before, *origins) if origin is not None]
    return join(*known) if known else None


def _count(counts: tuple[tuple[str, int], ...], exclusion: Exclusion | None) -> tuple[tuple[str, int], ...]:
    if exclusion is None:
        return counts
    counted = dict(counts)
    counted[exclusion.value] = counted.get(exclusion.value, 0) + 1
    return tuple(sorted(counted.items()))


def _fingerprint(before: int, row: MessageRow, place: Place, piece: str) -> int:
    facts = repr((before, row.seq, row.role, row.origin, row.at, row.sender, place, piece))
    digest = hashlib.blake2b(facts.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
