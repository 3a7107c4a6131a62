"""Which note a text goes to: by day, slug and trust, and the next one when that is full or taken."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

import trio

from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.note_names import note_header, note_path
from openclaw_memd.domain.provenance import Provenance, SessionKind, is_trusted
from openclaw_memd.errors import DeniedError, TooLargeError
from openclaw_memd.files.notes import ObstacleError, measure_note
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger import appends
from openclaw_memd.index.ledger.appends import NewText
from openclaw_memd.index.store import Store
from openclaw_memd.notes.drafts import Draft

MOST_NUMBERS: Final = 1_000
"""How many notes of one day and slug there may be."""


@dataclass(frozen=True, slots=True)
class Target:
    """Which note of ``day`` is meant; ``header`` is its first line where the text is trusted, and not.

    ``is_new`` asks for a file of its own.
    """

    day: date
    header: tuple[str, str]
    slug: str | None = None
    is_new: bool = False

    @classmethod
    def of_day(cls, day: date, zone: str, slug: str | None = None) -> "Target":
        """The note of ``day``; ``zone`` is how people name the time zone."""
        headers = note_header(day, zone, is_trusted=True), note_header(day, zone, is_trusted=False)
        return cls(day, headers, slug)


@dataclass(frozen=True, slots=True)
class Author:
    """For whom a text is written."""

    agent: str
    session_id: str | None
    session_kind: SessionKind
    writer: str | None

    @classmethod
    def of(cls, caller: Caller | None) -> "Author":
        """The facts of a call."""
        known = Caller() if caller is None else caller
        return cls(known.agent, known.session_id, known.session_kind, known.writer)


class Places:
    """Finds the notes of one workspace that texts go to. ``file_bytes`` is what the index still reads."""

    def __init__(self, state: Store, roots: Roots, file_bytes: int) -> None:
        self._state = state
        self._roots = roots
        self._file_bytes = file_bytes

    async def place(self, drafts: Sequence[Draft], target: Target, author: Author) -> list[NewText]:
        """``drafts``, at most one of trusted text and one of other text, with the notes that they go to.

        Raises:
            DeniedError: a link, a folder or the like has the note's place (``reason`` tells what).
            TooLargeError: the day has too many full notes.
        """
        texts: list[NewText] = []
        for draft in drafts:
            trusted = is_trusted(draft.origin)
            text = draft.text + "\n"
            header = target.header[0 if trusted else 1]
            size = len(text.encode()) + len(header.encode())
            path, size_before = await self._find_note(target, is_trusted=trusted, size=size)
            whole = Provenance(draft.origin, author.session_kind, author.writer)
            runs = _runs(draft.lines) or ((whole, tuple(draft.text.split("\n"))),)
            texts.append(NewText(path, size_before, header, text, hash_text(draft.text), whole, runs))
        return texts

    async def _find_note(self, target: Target, *, is_trusted: bool, size: int) -> tuple[str, int | None]:
        """The note for a text of ``size`` bytes, and its own size; None when it cannot be reached now."""
        taken = await self._state.read(appends.waiting_paths) if target.is_new else []
        obstacle: ObstacleError | None = None
        for number in range(1, MOST_NUMBERS + 1):
            path = note_path(target.day, is_trusted=is_trusted, slug=target.slug, number=number)
            try:
                found = await trio.to_thread.run_sync(measure_note, self._roots, path)
            except ObstacleError as error:
                obstacle = error
                if target.is_new:
                    continue
                break
            except OSError:
                return path, None
            if target.is_new:
                if found is None and path not in taken:
                    return path, 0
            elif not found or found + size <= self._file_bytes:
                return path, found or 0
        if obstacle is not None:
            raise DeniedError(f"{path} cannot be added to", reason=obstacle.obstacle.value)
        raise TooLargeError("the day has too many notes", reason="notes")


def _runs(lines: Sequence[tuple[str, Provenance]]) -> tuple[tuple[Provenance, tuple[str, ...]], ...]:
    return tuple(
        (provenance, tuple(line for line, _ in run))
        for provenance, run in groupby(lines, key=lambda line: line[1])
    )
