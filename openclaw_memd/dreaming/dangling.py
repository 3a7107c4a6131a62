"""Candidates that stand nowhere any more, or are no memories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import trio

from openclaw_memd.dreaming.candidates import find_unfit
from openclaw_memd.dreaming.moving import find_moved
from openclaw_memd.dreaming.sources import Sources
from openclaw_memd.index.ledger import signal_upkeep as upkeep
from openclaw_memd.index.ledger.signal_rows import MovedRow
from openclaw_memd.index.store import Store

AGAIN_S: Final = 0.2
"""A note that is not there is looked for once more: some editors move it away before they write it anew."""


@dataclass(frozen=True, slots=True)
class Dangling:
    """Candidates that are ``unfit`` as memories or ``homeless``, and places (key, path) that are ``lost``.

    What has no other place is homeless, but for what was ``moved`` along with its note.
    """

    unfit: frozenset[str]
    homeless: frozenset[str]
    lost: Sequence[tuple[str, str]]
    moved: Sequence[MovedRow]


async def find_dangling(state: Store, sources: Sources) -> Dangling:
    """Those of the ledger ``state``. Store errors pass through."""
    rows = await state.read(upkeep.load_candidates)
    gone = await _find_gone(sources, frozenset(source.path for row in rows for source in row.sources))
    unfit = await trio.to_thread.run_sync(find_unfit, rows)
    moved = await trio.to_thread.run_sync(find_moved, rows, gone, sources) if gone else []
    lost = [(row.key, one.path) for row in rows for one in row.sources if one.path in gone]
    homeless = frozenset(row.key for row in rows if all(one.path in gone for one in row.sources))
    return Dangling(unfit, homeless.difference(one.key for one in moved), lost, moved)


async def _find_gone(sources: Sources, paths: frozenset[str]) -> frozenset[str]:
    """Those of ``paths`` that are there no more, and not only in the instant in which an editor saves."""
    gone = paths
    for pause_s in (0.0, AGAIN_S):
        if gone:
            await trio.sleep(pause_s)
            gone = await trio.to_thread.run_sync(sources.gone, gone)
    return gone
