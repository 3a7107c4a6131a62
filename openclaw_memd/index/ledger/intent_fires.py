"""The fires of standing intents, as long as they can be given back."""

from dataclasses import dataclass
from datetime import datetime

import apsw

from openclaw_memd.index.ledger.instants import from_stamp, to_stamp


@dataclass(frozen=True, slots=True)
class Fire:
    """One fire of an event. ``rested_since`` is when it had fired before."""

    token: str
    number: int
    fired_at: datetime
    rested_since: datetime | None


def add_fire(connection: apsw.Connection, fire: Fire) -> None:
    """Remember a fire, so that it can be given back."""
    connection.execute(
        "INSERT INTO intent_fires (token, intent, fired_at, rested_since) VALUES (?, ?, ?, ?)",
        (
            fire.token,
            fire.number,
            to_stamp(fire.fired_at),
            None if fire.rested_since is None else to_stamp(fire.rested_since),
        ),
    )


def has_fire(connection: apsw.Connection, agent: str, token: str, since: datetime) -> bool:
    """Whether ``take_fire`` would find it."""
    row = connection.execute(
        "SELECT 1 FROM intent_fires WHERE token = ? AND released = 0 AND fired_at >= ?"
        " AND intent IN (SELECT number FROM intents WHERE agent = ?)",
        (token, to_stamp(since), agent),
    ).fetchone()
    return row is not None


def take_fire(connection: apsw.Connection, agent: str, token: str, since: datetime) -> Fire | None:
    """A fire of an agent's intent that was made after ``since`` and is not given back; now it is."""
    row = connection.execute(
        "UPDATE intent_fires SET released = 1 WHERE token = ? AND released = 0 AND fired_at >= ?"
        " AND intent IN (SELECT number FROM intents WHERE agent = ?)"
        " RETURNING token, intent, fired_at, rested_since",
        (token, to_stamp(since), agent),
    ).fetchone()
    if row is None:
        return None
    found, number, fired_at, rested_since = row
    return Fire(
        str(found),
        int(str(number)),
        from_stamp(str(fired_at)),
        None if rested_since is None else from_stamp(str(rested_since)),
    )


def keep_fires(connection: apsw.Connection, number: int) -> None:
    """Let no fire of an intent be given back any more."""
    connection.execute("UPDATE intent_fires SET released = 1 WHERE intent = ?", (number,))


def prune_fires(connection: apsw.Connection, before: datetime, most: int) -> int:
    """Delete up to ``most`` fires that were made before then; how many went."""
    connection.execute(
        "DELETE FROM intent_fires WHERE token IN (SELECT token FROM intent_fires WHERE fired_at < ? LIMIT ?)",
        (to_stamp(before), most),
    )
    return connection.changes()
