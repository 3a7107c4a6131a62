"""Opening the ledger and the index, and what to do when one of them cannot be opened as it is."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import apsw

from openclaw_memd.index.database import (
    Durability,
    NewerFormatError,
    migrate,
    open_marker,
    schema_number,
    side_files,
)
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.ledger.losses import record_loss
from openclaw_memd.index.leftovers import set_aside, sweep_building
from openclaw_memd.index.rows import IndexIdentity
from openclaw_memd.index.store import Store

INDEX_FORMAT: Final = 1
"""Part of the file's name, so that an index of another format is left alone."""

INDEX_NAME: Final = f"index-{INDEX_FORMAT}.db"
STATE_NAME: Final = "state.db"


class ForeignStateError(Exception):
    """The ledger was written for another workspace: what it says of origins must not be believed here."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A database that is open. ``set_aside`` is where a damaged one lies that had its place.

    ``cut_off`` is the attempt to build a successor that ended with its process, 0 when none did.
    """

    store: Store
    set_aside: Path | None = None
    cut_off: int = 0


def open_index(folder: Path, identity: IndexIdentity, now: Callable[[], datetime]) -> Opened:
    """Open the index in ``folder``; what is damaged is set aside and an empty one made.

    Raises:
        UnavailableError: the disk or the folder cannot be used.
    """
    path = folder / INDEX_NAME
    cut_off = sweep_building(path) if folder.exists() else 0
    try:
        return Opened(open_index_file(path, identity), cut_off=cut_off)
    except (DamagedError, NewerFormatError):
        aside = set_aside(path, now())
        return Opened(open_index_file(path, identity), aside)


def open_index_file(
    path: Path, identity: IndexIdentity, durability: Durability = Durability.DERIVED
) -> Store:
    """Open one index file, made for ``identity`` when it is new.

    Raises:
        DamagedError: it is no readable database.
        NewerFormatError: a newer version of this program changed it.
        UnavailableError: the disk or the folder cannot be used.
    """

    def prepare(connection: apsw.Connection) -> None:
        with connection:
            is_new = schema_number(connection) == 0
            migrate(connection, "index")
            if is_new:
                write_identity(connection, identity)

    return Store(path, durability, prepare)


def open_state(
    folder: Path, workspace_id: str, now: Callable[[], datetime], *, origins_lost: bool = False
) -> Opened:
    """Open the ledger of one workspace. A damaged one is set aside, and its loss must be told to people.

    A new ledger in a folder that has had one, or of a workspace whose ``origins_lost`` says so, notes the
    loss (see ``read_loss``), and the index goes: what it says of origins has no ground any more.

    Raises:
        ForeignStateError: it is the ledger of another workspace; the start must end here.
        NewerFormatError: a newer version of this program wrote it; the start must end here.
        UnavailableError: the disk or the folder cannot be used.
    """
    path = folder / STATE_NAME
    lost = origins_lost or _had_databases(folder)

    def prepare(connection: apsw.Connection) -> None:
        nonlocal lost
        with connection:
            is_new = schema_number(connection) == 0
            migrate(connection, "state")
            if is_new and lost:
                _discard_index(folder)
                record_loss(connection, now())
            connection.execute(
                "INSERT OR IGNORE INTO workspace (id, workspace_id, created_at) VALUES (1, ?, ?)",
                (workspace_id, now().isoformat()),
            )
            ((owner,),) = connection.execute("SELECT workspace_id FROM workspace").fetchall()
            if owner != workspace_id:
                raise ForeignStateError("the state belongs to another workspace")
        lost = True  # should an empty file take its place while it is in use

    try:
        store = Store(path, Durability.DURABLE, prepare)
        if not store.unclean or store.read_now(_is_sound):
            return Opened(store)
        store.close()
    except DamagedError:
        pass
    aside = set_aside(path, now())
    lost = True
    return Opened(Store(path, Durability.DURABLE, prepare), aside)


def write_identity(connection: apsw.Connection, identity: IndexIdentity) -> None:
    """Say what the index is made with."""
    connection.execute(
        "INSERT OR REPLACE INTO identity (id, chunking, analysis, chunk_tokens, chunk_overlap, attribution)"
        " VALUES (1, ?, ?, ?, ?, ?)",
        (
            identity.chunking,
            identity.analysis,
            identity.chunk_tokens,
            identity.chunk_overlap,
            identity.attribution,
        ),
    )


def read_identity(connection: apsw.Connection) -> IndexIdentity | None:
    """What the index is made with; None when nothing says so."""
    row = connection.execute(
        "SELECT chunking, analysis, chunk_tokens, chunk_overlap, attribution FROM identity"
    ).fetchone()
    return None if row is None else IndexIdentity(*row)


def _had_databases(folder: Path) -> bool:
    """Whether there is any database beside the ledger: it was opened here before."""
    ledger = folder / STATE_NAME
    own = {ledger.name, open_marker(ledger).name, *(side.name for side in side_files(ledger))}
    return folder.exists() and any(".db" in path.name and path.name not in own for path in folder.iterdir())


def _discard_index(folder: Path) -> None:
    index = folder / INDEX_NAME
    for path in (index, *side_files(index), open_marker(index)):
        path.unlink(missing_ok=True)


def _is_sound(connection: apsw.Connection) -> bool:
    return bool(connection.pragma("quick_check") == "ok")
