"""Entries taken out of a curated file, and headings of generated sections that have nothing left. Pure."""

from collections.abc import Callable, Sequence
from typing import Final

from openclaw_memd.domain.generated_sections import is_generated_title
from openclaw_memd.domain.markdown import Entry, Span, parse_entries, read_spans

_INSTEAD: Final[tuple[tuple[str, ...], ...]] = ((), ("",))


def take_out(text: str, takes: Callable[[Entry], bool]) -> tuple[str, tuple[Entry, ...]]:
    """``text`` without the entries that ``takes`` takes, and those entries.

    Where their neighbours would become one without them, a blank line stands in their place.
    """
    entries = parse_entries(text)
    gone = tuple(entry for entry in entries if takes(entry))
    if not gone:
        return text, ()
    left = [(entry.text, entry.kind) for entry in entries if entry not in gone]
    new = text
    for instead in _INSTEAD:
        new = _without(text, gone, instead)
        if [(entry.text, entry.kind) for entry in parse_entries(new)] == left:
            break
    return new, gone


def _without(text: str, gone: Sequence[Entry], instead: Sequence[str]) -> str:
    lines = text.split("\n")
    edits = [(entry.start_line - 1, entry.end_line, instead) for entry in gone]
    edits += [(first, last, ()) for first, last in _emptied(lines, {entry.start_line - 1 for entry in gone})]
    for first, last, new in sorted(edits, reverse=True, key=lambda edit: edit[0]):
        lines[first:last] = new
    return "\n".join(lines)


def _emptied(lines: Sequence[str], starts: set[int]) -> list[tuple[int, int]]:
    """The headings of generated sections below which all goes, with the blank lines up to that."""
    spans = read_spans(lines)
    found: list[tuple[int, int]] = []
    for index, span in enumerate(spans):
        if span.kind == "heading" and is_generated_title(lines[span.first]):
            below = _below(spans[index + 1 :])
            if below and all(other.first in starts for other in below):
                found.append((span.first, below[0].first))
    return found


def _below(spans: Sequence[Span]) -> list[Span]:
    """The spans up to the next heading."""
    below: list[Span] = []
    for span in spans:
        if span.kind in ("heading", "labels"):
            break
        below.append(span)
    return below
