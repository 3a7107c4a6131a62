"""Deleting what was said in sessions."""

from collections.abc import Collection, Iterable

import apsw

from openclaw_memd.index.ledger.session_rows import Session, SessionKey


def blank_session(connection: apsw.Connection, key: SessionKey, excluded: str) -> None:
    """Delete everything that was said in a session. That it is there, and its turn, stay."""
    row_id = _session_id(connection, key)
    if row_id is not None:
        for table in ("texts", "parts", "messages", "places", "exclusions"):
            connection.execute(f"DELETE FROM session_{table} WHERE session = ?", (row_id,))
        connection.execute(
            "UPDATE sessions SET kept = 0, turn_asker = NULL, excluded = ? WHERE id = ?", (excluded, row_id)
        )


def drop_messages(
    connection: apsw.Connection, before: Session, after: Session, numbers: Collection[int], reason: str
) -> None:
    """Delete what was said in the messages with these ``numbers``; ``after`` is the session without it."""
    row_id = _session_id(connection, before.key)
    connection.executemany(
        "DELETE FROM session_texts WHERE session = ? AND seq = ?", [(row_id, number) for number in numbers]
    )
    connection.executemany(
        "UPDATE session_messages SET skipped = ?, sender = NULL WHERE session = ? AND seq = ?",
        [(reason, row_id, number) for number in numbers],
    )
    connection.execute("UPDATE sessions SET kept = ? WHERE id = ?", (after.kept, row_id))
    left = {part.number: part for part in after.parts}
    for part in before.parts:
        if (now := left.get(part.number)) is None:
            connection.execute(
                "DELETE FROM session_parts WHERE session = ? AND part = ?", (row_id, part.number)
            )
        elif now != part:
            connection.execute(
                "UPDATE session_parts SET bytes = ?, fingerprint = ? WHERE session = ? AND part = ?",
                (now.bytes, now.fingerprint, row_id, part.number),
            )


def message_ids(connection: apsw.Connection, key: SessionKey, numbers: Iterable[int]) -> list[str]:
    """The ids that the host gave to messages."""
    row_id = _session_id(connection, key)
    query = "SELECT id FROM session_messages WHERE session = ? AND seq = ?"
    rows = [connection.execute(query, (row_id, number)).fetchone() for number in numbers]
    return [str(row[0]) for row in rows if row is not None]


def transcripts_of(connection: apsw.Connection, keys: Iterable[SessionKey]) -> list[str]:
    """The transcript files that sessions come from, relative to their folders."""
    query = "SELECT path FROM transcript_sessions WHERE agent = ? AND session_id = ?"
    rows = [connection.execute(query, key).fetchone() for key in keys]
    return sorted({str(row[0]) for row in rows if row is not None})


def _session_id(connection: apsw.Connection, key: SessionKey) -> int | None:
    row = connection.execute("SELECT id FROM sessions WHERE agent = ? AND session_id = ?", key).fetchone()
    return None if row is None else int(row[0])
