"""What ``inject.turn`` answered: the same turn of a session is answered the same, and consumes nothing."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

import apsw

from openclaw_memd.index.ledger.instants import to_stamp

KEPT: Final = timedelta(hours=24)


class TurnKey(NamedTuple):
    """One turn of one session; ``session`` is the session's id, or the key of the conversation."""

    agent: str
    session: str
    turn_id: str


def find_turn(connection: apsw.Connection, key: TurnKey, now: datetime) -> str | None:
    """What the turn was answered within 24 hours."""
    row = connection.execute(
        "SELECT answer FROM turn_answers WHERE agent = ? AND session_id = ? AND turn_id = ?"
        " AND answered_at >= ?",
        (*key, to_stamp(now - KEPT)),
    ).fetchone()
    return None if row is None else str(row[0])


def find_holders(
    connection: apsw.Connection, agent: str, part: str, since: datetime, session: str | None = None
) -> list[TurnKey]:
    """The turns of an agent, or of one of its sessions, whose answers since then have ``part`` in them."""
    rows = connection.execute(
        "SELECT agent, session_id, turn_id FROM turn_answers WHERE agent = ?1"
        " AND (?2 IS NULL OR session_id = ?2) AND answered_at >= ?3 AND instr(answer, ?4) > 0",
        (agent, session, to_stamp(since), part),
    )
    return [TurnKey(*map(str, row)) for row in rows]


def store_turn(connection: apsw.Connection, key: TurnKey, answer: str, now: datetime) -> None:
    """Keep an answer, and drop those that are over."""
    connection.execute("DELETE FROM turn_answers WHERE answered_at < ?", (to_stamp(now - KEPT),))
    connection.execute(
        "INSERT OR REPLACE INTO turn_answers (agent, session_id, turn_id, answered_at, answer)"
        " VALUES (?, ?, ?, ?, ?)",
        (*key, to_stamp(now), answer),
    )


def drop_turn(connection: apsw.Connection, key: TurnKey) -> None:
    """Forget the answer of a turn: it did not arrive."""
    connection.execute("DELETE FROM turn_answers WHERE agent = ? AND session_id = ? AND turn_id = ?", key)


def drop_turns(connection: apsw.Connection) -> None:
    """Forget every answer: they hold text of the memory."""
    connection.execute("DELETE FROM turn_answers")
