"""The dates in the curated files: what is due for review, what expired, and aspirations that are over."""

from collections.abc import Sequence
from datetime import date
from typing import Final

import structlog

from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.curated.entries import CuratedText
from openclaw_memd.curated.revisions import Author, Revision
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.curated_files import bare_text
from openclaw_memd.domain.provenance import is_trusted
from openclaw_memd.domain.retiring import Retired, is_over, retire
from openclaw_memd.dreaming.rendering import Dated, Dates
from openclaw_memd.errors import ConflictError, DeniedError, TooLargeError, UnavailableError

log = structlog.get_logger("memd.dreaming")

CAUSE: Final = "retire"


class Dating:
    """Looks at the dates in the curated files of one workspace."""

    def __init__(self, core: CuratedCore, writer: CuratedWriter) -> None:
        self._core = core
        self._writer = writer

    async def retire(self, today: date) -> Dates:
        """Mark aspirations that are over; which.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used.
        """
        state = await self._core.refresh()
        retired: list[Dated] = []
        preimages: list[int] = []
        for file in state.files.values():
            over, preimage_id = await self._retire(file, today)
            retired += over
            preimages += [] if preimage_id is None else [preimage_id]
        return Dates(retired=tuple(retired), preimage_ids=tuple(preimages))

    async def look(self, today: date) -> Dates:
        """What is due for review today, and what expired. Errors as in ``retire``."""
        state = await self._core.refresh()
        due: list[Dated] = []
        expired: list[Dated] = []
        for one in (one for file in state.files.values() for one in file.entries):
            said = one.entry.annotations
            if said.status == "superseded":
                continue
            if said.expires is not None and said.expires < today:
                expired.append(Dated(one.citation, bare_text(one.entry.text)))
            elif said.review is not None and said.review <= today:
                due.append(Dated(one.citation, bare_text(one.entry.text)))
        return Dates(tuple(due), tuple(expired))

    async def _retire(self, file: CuratedText, today: date) -> tuple[Sequence[Dated], int | None]:
        behind = {one.entry.text: one.provenance for one in file.entries if is_trusted(one.provenance.origin)}
        if not any(is_over(one.entry.annotations, today) for one in file.entries):
            return (), None
        made: list[Retired] = []

        def plan(text: str | None) -> Revision | None:
            made.clear()
            retired = retire(text or "", today, behind.keys())
            if retired is None:
                return None
            made.append(retired)
            return Revision(retired.text, tuple((line, behind[entry]) for line, entry in retired.added))

        try:
            done = await self._writer.rewrite(file.file, plan, cause=CAUSE, author=Author())
        except (ConflictError, DeniedError, TooLargeError, UnavailableError) as error:
            log.warning("not retired", path=file.file, reason=error.reason)
            return (), None
        texts = made[0].entries if made else ()
        return [Dated(file.file, bare_text(text)) for text in texts], done.preimage_id
