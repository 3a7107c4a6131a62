"""The note that remembers how a conversation ended. Pure but for the port."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.inert import disarm_delimiters
from openclaw_memd.domain.note_entries import silence_annotations
from openclaw_memd.domain.note_names import make_slug
from openclaw_memd.domain.provenance import Origin, Provenance, is_trusted
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.index.store import Work
from openclaw_memd.notes.types import Appended, CapturedLine, CapturedNote
from openclaw_memd.sessions.messages import MessageKind, Role
from openclaw_memd.sessions.rendering import render_lines
from openclaw_memd.zones import Zone

_NOISE = frozenset({MessageKind.SYSTEM, MessageKind.CRON})
_SLASH_COMMAND = re.compile(r"/[A-Za-z][\w-]*(?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Heard:
    """What was kept of one message."""

    role: Role
    kind: MessageKind
    provenance: Provenance
    pieces: tuple[str, ...]


class Capture(Protocol):
    """Writes captured notes into the workspace: `NoteWriter` of `notes`."""

    async def capture(self, caller: Caller | None, note: CapturedNote, also: Work[None]) -> Appended:
        """Write a note in one file or two, and do ``also`` in the transaction that accepts it.

        Raises:
            UnavailableError: nothing of it is accepted.
        """
        ...


def compose_note(
    key: SessionKey,
    heard: Iterable[Heard],
    *,
    through: int,
    reason: str,
    messages: int,
    slug: str | None,
    at: datetime,
    zone: Zone,
) -> CapturedNote | None:
    """The note about the last ``messages`` of what was ``heard``, up to number ``through``; None without any.

    Trusted messages and the others are counted apart, so that nobody can crowd out what the owner said.
    """
    said = [one for one in heard if not _is_noise(one)]
    trusted = [one for one in said if is_trusted(one.provenance.origin)][-messages:]
    others = [one for one in said if not is_trusted(one.provenance.origin)][-messages:]
    if not trusted and not others:
        return None
    local = zone.at(at)
    facts = (f"- Session: {_one_line(key.session_id)}", f"- Reason: {reason}")
    return CapturedNote(
        key=f"capture:{key.agent}:{key.session_id}:{through}",
        day=local.date(),
        slug=make_slug(slug or "") or f"{local:%H%M}",
        heading=f"# {local:%Y-%m-%d %H:%M} ({zone.label(at)})",
        trusted=tuple(_lines(facts, trusted, Origin.AGENT)),
        untrusted=tuple(_lines(facts, others, Origin.UNTRUSTED)),
    )


def _lines(facts: Sequence[str], said: Sequence[Heard], origin: Origin) -> Iterator[CapturedLine]:
    if not said:
        return
    last = said[-1].provenance
    about = Provenance(origin, last.session_kind, last.writer)
    for line in (*facts, ""):
        yield line, about
    for one in said:
        for piece in one.pieces:
            for line in render_lines(one.role, silence_annotations(disarm_delimiters(piece))):
                yield f"> {line}", one.provenance


def _is_noise(heard: Heard) -> bool:
    if heard.kind in _NOISE:
        return True
    return heard.role is Role.USER and _SLASH_COMMAND.match(heard.pieces[0]) is not None


def _one_line(text: str) -> str:
    return silence_annotations(disarm_delimiters(" ".join(text.split())))
