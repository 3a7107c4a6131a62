"""What a note claims: each of its entries, with the headings and items above it. Pure.

Recalls and the reading of notes share it, so that both know a claim by the same words.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from openclaw_memd.domain.annotations import (
    NO_ANNOTATIONS,
    Annotations,
    parse_annotations,
    strip_annotations,
)
from openclaw_memd.domain.commands import is_bare_command
from openclaw_memd.domain.comments import strip_comments
from openclaw_memd.domain.contamination import (
    Contamination,
    find_claim_contamination,
    find_contamination,
    says_nothing,
)
from openclaw_memd.domain.fences import Fence, opening_fence
from openclaw_memd.domain.lines import indent_width, split_lines
from openclaw_memd.domain.markdown import Entry, parse_entries, read_spans
from openclaw_memd.domain.plain_headings import is_plain_heading
from openclaw_memd.domain.recall_guard import blank_recalled
from openclaw_memd.domain.scripts import RUN_BODY
from openclaw_memd.domain.session_claims import read_said
from openclaw_memd.domain.unfit import find_unfit

LEAST_CHARS: Final = 8  # OpenClaw's value; a character of a script without spaces says as much as two

_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>.*)")
_QUOTED: Final = re.compile(r"[ \t]*(?:>[ \t]*)+(?P<said>User: .*)")
_START: Final = re.compile(r"\s*<!--\s*openclaw:dreaming:([\w-]+):start\s*-->\s*", re.IGNORECASE)
_END: Final = re.compile(r"\s*<!--\s*openclaw:dreaming:([\w-]+):end\s*-->\s*", re.IGNORECASE)
_HEADING: Final = re.compile(r" {0,3}#{1,2}(?:[ \t]|$)")  # deeper ones are part of a block
_MANAGED: Final = re.compile(r" {0,3}#{1,6}[ \t]+(?:light|rem|deep) sleep[ \t#]*", re.IGNORECASE)
_UNSPACED: Final = re.compile(f"[{RUN_BODY}]")
_WORDY: Final = re.compile(r"[^\W_]")
_STRUCK: Final = re.compile(r"~~(?:(?!~~).)+~~\W*")

IsVouched = Callable[[int], bool]
"""Whether somebody who is trusted is behind a line, counted from 1."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, in one line: ``text`` is all of it, however long, with what stands above it.

    Lines are counted from 1, both included. ``body`` is its own part of the text, ``context`` are the lines
    that the rest of it comes from. ``annotations`` are what its entry says of it.
    """

    text: str
    body: str
    start_line: int
    end_line: int
    context: tuple[int, ...] = ()
    annotations: Annotations = NO_ANNOTATIONS


def _is_anybodys(_line: int) -> bool:
    return True


def read_claims(text: str, is_vouched: IsVouched = _is_anybodys) -> list[Claim]:
    """The claims of a note, in order. What dreaming put into it is left out, and what was recalled; all lines
    count.

    Of an entry that is text of a machine nothing is claimed, whatever its parts look like; of captured
    conversation the sentences of people are, each by itself, as in the session that it is from. Annotations
    in lines that are not vouched for count for nothing, and where an entry claims several things its key is
    that of those whose own lines have it.
    """
    plain = _without_managed(blank_recalled(text))
    headings = _Headings(plain)
    found: list[Claim] = []
    for entry in parse_entries(plain):
        match find_contamination(entry.text):
            case None:
                claims = list(_claims(entry, headings.above(entry)))
                found += _annotated(claims, entry, is_vouched)
            case Contamination.TRANSCRIPT:
                found += _spoken_claims(entry)
            case _:
                continue
    return [claim for claim in found if _says_enough(claim.body) and _is_claim(claim)]


def _without_managed(text: str) -> str:
    """``text`` with the lines of managed blocks blank. One that does not end goes to the next heading."""
    if "openclaw:dreaming:" not in text:
        return text
    lines = text.split("\n")
    inside = False
    for index, line in enumerate(lines):
        if _START.fullmatch(line):
            inside = True
            above = index - 1
            while above >= 0 and not lines[above].strip():
                above -= 1
            if above >= 0 and _MANAGED.fullmatch(lines[above]):
                lines[above] = ""
        elif inside and _HEADING.match(line) and not _ends_below(lines, index):
            inside = False
            continue
        elif not inside:
            continue
        if _END.fullmatch(line):
            inside = False
        lines[index] = ""
    return "\n".join(lines)


def _ends_below(lines: Sequence[str], index: int) -> bool:
    """Whether the end of the block that is open at ``index`` comes before another one begins."""
    for line in lines[index:]:
        if _END.fullmatch(line):
            return True
        if _START.fullmatch(line):
            return False
    return False


class _Heading(NamedTuple):
    title: str
    line: int


class _Headings:
    """The headings of a text, for what stands under them."""

    def __init__(self, text: str) -> None:
        spans = read_spans(split_lines(text).texts)
        self._lines: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for span in spans:
            if span.kind == "heading":
                self._lines[span.heading_path].append(span.first + 1)

    def above(self, entry: Entry) -> _Heading | None:
        """The nearest heading that says something; of an entry with labels it is its own."""
        for depth in range(len(entry.heading_path), 0, -1):
            path = entry.heading_path[:depth]
            if entry.kind == "labels" and depth == len(entry.heading_path):
                return _Heading(path[-1], entry.start_line)
            if not is_plain_heading(path[-1]):
                lines = self._lines.get(path, [])
                above = bisect_left(lines, entry.start_line)
                return _Heading(path[-1], lines[above - 1]) if above else None
        return None


def _claims(entry: Entry, heading: _Heading | None) -> Iterator[Claim]:
    match entry.kind:
        case "item":
            yield from _item_claims(entry, heading)
        case "paragraph":
            yield _whole(entry, heading, " ".join(_plain_lines(entry.text)))
        case "labels":
            lines = [_without_bullet(line) for line in _plain_lines(entry.text)[1:]]
            yield _whole(entry, heading, "; ".join(line for line in lines if line))
        case _:
            return


def _annotated(claims: Sequence[Claim], entry: Entry, is_vouched: IsVouched) -> Iterator[Claim]:
    """``claims`` of one entry with what it says of them."""
    if entry.annotations == NO_ANNOTATIONS:
        yield from claims
        return
    lines = [
        (number, line)
        for number, line in enumerate(entry.text.split("\n"), entry.start_line)
        if is_vouched(number)
    ]
    said = parse_annotations("\n".join(line for _, line in lines))
    for claim in claims:
        own = said
        if len(claims) > 1 and said.key is not None:
            text = "\n".join(line for number, line in lines if claim.start_line <= number <= claim.end_line)
            own = replace(said, key=parse_annotations(text).key)
        yield replace(claim, annotations=own)


def _spoken_claims(entry: Entry) -> Iterator[Claim]:
    """What people say in quoted lines that begin with who speaks; answers and other lines claim nothing."""
    for number, line in enumerate(entry.text.split("\n"), entry.start_line):
        match = _QUOTED.match(line)
        for said in () if match is None else read_said(strip_comments(match["said"])):
            yield Claim(said.text, said.text, number, number)


def _plain_lines(text: str) -> list[str]:
    lines = strip_annotations(text).split("\n")
    return [plain for line in lines if (plain := strip_comments(line).strip())]


def _whole(entry: Entry, heading: _Heading | None, text: str) -> Claim:
    body = " ".join(text.split())
    return _claim(heading, (body, body), (entry.start_line, entry.end_line))


def _claim(
    heading: _Heading | None,
    texts: tuple[str, str],
    lines: tuple[int, int],
    outer: Sequence[int] = (),
) -> Claim:
    body, text = texts
    context = outer if heading is None else (heading.line, *outer)
    return Claim(
        text if heading is None else f"{heading.title.rstrip(' :：')}: {text}",
        body,
        *lines,
        context=tuple(context),
    )


@dataclass(slots=True)
class _Item:
    indent: int
    parts: list[str]
    first: int
    last: int
    outer: tuple["_Item", ...]
    has_children: bool = False

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.parts).split())


def _item_claims(entry: Entry, heading: _Heading | None) -> Iterator[Claim]:
    """Each item by itself, under those that it is in; one that only introduces others is none."""
    for item in _read_items(entry):
        is_container = item.has_children and len(item.parts) == 1 and item.text.endswith((":", "："))
        if item.text and not is_container:
            text = " > ".join((*(outer.text.rstrip(" :：") for outer in item.outer), item.text))
            lines = tuple(line for outer in item.outer for line in range(outer.first, outer.last + 1))
            yield _claim(heading, (item.text, text), (item.first, item.last), lines)


def _read_items(entry: Entry) -> list[_Item]:
    items: list[_Item] = []
    open_items: list[_Item] = []
    fence: Fence | None = None
    for number, line in enumerate(entry.text.split("\n"), entry.start_line):
        was_in_fence, fence = fence is not None, _next_fence(fence, line)
        shown = line if was_in_fence else strip_comments(line)
        match = None if was_in_fence else _ITEM.match(shown)
        if match is not None:
            indent = indent_width(shown)
            while open_items and open_items[-1].indent >= indent:
                open_items.pop()
            for outer in open_items[-1:]:
                outer.has_children = True
            text = "" if fence is not None and not was_in_fence else match["text"].strip()
            item = _Item(indent, [text] if text else [], number, number, tuple(open_items))
            items.append(item)
            open_items.append(item)
        elif open_items and shown.strip():
            item = open_items[-1]
            item.last = number
            if was_in_fence == (fence is not None):  # the fences themselves say nothing
                item.parts.append(shown.strip())
    return items


def _next_fence(fence: Fence | None, line: str) -> Fence | None:
    if fence is None:
        return opening_fence(line)
    return None if fence.is_closed_by(line) else fence


def _without_bullet(line: str) -> str:
    match = _ITEM.match(line)
    return line if match is None else match["text"].strip()


def _is_claim(claim: Claim) -> bool:
    """Whether the own part of a claim may be a memory, whatever a heading above it makes of it.

    What has nothing above it is judged later by all of its text, and that is told.
    """
    body = claim.body
    if _STRUCK.fullmatch(body) or says_nothing(body) or find_claim_contamination(body) is not None:
        return False
    return claim.text == body or not (is_bare_command(body) or find_unfit(body))


def _says_enough(text: str) -> bool:
    return _WORDY.search(text) is not None and len(text) + len(_UNSPACED.findall(text)) >= LEAST_CHARS
