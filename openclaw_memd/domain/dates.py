"""The date of a note, as its name tells it."""

import re
from datetime import date

_ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DATED_NAME = re.compile(r"(?:^|/)([0-9]{4})-([0-9]{2})-([0-9]{2})(?:(?:[-_. ]|T[0-9])[^/]*)?\.md\Z")
_DATED_FOLDERS = re.compile(r"(?:^|/)([0-9]{4})/([0-9]{2})/([0-9]{2})(?:[-_. ][^/]*)?\.md\Z")


def iso_date(text: str) -> date | None:
    """The date that ``text`` is (``YYYY-MM-DD``, nothing else), or None when it is none of the calendar."""
    return _calendar_date(_ISO_DATE.fullmatch(text))


def note_date(path: str) -> date | None:
    """The date of the note at ``path`` (with ``/``), or None.

    A note is dated by a file name that is or begins with a date (``memory/2026-01-11.md``,
    ``memory/archive/2026-01-11-standup.md``, ``memory/2026-01-11T0930.md``) or by folders
    (``memory/2026/01/11.md``). A date that the calendar does not have dates nothing.
    """
    return _calendar_date(_DATED_NAME.search(path) or _DATED_FOLDERS.search(path))


def _calendar_date(match: re.Match[str] | None) -> date | None:
    if match is None:
        return None
    year, month, day = match.groups()
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
