"""A text without some of its lines: the blank lines around them, and what may not grow together."""

from collections.abc import Iterable, Sequence

_BEGINNINGS = ("- ", "* ", "+ ", "#")
"""What begins something of its own wherever it stands."""


def close_gaps(text: str, gone: set[int], entries: Iterable[tuple[int, int]]) -> str:
    """``text`` without the lines with the indexes ``gone``; every other line that is not blank stays.

    Of the blank lines around a gap one lot stays. ``entries``, [first, last] line of each, that the gap kept
    apart get a blank line between them where they would be one without it.
    """
    lines = text.split("\n")
    ends = dict(entries)
    kept: list[str] = []
    last = -1  # of the entry that was begun last
    index = 0
    while index < len(lines):
        if index not in gone:
            last = max(last, ends.get(index, -1))
            kept.append(lines[index])
            index += 1
            continue
        end = _gap_end(lines, gone, index)
        for inside in range(index, end):
            last = max(last, ends.get(inside, -1))
        _close(kept, lines, index, end, is_inside=end <= last)
        index = end
        if not any(map(str.strip, kept)):
            while index < len(lines) - 1 and not lines[index].strip():
                index += 1
    if lines[-1] and len(lines) - 1 in gone:
        kept.append("")  # the last line had no end; the one before it keeps its own
    mark = "\ufeff" if text.startswith("\ufeff") and 0 in gone else ""
    return mark + "\n".join(kept) if any(map(str.strip, kept)) else mark


def _gap_end(lines: Sequence[str], gone: set[int], start: int) -> int:
    """The index after a gap; blank lines between two lines that go are part of it."""
    end = start + 1
    while True:
        following = end
        while following < len(lines) and following not in gone and not lines[following].strip():
            following += 1
        if following >= len(lines) or following not in gone:
            return end
        end = following + 1


def _close(kept: list[str], lines: Sequence[str], start: int, end: int, *, is_inside: bool) -> None:
    is_last = end >= len(lines) or (end == len(lines) - 1 and not lines[end])
    if is_last or not lines[end].strip():
        while kept and not kept[-1].strip():
            kept.pop()
    elif not is_inside and kept and kept[-1].strip() and not lines[end].startswith(_BEGINNINGS):
        kept.append("\r" if lines[start].endswith("\r") else "")
