"""What a session's turn is: who asked, and whether network content has entered it.

A turn begins with a user message and lasts until the next one. Only structured facts move it.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, assert_never

from openclaw_memd.domain.provenance import Origin

IDLE_LIMIT: Final = timedelta(minutes=30)
"""A turn in which nothing happens for this long is over, and its taint with it."""


class SetAside(StrEnum):
    """Why nothing that is said in a turn is kept, or nothing more."""

    HEARTBEAT = "heartbeat"
    RECALLED = "recalled"


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn that a session is in; before the first user message nothing in it is trusted.

    ``origin`` is that of the user message, ``asker`` the id of its sender. ``active_at`` is when the last
    thing happened in it.
    """

    origin: Origin = Origin.UNTRUSTED
    tainted: bool = False
    set_aside: SetAside | None = None
    asker: str | None = None
    active_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A user message; ``tainted`` when it brings network content along."""

    origin: Origin
    asker: str | None = None
    set_aside: SetAside | None = None
    tainted: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """An answer, a tool's result or anything else that happens in a turn; ``network`` is where it is from.

    ``set_aside`` is why nothing that is said after it in the turn is kept.
    """

    network: bool = False
    set_aside: SetAside | None = None


@dataclass(frozen=True, slots=True)
class End:
    """The session ended; what comes after it is not part of a turn that was known before."""


TurnEvent = Question | Step | End


def advance(turn: Turn, event: TurnEvent, at: datetime) -> Turn:
    """The turn after ``event``, which happened ``at``."""
    match event:
        case Question(origin, asker, set_aside, tainted):
            return Turn(origin, tainted, set_aside, asker, at)
        case Step(network, set_aside):
            before = settle(turn, at)
            return replace(
                before,
                tainted=before.tainted or network,
                set_aside=before.set_aside or set_aside,
                active_at=at,
            )
        case End():
            return Turn(active_at=at)
    assert_never(event)


def tainted_until(turn: Turn) -> datetime | None:
    """When the taint of a turn ends if nothing else happens; None when there is none."""
    return turn.active_at + IDLE_LIMIT if turn.tainted and turn.active_at is not None else None


def settle(turn: Turn, now: datetime) -> Turn:
    """The turn as it is ``now``, when nothing else happened.

    When the clock was set back, its last event counts as having happened now: a turn is rather tainted for
    too long than not at all.
    """
    if turn.active_at is None:
        return turn
    if turn.active_at > now:
        return replace(turn, active_at=now)
    if turn.tainted and now - turn.active_at >= IDLE_LIMIT:
        return replace(turn, tainted=False)
    return turn
