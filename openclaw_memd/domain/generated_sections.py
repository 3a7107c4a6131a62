"""Sections of MEMORY.md that hold only what nights wrote: no others may go to make room. Pure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from openclaw_memd.domain.annotations import parse_annotations
from openclaw_memd.domain.comments import is_comment_line
from openclaw_memd.domain.dates import iso_date
from openclaw_memd.domain.line_hashes import hash_text
from openclaw_memd.domain.markdown import Span, read_spans

_TITLE: Final = re.compile(
    r"## (?:Promoted|Promoted From Short-Term Memory|Consolidated Memory) \((\d{4}-\d\d-\d\d)\)"
)
_SUBTITLE: Final = re.compile(r"### (?:Global|Project: \S.*)")
_THEIR_ANCHOR: Final = re.compile(r"\s*<!--\s*openclaw-memory-(?:promotion|lineage):.*-->\s*")


@dataclass(frozen=True, slots=True)
class Section:
    """Lines ``first`` to ``last - 1`` (from 0) of a text: its heading and ``entries`` entries of one line."""

    title: str
    latest: date
    first: int
    last: int
    entries: int


def is_generated_title(line: str) -> bool:
    """Whether ``line`` is the heading of a section that nights write into."""
    return _TITLE.fullmatch(line.rstrip()) is not None


def find_generated(text: str, generated: Collection[str], *, before: date) -> list[Section]:
    """The sections that hold generated entries only, all of before that day, the oldest first.

    ``generated`` are hashes of the entries that were written; those of OpenClaw are known by their anchors.
    An entry that somebody changed is not generated any more, and its section stays.
    """
    lines = text.split("\n")
    spans = read_spans(lines)
    found: list[Section] = []
    for index, span in enumerate(spans):
        match = _TITLE.fullmatch(lines[span.first].rstrip()) if span.kind == "heading" else None
        day = iso_date(match[1]) if match else None
        if match is None or day is None:
            continue
        inner = _inside(lines, spans[index + 1 :])
        dates = [_generated_on(lines, one, generated, day) for one in inner if one.kind != "heading"]
        known = [date_ for date_ in dates if date_ is not None]
        if known and len(known) == len(dates) and max(known) < before:
            end = inner[-1].last + 1
            while end < len(lines) and not lines[end].strip():
                end += 1
            found.append(Section(match[0][3:], max(known), span.first, end, len(known)))
    return sorted(found, key=lambda section: (section.latest, section.first))


def without_sections(text: str, sections: Sequence[Section]) -> str:
    """``text`` without ``sections``."""
    lines = text.split("\n")
    for section in sorted(sections, key=lambda section: section.first, reverse=True):
        del lines[section.first : section.last]
    body = "\n".join(lines).rstrip("\n")
    return f"{body}\n" if body else ""


def _inside(lines: Sequence[str], spans: Sequence[Span]) -> list[Span]:
    """The spans up to the next heading that does not only part a generated section."""
    inner: list[Span] = []
    for span in spans:
        if span.kind in ("heading", "labels") and not (
            span.kind == "heading"
            and span.first == span.last
            and _SUBTITLE.fullmatch(lines[span.first].rstrip())
        ):
            break
        inner.append(span)
    while inner and inner[-1].kind == "heading":
        inner.pop()
    return inner


def _generated_on(lines: Sequence[str], span: Span, generated: Collection[str], day: date) -> date | None:
    """When the entry was written; None when it is not generated."""
    own = lines[span.first : span.last + 1]
    text = "\n".join(own)
    is_theirs = any(map(_THEIR_ANCHOR.fullmatch, own)) and sum(not is_comment_line(line) for line in own) == 1
    if span.kind != "item" or not (hash_text(text) in generated or is_theirs):
        return None
    return max(day, parse_annotations(text).observed or day)
