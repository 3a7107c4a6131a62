"""``memory.remember``: what the owner wants to be known goes into a curated file, as one entry."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from math import inf

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedState, CuratedText
from openclaw_memd.curated.revisions import Author, Revision
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.curated_files import USER
from openclaw_memd.domain.curated_plan import Memory, Planned, plan_memory
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.lint import lint_entry
from openclaw_memd.domain.note_entries import NoteEntry, read_fields
from openclaw_memd.domain.provenance import HANDWRITTEN, Origin, Provenance, is_trusted
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import InvalidParamsError, TooLargeError
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

CAUSE = "remember"
"""What the history says of such a rewrite."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be remembered in ``file``.

    The entry's project is None for the caller's own, '' for none, whatever project the caller works in.
    ``replaces`` names an entry by what it says or by its citation.
    """

    file: str
    entry: NoteEntry
    review: date | None = None
    expires: date | None = None
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Remembered:
    """Where the entry stands now, lines from 1 and both included.

    ``hash`` is SHA-256 of its text in hex, ``superseded`` are the texts of the entries that it replaced.
    ``appended`` is false when nothing was written, since it was there already. ``warning`` says what about it
    is to be looked at.
    """

    file: str
    line: int
    end_line: int
    hash: str
    superseded: tuple[str, ...]
    appended: bool
    warning: str | None


Vouch = Callable[[str, int, int, str], Awaitable[object]]
"""Says that lines of a file are to be trusted: file, first line, last line, hash of their text."""

CurrentProject = Callable[[Caller | None], Awaitable[str | None]]


class Remembering:
    """Writes what its owner asks for into the curated files of one workspace.

    Who calls it has checked that it is the owner. ``vouch`` is for an entry that stands there by somebody who
    is not trusted, word for word.
    """

    def __init__(
        self,
        writer: CuratedWriter,
        core: CuratedCore,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
        *,
        note_bytes: int,
        current_project: CurrentProject,
        vouch: Vouch,
    ) -> None:
        self._writer = writer
        self._core = core
        self._analyzer = analyzer
        self._clock = clock
        self._zone = zone
        self._note_bytes = note_bytes
        self._current_project = current_project
        self._vouch = vouch

    async def remember(
        self, caller: Caller | None, wish: Wish, *, budget_chars: int, deadline_at: float = inf
    ) -> Remembered:
        """Do it, and see that it is shown from now on. ``budget_chars`` is how long the file may be.

        Cancelled before it is written, nothing is done. After that the answer is given, by ``deadline_at``
        (in trio's time) even if the file could not be looked at again.

        Raises:
            InvalidParamsError: a field cannot be written, or ``replaces`` names nothing (``no_entry``).
            ConflictError: ``replaces`` names several (``ambiguous``), the file has no place for an entry
                (``no_place``), or others change it all the time (``changed``).
            TooLargeError: the entry (``note_bytes``) or the file (``file_bytes``) would be too long, or the
                file has too many entries (``entries``).
            DeniedError, UnavailableError, DamagedError: as in ``CuratedWriter.rewrite``.
        """
        memory = await self._read(caller, wish)
        state = await self._core.refresh()
        known = state.files.get(wish.file)
        planning = _Planning(wish.file, memory, self._analyzer, known)
        now = None if known is None else known.text
        await trio.to_thread.run_sync(planning.plan, now, abandon_on_cancel=True)
        provenance = _provenance(caller)

        def plan(current: str | None) -> Revision | None:
            planned = planning.plan(current)
            lines = [(line, provenance) for line in planned.added]
            lines += [(line, HANDWRITTEN) for line in planned.marked]  # else they might count as another's
            return Revision(planned.text, tuple(lines)) if planned.is_new else None

        done = await self._writer.rewrite(wish.file, plan, cause=CAUSE, author=Author.of(caller))
        planned = planning.latest
        hash_ = hash_text(planned.entry.text)
        with trio.CancelScope(shield=done.changed):
            if _is_held_back(await self._core.refresh(deadline_at), wish.file, planned):
                await self._vouch(wish.file, planned.entry.start_line, planned.entry.end_line, hash_)
                await self._core.refresh(deadline_at)
            warn = partial(self._warning, wish.file, planned, memory, budget_chars)
            warning = await trio.to_thread.run_sync(warn)
        return Remembered(
            file=wish.file,
            line=planned.entry.start_line,
            end_line=planned.entry.end_line,
            hash=hash_,
            superseded=planned.superseded if done.changed else (),
            appended=done.changed,
            warning=warning,
        )

    async def _read(self, caller: Caller | None, wish: Wish) -> Memory:
        entry = wish.entry
        parts = (entry.text, *entry.triggers, entry.supersedes_key or "", entry.project or "")
        if sum(len(part.encode("utf-8", "replace")) for part in parts) > self._note_bytes:
            raise TooLargeError("the entry is too long", reason="note_bytes", field="text")
        if wish.file == USER and entry.project:
            raise InvalidParamsError(
                "what is in USER.md applies everywhere: no project", field="project", reason="value"
            )
        said = read_fields(replace(entry, project=entry.project or None))
        default = None
        if wish.file != USER and entry.project is None:
            default = await self._current_project(caller)
        return Memory(
            text=entry.text,
            said=replace(said, review=wish.review, expires=wish.expires),
            observed=self._zone.day(self._clock.now()),
            is_scoped=entry.project is not None,
            default_project=default,
            replaces=wish.replaces,
        )

    def _warning(self, file: str, planned: Planned, memory: Memory, budget_chars: int) -> str | None:
        """What is to be looked at about the entry, and whether the file is too long."""
        findings = lint_entry(
            file,
            planned.text,
            planned.entry,
            planned.entries,
            today=memory.observed,
            budget_chars=budget_chars,
            analyzer=self._analyzer,
        )
        return "; ".join(dict.fromkeys(finding.detail for finding in findings)) or None


class _Planning:
    """Plans one memory, once for the same text: first in a thread, since a long file takes a while."""

    def __init__(self, file: str, memory: Memory, analyzer: Analyzer, known: CuratedText | None) -> None:
        self._file = file
        self._trusted = _trusted(known)
        self._like = () if known is None else tuple(one.entry for one in known.entries)
        self._memory = memory
        self._analyzer = analyzer
        self._made: tuple[str | None, Planned] | None = None

    @property
    def latest(self) -> Planned:
        """What was planned last."""
        assert self._made is not None
        return self._made[1]

    def plan(self, current: str | None) -> Planned:
        """What the file becomes. Errors as in ``plan_memory``."""
        if self._made is None or self._made[0] != current:
            planned = plan_memory(
                self._file, current, self._memory, self._analyzer, trusted=self._trusted, like=self._like
            )
            self._made = current, planned
        return self._made[1]


def _provenance(caller: Caller | None) -> Provenance:
    assert caller is not None, "only the owner remembers"
    return Provenance(Origin.OWNER, caller.session_kind, caller.writer)


def _trusted(known: CuratedText | None) -> frozenset[str]:
    """The texts of the entries that somebody vouches for; one that turned up since is none of them."""
    entries = () if known is None else known.entries
    held_back = {entry.entry.text for entry in entries if not is_trusted(entry.provenance.origin)}
    return frozenset(entry.entry.text for entry in entries) - held_back


def _is_held_back(state: CuratedState, file: str, planned: Planned) -> bool:
    """Whether the entry stands in the file by somebody who is not trusted."""
    text = state.files.get(file)
    found = next(
        (
            entry
            for entry in (() if text is None else text.entries)
            if entry.entry.start_line == planned.entry.start_line and entry.entry.text == planned.entry.text
        ),
        None,
    )
    return found is not None and not is_trusted(found.provenance.origin)
