"""Accepted texts of notes: committed before a byte is written, marked when the bytes are on the disk."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import apsw

from openclaw_memd.domain.provenance import Origin, Provenance, is_trusted
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.ledger.instants import to_stamp
from openclaw_memd.index.ledger.retention import WRITES_KEPT


class RecordLines(Protocol):
    """Records in the ledger of spans where the lines of a text come from (see ``spans``)."""

    def __call__(
        self,
        connection: apsw.Connection,
        *,
        append_id: int,
        path: str,
        lines: Sequence[str],
        provenance: Provenance,
        agent: str,
        session_id: str | None,
        at: datetime,
    ) -> None:
        """Add the lines to the running transaction. None of ``lines`` is blank."""
        ...


@dataclass(frozen=True, slots=True)
class NewText:
    """A text for the note at ``path``; it ends with a line end.

    ``size_before`` is the size of the note in bytes, None when it could not be looked at. ``header`` is the
    first line of the note should it be new. ``runs`` are the lines with the provenance of each,
    ``provenance`` that of the whole.
    """

    path: str
    size_before: int | None
    header: str
    text: str
    text_hash: str
    provenance: Provenance
    runs: tuple[tuple[Provenance, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class WaitingText:
    """An accepted text that is not known to be in its note."""

    id: int
    path: str
    size_before: int | None
    header: str
    text: str


@dataclass(frozen=True, slots=True)
class AppendRow:
    """What is known of an accepted text. Lines are None until it is written."""

    path: str
    origin: Origin
    text_hash: str
    is_written: bool
    start_line: int | None
    end_line: int | None


@dataclass(frozen=True, slots=True)
class Call:
    """One accepted call: who wrote ``texts`` and when."""

    texts: tuple[NewText, ...]
    agent: str
    session_id: str | None
    at: datetime

    def measure(self, *, trusted: bool) -> tuple[int, int]:
        """How many texts are trusted, or not, and their bytes."""
        texts = [text.text for text in self.texts if is_trusted(text.provenance.origin) is trusted]
        return len(texts), sum(len(text.encode()) for text in texts)


def accept_call(
    connection: apsw.Connection,
    call: Call,
    *,
    record: RecordLines,
    book: Callable[[int], Callable[[apsw.Connection], None]],
    most_texts: int,
    most_bytes: int,
) -> list[int]:
    """Accept a call in the open transaction, with whatever ``book`` adds for its number; the texts' ids.

    Trusted texts and others are counted apart, so that nobody outside can take the room of what is trusted.

    Raises:
        UnavailableError: with it more than ``most_texts`` texts or ``most_bytes`` bytes would wait
            (``reason`` is ``spool_full``).
    """
    for trusted in (True, False):
        count, size = call.measure(trusted=trusted)
        waiting, waiting_bytes = _measure_waiting(connection, trusted=trusted)
        if count and (waiting + count > most_texts or waiting_bytes + size > most_bytes):
            raise UnavailableError("too many texts wait to be written", reason="spool_full")
    ids = _add_texts(connection, call, record)
    book(ids[0])(connection)
    connection.execute(
        "DELETE FROM appends WHERE accepted_at < ? AND state = 'written'", (to_stamp(call.at - WRITES_KEPT),)
    )
    return ids


def waiting_paths(connection: apsw.Connection) -> list[str]:
    """The notes that accepted texts wait for, the longest-waiting first."""
    return [
        str(path)
        for (path,) in connection.execute(
            "SELECT path FROM appends WHERE state <> 'written' GROUP BY path ORDER BY min(id)"
        )
    ]


def first_waiting(connection: apsw.Connection, path: str) -> WaitingText | None:
    """The text that has waited longest for one note: they are written in the order of their acceptance."""
    row = connection.execute(
        "SELECT id, path, size_before, header, text FROM appends"
        " WHERE state <> 'written' AND path = ? ORDER BY id LIMIT 1",
        (path,),
    ).fetchone()
    return None if row is None else WaitingText(*row)


def set_size(connection: apsw.Connection, append_id: int, size_before: int) -> None:
    """Note from where on the text may stand, before the first attempt to write it."""
    connection.execute("UPDATE appends SET size_before = ? WHERE id = ?", (size_before, append_id))


def mark_written(
    connection: apsw.Connection, text: WaitingText, *, end: int, start_line: int, end_line: int
) -> None:
    """The text stands in its note, up to the offset ``end`` in bytes: erase it here.

    Later texts for the note come behind it, so an equal one is not taken for this one.
    """
    connection.execute(
        "UPDATE appends SET state = 'written', text = NULL, reason = NULL, start_line = ?, end_line = ?"
        " WHERE id = ?",
        (start_line, end_line, text.id),
    )
    connection.execute(
        "UPDATE appends SET size_before = max(ifnull(size_before, 0), ?)"
        " WHERE state <> 'written' AND path = ? AND id > ?",
        (end, text.path, text.id),
    )


def mark_spooled(connection: apsw.Connection, path: str, reason: str) -> None:
    """What waits for the note could not be written now."""
    connection.execute(
        "UPDATE appends SET state = 'spooled', reason = ?1"
        " WHERE path = ?2 AND (state = 'planned' OR (state = 'spooled' AND reason IS NOT ?1))",
        (reason, path),
    )


def count_waiting(connection: apsw.Connection) -> int:
    """How many texts wait."""
    count = connection.execute("SELECT count(*) FROM appends WHERE state <> 'written'").get
    assert isinstance(count, int)
    return count


def rows_of_call(connection: apsw.Connection, call: int) -> list[AppendRow]:
    """The texts of a call, in its order."""
    return [
        AppendRow(path, Origin(origin), text_hash, state == "written", start_line, end_line)
        for path, origin, text_hash, state, start_line, end_line in connection.execute(
            "SELECT path, origin, text_hash, state, start_line, end_line FROM appends"
            " WHERE call = ? ORDER BY id",
            (call,),
        )
    ]


def line_counts(connection: apsw.Connection, text_hash: str) -> list[int]:
    """How many lines the texts have that were written with this hash."""
    rows = connection.execute(
        "SELECT DISTINCT end_line - start_line + 1 FROM appends WHERE text_hash = ? AND state = 'written'",
        (text_hash,),
    )
    return [count for (count,) in rows if isinstance(count, int)]


def _measure_waiting(connection: apsw.Connection, *, trusted: bool) -> tuple[int, int]:
    origins = [origin.value for origin in Origin if is_trusted(origin) is trusted]
    ((count, size),) = connection.execute(
        "SELECT count(*), ifnull(sum(octet_length(text)), 0) FROM appends"
        " WHERE state <> 'written' AND origin IN (SELECT value FROM carray(?))",
        (apsw.carray(tuple(origins)),),
    ).fetchall()
    assert isinstance(count, int)
    assert isinstance(size, int)
    return count, size


def _add_texts(connection: apsw.Connection, call: Call, record: RecordLines) -> list[int]:
    """Store the texts and the origin of each line; the first id is the number of the call."""
    ids: list[int] = []
    for text in call.texts:
        ((append_id,),) = connection.execute(
            "INSERT INTO appends (call, state, agent, session_id, path, size_before, header, text, text_hash,"
            " origin, session_kind, writer, accepted_at)"
            " VALUES (?, 'planned', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (
                ids[0] if ids else 0,
                call.agent,
                call.session_id,
                text.path,
                text.size_before,
                text.header,
                text.text,
                text.text_hash,
                text.provenance.origin,
                text.provenance.session_kind,
                text.provenance.writer,
                to_stamp(call.at),
            ),
        ).fetchall()
        assert isinstance(append_id, int)
        ids.append(append_id)
        for index, (provenance, lines) in enumerate(text.runs):
            own = [text.header, *lines] if index == 0 and not text.size_before else lines
            record(
                connection,
                append_id=append_id,
                path=text.path,
                lines=[line for line in own if line.strip()],
                provenance=provenance,
                agent=call.agent,
                session_id=call.session_id,
                at=call.at,
            )
    connection.execute("UPDATE appends SET call = id WHERE id = ?", (ids[0],))
    return ids
