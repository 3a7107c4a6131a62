"""What stays all the same when something is forgotten, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that stays, and why."""

    where: str
    why: str
