"""Letting an indexed file count as changed though its bytes may be the same."""

import itertools
from typing import NamedTuple

import apsw


class Settled(NamedTuple):
    """The size and hash that a file was indexed with, and how many chunks it has."""

    size: int
    hash: bytes
    chunks: int


def unsettle(connection: apsw.Connection, path: str) -> Settled | None:
    """Let a file count as changed until it is published again; its chunks stay as they are.

    Gives what `settle` needs; None when the file is not indexed.
    """
    rows = connection.execute("SELECT size, hash, chunks FROM files WHERE path = ?", (path,)).fetchall()
    connection.execute("UPDATE files SET size = -1, hash = x'' WHERE path = ?", (path,))
    return next(itertools.starmap(Settled, rows), None)


def settle(connection: apsw.Connection, path: str, before: Settled) -> None:
    """Undo `unsettle`, unless something of the file was published since."""
    connection.execute(
        "UPDATE files SET size = ?, hash = ? WHERE path = ? AND size = -1 AND chunks = ?",
        (before.size, before.hash, path, before.chunks),
    )
