"""What the ledger holds of taint, apart from the sessions: those may go."""

from datetime import datetime

import apsw

from openclaw_memd.index.ledger.instants import from_stamp, to_stamp


def read_tainted_until(connection: apsw.Connection) -> datetime | None:
    """Up to when network content was, or may be, in turns that are over or gone; None: in none ever."""
    return _instant(connection.execute("SELECT tainted_until FROM taint").get)


def raise_tainted_until(connection: apsw.Connection, until: datetime) -> None:
    """Note that it was in one ``until`` then; what is noted is never earlier than before."""
    connection.execute(
        "UPDATE taint SET tainted_until = ?1 WHERE tainted_until IS NULL OR tainted_until < ?1",
        (to_stamp(until),),
    )


def read_looked_at(connection: apsw.Connection) -> datetime | None:
    """When a look at every file began that told something about later changes; None: never."""
    return _instant(connection.execute("SELECT looked_at FROM taint").get)


def note_look(connection: apsw.Connection, at: datetime) -> None:
    """Note that a look at every file that began ``at`` is over."""
    connection.execute("UPDATE taint SET looked_at = ?", (to_stamp(at),))


def _instant(stamp: object) -> datetime | None:
    return from_stamp(stamp) if isinstance(stamp, str) else None
