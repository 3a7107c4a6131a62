"""Markdown as a sequence of blocks of lines.

The rules are CommonMark's where they decide what belongs together, with these differences, since notes are
written by hand and by models: a sub-item or continuation needs two more columns than its item's marker,
whatever the marker's width; a list item may stand at any indent; a setext heading has one line; a comment
that is never closed is text; date and status of an item may stand above it with a blank line between; front
matter is known. Quotes, tables and raw HTML are paragraphs.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from openclaw_memd.domain.annotations import is_annotation_line, is_dated
from openclaw_memd.domain.comments import is_comment_line
from openclaw_memd.domain.fences import Fence, may_open_fence, opening_fence
from openclaw_memd.domain.lines import indent_width

BlockKind = Literal["heading", "item", "paragraph", "code", "front_matter", "comment", "rule"]

_LINE = re.compile(
    r"""[ \t]*+(?:
    (?P<blank>\s*+$)
  | (?P<heading>\#{1,6}(?=[ \t\r]|$))
  | (?P<fence>`{3}|~{3})
  | (?P<rule>([-*_])[ \t]*+(?:\5[ \t]*+){2,}\r?$)
  | (?P<item>(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t\r]|$))
  | (?P<comment><!--)
    )?""",
    re.VERBOSE,
)
_BULLET = re.compile(r"[-*+] [^\s\-*+]")  # an item that stands in no other one, and surely no rule
_SETEXT_UNDERLINE = re.compile(r"[ \t]*(=+|-{2,})[ \t\r]*")
_FRONT_MATTER_KEY = re.compile(r"[\w\"'][^:]*:(\s|$)")
_NOT_A_TITLE = (">", "|")
_CODE_INDENT = 4
_SUB_INDENT = 2


class Block(NamedTuple):  # a file has thousands, and a tuple is made in a third of the time
    """Lines ``first`` to ``last`` (both included, counted from 0). Both are non-blank."""

    kind: BlockKind
    first: int
    last: int


def read_blocks(lines: Sequence[str], *, at_file_start: bool = True) -> list[Block]:
    """The blocks of ``lines``, in order; every non-blank line is in exactly one.

    ``at_file_start`` tells whether front matter may come first.
    """
    reader = _Reader(lines)
    return reader.read(_front_matter_end(lines) if at_file_start else 0)


def _front_matter_end(lines: Sequence[str]) -> int:
    """How many lines are front matter: ``---``, a ``key:`` line, and so on to ``---`` or ``...``."""
    if len(lines) < 3 or lines[0].rstrip() != "---" or not _FRONT_MATTER_KEY.match(lines[1]):
        return 0
    for index in range(2, len(lines)):
        if lines[index].rstrip() in ("---", "..."):
            return index + 1
    return 0


class _Reader:
    """One pass over the lines. The *open* block is the one that the next line may still belong to."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._blocks: list[Block] = []
        self._kind: BlockKind | None = None  # of the open block
        self._first = 0
        self._body = 0  # its first line after comments above it
        self._last = 0
        self._inner = 0  # columns from which a line is inside the open item
        self._fence: Fence | None = None
        self._fence_in_item = False
        self._comments_from: int | None = None  # comment lines directly above the line that is read

    def read(self, index: int) -> list[Block]:
        if index:
            self._blocks.append(Block("front_matter", 0, index - 1))
        lines, is_bullet = self._lines, _BULLET.match
        while index < len(lines):
            line = lines[index]
            if self._fence is None and is_bullet(line):  # most lines of notes
                self._open("item", index)
                self._inner = _SUB_INDENT
                if may_open_fence(line):
                    self._open_fence(line)
                index += 1
            elif line or self._fence is not None or self._comments_from is not None:
                index = self._read_line(index)
            else:
                index += 1
        self._close()
        self._end_comments(len(self._lines))
        return self._blocks

    def _read_line(self, index: int) -> int:
        """Take in the line and give the index of the next one to read."""
        line = self._lines[index]
        if self._fence is not None and self._read_fenced(index, line):
            return index + 1
        match = _LINE.match(line)
        assert match is not None  # every part of the pattern is optional
        kind = match.lastgroup
        if kind == "item":
            self._read_item(index, line, match)
        elif kind is None:
            self._read_text(index, line)
        elif kind == "blank":
            if self._comments_from is not None and not self._is_parted(index):
                self._end_comments(index)
        elif self._kind == "item" and indent_width(line) >= self._inner:
            self._last = index
            if kind == "fence":
                self._open_fence(line)
        elif kind != "comment" and indent_width(line) >= _CODE_INDENT:
            self._read_text(index, line)
        elif kind == "heading":
            self._add_line("heading", index)
        elif kind == "rule":
            self._read_rule(index, line)
        elif kind == "fence":
            self._read_fence(index, line)
        else:
            return self._read_comment(index, line)
        return index + 1

    def _read_fenced(self, index: int, line: str) -> bool:
        """Whether the line belongs to the open fence."""
        assert self._fence is not None
        if not line.strip():
            return True
        if self._fence_in_item and indent_width(line) < self._inner:
            self._fence = None
            self._close()
            return False
        self._last = index
        if self._fence.is_closed_by(line) and (self._fence_in_item or indent_width(line) < _CODE_INDENT):
            self._fence = None
            if not self._fence_in_item:
                self._close()
        return True

    def _read_item(self, index: int, line: str, match: re.Match[str]) -> None:
        indent = indent_width(line)
        if self._kind == "item" and indent >= self._inner:
            self._last = index
        elif self._kind == "paragraph" and self._interrupts_no_paragraph(index, line, match):
            self._last = index
            return
        else:
            self._open("item", index)
            self._inner = indent + _SUB_INDENT
        self._open_fence(line)

    def _interrupts_no_paragraph(self, index: int, line: str, match: re.Match[str]) -> bool:
        """Whether a number or a lone mark that begins this line is part of the open paragraph above it."""
        if self._last != index - 1:
            return False
        marker = match["item"]
        return not line[match.end() :].strip() or (marker[0].isdigit() and marker[:-1] != "1")

    def _read_text(self, index: int, line: str) -> None:
        if self._continues(index, line):
            if self._is_title(index) and _SETEXT_UNDERLINE.fullmatch(line):
                self._make_heading(index)
            else:
                self._last = index
        else:
            self._open("paragraph", index)

    def _continues(self, index: int, line: str) -> bool:
        if self._kind == "item":
            return self._last == index - 1 or indent_width(line) >= self._inner
        return self._kind == "paragraph" and self._last == index - 1

    def _read_rule(self, index: int, line: str) -> None:
        if self._is_title(index) and _SETEXT_UNDERLINE.fullmatch(line):
            self._make_heading(index)
        else:
            self._add_line("rule", index)

    def _is_title(self, index: int) -> bool:
        """Whether the line above may be the text of a setext heading."""
        return (
            self._kind == "paragraph"
            and self._body == self._last == index - 1
            and not self._lines[self._body].lstrip().startswith(_NOT_A_TITLE)
        )

    def _make_heading(self, index: int) -> None:
        if self._first < self._body:
            self._blocks.append(Block("comment", self._first, self._body - 1))
        self._blocks.append(Block("heading", self._body, index))
        self._kind = None

    def _read_fence(self, index: int, line: str) -> None:
        if opening_fence(line) is None:
            self._read_text(index, line)
            return
        if self._introduces(index):
            self._last = index
        else:
            self._open("code", index)
        self._open_fence(line, in_item=False)

    def _introduces(self, index: int) -> bool:
        """Whether the fence at ``index`` belongs to the open block.

        That ends with the line above, or with a colon before one blank line.
        """
        if self._kind not in ("item", "paragraph") or self._comments_from is not None:
            return False
        if self._last == index - 1:
            return True
        return self._last == index - 2 and self._lines[self._last].rstrip().endswith((":", "："))

    def _open_fence(self, line: str, *, in_item: bool = True) -> None:
        self._fence = opening_fence(line)
        self._fence_in_item = in_item

    def _read_comment(self, index: int, line: str) -> int:
        if is_comment_line(line):
            self._close()
            if self._comments_from is None:
                self._comments_from = index
            return index + 1
        end = self._comment_block_end(index)
        if end is None:
            self._read_text(index, line)
            return index + 1
        self._close()
        self._end_comments(index)
        self._blocks.append(Block("comment", index, end))
        return end + 1

    def _comment_block_end(self, index: int) -> int | None:
        """The line that closes the comment that ``index`` opens and leaves open, before another one opens."""
        line = self._lines[index]
        if line.rfind("<!--") > line.find("<!--") or "-->" in line:
            return None
        for end in range(index + 1, len(self._lines)):
            line = self._lines[end]
            close = line.find("-->")
            if "<!--" in (line if close < 0 else line[:close]):
                return None
            if close >= 0:
                return end
        return None

    def _is_parted(self, index: int) -> bool:
        """Whether the blank line at ``index`` parts an item from its date and status, as OpenClaw does."""
        first = self._comments_from
        if first is None or (self._blocks and self._blocks[-1].last == first - 1):
            return False
        match = _LINE.match("".join(self._lines[index + 1 : index + 2]))
        return match is not None and match["item"] is not None and is_dated(self._lines[first:index])

    def _open(self, kind: BlockKind, index: int) -> None:
        if self._kind is not None:
            self._blocks.append(Block(self._kind, self._first, self._last))
        self._kind = kind
        self._first = index if self._comments_from is None else self._comments_from
        self._body = self._last = index
        self._comments_from = None

    def _close(self) -> None:
        if self._kind is not None:
            self._blocks.append(Block(self._kind, self._first, self._last))
            self._kind = None

    def _add_line(self, kind: BlockKind, index: int) -> None:
        self._close()
        self._end_comments(index)
        self._blocks.append(Block(kind, index, index))

    def _end_comments(self, index: int) -> None:
        """Settle the comment lines that end before ``index`` and stand above nothing.

        Annotations belong to the entry directly above them, if there is one, other comments to themselves.
        """
        first = self._comments_from
        if first is None:
            return
        self._comments_from = None
        above = self._blocks[-1] if self._blocks else None
        if (
            above is not None
            and above.last == first - 1
            and above.kind in ("item", "paragraph", "code")
            and all(map(is_annotation_line, self._lines[first:index]))
        ):
            self._blocks[-1] = above._replace(last=index - 1)
        else:
            self._blocks.append(Block("comment", first, index - 1))
