"""Sessions and their messages in the ledger: plain functions over a connection."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

import apsw

from openclaw_memd.domain.callers import Channel, ChatType
from openclaw_memd.domain.provenance import Origin, SessionKind
from openclaw_memd.domain.turns import SetAside, Turn
from openclaw_memd.index.ledger.instants import from_stamp, to_stamp
from openclaw_memd.index.ledger.session_rows import (
    Changes,
    MessageRow,
    Part,
    Place,
    Said,
    Session,
    SessionKey,
    SessionSource,
)

Decide = Callable[[Session | None, frozenset[str]], Changes | None]
"""From the stored session, and those ids of messages that came before, to what is to be stored."""

_COLUMNS: Final = (
    "agent, session_id, parent, kind, source, created_at, last_at, ended_at, turn_origin, turn_tainted,"
    " turn_set_aside, turn_asker, turn_at, last_seq, kept, cycle_origin, flushed_through, captured_through,"
    " open_part, first_part, excluded"
)
_NAMES: Final = _COLUMNS.split(", ")
_PUT_SESSION: Final = (
    f"INSERT INTO sessions ({_COLUMNS}) VALUES (?{', ?' * (len(_NAMES) - 1)})"
    f" ON CONFLICT (agent, session_id) DO UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in _NAMES[2:])}"
    " RETURNING id"
)
_PUT_PLACE: Final = (
    "INSERT INTO session_places (session, kind, provider, account, conversation, chat_type, project_key,"
    " writer) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_PUT_MESSAGE: Final = (
    "INSERT INTO session_messages (session, seq, id, role, kind, origin, at, place, sender, skipped)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_PUT_PART: Final = (
    "INSERT INTO session_parts (session, part, bytes, fingerprint, last_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (session, part) DO UPDATE SET bytes = excluded.bytes,"
    " fingerprint = excluded.fingerprint, last_at = excluded.last_at"
)
_PUT_EXCLUSION: Final = (
    "INSERT INTO session_exclusions (session, reason, messages) VALUES (?, ?, ?)"
    " ON CONFLICT (session, reason) DO UPDATE SET messages = excluded.messages"
)
_SAID: Final = (
    "SELECT t.seq, m.role, m.kind, m.origin, m.at, m.place, m.sender, t.text FROM sessions AS s"
    " JOIN session_texts AS t ON t.session = s.id"
    " JOIN session_messages AS m ON m.session = t.session AND m.seq = t.seq"
    " WHERE s.agent = ? AND s.session_id = ? AND {condition} ORDER BY t.id"
)


def load_sessions(connection: apsw.Connection) -> list[Session]:
    """Every session, in the order in which they were made."""
    rows = connection.execute(f"SELECT id, {_COLUMNS} FROM sessions ORDER BY id").fetchall()
    return [_session(connection, row) for row in rows]


def find_session(connection: apsw.Connection, key: SessionKey) -> Session | None:
    """One session; None when no message of it came yet."""
    row = _row(connection, key)
    return None if row is None else _session(connection, row)


def mark_captured(connection: apsw.Connection, key: SessionKey, through: int) -> None:
    """Note that the messages up to number ``through`` are in a note."""
    connection.execute(
        "UPDATE sessions SET captured_through = max(captured_through, ?) WHERE agent = ? AND session_id = ?",
        (through, *key),
    )


def change_session(
    connection: apsw.Connection,
    key: SessionKey,
    ids: Sequence[str],
    decide: Decide,
    also: Callable[[apsw.Connection], None] | None = None,
    *,
    anew: bool = False,
) -> Changes | None:
    """Store what ``decide`` makes of a session and of messages with these ``ids``, in the open transaction.

    With ``anew``, what there was of the session goes first. ``also`` is run in it as well, whatever was
    decided.
    """
    if anew:
        remove_session(connection, key)
    row = _row(connection, key)
    before = None if row is None else _session(connection, row)
    known = frozenset() if row is None else _known(connection, row[0], ids)
    changes = decide(before, known)
    if changes is not None and (changes.messages or changes.session != before):
        _store(connection, before, changes)
    if also is not None:
        also(connection)
    return changes


def read_part(connection: apsw.Connection, key: SessionKey, part: int) -> list[Said]:
    """What is kept in one part, in order."""
    return _said(connection, "t.part = ?", (*key, part))


def read_after(connection: apsw.Connection, key: SessionKey, seq: int) -> list[Said]:
    """What is kept of the messages after number ``seq``, in order."""
    return _said(connection, "t.seq > ?", (*key, seq))


def remove_session(
    connection: apsw.Connection, key: SessionKey, also: Callable[[apsw.Connection], None] | None = None
) -> None:
    """Take a session out, with everything of it; ``also`` is run in the same transaction."""
    connection.execute("DELETE FROM sessions WHERE agent = ? AND session_id = ?", key)
    if also is not None:
        also(connection)


def _row(connection: apsw.Connection, key: SessionKey) -> tuple[Any, ...] | None:
    return connection.execute(
        f"SELECT id, {_COLUMNS} FROM sessions WHERE agent = ? AND session_id = ?", key
    ).fetchone()


def _known(connection: apsw.Connection, row_id: int, ids: Iterable[str]) -> frozenset[str]:
    query = "SELECT 1 FROM session_messages WHERE session = ? AND id = ?"
    return frozenset(id_ for id_ in ids if connection.execute(query, (row_id, id_)).fetchone())


def _store(connection: apsw.Connection, before: Session | None, changes: Changes) -> None:
    after = changes.session
    row_id = connection.execute(_PUT_SESSION, _values(after)).get
    known_places = len(before.places) if before else 0
    known_parts = before.parts if before else ()
    connection.executemany(
        _PUT_PLACE, [(row_id, *_place_values(place)) for place in after.places[known_places:]]
    )
    connection.executemany(
        _PUT_PART,
        [
            (row_id, part.number, part.bytes, part.fingerprint, to_stamp(part.last_at))
            for part in after.parts
            if part not in known_parts
        ],
    )
    connection.executemany(_PUT_EXCLUSION, [(row_id, *exclusion) for exclusion in after.exclusions])
    connection.executemany(_PUT_MESSAGE, [(row_id, *_message_values(row)) for row in changes.messages])
    connection.executemany(
        "INSERT INTO session_texts (session, part, seq, text) VALUES (?, ?, ?, ?)",
        [(row_id, piece.part, piece.seq, piece.text) for piece in changes.pieces],
    )


def _said(connection: apsw.Connection, condition: str, values: tuple[object, ...]) -> list[Said]:
    return [
        Said(seq, role, kind, Origin(origin), from_stamp(at), place, sender, text)
        for seq, role, kind, origin, at, place, sender, text in connection.execute(
            _SAID.format(condition=condition), values
        )
    ]


def _values(session: Session) -> tuple[object, ...]:
    turn = session.turn
    return (
        session.agent,
        session.session_id,
        session.parent,
        session.kind.value,
        session.source.value,
        to_stamp(session.created_at),
        to_stamp(session.last_at),
        _stamp(session.ended_at),
        turn.origin.value,
        turn.tainted,
        turn.set_aside and turn.set_aside.value,
        turn.asker,
        _stamp(turn.active_at),
        session.last_seq,
        session.kept,
        session.cycle_origin and session.cycle_origin.value,
        session.flushed_through,
        session.captured_through,
        session.open_part,
        session.first_part,
        session.excluded,
    )


def _place_values(place: Place) -> tuple[object, ...]:
    channel = place.channel
    return (
        place.kind.value,
        channel.provider,
        channel.account,
        channel.conversation_id,
        place.chat_type.value,
        place.project_key,
        place.writer,
    )


def _message_values(row: MessageRow) -> tuple[object, ...]:
    return (
        row.seq,
        row.id,
        row.role,
        row.kind,
        row.origin.value,
        to_stamp(row.at),
        row.place,
        row.sender,
        row.skipped,
    )


def _session(connection: apsw.Connection, row: tuple[Any, ...]) -> Session:
    row_id, *values = row
    of = dict(zip(_NAMES, values, strict=True))
    return Session(
        agent=of["agent"],
        session_id=of["session_id"],
        source=SessionSource(of["source"]),
        created_at=from_stamp(of["created_at"]),
        last_at=from_stamp(of["last_at"]),
        parent=of["parent"],
        kind=SessionKind(of["kind"]),
        ended_at=_instant(of["ended_at"]),
        turn=Turn(
            origin=Origin(of["turn_origin"]),
            tainted=bool(of["turn_tainted"]),
            set_aside=SetAside(of["turn_set_aside"]) if of["turn_set_aside"] else None,
            asker=of["turn_asker"],
            active_at=_instant(of["turn_at"]),
        ),
        last_seq=of["last_seq"],
        kept=of["kept"],
        cycle_origin=Origin(of["cycle_origin"]) if of["cycle_origin"] else None,
        flushed_through=of["flushed_through"],
        captured_through=of["captured_through"],
        open_part=of["open_part"],
        first_part=of["first_part"],
        excluded=of["excluded"],
        places=_places(connection, row_id),
        parts=_parts(connection, row_id),
        exclusions=_exclusions(connection, row_id),
    )


def _places(connection: apsw.Connection, row_id: int) -> tuple[Place, ...]:
    rows = connection.execute(
        "SELECT kind, provider, account, conversation, chat_type, project_key, writer FROM session_places"
        " WHERE session = ? ORDER BY id",
        (row_id,),
    )
    return tuple(
        Place(SessionKind(kind), Channel(*channel), ChatType(chat_type), project_key, writer)
        for kind, *channel, chat_type, project_key, writer in rows
    )


def _parts(connection: apsw.Connection, row_id: int) -> tuple[Part, ...]:
    rows = connection.execute(
        "SELECT part, bytes, fingerprint, last_at FROM session_parts WHERE session = ? ORDER BY part",
        (row_id,),
    )
    return tuple(
        Part(number, size, fingerprint, from_stamp(last_at)) for number, size, fingerprint, last_at in rows
    )


def _exclusions(connection: apsw.Connection, row_id: int) -> tuple[tuple[str, int], ...]:
    rows = connection.execute(
        "SELECT reason, messages FROM session_exclusions WHERE session = ? ORDER BY reason", (row_id,)
    )
    return tuple((reason, count) for reason, count in rows)


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else to_stamp(at)


def _instant(text: str | None) -> datetime | None:
    return None if text is None else from_stamp(text)
