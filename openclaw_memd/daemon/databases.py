"""The three databases of one workspace: opening and closing them, and whether they can be written."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime

import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.files.workspace import Workspace
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.opening import INDEX_NAME, STATE_NAME, Opened, open_index, open_state
from openclaw_memd.index.rows import IndexIdentity
from openclaw_memd.index.store import Store
from openclaw_memd.index.vector_database import open_vectors

_VECTORS_NAME = "vectors.db"


@dataclass(slots=True)
class Databases:
    """The ledger, the index and the vectors, open. ``writable`` is as `prove_alive` found them last."""

    state: Opened
    index: Opened
    vectors: Opened
    writable: bool = True

    @property
    def stores(self) -> Mapping[str, Store]:
        """All three, by what people call them."""
        return {
            "the ledger": self.state.store,
            "the index": self.index.store,
            "the vectors": self.vectors.store,
        }

    @property
    def write_failures(self) -> Mapping[str, UnavailableError]:
        """What the disk refused of each, by what people call it, when it was last written to."""
        found = {name: store.write_failure for name, store in self.stores.items()}
        return {name: failure for name, failure in found.items() if failure is not None}

    async def prove_alive(self) -> None:
        """Return once every writer has answered, be it that the disk is full; one that hangs never does."""
        is_damaged = False
        for store in self.stores.values():
            try:
                await store.probe()
            except DamagedError:
                is_damaged = True
            except UnavailableError:
                pass  # the writer lives, and ``write_failures`` has what the disk refused
        self.writable = not is_damaged

    async def aclose(self) -> None:
        """Close them, cancelled or not."""
        with trio.CancelScope(shield=True):
            for opened in (self.index, self.vectors, self.state):
                await opened.store.aclose()


def open_databases(workspace: Workspace, identity: IndexIdentity, now: Callable[[], datetime]) -> Databases:
    """All three or none. ``identity`` is that of the analysis and chunking in use.

    Raises:
        UnavailableError: the disk, the state folder or a file in it, which is named, cannot be used.
        NewerFormatError, ForeignStateError: the state is not one that this version may touch.
    """
    with ExitStack() as undo:
        with _named(STATE_NAME):
            state = open_state(workspace.state, workspace.id, now, origins_lost=workspace.origins_lost)
        undo.callback(state.store.close)
        with _named(INDEX_NAME):
            index = open_index(workspace.state, identity, now)
        undo.callback(index.store.close)
        with _named(_VECTORS_NAME):
            vectors = open_vectors(workspace.state / _VECTORS_NAME, now())
        undo.pop_all()
    return Databases(state, index, vectors)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Say which file it is that cannot be used. A full disk is not the fault of one."""
    try:
        yield
    except UnavailableError as error:
        if error.reason == "disk_full":
            raise
        message = f"{name}: {error.message}"
        raise UnavailableError(message, reason=error.reason, retry_after_ms=error.retry_after_ms) from error
