"""Lines of a text, and where they are: split at ``\\n`` only, offsets in code points."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, count
from operator import add

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Lines:
    """A text as lines without their ``\\n``.

    ``starts[i]`` is the offset of ``texts[i]`` in the text. A byte order mark belongs to no line. A carriage
    return before the ``\\n`` is part of its line's text. A text that ends with ``\\n`` has an empty last
    line.
    """

    texts: list[str]
    starts: list[int]

    def start(self, index: int) -> int:
        """The offset at which line ``index`` (from 0) begins."""
        return self.starts[index]

    def end(self, index: int) -> int:
        """The offset at which the content of line ``index`` (from 0) ends, before any ``\\r`` and ``\\n``."""
        line = self.texts[index]
        return self.starts[index] + len(line) - line.endswith("\r")

    def number_at(self, offset: int) -> int:
        """The number, counted from 1, of the line that ``offset`` is in."""
        return max(1, bisect_right(self.starts, offset))


def split_lines(text: str) -> Lines:
    """The lines of ``text``."""
    texts = text.split("\n")
    starts = [0, *map(add, accumulate(map(len, texts[:-1])), count(1))]
    if text.startswith(BYTE_ORDER_MARK):
        texts[0] = texts[0][1:]
        starts[0] = 1
    return Lines(texts, starts)


def indent_width(line: str) -> int:
    """The columns of blanks that ``line`` begins with; a tab goes on to the next multiple of four."""
    if not line.startswith((" ", "\t")):  # most lines, and a file has thousands
        return 0
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return len(indent.expandtabs(4)) if "\t" in indent else len(indent)
