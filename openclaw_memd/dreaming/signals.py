"""What was of use: recalls, notes and what was said again, by claim."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Literal

from openclaw_memd.domain.callers import Caller
from openclaw_memd.dreaming.types import Candidate
from openclaw_memd.recall.types import Hit

Phase = Literal["light", "rem"]


class SignalStore:
    """The signals of one workspace."""

    async def candidates(self) -> list[Candidate]:
        """The live candidates, the promoted and the rejected too, by key; none whose sources are all gone."""
        raise NotImplementedError

    async def record_recall(self, caller: Caller | None, question: str, hits: Sequence[Hit]) -> None:
        """Take note that a question was answered with these hits."""
        raise NotImplementedError

    async def mark_promoted(self, keys: Collection[str], at: datetime) -> None:
        """Note that these claims are in the curated files."""
        raise NotImplementedError

    async def mark_rejected(self, keys: Collection[str], at: datetime) -> None:
        """Note that the owner does not want these claims."""
        raise NotImplementedError

    async def stage(self, phase: Phase, keys: Collection[str], at: datetime) -> None:
        """Note that a phase chose these candidates."""
        raise NotImplementedError

    async def considered(self, keys: Collection[str], at: datetime) -> None:
        """Note that REM looked at these."""
        raise NotImplementedError
