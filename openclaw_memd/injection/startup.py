"""Reading the notes of the last days for a session that begins anew."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final

import trio

from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.callers import ChatType, place_of
from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.provenance import Provenance, Tier, is_trusted
from openclaw_memd.domain.startup_context import (
    SLUGGED_NOTES,
    DayNote,
    Startup,
    compose_startup,
    is_slugged,
    order_notes,
    startup_days,
)
from openclaw_memd.files.catalog import FileText
from openclaw_memd.files.day_notes import list_day_notes
from openclaw_memd.files.names import NOTES
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.origins import Attribution
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

TOLD_BYTES: Final = 16 * 1024
"""How much of what may be told of a note is looked at: OpenClaw's value."""


@dataclass(frozen=True, slots=True)
class StartupLimits:
    """The limits of ``[inject]``: days, and code points of one note and of the whole block."""

    days: int = 2
    file_chars: int = 1200
    total_chars: int = 2800


class StartupNotes:
    """Tells of the last days' notes of one workspace.

    Only lines that the owner or the agent wrote are told: nothing else is ever injected. A note that cannot
    be read, or of which it cannot be said who wrote it, is left out.
    """

    def __init__(self, corpus: Corpus, rules: AdmissionRules, clock: Clock, zone: Zone) -> None:
        """``rules`` say whose lines never enter memory, in whatever way they came there."""
        self._corpus = corpus
        self._rules = rules
        self._clock = clock
        self._zone = zone
        self._threads = trio.CapacityLimiter(1)

    async def tell(self, limits: StartupLimits) -> Startup | None:
        """The block; None when there is nothing to tell. To be cancelled at a deadline.

        Raises:
            UnavailableError, DamagedError: the ledger cannot say who wrote the notes.
        """
        return await trio.to_thread.run_sync(
            partial(self._tell, limits), limiter=self._threads, abandon_on_cancel=True
        )

    def _tell(self, limits: StartupLimits) -> Startup | None:
        now = self._clock.now()
        days = startup_days(self._zone.day(now), now.date(), limits.days)
        names = order_notes(list_day_notes(self._corpus.roots, days), days)
        return compose_startup(
            self._read(names), file_chars=limits.file_chars, total_chars=limits.total_chars
        )

    def _read(self, names: Sequence[str]) -> Iterator[DayNote]:
        """The notes that have something to tell; what may not be told takes no place of what may."""
        told: Counter[date | None] = Counter()
        for name in names:
            day, slugged = note_date(name), is_slugged(name)
            if slugged and told[day] >= SLUGGED_NOTES:
                continue
            path = f"{NOTES}/{name}"
            file = next((file for file in self._corpus.look_up(path).files if file.path == path), None)
            if file is None or file.tier is not Tier.EPISODIC:
                continue
            read = self._corpus.read(file)
            if isinstance(read, FileText):
                text = self._vouched(read.text, self._corpus.peek(file, read))
                if text.strip():
                    told[day] += slugged
                    yield DayNote(path, text)

    def _vouched(self, text: str, attribution: Attribution) -> str:
        """The lines of a note that may be told of, the first of them."""
        kept: list[str] = []
        left_bytes = TOLD_BYTES
        for number, line in enumerate(text.split("\n"), start=1):
            if left_bytes <= 0:
                break
            if self._may_tell(attribution.of_lines(number, number)):
                kept.append(line)
                left_bytes -= len(line.encode()) + 1
        return "\n".join(kept).encode()[:TOLD_BYTES].decode("utf-8", "ignore")

    def _may_tell(self, provenance: Provenance) -> bool:
        if not is_trusted(provenance.origin):
            return False
        if provenance.writer is None:
            return True
        session_id, channel = place_of(provenance.writer)
        sessions = () if session_id is None else (session_id,)
        return self._rules.exclude_place(sessions, channel, ChatType.UNKNOWN) is None
