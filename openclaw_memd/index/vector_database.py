"""Opening vectors.db, and putting a damaged one aside: everything in it can be made again."""

from datetime import datetime
from pathlib import Path

import apsw

from openclaw_memd.index.database import Durability, migrate
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.leftovers import set_aside
from openclaw_memd.index.opening import Opened
from openclaw_memd.index.store import Store

SCHEMA = "vectors"


def open_vectors(path: Path, at: datetime) -> Opened:
    """The database at ``path``; one that is no readable database is set aside first, dated ``at``.

    Raises:
        NewerFormatError: a newer version of this program made it.
        UnavailableError: the disk or the folder cannot be used.
    """
    try:
        return Opened(Store(path, Durability.DERIVED, _prepare))
    except DamagedError:
        aside = set_aside(path, at, keep=1)
        return Opened(Store(path, Durability.DERIVED, _prepare), aside)


async def replace_damaged(store: Store, at: datetime) -> Path:
    """Set the database aside, dated ``at``, and go on with an empty one. Returns where the old one lies.

    Raises:
        UnavailableError: the disk or the folder cannot be used.
    """
    aside: list[Path] = []
    await store.exchange(lambda path: aside.append(set_aside(path, at, keep=1)))
    return aside[0]


async def is_sound(store: Store) -> bool:
    """Whether the pages of the database agree with each other. Reads all of it.

    Raises:
        UnavailableError: the disk cannot be read.
    """
    try:
        return await store.read(lambda connection: connection.execute("PRAGMA quick_check(1)").get == "ok")
    except DamagedError:
        return False


def _prepare(connection: apsw.Connection) -> None:
    migrate(connection, SCHEMA)
