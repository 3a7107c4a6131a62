"""Forgetting in the memory files themselves."""

from collections.abc import Mapping
from typing import Final

from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.ops.kept import Kept
from openclaw_memd.ops.scrubbing import Scrubber
from openclaw_memd.ops.work import Work

ASIDES_S: Final = 10.0
"""How long earlier versions of curated files are waited for that an editor may still write to."""

_OPEN: Final = Kept(
    ".memd-*", "earlier versions of curated files that an editor writes to; they go when it ends"
)


class MemoryFiles:
    """Notes and curated files of one workspace; ``work.files`` says afterwards what became of them."""

    def __init__(self, scrubber: Scrubber, curated: CuratedWriter) -> None:
        self._scrubber = scrubber
        self._curated = curated

    async def count(self, work: Work) -> Mapping[str, int]:
        """What would become of them."""
        work.files = await self._scrubber.look(work.chosen.paths, work.wanted_of)
        return _count(work)

    async def forget(self, work: Work) -> Mapping[str, int]:
        """Take what is wanted out of them, and what an earlier call left beside them."""
        await self._scrubber.finish(work.wanted_of)
        if not await self._curated.asides.settled(ASIDES_S):
            work.kept.append(_OPEN)
        work.files = await self._scrubber.scrub(
            work.chosen.paths, work.wanted_of, work.scope.until, lambda: None
        )
        return _count(work)


def _count(work: Work) -> Mapping[str, int]:
    files = work.files
    return {
        "files_changed": files.changed,
        "files_removed": files.removed,
        "lines": files.lines,
        "promoted": work.promoted.count(files.going),
    }
