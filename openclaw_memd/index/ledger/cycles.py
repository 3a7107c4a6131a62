"""Flush cycles: the day that a plan named, what was flushed, and how far the cycle can be trusted."""

from dataclasses import dataclass
from datetime import date, datetime

import apsw

from openclaw_memd.domain.provenance import Origin
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp
from openclaw_memd.index.ledger.retention import WRITES_KEPT


@dataclass(frozen=True, slots=True)
class CycleKey:
    """One cycle of one session; a session without an id is None."""

    agent: str
    session_id: str | None
    cycle_id: str

    @property
    def columns(self) -> tuple[str, str, str]:
        """The values of the unique columns."""
        return self.agent, self.session_id or "", self.cycle_id


@dataclass(frozen=True, slots=True)
class CycleRow:
    """A cycle that was planned or flushed. ``zone`` is the name that a new note shows.

    ``origin`` is the worst that went into its flushes.
    """

    id: int
    day: date
    zone: str
    origin: Origin
    planned_at: datetime
    is_flushed: bool


def find_cycle(connection: apsw.Connection, key: CycleKey) -> CycleRow | None:
    """The cycle; None when nothing of it is known."""
    row = connection.execute(
        "SELECT id, day, zone, origin, planned_at, flushed_at IS NOT NULL FROM flush_cycles"
        " WHERE agent = ? AND session_id = ? AND cycle_id = ?",
        key.columns,
    ).fetchone()
    if row is None:
        return None
    number, day, zone, origin, planned_at, is_flushed = row
    return CycleRow(
        number, date.fromisoformat(day), zone, Origin(origin), from_stamp(planned_at), bool(is_flushed)
    )


def pin_day(connection: apsw.Connection, key: CycleKey, day: date, zone: str, now: datetime) -> int:
    """Begin a cycle that nothing was flushed in yet, with the day for its flushes; the number of the cycle.

    What was known of one with the same id is over.
    """
    connection.execute("DELETE FROM flush_cycles WHERE planned_at < ?", (to_stamp(now - WRITES_KEPT),))
    ((number,),) = connection.execute(
        "INSERT OR REPLACE INTO flush_cycles (agent, session_id, cycle_id, day, zone, origin, planned_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (*key.columns, day.isoformat(), zone, Origin.OWNER, to_stamp(now)),
    ).fetchall()
    assert isinstance(number, int)
    return number


def take_flush(
    connection: apsw.Connection, cycle: int, origin: Origin, now: datetime, text: tuple[str, int] | None
) -> None:
    """Something was flushed, or the model had nothing to save.

    ``origin`` is the worst of what was heard; ``text`` the hash of what was flushed and the call that did it.
    """
    connection.execute(
        "UPDATE flush_cycles SET flushed_at = ?, origin = ? WHERE id = ?", (to_stamp(now), origin, cycle)
    )
    if text is not None:
        connection.execute(
            "INSERT OR REPLACE INTO flush_texts (cycle, text_hash, call) VALUES (?, ?, ?)", (cycle, *text)
        )


def find_text(connection: apsw.Connection, cycle: int, text_hash: str) -> int | None:
    """The call that flushed this text in the cycle."""
    row = connection.execute(
        "SELECT call FROM flush_texts WHERE cycle = ? AND text_hash = ?", (cycle, text_hash)
    ).fetchone()
    return None if row is None else int(row[0])
