"""Where an entry is put into a Markdown text so that it is one, and everything else stays what it was.

A place is tried and read back: what the grammar makes of a text decides, not what its last line looks like.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from openclaw_memd.domain.markdown import Entry, Span, parse_entries, read_spans
from openclaw_memd.domain.note_entries import close_fence

SECTION: Final = "Remembered"
"""The title of the section for new entries in a file with several sections."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines ``first`` to ``last - 1`` (from 0) become ``lines``."""

    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """The whole new text, its ``entries``, and the new one among them.

    ``helpers`` are lines that were added for its sake.
    """

    text: str
    entry: Entry
    entries: Sequence[Entry]
    helpers: tuple[str, ...] = ()


def append_entry(text: str, block: Sequence[str], entries: Sequence[Entry] | None = None) -> Placed | None:
    """``text`` with the entry ``block`` at its place for new ones; None when there is none.

    ``entries`` are those of ``text``, for who has them already: reading a long file takes a while.

    That is the end of the section `SECTION`; without one the end of the text, after the last list item
    without a blank line, where at most one heading stands in the text, else a section of its own there. Where
    the text ends in code that is never closed, it is in front of that; else the code is closed.
    """
    entries = parse_entries(text) if entries is None else entries
    known = [_known(entry) for entry in entries]
    for edit, heading in _places(text, block):
        placed = _try(text, [edit], block, known, entries)
        if placed is not None:
            return placed if heading is None else replace(placed, helpers=(heading,))
    body = text.rstrip("\n")
    closed = close_fence(body)
    if closed == body:
        return None
    placed = append_entry(closed + text[len(body) :], block)
    fence = closed.removeprefix(body).strip("\n")
    return None if placed is None else replace(placed, helpers=(fence, *placed.helpers))


def replace_entry(
    text: str,
    block: Sequence[str],
    replaced: Entry,
    entries: Sequence[Entry] | None = None,
    *,
    removed: Sequence[Entry] = (),
    flipped: Sequence[tuple[Entry, Sequence[str]]] = (),
) -> Placed | None:
    """``text`` with the entry ``block`` in front of ``replaced``, else at the place for new ones, and without
    ``removed``; None: no way. ``flipped`` are entries that have other lines from now on, ``entries`` as in
    ``append_entry``.
    """
    entries = parse_entries(text) if entries is None else entries
    gone = {entry.start for entry in removed}
    changed = {entry.start: "\n".join(lines) for entry, lines in flipped}
    left = [
        (changed[entry.start], "") if entry.start in changed else _known(entry)
        for entry in entries
        if entry.start not in gone
    ]
    flips = [Edit(entry.start_line - 1, entry.end_line, tuple(lines)) for entry, lines in flipped]
    indent = replaced.text[: len(replaced.text) - len(replaced.text.lstrip(" \t"))]
    blocks = dict.fromkeys([tuple(block), tuple(indent + line if line else "" for line in block)])
    at = replaced.start_line - 1
    for instead, wanted, above, below in product([(), ("",)], blocks, [(), ("",)], [(), ("",)]):
        edits = [Edit(entry.start_line - 1, entry.end_line, instead) for entry in removed]
        edits += [*flips, Edit(at, at, (*above, *wanted, *below))]
        placed = _try(text, edits, wanted, left, entries)
        if placed is not None:
            return placed
    for instead in ((), ("",)):
        edits = [Edit(entry.start_line - 1, entry.end_line, instead) for entry in removed]
        without = _apply(text, [*edits, *flips])
        rest = parse_entries(without, like=entries)
        if _are_same(rest, left):
            return append_entry(without, block, rest)
    return None


_Known = tuple[str, str]


def _known(entry: Entry) -> _Known:
    return entry.text, entry.kind


def _try(
    text: str, edits: Sequence[Edit], block: Sequence[str], others: Sequence[_Known], before: Sequence[Entry]
) -> Placed | None:
    """The edited text, when it has the new entry and beside it ``others`` in their order, as they are.

    ``before`` are the entries of ``text``.
    """
    changed = _apply(text, edits)
    wanted = "\n".join(block)
    entries = parse_entries(changed, like=before)
    if len(entries) != len(others) + 1:
        return None
    for index, entry in enumerate(entries):
        if entry.text == wanted and entry.kind == "item":
            rest = entries[:index] + entries[index + 1 :]
            if _are_same(rest, others):
                return Placed(changed, entry, entries)
    return None


def _are_same(entries: Sequence[Entry], known: Sequence[_Known]) -> bool:
    return len(entries) == len(known) and all(
        entry.text == text and kind in ("", entry.kind)
        for entry, (text, kind) in zip(entries, known, strict=True)
    )


def _apply(text: str, edits: Sequence[Edit]) -> str:
    """``text`` after ``edits``, which do not overlap. A last line end stays, and a new text gets one."""
    if not text:
        return "".join(f"{line}\n" for edit in edits for line in edit.lines)
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda edit: (edit.first, edit.last), reverse=True):
        lines[edit.first : edit.last] = edit.lines
    return "\n".join(lines)


def _places(text: str, block: Sequence[str]) -> Iterator[tuple[Edit, str | None]]:
    """Places for ``block``, best first, each with the heading that it needs."""
    lines = text.split("\n")
    spans = read_spans(lines)
    headings = [span for span in spans if span.kind in ("heading", "labels")]
    section = next((span for span in headings if _title(span) == SECTION), None)
    if section is not None:
        yield from _after(_section_end(spans, section), lines, block)
    elif len(headings) <= 1:
        yield from _after(spans[-1].last if spans else -1, lines, block)
    end = _text_end(lines)
    heading = f"## {SECTION}"
    above = ("",) if end else ()
    yield Edit(end, end, (*above, heading, "", *block)), heading
    for span in (*reversed(spans[-2:]), *spans[:2]):  # what is never closed takes in all that comes after it
        yield Edit(span.first, span.first, (*block, "")), None
        yield Edit(span.first, span.first, ("", *block, "")), None


def _after(last: int, lines: Sequence[str], block: Sequence[str]) -> Iterator[tuple[Edit, None]]:
    """Below line ``last``, closely or after a blank line, and before one where text follows at once."""
    at = last + 1
    below = ("",) if at < len(lines) and lines[at].strip() else ()
    yield Edit(at, at, (*block, *below)), None
    yield Edit(at, at, ("", *block, *below)), None


def _section_end(spans: Sequence[Span], section: Span) -> int:
    """The last line of the text under a heading, up to the next heading of any level."""
    last = section.last
    for span in spans[spans.index(section) + 1 :]:
        if span.kind in ("heading", "labels"):
            break
        last = span.last
    return last


def _text_end(lines: Sequence[str]) -> int:
    """The index after the last line that is not blank."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _title(span: Span) -> str:
    return span.heading_path[-1] if span.heading_path else ""
