"""The three databases of one workspace."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime

from openclaw_memd.files.workspace import Workspace
from openclaw_memd.index.opening import Opened, open_index, open_state
from openclaw_memd.index.rows import IndexIdentity
from openclaw_memd.index.vector_database import open_vectors


@dataclass(frozen=True, slots=True)
class Databases:
    """The ledger, the index and the vectors, open."""

    state: Opened
    index: Opened
    vectors: Opened


def open_databases(workspace: Workspace, identity: IndexIdentity, now: Callable[[], datetime]) -> Databases:
    """All three or none. ``identity`` is that of the analysis and chunking in use.

    Raises:
        UnavailableError: the disk or the state folder cannot be used.
        NewerFormatError, ForeignStateError: the state is not one that this version may touch.
    """
    with ExitStack() as undo:
        state = open_state(workspace.state, workspace.id, now, origins_lost=workspace.origins_lost)
        undo.callback(state.store.close)
        index = open_index(workspace.state, identity, now)
        undo.callback(index.store.close)
        vectors = open_vectors(workspace.state / "vectors.db", now())
        undo.pop_all()
    return Databases(state, index, vectors)
