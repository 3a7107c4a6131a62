"""Request keys: a write that a caller repeats with the same key is answered again and not done again."""

from datetime import datetime, timedelta
from typing import Final

import apsw

from openclaw_memd.index.ledger.instants import to_stamp

KEPT: Final = timedelta(hours=24)


def find_answer(
    connection: apsw.Connection, *, agent: str, method: str, key: str, now: datetime
) -> str | None:
    """What was stored for the key within 24 hours; None when the call is new."""
    row = connection.execute(
        "SELECT answer FROM request_keys WHERE agent = ? AND method = ? AND key = ? AND asked_at >= ?",
        (agent, method, key, to_stamp(now - KEPT)),
    ).fetchone()
    return None if row is None else str(row[0])


def store_answer(
    connection: apsw.Connection, *, agent: str, method: str, key: str, answer: str, now: datetime
) -> None:
    """Keep what the key is to be answered with, and forget keys that are over."""
    connection.execute("DELETE FROM request_keys WHERE asked_at < ?", (to_stamp(now - KEPT),))
    connection.execute(
        "INSERT OR REPLACE INTO request_keys (agent, method, key, answer, asked_at) VALUES (?, ?, ?, ?, ?)",
        (agent, method, key, answer, to_stamp(now)),
    )


def drop_told(connection: apsw.Connection) -> None:
    """Forget answers that are kept as they were told: they hold text. Notes keep the number of a call."""
    connection.execute(
        "DELETE FROM request_keys WHERE method NOT IN ('note.append', 'flush.append', 'session.capture')"
    )
