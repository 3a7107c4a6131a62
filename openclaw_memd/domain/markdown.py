"""The one grammar of entries: what counts as one memory in a Markdown file.

An entry is a list item with its continuation lines and sub-items; a paragraph outside lists; a heading whose
few bullets are all short ``label: value`` lines; a code block that follows no other entry; front matter; a
comment or a rule that stands alone. Comment lines directly above an entry belong to it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from openclaw_memd.domain.annotations import (
    NO_ANNOTATIONS,
    Annotations,
    parse_annotations,
    strip_annotations,
)
from openclaw_memd.domain.blocks import Block, read_blocks
from openclaw_memd.domain.lines import split_lines

EntryKind = Literal["item", "labels", "paragraph", "code", "front_matter", "comment", "rule"]
SpanKind = Literal[EntryKind, "heading"]

_KEPT_TEXTS = 8
_KEPT_CHARS = 1_000_000
_MAX_LABELS = 8
_MIN_LABELS = 2
_MAX_LABEL_LINE_CHARS = 120
_LABEL_ITEM = re.compile(
    r"[ \t]{0,3}[-*+][ \t]+(?!\[)\**(?P<label>[^\W\d][^:：.!?;<>`*\n]{0,39})\**(?:[:：]\**[ \t]+|：)\S"
)
_MAX_LABEL_WORDS = 4
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")


class Span(NamedTuple):
    """An entry or a heading, lines ``first`` to ``last`` (both included, from 0), under its headings."""

    kind: SpanKind
    first: int
    last: int
    heading_path: tuple[str, ...]


Section = tuple[tuple[str, ...], Sequence[tuple[SpanKind, int, int]]]
"""A heading path, and what stands under it as kind, first and last line."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory: ``text`` is the file's ``[start:end]``, in code points, without its last line end.

    Lines are counted from 1, both included. ``heading_path`` has the titles of the headings above, outermost
    first; the entry of a heading with labels has that heading too.
    """

    start: int
    end: int
    start_line: int
    end_line: int
    heading_path: tuple[str, ...]
    kind: EntryKind
    text: str
    annotations: Annotations


def parse_entries(text: str, most: int | None = None, *, like: Iterable[Entry] = ()) -> list[Entry]:
    """The entries of a Markdown text, in order. They do not overlap; only headings are in none.

    Of a text with more than ``most`` it is the first of them, for which the others are not made. Those of the
    last few texts are kept: one version of a file is asked about from many sides. ``like`` are entries of
    another version of a text too long for that: what those say of themselves is not read again.
    """
    if len(text) <= _KEPT_CHARS:
        return list(islice(_kept_entries(text), most))
    said = {entry.text: entry.annotations for entry in like if entry.kind != "front_matter"}
    return list(islice(_read_entries(text, said), most))


def _read_entries(text: str, said: Mapping[str, Annotations]) -> Iterator[Entry]:
    lines = split_lines(text)
    for span in read_spans(lines.texts):
        if span.kind == "heading":
            continue
        start, end = lines.start(span.first), lines.end(span.last)
        known = None if span.kind == "front_matter" else said.get(text[start:end])
        yield Entry(
            start=start,
            end=end,
            start_line=span.first + 1,
            end_line=span.last + 1,
            heading_path=span.heading_path,
            kind=span.kind,
            text=text[start:end],
            annotations=annotations_of(span, text, start, end) if known is None else known,
        )


@lru_cache(maxsize=_KEPT_TEXTS)
def _kept_entries(text: str) -> tuple[Entry, ...]:
    return tuple(_read_entries(text, {}))


def read_spans(lines: Sequence[str], *, at_file_start: bool = True) -> list[Span]:
    """The headings and entries of ``lines``, in order; the heading of an entry with labels is part of it.

    A heading's path ends with its own title. ``at_file_start`` tells whether front matter may come first.
    """
    return [
        Span(kind, first, last, path)
        for path, parts in read_sections(lines, at_file_start=at_file_start)
        for kind, first, last in parts
    ]


def annotations_of(span: Span, text: str, start: int, end: int) -> Annotations:
    """The annotations of the entry ``span`` at ``text[start:end]``. Front matter is data and has none."""
    if span.kind == "front_matter" or text.find("<!--", start, end) < 0:
        return NO_ANNOTATIONS
    return parse_annotations(text[start:end])


def read_sections(lines: Sequence[str], *, at_file_start: bool = True) -> Iterator[Section]:
    """What ``read_spans`` gives, section by section: the quicker way, as there are thousands of spans.

    A section begins with its heading, but for the text before the first one.
    """
    blocks = read_blocks(lines, at_file_start=at_file_start)
    starts = [index for index, (kind, _, _) in enumerate(blocks) if kind == "heading"]
    headings: list[tuple[int, str]] = []
    yield (), blocks[: starts[0] if starts else None]
    for start, end in pairwise([*starts, len(blocks)]):
        _, first, last = blocks[start]
        level, title = _heading(lines[first], lines[last])
        while headings and headings[-1][0] >= level:
            headings.pop()
        headings.append((level, title))
        path = tuple(title for _, title in headings if title)
        section = blocks[start:end]
        if _are_labels(lines, section[1:]):
            yield path, [("labels", first, section[-1].last)]
        else:
            yield path, section


def _heading(first: str, last: str) -> tuple[int, str]:
    """Level and title of the heading that begins with line ``first``; a setext heading ends with ``last``."""
    line = strip_annotations(first).strip()
    if first is last:
        title = line.lstrip("#")
        hashes = len(line) - len(title)
        return hashes, (_CLOSING_HASHES.sub("", title) if title.endswith("#") else title).strip()
    return 1 if last.lstrip().startswith("=") else 2, line


def _are_labels(lines: Sequence[str], blocks: Sequence[Block]) -> bool:
    """Whether all that a heading has is a few label bullets."""
    if not _MIN_LABELS <= len(blocks) <= _MAX_LABELS or not _is_label(lines, blocks[0]):
        return False
    return all(_is_label(lines, block) for block in blocks)


def _is_label(lines: Sequence[str], block: Block) -> bool:
    kind, first, last = block
    line = lines[first]
    if kind != "item" or first != last or len(line) > _MAX_LABEL_LINE_CHARS:
        return False
    match = _LABEL_ITEM.match(line)
    return match is not None and len(match["label"].split()) <= _MAX_LABEL_WORDS and "<!--" not in line
