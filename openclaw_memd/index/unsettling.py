"""Letting an indexed file count as changed though its bytes may be the same."""

import itertools
from typing import Final, NamedTuple

import apsw

_NO_SIZE: Final = -1
"""No file has it, so that the stamp of none fits. The hash stays: it says what the index shows."""


class Settled(NamedTuple):
    """The size that a file was indexed with, and how many chunks it has."""

    size: int
    chunks: int


def unsettle(connection: apsw.Connection, path: str) -> Settled | None:
    """Let a file count as changed until it is published again; its chunks and its hash stay as they are.

    Gives what `settle` needs; None when the file is not indexed.
    """
    rows = connection.execute("SELECT size, chunks FROM files WHERE path = ?", (path,)).fetchall()
    connection.execute("UPDATE files SET size = ? WHERE path = ?", (_NO_SIZE, path))
    return next(itertools.starmap(Settled, rows), None)


def settle(connection: apsw.Connection, path: str, before: Settled) -> None:
    """Undo `unsettle`, unless something of the file was published since."""
    connection.execute(
        "UPDATE files SET size = ? WHERE path = ? AND size = ? AND chunks = ?",
        (before.size, path, _NO_SIZE, before.chunks),
    )
