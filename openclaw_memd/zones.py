"""The configured time zone: it names daily files, schedules and "today"."""

import os
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

LOCAL = "local"
_LOCAL_TIME = Path("/etc/localtime")


class Zone:
    """A time zone by its IANA name, or the machine's.

    The machine's is looked up each time, so that a change of it counts at once; a machine that says nothing
    has UTC.
    """

    def __init__(self, name: str = LOCAL) -> None:
        """Take the zone ``name``, which the configuration has checked.

        Raises:
            ZoneInfoNotFoundError: this machine does not know it.
        """
        self._zone = None if name == LOCAL else ZoneInfo(name)

    def at(self, instant: datetime) -> datetime:
        """The aware ``instant`` as the clocks in the zone show it."""
        return instant.astimezone(self._now())

    def day(self, instant: datetime) -> date:
        """The date in the zone."""
        return self.at(instant).date()

    def label(self, instant: datetime) -> str:
        """How people name the zone: its IANA name, else the offset from UTC at that instant."""
        zone = self._now()
        key = zone.key if isinstance(zone, ZoneInfo) else None
        return key or ("UTC" if zone is UTC else f"UTC{instant.astimezone(zone).isoformat()[-6:]}")

    def _now(self) -> tzinfo | None:
        return self._zone if self._zone is not None else _local_zone()


def _local_zone() -> tzinfo | None:
    """The machine's zone as $TZ or /etc/localtime tell it; None leaves it to the C library."""
    variable = os.environ.get("TZ")
    if variable is not None:
        return _named(variable.removeprefix(":")) if variable.strip(":") else UTC
    try:
        link = os.lstat(_LOCAL_TIME)
    except OSError:
        return UTC
    return _zone_of_link(link.st_ino, link.st_mtime_ns, link.st_ctime_ns)


@lru_cache(maxsize=1)
def _zone_of_link(*_version: int) -> tzinfo | None:
    """The zone that /etc/localtime names, looked up again when another link took its place."""
    try:
        target = os.path.realpath(_LOCAL_TIME, strict=True)
    except OSError:
        return UTC
    _, mark, name = target.rpartition("/zoneinfo/")
    return _named(name) if mark else None


def _named(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
