"""When a change of a file that nobody reported is suspect: it may have been made in a tainted turn."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Taint:
    """Network content in the turns of a workspace's sessions: whether it is in one now, and when it last was.

    ``last_at`` is None when it never was.
    """

    is_now: bool = False
    last_at: datetime | None = None


def is_suspect(taint: Taint, looked_at: datetime | None, now: datetime) -> bool:
    """Whether some turn was tainted since everything was looked at: a change may have been made in it.

    ``looked_at`` is None when nobody ever looked: what was there before memd came is not suspect. An instant
    that is yet to come was taken before the clock was set back and tells nothing.
    """
    if taint.is_now:
        return True
    if taint.last_at is None or looked_at is None:
        return False
    return looked_at > now or taint.last_at > looked_at


def tells_more(taint: Taint, looked_at: datetime | None, now: datetime) -> bool:
    """Whether a look at everything ``now`` makes a difference to the last one that did, at ``looked_at``."""
    if taint.is_now:
        return False
    return looked_at is None or is_suspect(taint, looked_at, now)
