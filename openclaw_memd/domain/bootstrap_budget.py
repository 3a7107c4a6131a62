"""What of a file comes into a prompt at the start of a session, within a budget. Pure.

Of a curated file whole entries are chosen, of any other file head and tail are kept. All counts are of code
points of what is shown: without annotations, escaped, with dates.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Final

from openclaw_memd.domain.curated_layout import EntryPart, HeadingPart, Part, lay_out
from openclaw_memd.domain.inert import show_plainly
from openclaw_memd.domain.markdown import Entry

NEUTRAL_IMPORTANCE: Final = 5
"""Where an entry that does not say how important it is stands: scoring treats it so too."""

_LOOSE = "\n\n"
_HEAD_SHARE: Final = 0.75  # OpenClaw's values
_LEAST_CONTENT_CHARS: Final = 16


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be shown, and when it was noted."""

    entry: Entry
    observed_on: date | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The ``text`` to show; ``shown`` are the candidates in it, by index; ``left_out`` counts the others."""

    text: str
    shown: tuple[int, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Prose:
    """The ``text`` to show; ``is_cut`` when it is not all."""

    text: str
    is_cut: bool


def choose_entries(
    text: str,
    candidates: Sequence[Candidate],
    max_chars: int,
    *,
    name: str,
    unvouched: Container[int] = (),
) -> Choice:
    """As much of the curated file ``text`` as ``max_chars`` hold, in the file's order, under its headings.

    ``candidates`` are entries of ``text`` in its order, and headings among the ``unvouched`` lines, counted
    from 1, are never shown. When not all fit, entries are taken whole, the most
    important first; of equal importance the one that was noted last, an undated one as the oldest; of those
    the one that stands last. One that does not fit is passed over, and shorter ones after it may fit. Of two
    budgets the larger never does worse: the first entry in that order on which they differ is in it. The
    last line tells how many are left out, unless not even it fits.
    """
    entries = [(candidate.entry, candidate.observed_on) for candidate in candidates]
    parts = lay_out(text, entries, unvouched)
    everything = _join(parts)
    if len(everything) <= max_chars:
        return Choice(everything, tuple(range(len(candidates))), 0)
    longest = max(2, len(candidates))  # "1 entry" is shorter than "2 entries"
    reserve = len(_LOOSE + _notice(name, max_chars, longest))
    shown = _take(parts, candidates, max_chars - reserve)
    left_out = len(candidates) - len(shown)
    chosen = _join(_with_headings(parts, shown))
    lines = [chosen] if chosen else []
    if reserve <= max_chars:
        lines.append(_notice(name, max_chars, left_out))
    return Choice(_LOOSE.join(lines), tuple(sorted(shown)), left_out)


def cut_prose(text: str, max_chars: int, *, name: str) -> Prose:
    """``text`` in at most ``max_chars``: whole, or three quarters from its head and the rest from its tail.

    Between them two lines say what is missing and where to read it; where they do not fit, a short mark does.
    """
    shown = show_plainly(text).rstrip()
    if len(shown) <= max_chars:
        return Prose(shown, is_cut=False)
    marker = _long_marker(name, max_chars, len(shown))
    if max_chars - len(marker) < _LEAST_CONTENT_CHARS:
        marker = _short_marker(max_chars, len(shown))
    kept = max(0, max_chars - len(marker))
    head = int(kept * _HEAD_SHARE)
    return Prose((shown[:head] + marker + shown[len(shown) - kept + head :])[:max_chars], is_cut=True)


def _take(parts: Sequence[Part], candidates: Sequence[Candidate], room: int) -> set[int]:
    """The candidates that fit, by the order of their worth."""
    entries = {part.index: part for part in parts if isinstance(part, EntryPart)}
    shown: set[int] = set()
    headed: set[int] = set()
    for index in sorted(range(len(candidates)), key=lambda index: _worth(candidates[index], index)):
        part = entries[index]
        headings = [parts[place] for place in part.headings if place not in headed]
        needed = part.max_chars + sum(heading.max_chars for heading in headings)
        if needed <= room:
            room -= needed
            shown.add(index)
            headed.update(part.headings)
    return shown


def _worth(candidate: Candidate, index: int) -> tuple[int, int, int]:
    """The most worth showing first."""
    importance = candidate.entry.annotations.importance or NEUTRAL_IMPORTANCE
    noted = candidate.observed_on.toordinal() if candidate.observed_on else 0
    return -importance, -noted, -index


def _with_headings(parts: Sequence[Part], shown: set[int]) -> list[Part]:
    headed = {
        place
        for part in parts
        if isinstance(part, EntryPart) and part.index in shown
        for place in part.headings
    }
    return [
        part
        for place, part in enumerate(parts)
        if (place in headed if isinstance(part, HeadingPart) else part.index in shown)
    ]


def _join(parts: Sequence[Part]) -> str:
    if not parts:
        return ""
    rest = "".join(f"{_gap(before, part)}{part.text}" for before, part in pairwise(parts))
    return parts[0].text + rest


def _gap(before: Part, part: Part) -> str:
    if isinstance(before, HeadingPart) and isinstance(part, EntryPart):
        return part.heading_gap
    return part.gap


def _notice(name: str, max_chars: int, left_out: int) -> str:
    """The last line of a file of which entries are left out."""
    count = f"{left_out} {'entry' if left_out == 1 else 'entries'} left out"
    return f"[{name} is over its budget of {max_chars} characters: {count}]"


def _long_marker(name: str, max_chars: int, chars: int) -> str:
    return (
        f"\n[... cut here: read {name} for all of it ...]"
        f"\n[... it has {chars} characters, {max_chars} of them fit with this notice ...]\n"
    )


def _short_marker(max_chars: int, chars: int) -> str:
    return f"[…{max_chars}/{chars}]"
