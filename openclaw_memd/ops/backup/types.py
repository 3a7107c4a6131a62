"""What is told of backups."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path that is in no archive, relative to its workspace, and a code that says why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Made:
    """An archive that was made, verified and put in its place. ``files`` are those of all workspaces."""

    path: Path
    bytes: int
    files: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class Last:
    """How the last backup went. ``at`` is RFC 3339; ``path`` is relative to the data folder, None elsewhere.

    ``outcome`` is ``ok``, ``failed`` or ``cancelled``, ``reason`` a code of the list of reasons.
    """

    at: str
    outcome: Literal["ok", "failed", "cancelled"]
    path: str | None = None
    reason: str | None = None
    left_out: int = 0
    scheduled: bool = False
