"""Rewrites of curated files that are under way: each happens once, whatever ends the process."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

import apsw

from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.provenance import HANDWRITTEN, Provenance, least_trusted
from openclaw_memd.domain.records import Records, pick
from openclaw_memd.index.ledger.instants import to_stamp
from openclaw_memd.index.ledger.lines import raise_revision, read_files
from openclaw_memd.index.ledger.preimages import Origins, delete_preimage, insert_preimage
from openclaw_memd.index.ledger.spans import spans_of

RewriteState = Literal["begun", "done", "reverted"]


class RecordLines(Protocol):
    """Records in the ledger of spans where lines come from (see ``spans``)."""

    def __call__(
        self,
        connection: apsw.Connection,
        *,
        append_id: int | None,
        path: str,
        lines: Sequence[str],
        provenance: Provenance,
        agent: str | None,
        session_id: str | None,
        at: datetime,
    ) -> None:
        """Add the lines to the running transaction."""
        ...


@dataclass(frozen=True, slots=True)
class NewRewrite:
    """A rewrite that is about to be made.

    ``counts`` are the lines that it adds and removes, ``added`` those of them that have somebody behind them.
    ``absorbs`` has, by the token of an earlier rewrite, the version aside that this one takes lines from.
    """

    token: str
    file: str
    cause: str
    at: datetime
    before: bytes | None
    after: bytes
    counts: tuple[int, int]
    lines: Sequence[str]
    added: Sequence[tuple[str, Provenance]]
    agent: str | None
    session_id: str | None
    absorbs: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpenRewrite:
    """A rewrite of which a version may lie beside the file.

    ``before`` and ``after`` are known as long as it is begun or done, ``base`` when it is done or reverted.
    """

    token: str
    file: str
    inode: int
    state: RewriteState
    before: bytes | None
    after: bytes | None
    base: bytes | None


def begin_curated(connection: apsw.Connection, new: NewRewrite, inode: int, record: RecordLines) -> int:
    """Note a rewrite, its pre-image and the lines that it adds; the id of the pre-image."""
    preimage_id = insert_preimage(
        connection,
        file=new.file,
        at=new.at,
        cause=new.cause,
        before=new.before,
        after=new.after,
        counts=new.counts,
        origins=_find_origins(connection, new.file, new.lines),
    )
    first = _last_span(connection) + 1
    groups: dict[Provenance, list[str]] = defaultdict(list)
    for line, provenance in new.added:
        groups[provenance].append(line)
    for provenance, lines in groups.items():
        record(
            connection,
            append_id=None,
            path=new.file,
            lines=lines,
            provenance=provenance,
            agent=new.agent,
            session_id=new.session_id,
            at=new.at,
        )
    connection.execute(
        "INSERT INTO curated_rewrites (token, file, at, inode, state, preimage_id, first_span, last_span)"
        " VALUES (?, ?, ?, ?, 'begun', ?, ?, ?)",
        (new.token, new.file, to_stamp(new.at), str(inode), preimage_id, first, _last_span(connection)),
    )
    connection.executemany(
        "UPDATE curated_rewrites SET next_base = ?, absorbed_by = ? WHERE token = ?",
        [(content, new.token, token) for token, content in new.absorbs.items()],
    )
    return preimage_id


def finish_curated(connection: apsw.Connection, token: str) -> None:
    """Note that the new version has the place."""
    connection.execute(
        "UPDATE curated_rewrites SET state = 'done',"
        " base = (SELECT before FROM preimages WHERE id = curated_rewrites.preimage_id)"
        " WHERE token = ? AND state = 'begun'",
        (token,),
    )
    connection.execute(
        "UPDATE curated_rewrites SET base = next_base, next_base = NULL, absorbed_by = NULL"
        " WHERE absorbed_by = ?",
        (token,),
    )


def revert_curated(connection: apsw.Connection, token: str, base: bytes) -> None:
    """Note that a rewrite that was begun did not come about; what lies aside was ``base``."""
    row = connection.execute(
        "SELECT file, at, preimage_id, first_span, last_span FROM curated_rewrites"
        " WHERE token = ? AND state = 'begun'",
        (token,),
    ).fetchone()
    if row is None:
        return
    file, at, preimage_id, first, last = row
    delete_preimage(connection, preimage_id)
    connection.execute(
        "DELETE FROM spans WHERE id BETWEEN ? AND ? AND path = ? AND recorded_at = ?", (first, last, file, at)
    )
    raise_revision(connection)
    connection.execute(
        "UPDATE curated_rewrites SET state = 'reverted', preimage_id = NULL, base = ? WHERE token = ?",
        (base, token),
    )
    connection.execute(
        "UPDATE curated_rewrites SET next_base = NULL, absorbed_by = NULL WHERE absorbed_by = ?", (token,)
    )


def conclude_curated(
    connection: apsw.Connection, *, token: str, reverted_to: bytes | None, is_over: bool
) -> None:
    """Note that a rewrite took place, or what lies aside since it did not; ``is_over``: nothing does."""
    if reverted_to is None:
        finish_curated(connection, token)
    else:
        revert_curated(connection, token, reverted_to)
    if is_over:
        close_curated(connection, [token])


def rebase_curated(connection: apsw.Connection, bases: Mapping[str, bytes]) -> None:
    """Note what is known by now of the versions aside, by their tokens."""
    connection.executemany(
        "UPDATE curated_rewrites SET base = ? WHERE token = ?",
        [(base, token) for token, base in bases.items()],
    )


def close_curated(connection: apsw.Connection, tokens: Sequence[str]) -> None:
    """Note that nothing lies beside the file any more."""
    connection.executemany("DELETE FROM curated_rewrites WHERE token = ?", [(token,) for token in tokens])


def load_curated(connection: apsw.Connection, token: str | None = None) -> list[OpenRewrite]:
    """The rewrites that are not closed, oldest first, or the one of this token."""
    rows = connection.execute(
        "SELECT r.token, r.file, r.inode, r.state, p.before, p.after, r.base FROM curated_rewrites AS r"
        " LEFT JOIN preimages AS p ON p.id = r.preimage_id WHERE ?1 IS NULL OR r.token = ?1 ORDER BY r.rowid",
        (token,),
    )
    return [
        OpenRewrite(found, file, int(inode), state, before, after, base)
        for found, file, inode, state, before, after, base in rows
    ]


def _last_span(connection: apsw.Connection) -> int:
    found = connection.execute("SELECT coalesce(max(id), 0) FROM spans").get
    assert isinstance(found, int)
    return found


def _find_origins(connection: apsw.Connection, file: str, lines: Sequence[str]) -> Origins:
    """Who is behind those of ``lines`` that are not handwritten, of equal ones the least trusted."""
    hashes = dict.fromkeys(line_hash for line in lines if (line_hash := hash_line(line)))
    known = read_files(connection, [file]).get(file)
    attributed: dict[bytes, list[Provenance]] = defaultdict(list)
    if known is not None:
        for line_hash, provenance in zip(known.lines.hashes, known.lines.provenances, strict=True):
            attributed[line_hash].append(provenance)
    new = [line_hash for line_hash in hashes if line_hash not in attributed]
    records = Records(spans_of(connection, new, [file]))
    found: list[tuple[bytes, Provenance]] = []
    for line_hash in hashes:
        record = None if line_hash in attributed else pick(records.own(file, line_hash))
        provenances = attributed.get(line_hash) or ([record.provenance] if record else [])
        if provenances and (worst := least_trusted(provenances)) != HANDWRITTEN:
            found.append((line_hash, worst))
    return tuple(found)
