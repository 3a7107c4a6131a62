"""What a kind of finding is: how bad, what it means, what to do, and whether the doctor does it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

Severity = Literal["info", "warning", "error"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")
"""The worst first."""


class Remedy(StrEnum):
    """What the doctor does about a finding."""

    MERGE = "merge the old file into MEMORY.md and move it into .openclaw-repair"
    TIE = "tie the earlier state to this place, for the next start"
    SYNC = "compare every file with the index and index what differs"
    MEND = "check the index, and mend it or build it anew from the files"
    REFILL = "set the damaged vectors aside and make them anew"
    PRUNE = "take out candidates whose sources are gone"
    SWEEP = "remove the leftover"
    CLOSE = "close it to everybody else"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of finding. ``meaning`` and ``advice`` are plain sentences that hold for each of its kind.

    ``remedy`` is what the doctor does; None when a person has to.
    """

    id: str
    severity: Severity
    meaning: str
    advice: str
    remedy: Remedy | None = None


def by_id(*kinds: Kind) -> dict[str, Kind]:
    """The kinds by their ids."""
    return {kind.id: kind for kind in kinds}
