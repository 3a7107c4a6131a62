"""Taking what is to be forgotten out of the pages of dreaming. Pure.

Marks of blocks always stay, so that the next night finds its place. In blocks and reports an item goes with
what is indented below it, in the diary the whole entry.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

Takes = Callable[[str], bool]

_MARK: Final = re.compile(r"[ \t]*<!-- openclaw:dreaming:(\w+):(start|end) -->[ \t]*")
_ENTRY: Final = re.compile(r"---[ \t]*")
_DIARY: Final = "diary"


def cut_page(text: str, takes: Takes, cut_other: Callable[[str], str]) -> str:
    """DREAMS.md without what ``takes`` takes; ``cut_other`` gives what is left of what people wrote there."""
    kept: list[str] = []
    block: str | None = None
    part: list[str] = []

    def close() -> None:
        if block is None:
            kept.append(cut_other("".join(part)) if part else "")
        elif block == _DIARY:
            kept.extend(_cut_diary(part, takes))
        else:
            kept.extend(_cut_items(part, takes))
        part.clear()

    for line in text.splitlines(keepends=True):
        mark = _MARK.fullmatch(line.rstrip("\r\n"))
        if mark is None:
            part.append(line)
            continue
        close()
        kept.append(line)
        block = mark[1] if mark[2] == "start" else None
    close()
    return "".join(kept)


def cut_report(text: str, takes: Takes) -> str:
    """A report without what ``takes`` takes; its headings stay."""
    return "".join(_cut_items(text.splitlines(keepends=True), takes))


def count_gone(before: str, after: str) -> int:
    """How many lines that say something went."""
    return _solid(before) - _solid(after)


def _cut_items(lines: list[str], takes: Takes) -> Iterator[str]:
    for item in _items(lines):
        if item[0].startswith("#") or not takes("".join(item)):
            yield from item


def _items(lines: list[str]) -> Iterator[list[str]]:
    """Lines with those below them that are indented more."""
    item: list[str] = []
    for line in lines:
        if item and line.strip() and _indent(line) > _indent(item[0]) and item[0].strip():
            item.append(line)
            continue
        if item:
            yield item
        item = [line]
    if item:
        yield item


def _cut_diary(lines: list[str], takes: Takes) -> Iterator[str]:
    """An entry begins with a line of dashes; what stands before the first is none."""
    entry: list[str] = []
    is_entry = False
    for line in [*lines, None]:
        if line is not None and _ENTRY.fullmatch(line.rstrip("\r\n")) is None:
            entry.append(line)
            continue
        if not is_entry:
            yield from _cut_items(entry, takes)
        elif not takes("".join(entry)):
            yield from entry
        entry, is_entry = ([] if line is None else [line]), True


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _solid(text: str) -> int:
    return sum(1 for line in text.split("\n") if line.strip())
