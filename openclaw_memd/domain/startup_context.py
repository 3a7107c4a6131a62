"""What a session that begins anew is told of the last days' notes. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.framing import frame_startup, quote_inert
from openclaw_memd.domain.inert import in_one_line, neutralize

SLUGGED_NOTES: Final = 4
"""How many slugged notes of one day are told: OpenClaw's value."""

_UNTRUSTED = "-untrusted.md"
_CUT = "[... the rest of this note is left out ...]"
_MORE = "[... more notes are left out ...]"
_LEAST_CHARS: Final = 16
_LATE: Final = 0.75


@dataclass(frozen=True, slots=True)
class NoteName:
    """A note in ``memory/``: its name there and when it was changed last."""

    name: str
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class DayNote:
    """What may be told of one note; ``path`` is relative to the workspace."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Startup:
    """The block, ready for a prompt, its lines without the frame, and the notes that are in it."""

    text: str
    lines: tuple[str, ...]
    files: tuple[str, ...]


def startup_days(local: date, utc: date, days: int) -> tuple[date, ...]:
    """The last ``days`` days, today first: of each the date in the configured zone, then that in UTC."""
    both = (day - timedelta(back) for back in range(days) for day in (local, utc))
    return tuple(dict.fromkeys(both))


def order_notes(names: Iterable[NoteName], days: Sequence[date]) -> list[str]:
    """The names of the notes to tell of, by day: the daily note, then slugged ones, last changed first.

    Notes that nobody vouches for are never told of.
    """
    by_day: dict[date, list[NoteName]] = {day: [] for day in days}
    for name in names:
        day = note_date(name.name)
        if day in by_day and not name.name.casefold().endswith(_UNTRUSTED):
            by_day[day].append(name)
    ordered = []
    for day, found in by_day.items():
        daily = f"{day.isoformat()}.md"
        slugged = [name for name in found if name.name.startswith(f"{day.isoformat()}-")]
        slugged.sort(key=lambda name: (name.mtime_ns, name.name), reverse=True)
        ordered += [name.name for name in found if name.name == daily]
        ordered += [name.name for name in slugged]
    return ordered


def is_slugged(name: str) -> bool:
    """Whether a note of a day is none of its daily notes."""
    day = note_date(name)
    return day is not None and name != f"{day.isoformat()}.md"


def compose_startup(notes: Iterable[DayNote], *, file_chars: int, total_chars: int) -> Startup | None:
    """The block of ``notes`` in at most ``total_chars`` code points with its frame; None when there is none.

    Of each note at most ``file_chars`` are shown, from its beginning. The last one is cut to what is left.
    ``notes`` are asked for no further than there is room.
    """
    frame_chars = len(frame_startup(["x"])) - 2
    room = total_chars - frame_chars - len(_MORE) - 1
    lines: list[str] = []
    files: list[str] = []
    for note in notes:
        text = neutralize(note.text).strip()
        if not text:
            continue
        shown = _fit(note.path, text, min(file_chars, len(text)), room)
        if shown is None:
            if lines:
                lines.append(_MORE)
            break
        lines += shown
        files.append(note.path)
        room -= _size(shown)
    return Startup(frame_startup(lines), tuple(lines), tuple(files)) if files else None


def _fit(path: str, text: str, most_chars: int, room: int) -> list[str] | None:
    """The lines of a note of which at most ``most_chars`` are shown, fewer where there is no more room."""
    low, high = _LEAST_CHARS, most_chars
    if _size(whole := _quoted(path, text, high)) <= room:
        return whole
    if low >= high or _size(_quoted(path, text, low)) > room:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _size(_quoted(path, text, middle)) <= room else (low, middle)
    return _quoted(path, text, low)


def _quoted(path: str, text: str, chars: int) -> list[str]:
    day = note_date(path)
    noted = f" (noted {day.isoformat()})" if day else ""
    return [f"{neutralize(in_one_line(path))}{noted}:", *quote_inert(_cut(text, chars))]


def _cut(text: str, chars: int) -> str:
    """The beginning of ``text`` in at most ``chars``, with a mark below where that leaves room for text."""
    if len(text) <= chars:
        return text
    end = chars - len(_CUT) - 1
    if end < _LEAST_CHARS:
        return text[:chars]
    line_end = text.rfind("\n", int(end * _LATE), end + 1)
    return text[: line_end if line_end > 0 else end].rstrip() + f"\n{_CUT}"


def _size(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)
