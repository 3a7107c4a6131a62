"""Entries of the diary that a look through old notes or sessions wrote. Pure.

Each tells of one day of one source and is known by its comments: OpenClaw's, so that it knows them too, and
one of ours, so that what OpenClaw wrote stays. They are the first of the diary, by day. Only what stands
between their first and their last mark is ever replaced or taken away.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import quote, unquote

from openclaw_memd.domain.dream_pages import BACKFILL, format_day, open_diary, with_ends

_OPENING: Final = "<!-- openclaw:dreaming:backfill-entry "
_HEAD: Final = re.compile(
    rf"{_OPENING}day=(\d{{4}}-\d\d-\d\d) source=(\S+) -->[ \t]*\r?\n<!-- memd:dream {BACKFILL} -->[ \t]*\r?\n"
)
_END: Final = f"<!-- memd:dream {BACKFILL}:end -->"
_FOOT: Final = re.compile(rf"^{re.escape(_END)}[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_BLANK: Final = re.compile(r"[ \t]*\r?\n")
_ABOVE: Final = re.compile(
    r"(?:^---[ \t]*\r?\n(?:[ \t]*\r?\n)?)?(?:^\*[^*\n]{4,80}\*[ \t]*\r?\n(?:[ \t]*\r?\n)?)?\Z", re.M
)
_ABOVE_CHARS: Final = 200
_OWN_LINE: Final = re.compile(r"(?:#{2} [^\n]*|- [^\n]*|[ \t]*)(?:\n|\Z)")
_OTHER_MARK: Final = re.compile(r"^(?:---[ \t]*\r?$|<!-- openclaw:dreaming:)", re.MULTILINE)

Takes = Callable[[date, str], bool]
"""Whether the entry of a day and a source is meant."""


@dataclass(frozen=True, slots=True)
class BackfillEntry:
    """What one source says of one day: ``body`` is Markdown."""

    day: date
    source: str
    body: str


@dataclass(frozen=True, slots=True)
class _Span:
    day: date
    source: str
    start: int
    end: int


def put_entries(text: str, entries: Sequence[BackfillEntry], replaces: Takes) -> str:
    """``text`` with these entries in the place of all that ``replaces`` names; others stay as they are."""
    spans = _find(text)
    kept = [
        (one.day, one.source, text[one.start : one.end]) for one in spans if not replaces(one.day, one.source)
    ]
    rest = _without(text, spans)
    if not kept and not entries:
        return rest
    opened, at, end = open_diary(rest)
    new = [(one.day, one.source, with_ends(_format(one), end)) for one in entries]
    written = "".join(piece for _, _, piece in sorted([*kept, *new]))
    return opened[:at] + written + opened[at:]


def drop_entries(text: str, takes: Takes) -> str:
    """``text`` without the entries that ``takes`` names."""
    return _without(text, [one for one in _find(text) if takes(one.day, one.source)])


def count_entries(text: str) -> int:
    """How many entries of this kind there are."""
    return len(_find(text))


def _format(entry: BackfillEntry) -> str:
    source = quote(entry.source, safe="/~", errors="surrogateescape")
    return (
        f"---\n\n*{format_day(entry.day)}*\n\n{_OPENING}day={entry.day} source={source} -->\n"
        f"<!-- memd:dream {BACKFILL} -->\n{entry.body}\n\n{_END}\n\n"
    )


def _find(text: str) -> list[_Span]:
    found: list[_Span] = []
    at = text.find(_OPENING)
    while at >= 0:
        head = _HEAD.match(text, at)
        is_line = at == 0 or text[at - 1] == "\n"
        if head is not None and is_line and (day := _day(head[1])) is not None:
            start = _start(text, at, found[-1].end if found else 0)
            end = _end(text, head.end())
            found.append(_Span(day, unquote(head[2], errors="surrogateescape"), start, end))
            at = text.find(_OPENING, end)
        else:
            at = text.find(_OPENING, at + 1)
    return found


def _start(text: str, at: int, least: int) -> int:
    """Where an entry begins: at the dashes and the date above its comments, as far as they are there."""
    above = max(least, at - _ABOVE_CHARS)
    found = _ABOVE.search(text[above:at])
    return at if found is None else above + found.start()


def _end(text: str, at: int) -> int:
    """Where an entry ends. One whose last mark somebody took away ends with the lines that look like ours."""
    other = _OTHER_MARK.search(text, at)
    border = len(text) if other is None else other.start()
    foot = _FOOT.search(text, at, border)
    if foot is not None:
        blank = _BLANK.match(text, foot.end(), border)
        return foot.end() if blank is None else blank.end()
    while at < border and (line := _OWN_LINE.match(text, at, border)) is not None and line.end() > at:
        at = line.end()
    return at


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _without(text: str, spans: Sequence[_Span]) -> str:
    pieces: list[str] = []
    done = 0
    for span in spans:
        pieces.append(text[done : span.start])
        done = span.end
    return "".join((*pieces, text[done:]))
