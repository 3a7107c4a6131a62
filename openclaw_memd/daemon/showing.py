"""What was written to a curated file, or who vouches for lines: shown in the index before the answer."""

from contextlib import suppress
from functools import partial
from math import inf
from typing import Final

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.domain.provenance import Origin
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index import readers
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.indexer import Indexer
from openclaw_memd.index.read_lines import Selection
from openclaw_memd.index.vouching import Vouching

SHOWN_CHARS: Final = 64 * 1024
"""A curated file up to this length is indexed before the answer to a write; several times its budget."""


class Showing:
    """Shows it in one workspace's index."""

    def __init__(self, indexer: Indexer, attributor: LedgerAttributor, core: CuratedCore) -> None:
        self._indexer = indexer
        self._vouching = Vouching(indexer.corpus, attributor)
        self._core = core

    async def show(self, file: str, deadline_at: float = inf) -> None:
        """Show what was written to a curated file, as far as there is time (until then in trio's time).

        It is done: nothing denies it now. A long file is left to those who follow the files: to index it
        takes longer than to write it.
        """
        text = self._core.state.files.get(file)
        if text is not None and len(text.text) > SHOWN_CHARS:
            return
        with trio.CancelScope(shield=True, deadline=deadline_at), suppress(UnavailableError, DamagedError):
            await self._indexer.reindex([file])

    async def trust(self, path: str, selection: Selection, origin: Origin) -> int:
        """Give lines of a memory file this origin, and show it; how many changed.

        Raises as `Vouching.trust`.
        """
        indexed = await self._indexer.store.read(partial(readers.file, path=path))
        shown = None if indexed is None else indexed.state.hash
        async with self._indexer.reattributing(path):
            changed = await trio.to_thread.run_sync(self._vouching.trust, path, selection, origin, shown)
            if changed:
                self._core.ask_origins()
        return changed
