"""A copy of a database as it is at one moment, made while others write to it."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import trio

from openclaw_memd.index.database import create_private_file, migrations, schema_number

_PAGES: Final = 256
"""Copied at once: 1 MiB, a few milliseconds."""


def copy_database(connection: apsw.Connection, target: Path, on_fixed: Callable[[], None]) -> int:
    """Copy what a reading transaction sees to the new file ``target``; the number of its schema.

    To be run by `Store.read`, whose transaction keeps the moment: without it every write of another
    connection would make the copy begin anew. ``on_fixed`` hears, in this thread, as soon as the moment is
    fixed: nothing that is written from then on is in the copy. The copy is one file, read through.

    Raises:
        apsw.CorruptError: the database is damaged.
        OSError, apsw.Error: it cannot be copied.
    """
    schema = schema_number(connection)  # the first look fixes what the transaction sees
    on_fixed()
    create_private_file(target)
    with closing(apsw.Connection(os.fspath(target), flags=apsw.SQLITE_OPEN_READWRITE)) as copy:
        copy.pragma("synchronous", "off")  # it is verified before it counts
        with copy.backup("main", connection, "main") as work:
            while not work.done:
                work.step(_PAGES)
                trio.from_thread.check_cancelled()
        copy.pragma("journal_mode", "delete")
        if copy.pragma("quick_check", 1) != "ok":
            raise apsw.CorruptError("the copy of the database is damaged")
    return schema


def newest_schema(name: str) -> int:
    """The number of the newest schema of a database that this version knows."""
    return len(migrations(name))
