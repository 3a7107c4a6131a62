"""Standing intents in the ledger."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final

import apsw

from openclaw_memd.domain.intents import AHEAD, OPEN, Intent, Status
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp
from openclaw_memd.index.ledger.intent_rows import COLUMNS, IntentRow, intent_values, read_one, read_row
from openclaw_memd.index.ledger.intent_words import KeywordForms, set_words

_SELECT: Final = f"SELECT number, {', '.join(COLUMNS)} FROM intents"
_OPEN: Final = ", ".join(f"'{status.value}'" for status in sorted(OPEN))


def add_intent(connection: apsw.Connection, intent: Intent, forms: KeywordForms) -> int:
    """Store a new intent; its number."""
    values = intent_values(intent)
    marks = ", ".join(f":{name}" for name in values)
    connection.execute(f"INSERT INTO intents ({', '.join(values)}) VALUES ({marks})", values)
    number = connection.last_insert_rowid()
    set_words(connection, number, forms)
    return number


def save_intent(connection: apsw.Connection, row: IntentRow) -> None:
    """Store what became of an intent."""
    values = {**intent_values(row.intent), "number": row.number}
    changes = ", ".join(f"{name} = :{name}" for name in values if name != "number")
    connection.execute(f"UPDATE intents SET {changes} WHERE number = :number", values)


def find_intent(connection: apsw.Connection, agent: str, intent_id: str) -> IntentRow | None:
    """One intent of an agent."""
    return read_one(
        connection.execute(f"{_SELECT} WHERE agent = ? AND id = ?", (agent, intent_id)).fetchone()
    )


def get_intents(connection: apsw.Connection, numbers: Iterable[int]) -> list[IntentRow]:
    """The intents of these numbers, oldest first."""
    rows = connection.execute(
        f"{_SELECT} WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number",
        (json.dumps(list(numbers)),),
    )
    return [read_row(row) for row in rows]


def all_intents(connection: apsw.Connection) -> Iterator[IntentRow]:
    """Every intent of every agent, oldest first."""
    yield from map(read_row, connection.execute(f"{_SELECT} ORDER BY number"))


def delete_intents(connection: apsw.Connection, numbers: Iterable[int]) -> None:
    """Delete intents with all that is known of them."""
    connection.executemany("DELETE FROM intents WHERE number = ?", [(number,) for number in numbers])


def list_intents(
    connection: apsw.Connection, agent: str, statuses: Iterable[Status], *, after: int = 0
) -> Iterator[IntentRow]:
    """The intents of an agent in one of ``statuses``, oldest first, those behind the number ``after``.

    They are read one by one, for the plus signs keep SQLite from sorting all of them first.
    """
    rows = connection.execute(
        f"{_SELECT} WHERE +agent = ? AND number > ? AND +status IN (SELECT value FROM json_each(?))"
        " ORDER BY number",
        (agent, after, json.dumps([status.value for status in statuses])),
    )
    yield from map(read_row, rows)


def find_semantic(connection: apsw.Connection, most: int) -> list[IntentRow]:
    """The open events that also match by meaning, up to ``most`` of each agent, oldest first."""
    rows = connection.execute(
        f"{_SELECT} WHERE number IN (SELECT number FROM (SELECT number, row_number() OVER"
        " (PARTITION BY agent ORDER BY number) AS place FROM intents WHERE semantic = 1"
        " AND status IN ('armed', 'fired')) WHERE place <= ?) ORDER BY number",
        (most,),
    )
    return [read_row(row) for row in rows]


def find_due(connection: apsw.Connection, agent: str | None, now: datetime) -> Iterator[IntentRow]:
    """The reminders and follow-ups of an agent, or of all, whose time has come, the first due first."""
    rows = connection.execute(
        f"{_SELECT} WHERE (?1 IS NULL OR agent = ?1) AND due_at <= ?2 AND status IN ('pending', 'armed')"
        " AND kind <> 'event' ORDER BY due_at, number",
        (agent, to_stamp(now)),
    )
    yield from map(read_row, rows)


def next_due_at(connection: apsw.Connection, after: datetime) -> datetime | None:
    """When the first reminder or follow-up of any agent comes due after then."""
    (stamp,) = connection.execute(
        "SELECT min(due_at) FROM intents WHERE due_at > ? AND status IN ('pending', 'armed')",
        (to_stamp(after),),
    ).fetchone() or (None,)
    return None if stamp is None else from_stamp(str(stamp))


def settle_intents(
    connection: apsw.Connection,
    settle: Callable[[Intent], Intent],
    forms: Callable[[Intent], KeywordForms],
    now: datetime,
    most: int,
) -> int:
    """Store the steps that time took of up to ``most`` intents; how many took one.

    Looked at are those that expired, that rest since a time to come, were made then or expired too early (the
    clock was set back), whose cooldown is over and whose window opened. ``forms`` are what an intent is found
    by, of which nothing may be left when it is open again.
    """
    stamp = to_stamp(now)
    found = connection.execute(
        f"{_SELECT} WHERE status IN ({_OPEN}) AND (expires_at <= ?1 OR last_fired_at > ?1"
        " OR created_at > ?3 OR (status = 'fired' AND rests_until <= ?1)"
        " OR (status = 'pending' AND due_at <= ?1)) OR (status = 'expired' AND expires_at > ?1) LIMIT ?2",
        (stamp, most, to_stamp(now + AHEAD)),
    ).fetchall()
    for row in map(read_row, found):
        settled = settle(row.intent)
        save_intent(connection, IntentRow(row.number, settled))
        if settled.is_open and not row.intent.is_open:
            set_words(connection, row.number, forms(settled))
    return len(found)


def mark_closed(connection: apsw.Connection, now: datetime, most: int) -> int:
    """Note of up to ``most`` intents that they are over since now, or are not any more; of how many.

    Where the clock was set back, what is over is so from now on.
    """
    connection.execute(
        f"UPDATE intents SET closed_at = iif(status IN ({_OPEN}), NULL, ?1) WHERE number IN (SELECT number"
        f" FROM intents WHERE (status IN ({_OPEN})) = (closed_at IS NOT NULL) OR closed_at > ?1 LIMIT ?2)",
        (to_stamp(now), most),
    )
    return connection.changes()


def prune_closed(connection: apsw.Connection, before: datetime, most: int) -> int:
    """Delete up to ``most`` intents of which it was noted before then that they are over; how many went."""
    connection.execute(
        "DELETE FROM intents WHERE number IN"
        f" (SELECT number FROM intents WHERE closed_at < ?1 AND status NOT IN ({_OPEN}) LIMIT ?2)",
        (to_stamp(before), most),
    )
    return connection.changes()


def count_open(connection: apsw.Connection, agent: str) -> dict[Status, int]:
    """How many intents of an agent are in each open state."""
    rows = connection.execute(
        f"SELECT status, count(*) FROM intents WHERE agent = ? AND status IN ({_OPEN}) GROUP BY status",
        (agent,),
    )
    return {Status(str(status)): int(str(count)) for status, count in rows}


def list_follow_ups(
    connection: apsw.Connection, agent: str, session_id: str | None, since: datetime
) -> list[str]:
    """The texts of the follow-ups that a session made since then."""
    rows = connection.execute(
        "SELECT description FROM intents WHERE agent = ? AND session_id IS ? AND kind = 'follow_up'"
        " AND created_at > ?",
        (agent, session_id, to_stamp(since)),
    )
    return [str(description) for (description,) in rows]
