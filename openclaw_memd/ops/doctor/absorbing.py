"""Taking an old memory.md into MEMORY.md: merged by the one writer first, moved out of the way then.

Whatever ends the process, each line is in one of the two files or in the archive, and doing it again goes on
where it was: what MEMORY.md has already is not added twice.
"""

import hashlib
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Final

import trio

from openclaw_memd.curated.faults import unavailable
from openclaw_memd.curated.revisions import Author, Revision
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.provenance import HANDWRITTEN, Provenance, Source, Tier, is_trusted
from openclaw_memd.domain.stored_text import decode_stored
from openclaw_memd.errors import ConflictError, DeniedError, MemdError
from openclaw_memd.files.catalog import ListedFile
from openclaw_memd.files.legacy import CANONICAL, LEGACY, archive_legacy, read_legacy
from openclaw_memd.files.names import WORKSPACE
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.losses import read_loss
from openclaw_memd.index.origins import Attributor
from openclaw_memd.index.store import Store
from openclaw_memd.ops.doctor.merging import UnmergeableError, merge

CAUSE: Final = "doctor"
"""What the history calls the rewrite."""

_FILE: Final = ListedFile(LEGACY, Source.MEMORY, Tier.CURATED, WORKSPACE, LEGACY, evergreen=False)


class Absorbing:
    """Takes in the old file of one workspace. ``on_step`` hears what is done next."""

    def __init__(
        self,
        writer: CuratedWriter,
        roots: Roots,
        state: Store,
        attributor: Attributor,
        *,
        turn: trio.Lock,
        file_bytes: int,
        on_step: Callable[[str], None] = lambda _step: None,
    ) -> None:
        self._writer = writer
        self._roots = roots
        self._state = state
        self._attributor = attributor
        self._turn = turn
        self._file_bytes = file_bytes
        self._on_step = on_step

    async def absorb(self, at: datetime) -> str | None:
        """Do it; where the old file lies now, as a path in the workspace. None: there is none.

        What fails before the old file is moved leaves it where it was.

        Raises:
            DeniedError: one of the files is a link or the like, no text, or nobody vouches for the old one.
            ConflictError: they are changed by others all the time, or what is added would not be read.
            TooLargeError, UnavailableError: a file is too large, or the disk or ledger cannot be used.
            DamagedError: the ledger is damaged.
        """
        try:
            data = await trio.to_thread.run_sync(
                read_legacy, self._roots, self._file_bytes, abandon_on_cancel=True
            )
            if data is None:
                return None
            await self._merge(data)
            self._on_step("archive")
            async with self._turn:
                path, moved = await trio.to_thread.run_sync(archive_legacy, self._roots, at)
            self._on_step("archived")
        except OSError as error:
            raise unavailable(error) from error
        if moved != data:  # somebody saved it between the two
            try:
                await self._merge(moved)
            except (MemdError, UnicodeDecodeError) as error:
                told = f"somebody saved memory.md meanwhile: what is new in it is in {path} alone"
                raise ConflictError(told) from error
        return path

    async def _merge(self, data: bytes) -> None:
        legacy = decode_stored(data)
        origins = await self._origins(data, legacy)

        def plan(memory: str | None) -> Revision | None:
            text = merge(memory, legacy)
            if text is None:
                return None
            added = Counter(text.split("\n")) - Counter((memory or "").split("\n"))
            return Revision(
                text, tuple((line, origins.get(line, HANDWRITTEN)) for line in added if line.strip())
            )

        self._on_step("merge")
        try:
            await self._writer.rewrite(CANONICAL, plan, cause=CAUSE, author=Author())
        except UnmergeableError as error:
            raise ConflictError(str(error)) from None

    async def _origins(self, data: bytes, legacy: str) -> dict[str, Provenance]:
        """Who is behind each line of the old file.

        Raises:
            DeniedError: nobody vouches for one: what is not trusted adds nothing to a curated file.
        """
        if await self._state.read(read_loss) is not None:
            raise DeniedError(
                "the state was lost, so nobody vouches for memory.md; `memd trust` the files first"
            )
        lines = legacy.split("\n")
        peek = partial(self._attributor.peek, _FILE, lines, hashlib.sha256(data).digest())
        attribution = await trio.to_thread.run_sync(peek, abandon_on_cancel=True)
        found = {line: attribution.of_lines(number, number) for number, line in enumerate(lines, start=1)}
        if not all(is_trusted(provenance.origin) for provenance in found.values()):
            raise DeniedError(
                "nobody vouches for memory.md while a session has text from outside; try again later"
            )
        return found
