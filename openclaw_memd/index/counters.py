"""The two numbers of an index that only ever grow: its generation and its chunk ids."""

from typing import Final

import apsw

CHUNK_ID_BLOCK: Final = 1 << 24
"""An index that is built to replace another takes its chunk ids from the next block of this size, so that no
id ever means two chunks."""


def read_generation(connection: apsw.Connection) -> int:
    """The number of the last published change."""
    return _number(connection, "generation")


def read_next_chunk_id(connection: apsw.Connection) -> int:
    """The id that the next new chunk gets."""
    return _number(connection, "next_chunk_id")


def write_counters(connection: apsw.Connection, *, generation: int, next_chunk_id: int) -> None:
    """Set both, at the end of a transaction."""
    connection.execute("UPDATE progress SET generation = ?, next_chunk_id = ?", (generation, next_chunk_id))


def begin_block(connection: apsw.Connection, *, after: int) -> None:
    """Take chunk ids from the block that follows the one of ``after``."""
    write_counters(
        connection,
        generation=read_generation(connection),
        next_chunk_id=(after // CHUNK_ID_BLOCK + 1) * CHUNK_ID_BLOCK,
    )


def raise_generation(connection: apsw.Connection, *, to: int) -> int:
    """Make the generation at least ``to``; what it is then."""
    connection.execute("UPDATE progress SET generation = max(generation, ?)", (to,))
    return read_generation(connection)


def _number(connection: apsw.Connection, column: str) -> int:
    ((number,),) = connection.execute(f"SELECT {column} FROM progress").fetchall()
    assert isinstance(number, int)
    return number
