"""How far transcript files were read: plain functions over a connection."""

from dataclasses import dataclass
from typing import Any, Final

import apsw

from openclaw_memd.domain.proofs import NO_PROOF, Proof


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What of a file's status changes when the file does. Sizes are bytes."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was read of one file.

    ``folder`` and ``path`` name it, ``path`` relative to the folder. ``reading`` names the rules that its
    records were read by: under others it is read anew. ``session`` is the session of records that name no
    other, None until one said so; ``facts`` is what was known of it besides its messages, as JSON. ``stamp``
    is the file's when it was last looked at, ``fresh`` that it may change again without changing its stamp.
    ``proof`` covers the part that was read; ``in_long_line`` means that this ends inside a line that is too
    long to keep. ``left_out`` is why nothing is taken of it. ``unattributed`` of its ``messages`` name
    nobody; ``broken`` and ``too_long`` count lines.
    """

    folder: str
    path: str
    reading: str
    stamp: FileStamp
    session: str | None = None
    facts: str | None = None
    fresh: bool = True
    proof: Proof = NO_PROOF
    in_long_line: bool = False
    left_out: str | None = None
    messages: int = 0
    unattributed: int = 0
    broken: int = 0
    too_long: int = 0


_COLUMNS: Final = (
    "folder, path, reading, session, facts, device, inode, size, mtime_ns, ctime_ns, fresh, offset, head,"
    " tail, chain, in_long_line, left_out, messages, unattributed, broken, too_long"
)
_NAMES: Final = _COLUMNS.split(", ")
_PUT: Final = (
    f"INSERT INTO transcripts ({_COLUMNS}) VALUES (?{', ?' * (len(_NAMES) - 1)})"
    f" ON CONFLICT (folder, path) DO UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in _NAMES[2:])}"
)


def load_transcripts(connection: apsw.Connection, folder: str) -> dict[str, Transcript]:
    """All files of a folder that were read, by path."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM transcripts WHERE folder = ?", (folder,)).fetchall()
    return {found.path: found for found in map(_transcript, rows)}


def load_folders(connection: apsw.Connection) -> frozenset[str]:
    """The folders of which files were read."""
    rows = connection.execute("SELECT DISTINCT folder FROM transcripts").fetchall()
    return frozenset(str(folder) for (folder,) in rows)


def put_transcript(connection: apsw.Connection, transcript: Transcript) -> None:
    """Store how far a file was read."""
    stamp, proof = transcript.stamp, transcript.proof
    connection.execute(
        _PUT,
        (
            transcript.folder,
            transcript.path,
            transcript.reading,
            transcript.session,
            transcript.facts,
            stamp.device,
            stamp.inode,
            stamp.size,
            stamp.mtime_ns,
            stamp.ctime_ns,
            transcript.fresh,
            proof.offset,
            proof.head,
            proof.tail,
            proof.chain,
            transcript.in_long_line,
            transcript.left_out,
            transcript.messages,
            transcript.unattributed,
            transcript.broken,
            transcript.too_long,
        ),
    )


def ensure_transcript(connection: apsw.Connection, folder: str, path: str) -> None:
    """Make a file known that is not yet, as one of which nothing was read by any rules."""
    connection.execute(
        f"INSERT INTO transcripts ({_COLUMNS}) VALUES (?, ?, '', NULL, NULL, 0, 0, 0, 0, 0, 1, 0, x'', x'',"
        " x'', 0, NULL, 0, 0, 0, 0) ON CONFLICT DO NOTHING",
        (folder, path),
    )


def remove_transcript(connection: apsw.Connection, folder: str, path: str) -> None:
    """Forget a file, and that sessions came from it."""
    connection.execute("DELETE FROM transcripts WHERE folder = ? AND path = ?", (folder, path))


def sessions_of(connection: apsw.Connection, folder: str, path: str) -> list[tuple[str, str]]:
    """The agents and ids of the sessions that came from a file."""
    query = "SELECT agent, session_id FROM transcript_sessions WHERE folder = ? AND path = ?"
    return [(str(agent), str(id_)) for agent, id_ in connection.execute(query, (folder, path)).fetchall()]


def claimant(connection: apsw.Connection, agent: str, session_id: str) -> tuple[str, str] | None:
    """The folder and path of the file that a session comes from; None when no file gave any of it."""
    query = "SELECT folder, path FROM transcript_sessions WHERE agent = ? AND session_id = ?"
    row = connection.execute(query, (agent, session_id)).fetchone()
    return None if row is None else (str(row[0]), str(row[1]))


def claim_session(connection: apsw.Connection, agent: str, session_id: str, folder: str, path: str) -> None:
    """Note that a session comes from a file, which must be stored. Whose it is already, it stays."""
    connection.execute(
        "INSERT INTO transcript_sessions (agent, session_id, folder, path) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (agent, session_id, folder, path),
    )


def release_session(connection: apsw.Connection, agent: str, session_id: str) -> None:
    """Note that nothing of a session is taken from a file any more."""
    connection.execute(
        "DELETE FROM transcript_sessions WHERE agent = ? AND session_id = ?", (agent, session_id)
    )


def _transcript(row: tuple[Any, ...]) -> Transcript:
    of = dict(zip(_NAMES, row, strict=True))
    return Transcript(
        folder=of["folder"],
        path=of["path"],
        reading=of["reading"],
        session=of["session"],
        facts=of["facts"],
        stamp=FileStamp(of["device"], of["inode"], of["size"], of["mtime_ns"], of["ctime_ns"]),
        fresh=bool(of["fresh"]),
        proof=Proof(of["offset"], of["head"], of["tail"], of["chain"]),
        in_long_line=bool(of["in_long_line"]),
        left_out=of["left_out"],
        messages=of["messages"],
        unattributed=of["unattributed"],
        broken=of["broken"],
        too_long=of["too_long"],
    )
