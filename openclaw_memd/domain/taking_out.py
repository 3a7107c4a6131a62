"""Entries taken out of a curated file, and headings of generated sections that have nothing left. Pure."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final

from openclaw_memd.domain.generated_sections import is_generated_title
from openclaw_memd.domain.markdown import Entry, Span, parse_entries, read_spans

Edit = tuple[int, int, Sequence[str]]
"""Lines ``first`` to ``last - 1`` (from 0) become others."""

_BLANKS: Final[tuple[tuple[str, ...], ...]] = ((), ("",))


def take_out(
    text: str,
    takes: Callable[[Entry], bool],
    instead: Callable[[Entry], Sequence[str]] = lambda _entry: (),
) -> tuple[str, tuple[Entry, ...]]:
    """``text`` without the entries that ``takes`` takes, and those entries.

    ``instead`` gives the entries that have the place of one from then on. Where neighbours would become one,
    a blank line stands between them.
    """
    entries = parse_entries(text)
    gone = tuple(entry for entry in entries if takes(entry))
    if not gone:
        return text, ()
    new = {entry.start: instead(entry) for entry in gone}
    left = list(chain.from_iterable(new.get(entry.start, (entry.text,)) for entry in entries))
    found = text
    for blank in _BLANKS:
        edits = [(entry.start_line - 1, entry.end_line, _lines(new[entry.start], blank)) for entry in gone]
        found = _edit(text, edits, {entry.start_line - 1 for entry in gone if not new[entry.start]})
        if [entry.text for entry in parse_entries(found)] == left:
            break
    return found, gone


def _lines(texts: Sequence[str], blank: Sequence[str]) -> Sequence[str]:
    return [*blank, *chain.from_iterable([*text.split("\n"), *blank] for text in texts)]


def _edit(text: str, edits: Sequence[Edit], emptied: set[int]) -> str:
    """``text`` with lines in the place of others, and without headings that have nothing left."""
    lines = text.split("\n")
    headings = _emptied(lines, emptied)
    for first, last, new in sorted([*edits, *headings], reverse=True, key=lambda edit: edit[0]):
        lines[first:last] = new
    return "\n".join(lines)


def _emptied(lines: Sequence[str], starts: set[int]) -> list[Edit]:
    """Headings of generated sections below which all goes, with the blank lines up to that, to be cut."""
    spans = read_spans(lines)
    found: list[Edit] = []
    for index, span in enumerate(spans):
        if span.kind == "heading" and is_generated_title(lines[span.first]):
            below = _below(spans[index + 1 :])
            if below and all(other.first in starts for other in below):
                found.append((span.first, below[0].first, ()))
    return found


def _below(spans: Sequence[Span]) -> list[Span]:
    """The spans up to the next heading."""
    below: list[Span] = []
    for span in spans:
        if span.kind in ("heading", "labels"):
            break
        below.append(span)
    return below
