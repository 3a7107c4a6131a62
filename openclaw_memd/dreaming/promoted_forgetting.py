"""Forgetting what nights made of a source: entries of the curated files, by what they say of where they come
from, and proposals.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import trio

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.revisions import Author, Revision
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.curated_files import bare_text
from openclaw_memd.domain.line_hashes import hash_lines
from openclaw_memd.domain.lineage import find_sources
from openclaw_memd.domain.markdown import Entry
from openclaw_memd.domain.taking_out import take_out
from openclaw_memd.dreaming.proposals import Proposals
from openclaw_memd.index.ledger.proposals import drop_proposals
from openclaw_memd.index.ledger.tombstones import bury_lines
from openclaw_memd.index.store import Store
from openclaw_memd.ports import Clock

Takes = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class ForgottenPromotions:
    """How many entries of the curated files and how many proposals went, or would go."""

    entries: int = 0
    proposals: int = 0


class PromotedForgetting:
    """Takes out what comes from a source that is forgotten, whatever else led to it."""

    def __init__(self, state: Store, core: CuratedCore, writer: CuratedWriter, clock: Clock) -> None:
        self._state = state
        self._core = core
        self._writer = writer
        self._clock = clock
        self._proposals = Proposals(state)

    async def forget(self, takes_source: Takes, takes_text: Takes, *, dry_run: bool) -> ForgottenPromotions:
        """Forget what comes from paths that ``takes_source`` takes, and proposals that ``takes_text`` takes.

        It comes before earlier versions of the files are looked through: they lose these lines too.

        Raises:
            ConflictError, DeniedError, TooLargeError: as in ``CuratedWriter.rewrite``.
            UnavailableError, DamagedError: the disk or the ledger cannot be used; called again, it goes on.
        """

        def takes(entry: Entry) -> bool:
            return any(takes_source(source.rpartition("#L")[0]) for source in find_sources(entry.text))

        entries = 0
        for file, known in (await self._core.refresh()).files.items():
            gone = (await trio.to_thread.run_sync(take_out, known.text, takes))[1]
            entries += len(gone)
            if gone and not dry_run:
                await self._take_out(file, takes)
        waiting = [
            one.id
            for one in await self._proposals.list()
            if takes_source(one.content.path)
            or takes_text(one.content.text)
            or takes_text(one.content.candidate_text)
        ]
        if waiting and not dry_run:
            await self._state.write(partial(drop_proposals, keys=waiting))
        return ForgottenPromotions(entries, len(waiting))

    async def _take_out(self, file: str, takes: Callable[[Entry], bool]) -> None:
        lines: list[str] = []

        def plan(current: str | None) -> Revision | None:
            new, gone = take_out(current or "", takes)
            lines[:] = [line for entry in gone for line in entry.text.split("\n") if bare_text(line)]
            return Revision(new) if gone else None

        await self._writer.rewrite(file, plan, cause="forget", author=Author())
        await self._core.refresh()
        hashes = hash_lines(lines)
        await self._state.write(partial(bury_lines, path=file, hashes=hashes, at=self._clock.now()))
