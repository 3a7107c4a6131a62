"""What nights would write, until the owner decides."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Literal, NamedTuple

import apsw

from openclaw_memd.index.ledger.instants import from_stamp, to_stamp

ProposalState = Literal["open", "accepted", "rejected"]


class ProposalRow(NamedTuple):
    """One proposal by the key of its claim; ``content`` is JSON."""

    key: str
    run_id: str
    proposed_at: datetime
    content: str


def put_proposals(
    connection: apsw.Connection, run_id: str, contents: Iterable[tuple[str, str]], at: datetime
) -> list[str]:
    """Put claims up for review, by key; the keys that wait now.

    One that waits is renewed, unless the owner edited it; one that was decided stays so.
    """
    kept: list[str] = []
    for key, content in contents:
        connection.execute(
            "INSERT INTO proposals (key, run_id, proposed_at, state, content) VALUES (?, ?, ?, 'open', ?)"
            " ON CONFLICT (key) DO UPDATE SET content = excluded.content, run_id = excluded.run_id"
            " WHERE state = 'open' AND edited = 0",
            (key, run_id, to_stamp(at), content),
        )
        if connection.execute("SELECT state FROM proposals WHERE key = ?", (key,)).get == "open":
            kept.append(key)
    return kept


def open_proposals(connection: apsw.Connection, keys: Collection[str] | None = None) -> list[ProposalRow]:
    """Those that wait, oldest first; all, or those with these keys."""
    rows = connection.execute(
        "SELECT key, run_id, proposed_at, content FROM proposals WHERE state = 'open'"
        " ORDER BY proposed_at, key"
    )
    found = [ProposalRow(key, run_id, from_stamp(at), content) for key, run_id, at, content in rows]
    return [row for row in found if keys is None or row.key in keys]


def edit_proposal(connection: apsw.Connection, key: str, content: str) -> None:
    """Give a proposal another content."""
    connection.execute(
        "UPDATE proposals SET content = ?, edited = 1 WHERE key = ? AND state = 'open'", (content, key)
    )


def decide_proposals(connection: apsw.Connection, keys: Collection[str], state: ProposalState) -> None:
    """Note what the owner decided. Its text is kept no longer."""
    connection.executemany(
        "UPDATE proposals SET state = ?, content = '{}' WHERE key = ? AND state = 'open'",
        [(state, key) for key in keys],
    )


def drop_proposals(connection: apsw.Connection, keys: Collection[str]) -> int:
    """Forget proposals that wait; how many."""
    before = connection.total_changes()
    connection.executemany("DELETE FROM proposals WHERE key = ? AND state = 'open'", [(key,) for key in keys])
    return connection.total_changes() - before
