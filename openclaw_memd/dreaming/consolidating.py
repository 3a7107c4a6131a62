"""What a night makes of the candidates that it chose: lines of MEMORY.md and USER.md, or proposals."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from openclaw_memd.dreaming.types import Applied, Ranked

Mode = Literal["write", "propose"]


class Consolidation:
    """Brings what nights chose into the curated files of one workspace."""

    async def apply(self, selected: Sequence[Ranked], *, run_id: str, mode: Mode, now: datetime) -> Applied:
        """Write ``selected``, the best first, or put it up for review."""
        raise NotImplementedError
