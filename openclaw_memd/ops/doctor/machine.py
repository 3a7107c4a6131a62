"""Limits of file events, the clock and the zone of this machine."""

import ctypes
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from openclaw_memd.ops.doctor.findings import Finding, begin_sentence, count
from openclaw_memd.zones import LOCAL, Zone

AHEAD: Final = timedelta(minutes=5)
"""Clocks that are kept right differ by seconds."""

SET_BACK_S: Final = 60.0
SPARE_SHARE: Final = 1.25
"""Editors and other programs of the same user watch folders too."""

_LIMITS: Final = Path("/proc/sys/fs/inotify")
_CLOEXEC: Final = 0o2000000  # IN_CLOEXEC in sys/inotify.h


@dataclass(frozen=True, slots=True)
class EventLimits:
    """What the kernel allows a user of inotify; ``has_instance`` tells whether one more was to be had."""

    most_watches: int
    has_instance: bool


def read_event_limits() -> EventLimits | None:
    """The limits now, an instance by trying; None on a system without inotify."""
    if sys.platform != "linux":
        return None
    try:
        watches = int((_LIMITS / "max_user_watches").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return EventLimits(watches, _has_instance())


def judge_events(limits: EventLimits | None, folders: int, warning: str | None) -> Iterator[Finding]:
    """Whether changes are noticed. ``warning`` is the watcher's while it has no events. Pure."""
    if warning is not None:
        yield Finding.of("watch-polling", f"{begin_sentence(warning)}.")
    if limits is None:
        return
    if folders * SPARE_SHARE > limits.most_watches:
        yield Finding.of(
            "watch-limit",
            f"{count(folders, 'folder')} are to be watched, and fs.inotify.max_user_watches is"
            f" {limits.most_watches:,}.",
        )
    if not limits.has_instance:
        yield Finding.of("watch-instances")


def judge_clock(now: datetime, newest: datetime | None, drift_s: float) -> Iterator[Finding]:
    """Whether the clock can be right.

    ``newest`` is the newest record; ``drift_s`` how much more time passed by the clock than there was since
    the start. Pure. A clock that went ahead cannot be told from a machine that slept.
    """
    if newest is not None and newest - now > AHEAD:
        yield Finding.of(
            "clock-behind",
            f"The newest record is of {newest:%Y-%m-%d %H:%M} UTC, and the clock says"
            f" {now:%Y-%m-%d %H:%M} UTC.",
        )
    if drift_s < -SET_BACK_S:
        yield Finding.of("clock-set-back", f"The clock was set back by {-drift_s:,.0f} s while memd ran.")


def judge_zone(configured: str, env: Mapping[str, str], now: datetime) -> Iterator[Finding]:
    """Whether days are counted as the owner means. Pure but for the system's own zone."""
    named = env.get("TZ", "").removeprefix(":")
    if configured == LOCAL:
        if named and not _is_known(named):
            yield Finding.of("zone-unknown", "TZ names a zone that this machine does not know.")
        return
    if not _is_known(configured):
        yield Finding.of("zone-unknown", f"This machine does not know the zone {configured}.")
        return
    here, there = Zone().at(now), Zone(configured).at(now)
    if here.utcoffset() != there.utcoffset():
        yield Finding.of(
            "zone-differs",
            f"It is {there:%H:%M} in {configured} ([time] zone) and {here:%H:%M} on this machine.",
        )


def _is_known(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _has_instance() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(_CLOEXEC)
    if descriptor < 0:
        return False
    os.close(descriptor)
    return True
