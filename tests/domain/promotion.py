"""Candidates for tests of the phases."""

from dataclasses import dataclass, field
from datetime import datetime

from openclaw_memd.domain.promotion_score import Signals
from openclaw_memd.domain.provenance import HANDWRITTEN, Provenance


@dataclass(frozen=True)
class TaggedClaim:
    """A candidate as the phases see it."""

    key: str = "t1"
    text: str = "The gateway listens on port 18789."
    path: str = "memory/2026-01-11.md"
    is_session: bool = False
    provenance: Provenance = HANDWRITTEN
    signals: Signals = field(default_factory=Signals)
    tags: tuple[str, ...] = ()
    promoted_at: datetime | None = None
    rejected_at: datetime | None = None
    considered_at: datetime | None = None
