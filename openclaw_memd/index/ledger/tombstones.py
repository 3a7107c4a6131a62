"""What was forgotten, by names and hashes: sessions, messages and lines that are not to come back."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

import apsw

from openclaw_memd.domain.keys import join_parts
from openclaw_memd.domain.line_hashes import HASH_BYTES
from openclaw_memd.index.ledger.instants import to_stamp
from openclaw_memd.index.ledger.session_rows import SessionKey


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Forgotten sessions, and hashes of single forgotten messages."""

    sessions: frozenset[SessionKey]
    messages: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A file that was about to be rewritten.

    ``made_from`` is the SHA-256 digest of the old version of ``size`` bytes, ``becomes`` that of the new one,
    empty when there is to be none.
    """

    path: str
    made_from: bytes
    size: int
    becomes: bytes


def hash_message(key: SessionKey, message_id: str) -> bytes:
    """What a message is known by."""
    return _hash(*key, message_id)


def hash_participant(participant: str) -> bytes:
    """What a sender is known by."""
    return _hash(participant)


def load_tombstones(connection: apsw.Connection) -> Tombstones:
    """All forgotten sessions and messages."""
    sessions = connection.execute("SELECT agent, session_id FROM session_tombstones")
    messages = connection.execute("SELECT message FROM message_tombstones")
    return Tombstones(
        frozenset(SessionKey(str(agent), str(id_)) for agent, id_ in sessions),
        frozenset(bytes(message) for (message,) in messages),
    )


def bury_session(connection: apsw.Connection, key: SessionKey, at: datetime) -> None:
    """Note that a session is forgotten, and who wrote in it."""
    connection.execute("INSERT OR IGNORE INTO session_tombstones VALUES (?, ?, ?)", (*key, to_stamp(at)))
    senders = connection.execute(
        "SELECT DISTINCT m.sender FROM sessions AS s JOIN session_messages AS m ON m.session = s.id"
        " WHERE s.agent = ? AND s.session_id = ? AND m.role = 'user' AND m.sender IS NOT NULL",
        key,
    ).fetchall()
    connection.executemany(
        "INSERT OR IGNORE INTO participant_tombstones (agent, session_id, participant) VALUES (?, ?, ?)",
        [(*key, hash_participant(str(sender))) for (sender,) in senders],
    )


def bury_messages(connection: apsw.Connection, messages: Iterable[bytes]) -> None:
    """Note that messages are forgotten, by their hashes."""
    connection.executemany(
        "INSERT OR IGNORE INTO message_tombstones VALUES (?)", [(message,) for message in messages]
    )


def bury_lines(connection: apsw.Connection, path: str, hashes: Iterable[bytes], at: datetime) -> None:
    """Note that lines of a file are forgotten; what is written from then on is not."""
    connection.executemany(
        "INSERT OR REPLACE INTO line_tombstones (path, hash, forgotten_at) VALUES (?, ?, ?)",
        [(path, line_hash, to_stamp(at)) for line_hash in set(hashes)],
    )


def sessions_of_participant(connection: apsw.Connection, agent: str, participant: str) -> set[SessionKey]:
    """The sessions in which somebody wrote, forgotten ones too."""
    rows = connection.execute(
        "SELECT agent, session_id FROM sessions AS s WHERE agent = ?1 AND EXISTS"
        " (SELECT 1 FROM session_messages WHERE session = s.id AND role = 'user' AND sender = ?2)"
        " UNION SELECT agent, session_id FROM participant_tombstones WHERE agent = ?1 AND participant = ?3",
        (agent, participant, hash_participant(participant)),
    )
    return {SessionKey(str(agent), str(id_)) for agent, id_ in rows}


def begin_rewrite(connection: apsw.Connection, rewrite: Rewrite) -> None:
    """Note that the old version of a file may soon lie beside it."""
    connection.execute(
        "INSERT OR REPLACE INTO rewrites (path, made_from, size, becomes) VALUES (?, ?, ?, ?)",
        (rewrite.path, rewrite.made_from, rewrite.size, rewrite.becomes),
    )


def end_rewrite(connection: apsw.Connection, path: str) -> None:
    """Note that the old version of a file is gone."""
    connection.execute("DELETE FROM rewrites WHERE path = ?", (path,))


def load_rewrites(connection: apsw.Connection) -> list[Rewrite]:
    """The files whose rewriting did not end."""
    return [
        Rewrite(*row) for row in connection.execute("SELECT path, made_from, size, becomes FROM rewrites")
    ]


def _hash(*parts: str) -> bytes:
    return blake2b(join_parts(*parts).encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
