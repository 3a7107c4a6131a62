"""Places in memory as search prints them: ``path#L3`` and ``path#L3-L5``."""

import re
from typing import NamedTuple

_LINES = re.compile(r"#L(?P<start>[1-9][0-9]{0,8})(?:-L?(?P<end>[1-9][0-9]{0,8}))?\Z")


class Place(NamedTuple):
    """Lines of a file, 1-based and inclusive; without any the whole file."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


def parse_citation(text: str) -> Place:
    """The place that ``text`` names."""
    match = _LINES.search(text)
    if match is None:
        return Place(text)
    start = int(match["start"])
    return Place(text[: match.start()], start, int(match["end"] or start))


def format_citation(place: Place) -> str:
    """The other way."""
    if place.start_line is None:
        return place.path
    end = "" if place.end_line in (None, place.start_line) else f"-L{place.end_line}"
    return f"{place.path}#L{place.start_line}{end}"
