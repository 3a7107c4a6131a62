"""Deleting what the ledger kept long enough: a step each, in an open transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import apsw

from openclaw_memd.index.ledger.instants import to_stamp
from openclaw_memd.index.ledger.lines import raise_revision
from openclaw_memd.index.ledger.retention import OUTSIDE_VANISHED_KEPT, SKIPPED_KEPT, VANISHED_KEPT
from openclaw_memd.index.ledger.spans import drop_sketches

MessageKey = tuple[int, int]
"""The row of a session and the number of a message in it."""


def mark_vanished(connection: apsw.Connection, now: datetime, most: int) -> int:
    """Note of up to ``most`` records whose lines are gone that they are gone since now; of how many.

    A text that waits to be written is not gone.
    """
    connection.execute(
        "UPDATE spans SET gone_at = ? WHERE id IN (SELECT id FROM spans WHERE present = 0 AND gone_at IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM appends WHERE id = spans.append_id AND state <> 'written') LIMIT ?)",
        (to_stamp(now), most),
    )
    return connection.changes()


def mark_gone_files(connection: apsw.Connection, now: datetime, most: int) -> int:
    """The same for files."""
    connection.execute(
        "UPDATE file_lines SET gone_at = ? WHERE path IN"
        " (SELECT path FROM file_lines WHERE content_hash IS NULL AND gone_at IS NULL LIMIT ?)",
        (to_stamp(now), most),
    )
    return connection.changes()


def prune_vanished(connection: apsw.Connection, now: datetime, most: int) -> int:
    """Delete up to ``most`` records of lines that are gone for long; how many went."""
    rows: list[tuple[Any, ...]] = connection.execute(
        "DELETE FROM spans WHERE id IN (SELECT id FROM spans WHERE present = 0 AND gone_at < ?1"
        " AND (gone_at < ?2 OR origin IN ('owner', 'agent')) ORDER BY gone_at LIMIT ?3) RETURNING hash",
        (to_stamp(now - VANISHED_KEPT), to_stamp(now - OUTSIDE_VANISHED_KEPT), most),
    ).fetchall()
    if rows:
        drop_sketches(connection, {bytes(line_hash) for (line_hash,) in rows})
        raise_revision(connection)
    return len(rows)


def prune_gone_files(connection: apsw.Connection, now: datetime, most: int) -> int:
    """Delete what is known of up to ``most`` files that are gone for long; how many went."""
    connection.execute(
        "DELETE FROM file_lines WHERE path IN"
        " (SELECT path FROM file_lines WHERE content_hash IS NULL AND gone_at < ? LIMIT ?)",
        (to_stamp(now - VANISHED_KEPT), most),
    )
    return connection.changes()


def find_skipped(connection: apsw.Connection, now: datetime, most: int) -> list[MessageKey]:
    """Up to ``most`` messages that are not kept and too old to come again, but for the last of a session."""
    rows = connection.execute(
        "SELECT m.session, m.seq FROM sessions AS s JOIN session_messages AS m ON m.session = s.id"
        " WHERE m.skipped IS NOT NULL AND m.at < ? AND m.seq < s.last_seq LIMIT ?",
        (to_stamp(now - SKIPPED_KEPT), most),
    )
    return [(int(session), int(seq)) for session, seq in rows if session is not None and seq is not None]


def delete_skipped(connection: apsw.Connection, now: datetime, keys: Sequence[MessageKey]) -> None:
    """Delete those of these messages that still are so."""
    connection.executemany(
        "DELETE FROM session_messages WHERE session = ? AND seq = ? AND skipped IS NOT NULL AND at < ?",
        [(*key, to_stamp(now - SKIPPED_KEPT)) for key in keys],
    )
