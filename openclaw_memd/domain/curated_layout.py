"""A curated file as the parts that are shown of it: headings and entries, in order, as inert text."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final

from openclaw_memd.domain.annotations import strip_annotations
from openclaw_memd.domain.comments import is_comment_line
from openclaw_memd.domain.fences import lines_outside_fences, opening_fence
from openclaw_memd.domain.inert import neutralize
from openclaw_memd.domain.lines import split_lines
from openclaw_memd.domain.markdown import Entry, Span, read_spans

_WITHOUT_MEMORY: Final = frozenset({"front_matter", "comment", "rule"})
_KEPT_TEXTS: Final = 24_576  # more than the entries of a file that are of use
_KEPT_CHARS: Final = 1_024
_TIGHT = "\n"
_LOOSE = "\n\n"


@dataclass(frozen=True, slots=True)
class HeadingPart:
    """A heading. ``gap`` is what stands between it and whatever comes before."""

    text: str
    gap: str

    @property
    def max_chars(self) -> int:
        """What it takes at most, with its gap."""
        return len(self.text) + len(self.gap)


@dataclass(frozen=True, slots=True)
class EntryPart:
    """An entry: the one of this ``index`` among those that were given; ``headings`` are the parts above it.

    ``gap`` is what stands between it and another entry, ``heading_gap`` what between it and a heading.
    """

    text: str
    gap: str
    heading_gap: str
    index: int
    headings: tuple[int, ...]

    @property
    def max_chars(self) -> int:
        """What it takes at most, with its gap."""
        return len(self.text) + len(self.gap)


Part = HeadingPart | EntryPart


def is_shown(entry: Entry) -> bool:
    """Whether anything of it is shown: front matter, rules and comments are not."""
    return entry.kind not in _WITHOUT_MEMORY and bool(_visible_text(entry.text))


def lay_out(
    text: str, entries: Sequence[tuple[Entry, date | None]], unvouched: Container[int] = ()
) -> list[Part]:
    """The parts of the file ``text`` that hold ``entries``, some of its own in order, each with its date.

    A heading is a part when an entry stands below it; one among the ``unvouched`` lines, counted from 1, is
    as if it were not there. Texts are inert, without annotations and without lines that hold comments only.
    """
    if not entries:
        return []
    lines = split_lines(text).texts
    indexes = {entry.start_line - 1: index for index, (entry, _) in enumerate(entries)}
    parts: list[Part] = []
    above: list[tuple[int, Span, int | None]] = []  # level, heading, and its place once it is a part
    for span in read_spans(lines):
        if span.kind == "heading":
            if any(line + 1 in unvouched for line in range(span.first, span.last + 1)):
                continue
            level = _level(lines, span)
            while above and above[-1][0] >= level:
                above.pop()
            above.append((level, span, None))
            continue
        if span.first not in indexes:
            continue
        for place, (level, heading, known) in enumerate(above):
            if known is None and (shown := _visible_text("\n".join(lines[heading.first : heading.last + 1]))):
                above[place] = (level, heading, len(parts))
                parts.append(HeadingPart(shown, _gap_above(lines, heading, unvouched)))
        index = indexes[span.first]
        gap = _TIGHT if span.kind == "item" else _LOOSE
        parts.append(
            EntryPart(
                text=_with_date(*entries[index]),
                gap=gap,
                heading_gap=gap if _follows_blank(lines, span, unvouched) else _TIGHT,
                index=index,
                headings=tuple(known for _, _, known in above if known is not None),
            )
        )
    return parts


def _gap_above(lines: Sequence[str], heading: Span, unvouched: Container[int]) -> str:
    is_loose = heading.last > heading.first or _follows_blank(lines, heading, unvouched)
    return _LOOSE if is_loose else _TIGHT


def _follows_blank(lines: Sequence[str], span: Span, unvouched: Container[int]) -> bool:
    above = span.first - 1
    while above >= 0 and above + 1 in unvouched:
        above -= 1
    return above >= 0 and not lines[above].strip()


def _level(lines: Sequence[str], heading: Span) -> int:
    if heading.last > heading.first:
        return 1 if lines[heading.last].lstrip().startswith("=") else 2
    line = lines[heading.first].lstrip()
    return len(line) - len(line.lstrip("#"))


def _visible_text(text: str) -> str:
    """Inert, without annotations, and without lines of comments; ``""`` when nothing is left.

    Those of entries are kept: they are asked about several times for each version of a file.
    """
    return _kept_visible_text(text) if len(text) <= _KEPT_CHARS else _make_visible(text)


def _make_visible(text: str) -> str:
    lines: list[str | None] = list(strip_annotations(text).split("\n"))
    for index, line in lines_outside_fences([line or "" for line in lines]):
        if is_comment_line(line):
            lines[index] = None
    shown = "\n".join(neutralize(line).rstrip() for line in lines if line is not None).strip("\n")
    return shown if shown.strip("# \t\n") else ""


_kept_visible_text = lru_cache(maxsize=_KEPT_TEXTS)(_make_visible)


def _with_date(entry: Entry, noted_on: date | None) -> str:
    """The text of an entry with the date behind the first line of a list item, or the last of a paragraph."""
    text = _visible_text(entry.text)
    if noted_on is None or entry.kind not in ("item", "paragraph"):
        return text
    lines = text.split("\n")
    place = 0 if entry.kind == "item" else len(lines) - 1
    if opening_fence(lines[place]) is None and not lines[place].lstrip().startswith("|"):
        lines[place] += f" (noted {noted_on.isoformat()})"
    return "\n".join(lines)
