"""Adding the text of an old memory file to MEMORY.md so that nothing of either is lost. Pure.

What MEMORY.md says already, under the same headings, is not repeated, so doing it twice adds nothing. The
result is proven by parsing it: every entry of both is in it, and an entry that is added later would be one.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from openclaw_memd.domain.lines import split_lines
from openclaw_memd.domain.markdown import Span, parse_entries, read_spans

TITLE: Final = "# From memory.md"
"""Stands above what is added, where that does not begin with a heading of the first level: else it would
stand under the last heading of MEMORY.md."""

_TITLE_PATH: Final = (TITLE.removeprefix("# "),)
_PROBE: Final = "- memd looks whether this would be an entry."

Key = tuple[tuple[str, ...], str]
"""The headings above an entry, and what it says."""


class UnmergeableError(ValueError):
    """What is added would not be read as what it is: the file ends inside a code block or a comment."""


def merge(memory: str | None, legacy: str) -> str | None:
    """MEMORY.md with what is only in ``legacy``; None when all of it is there. Both have ``\\n`` line ends.

    Raises:
        UnmergeableError: it cannot be added.
    """
    if memory is None or not memory.strip():
        return legacy if legacy.strip() else None
    if _keys(legacy).keys() <= _keys(memory).keys():
        return None
    wrapped, is_titled = _wrap(legacy)
    lines = split_lines(wrapped).texts
    spans = read_spans(lines, at_file_start=False)
    kept = _missing(spans, lines, memory, is_titled=is_titled)
    if not kept:
        return None
    for chosen in (kept, range(len(spans))):
        result = f"{memory.rstrip(chr(10))}\n\n{_join(spans, lines, chosen)}\n"
        if _is_proven(result, memory, [_key(spans[index], lines) for index in chosen]):
            return result
    raise UnmergeableError("MEMORY.md ends inside a code block or a comment that is not closed")


def _wrap(legacy: str) -> tuple[str, bool]:
    """``legacy`` under a heading of the first level, and whether it had to be given one."""
    lines = split_lines(legacy).texts
    spans = read_spans(lines, at_file_start=False)
    if spans and spans[0].kind in ("heading", "labels"):
        first = lines[spans[0].first].lstrip()
        under = lines[spans[0].first + 1].lstrip() if spans[0].first + 1 < len(lines) else ""
        if first.startswith("# ") or (not first.startswith("#") and under.startswith("=")):
            return legacy, False
    return f"{TITLE}\n\n{legacy}", True


def _missing(spans: Sequence[Span], lines: Sequence[str], memory: str, *, is_titled: bool) -> list[int]:
    """The indexes of those spans that are to be added, headings with what is below them."""
    known = _keys(memory)
    kept: set[int] = set()
    for index, span in enumerate(spans):
        path, text = _key(span, lines)
        below = range(index + 1, _section_end(spans, index)) if span.kind == "heading" else range(0)
        if any(spans[other].kind != "heading" for other in below):
            continue  # stands or falls with its entries
        if is_titled and index == 0 and span.kind == "heading":
            continue
        own = path[1:] if is_titled and path[:1] == _TITLE_PATH else path
        if (path, text) not in known and (own, text) not in known:
            kept.add(index)
    for index, span in enumerate(spans):
        if span.kind == "heading" and kept.intersection(range(index + 1, _section_end(spans, index))):
            kept.add(index)
    return sorted(kept)


def _section_end(spans: Sequence[Span], index: int) -> int:
    """The index after the last span below the heading at ``index``."""
    path = spans[index].heading_path
    for other in range(index + 1, len(spans)):
        found = spans[other].heading_path
        is_heading = spans[other].kind == "heading"
        if found[: len(path)] != path or (is_heading and len(found) <= len(path)):
            return other
    return len(spans)


def _join(spans: Sequence[Span], lines: Sequence[str], chosen: Sequence[int]) -> str:
    """The chosen spans; between neighbours what stood there, else one blank line."""
    parts: list[str] = []
    before: int | None = None
    for index in chosen:
        if before is not None:
            is_next = before + 1 == index
            parts += lines[spans[before].last + 1 : spans[index].first] if is_next else [""]
        parts += lines[spans[index].first : spans[index].last + 1]
        before = index
    return "\n".join(parts).rstrip("\n")


def _is_proven(result: str, memory: str, added: Sequence[Key]) -> bool:
    if _keys(memory) + Counter(added) - _keys(result):
        return False
    last = parse_entries(f"{result}\n{_PROBE}\n")[-1]
    return last.kind == "item" and last.text == _PROBE


def _keys(text: str) -> Counter[Key]:
    """The headings and entries of a text, and how often each is there."""
    lines = split_lines(text).texts
    return Counter(_key(span, lines) for span in read_spans(lines))


def _key(span: Span, lines: Sequence[str]) -> Key:
    text = "\n".join(line.rstrip() for line in lines[span.first : span.last + 1])
    return span.heading_path, text
